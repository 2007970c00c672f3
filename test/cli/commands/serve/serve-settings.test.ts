import { mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  mailRulesOf,
  serveFlags,
  smtpFlags,
  smtpSettingsOf,
} from '../../../../src/cli/commands/serve/serve-flags.ts';
import { nameEnvVar } from '../../../../src/cli/kit/args/command-input.ts';
import { dashed } from '../../../../src/cli/kit/result/message.ts';
import type { Entry } from '../../../../src/cli/settings/setting-entries.ts';
import { errorOf, freshHome, waybill } from '../../harness.ts';

interface Given {
  flags?: readonly string[];
  env?: Record<string, string>;
  file?: string;
}

async function check({ flags = [], env = {}, file }: Given) {
  const home = freshHome();
  if (file !== undefined) writeFileSync(join(home, 'waybill.conf'), file);
  const config = file === undefined ? [] : ['--config', 'waybill.conf'];
  return waybill(['serve', '--check', '--json', ...config, ...flags], { home, env });
}

async function settings(given: Given): Promise<Map<string, Entry>> {
  const { stdout, stderr } = await check(given);
  expect(stderr).toBe('');
  const entries: Entry[] = JSON.parse(stdout);
  return new Map(entries.map((entry) => [entry.key, entry]));
}

test.each([
  ['http://tiles.example/{z}/{x}/{y}.png', 'https://'],
  ['https://{s}.tiles.example/{z}/{x}/{y}.png', 'one host'],
  ['https://tiles.example/{z}/{x}.png', '{y}'],
  ["https://tiles.example'; script-src *;/{z}/{x}/{y}.png", 'must be a URL'],
])('tiles of %s are refused', async (url, fault) => {
  const { exit, stderr } = await check({ flags: ['--map-tiles', url, '--map-attribution', 'Maps'] });
  expect([exit, errorOf(stderr).message]).toEqual([2, expect.stringContaining(fault)]);
});

test('tiles need an attribution, and an attribution needs tiles', async () => {
  const tiles = 'https://tiles.example/{z}/{x}/{y}.png?key=1';
  for (const flags of [
    ['--map-tiles', tiles],
    ['--map-attribution', 'Maps'],
  ]) {
    for (const how of [['--port', '0'], ['--check']])
      expect((await waybill(['serve', ...how, ...flags], { home: freshHome() })).exit).toBe(2);
  }
  const found = await settings({ flags: ['--map-tiles', tiles, '--map-attribution', 'Maps'] });
  expect(found.get('map-tiles')).toMatchObject({ value: tiles, origin: 'flag' });
});

test('a flag overrides the environment, that the file, and that the default', async () => {
  const found = await settings({
    flags: ['--port', '5000', '--no-sandbox'],
    env: { WAYBILL_PORT: '5001', WAYBILL_HOST: '0.0.0.0', WAYBILL_TRUSTED_PROXY: '10.0.0.0/8' },
    file: '# our shop\n\nport = 5002\nhost=::1\nidle-timeout = 9s\ntrusted-proxy = 192.168.0.0/16\n',
  });
  expect(found.get('port')).toMatchObject({ value: '5000', origin: 'flag', source: '--port' });
  expect(found.get('sandbox')).toMatchObject({ value: 'no', origin: 'flag' });
  expect(found.get('host')).toEqual({
    ...{ key: 'host', value: '0.0.0.0', origin: 'environment', source: 'WAYBILL_HOST' },
  });
  expect(found.get('trusted-proxy')).toMatchObject({ value: '10.0.0.0/8', origin: 'environment' });
  expect(found.get('idle-timeout')).toEqual({
    ...{ key: 'idle-timeout', value: '9s', origin: 'file', source: 'waybill.conf' },
  });
  expect(found.get('max-connections')).toMatchObject({ value: '2000', origin: 'default', source: null });
});

test.each([
  ['tcp://10.43.146.117:4010', '4010', 'default'],
  ['tcp://[fd00::1]:4010', '4010', 'default'],
  ['udp://10.43.146.117:4010', '4010', 'default'],
  ['5001', '5001', 'environment'],
])(
  'WAYBILL_PORT=%s, of a Service of Kubernetes or of a person, gives port %s',
  async (text, value, origin) => {
    const found = await settings({ env: { WAYBILL_PORT: text, WAYBILL_SERVICE_HOST: '10.43.146.117' } });
    expect(found.get('port')).toMatchObject({ value, origin });
  },
);

const values: Record<string, string> = {
  integer: '7',
  duration: '7d',
  switch: 'yes',
  list: '10.7.0.0/16',
  text: 'http://seven.example',
  choice: 'json',
  money: '7.00',
};

const keyFile = join(freshHome(), 'secret.key');
writeFileSync(keyFile, Buffer.alloc(32, 1).toString('base64'));

const special: Record<string, string> = {
  clockOwner: 'acct_01KJPZ6V3CQ8YH2W5N7R4T9XEA',
  secretKeyFile: keyFile,
  smtpFrom: 'orders@shop.example',
  smtpPasswordFile: keyFile,
  database: ':memory:',
  smtpTls: 'none',
  geocoder: 'nominatim+https://geocoder.example',
  bodyMemory: '48',
  dialect: 'burq',
  smtpTestRecipient: '@shop.example',
  mapTiles: 'https://tiles.example/{z}/{x}/{y}.png',
};

const server = ['--smtp-host', 'mail.example'];
const sender = ['--smtp-from', 'orders@shop.example'];

/** Flags of which neither is complete without the other. */
const beside: Record<string, string[]> = {
  smtpHost: sender,
  smtpFrom: server,
  smtpUser: [...server, ...sender, '--smtp-password-file', keyFile],
  smtpPasswordFile: [...server, ...sender],
  mcpLive: ['--mcp', '--mcp-max-cost', '9'],
  mcpMaxCost: ['--mcp', '--mcp-live'],
  mapTiles: ['--map-attribution', 'Maps'],
  mapAttribution: ['--map-tiles', 'https://tiles.example/{z}/{x}/{y}.png'],
};

test.each(Object.entries(serveFlags).filter(([name]) => name !== 'config' && name !== 'check'))(
  '%s can be set by a variable and by a line of the file',
  async (name, { kind }) => {
    const value = special[name] ?? values[kind] ?? '';
    const flags = beside[name] ?? [];
    const byVariable = await settings({ flags, env: { [nameEnvVar(name)]: value } });
    expect(byVariable.get(dashed(name))).toMatchObject({ value, origin: 'environment' });
    const byFile = await settings({ flags, file: `${dashed(name)} = ${value}\n` });
    expect(byFile.get(dashed(name))).toMatchObject({ value, origin: 'file' });
  },
);

test('a public URL loses the slashes at its end, because paths are appended to it', () => {
  expect(serveFlags.publicUrl.read(['https://shop.example/'])).toBe('https://shop.example');
  expect(serveFlags.publicUrl.read(['https://shop.example/sub//'])).toBe('https://shop.example/sub');
});

test.each([
  ['port 4010', 'waybill.conf, line 1: expected a setting such as `port = 4010`.'],
  ['\nprot = 4010', 'waybill.conf, line 2: unknown setting prot.'],
  ['config = other.conf', 'waybill.conf, line 1: unknown setting config.'],
  ['port = 1\nport = 2', 'waybill.conf, line 2: port is set twice.'],
  ['port = many', '--port must be a whole number from 0 to 65535, not "many".'],
])('a file with %j is refused', async (file, message) => {
  const { exit, stderr } = await check({ file });
  expect([exit, errorOf(stderr).message]).toEqual([2, message]);
});

test('quotes around a value are not part of it', async () => {
  const byFile = await settings({ flags: [], file: `database = "shop.db"\nhost = '127.0.0.1'\n` });
  expect(byFile.get('database')).toMatchObject({ value: expect.stringMatching(/[/]shop\.db$/) });
  expect(byFile.get('host')).toMatchObject({ value: '127.0.0.1' });
});

test('~ in a file is the home folder, as no shell replaces it', async () => {
  const { exit, stderr } = await check({ file: 'secret-key-file = ~/missing.key\n' });
  expect([exit, errorOf(stderr).message]).toEqual([2, expect.not.stringContaining('~')]);
});

test('a file that does not exist is refused', async () => {
  const { exit, stderr } = await check({ flags: ['--config', 'missing.conf'] });
  expect(exit).toBe(2);
  expect(errorOf(stderr).message).toBe('The file missing.conf cannot be read: it does not exist.');
});

test('--wait-for-database retries until the database can be opened', async () => {
  const home = freshHome();
  const place = join(home, 'shop.db');
  mkdirSync(place);
  const controller = new AbortController();
  let [out, log] = ['', ''];
  const running = waybill(
    ['serve', '--port', '0', '--database', 'shop.db', '--wait-for-database', '20s', '--json'],
    {
      home,
      signal: controller.signal,
      written: (text) => {
        out += text;
      },
      said: (text) => {
        log += text;
      },
    },
  );
  await expect.poll(() => log).toContain('{"type":"waiting","for":"database"');
  expect(out).toBe('');
  rmdirSync(place);
  await expect.poll(() => out).toContain('"type":"ready"');
  controller.abort();
  await running;
});

test('--wait-for-database gives up in the end', async () => {
  const flags = ['--database', '.', '--wait-for-database', '600ms'];
  const { exit, stderr } = await waybill(['serve', '--port', '0', '--json', ...flags], { home: freshHome() });
  expect([exit, errorOf(stderr).code]).toEqual([7, 'storage_unavailable']);
});

test('a time to keep data of less than a day, or that is none, is refused with times that are taken', async () => {
  for (const given of ['1', '1h', 'forever']) {
    const { exit, stderr } = await check({ flags: ['--keep-events', given] });
    const wanted = 'must be a duration of one day or more, such as 1d or 90d';
    expect([exit, errorOf(stderr).message]).toEqual([2, `--keep-events ${wanted}, not "${given}".`]);
  }
});

test.each(['--receive-timeout', '--send-timeout', '--idle-timeout'])('%s is not zero', async (flag) => {
  const { exit, stderr } = await check({ flags: [flag, '0s'] });
  expect([exit, errorOf(stderr).message]).toEqual([2, `${flag} must be longer than 0s.`]);
});

const folder = freshHome();
writeFileSync(join(folder, 'password'), 'from the file\n');
const flags: Parameters<typeof smtpSettingsOf>[1] = {
  ...{
    smtpHost: 'mail.example',
    smtpPort: undefined,
    smtpTls: 'starttls',
    smtpFrom: 'orders@shop.example',
  },
  ...{ smtpUser: undefined, smtpPasswordFile: undefined },
};
const own = { host: 'mail.example', from: 'orders@shop.example' };

test('the password is read from a variable or a file, and ports follow the encryption', () => {
  const environment = { WAYBILL_SMTP_PASSWORD: 'from the variable' };
  const read = (changes: Partial<typeof flags>) =>
    smtpSettingsOf({ environment, folder }, { ...flags, ...changes });
  expect(read({})).toEqual({ ...own, port: 587, tls: 'starttls', user: null, password: 'from the variable' });
  expect(read({ smtpTls: 'tls', smtpUser: 'shop', smtpPasswordFile: 'password' })).toEqual({
    ...{ ...own, port: 465, tls: 'tls', user: 'shop', password: 'from the file' },
  });
  expect(read({ smtpPort: 2525 })).toMatchObject({ port: 2525 });
  expect(read({ smtpHost: undefined, smtpFrom: undefined })).toBeNull();
});

test.each([
  [['--smtp-from', 'orders@shop.example'], 'have no server'],
  [['--smtp-host', 'mail.example'], 'missing or wrong'],
  [['--smtp-host', 'mail.example', '--smtp-from', 'Shop <a@b.example>'], 'missing or wrong'],
  [
    ['--smtp-host', 'mail.example', '--smtp-from', 'a@b.example', '--smtp-user', 'shop'],
    'password of the SMTP',
  ],
  [
    ['--smtp-host', 'mail.example', '--smtp-from', 'a@b.example', '--smtp-password-file', 'gone'],
    'cannot be read: gone',
  ],
  [['--secret-key-file', 'gone.key'], 'gone.key does not exist'],
  [['--clock-owner', 'foo'], 'must be the ID of an account'],
])('serve %j is refused before it starts, also by --check', async (given, message) => {
  for (const how of [[], ['--check']]) {
    const line = ['serve', '--database', ':memory:', ...how, ...given];
    const { exit, stderr } = await waybill(line, { home: freshHome() });
    expect([exit, stderr.replaceAll(/\s+/g, ' ')]).toEqual([2, expect.stringContaining(message)]);
  }
});

test('the name, the replies and the recipients of test mode are the rules of the operator', () => {
  const rest = { smtpFromName: 'Shop', smtpReplyTo: undefined, smtpTrustAccounts: false, smtpPerDay: 10 };
  const rules = mailRulesOf({ ...rest, smtpTestRecipient: ['@shop.example'] });
  expect(rules).toEqual({
    ...{ test_recipients: ['@shop.example'], per_day: 10, from_name: 'Shop', reply_to: null },
    trusts_accounts: false,
  });
  const { smtpTestRecipient } = smtpFlags;
  expect(smtpTestRecipient.read(['@shop.example, sam@mail.example'])).toHaveLength(2);
  expect(() => smtpTestRecipient.read(['shop.example'])).toThrow('must be an address');
});

test('a password is sent without encryption to this machine only', () => {
  const plain = { ...flags, smtpTls: 'none', smtpUser: 'shop' } as const;
  const host = { environment: { WAYBILL_SMTP_PASSWORD: 'secret' }, folder };
  expect(() => smtpSettingsOf(host, plain)).toThrow('not sent without encryption');
  expect(smtpSettingsOf(host, { ...plain, smtpHost: '127.0.0.1' })).toMatchObject({
    tls: 'none',
    user: 'shop',
  });
});
