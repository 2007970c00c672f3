import { mkdirSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { serveFlags } from '../../../../src/cli/commands/serve/serve-flags.ts';
import { envVarOf } from '../../../../src/cli/kit/args/input.ts';
import { dashed } from '../../../../src/cli/kit/result/message.ts';
import type { Entry } from '../../../../src/cli/settings/entries.ts';
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

const values: Record<string, string> = {
  integer: '7',
  duration: '7d',
  switch: 'yes',
  list: '10.7.0.0/16',
  text: 'http://seven.example',
  choice: 'json',
};

const special: Record<string, string> = {
  database: ':memory:',
  smtpTls: 'none',
  bodyMemory: '48',
  smtpTestRecipient: '@shop.example',
};

test.each(Object.entries(serveFlags).filter(([name]) => name !== 'config' && name !== 'check'))(
  '%s can be set by a variable and by a line of the file',
  async (name, { kind }) => {
    const value = special[name] ?? values[kind] ?? '';
    const byVariable = await settings({ env: { [envVarOf(name)]: value } });
    expect(byVariable.get(dashed(name))).toMatchObject({ value, origin: 'environment' });
    const byFile = await settings({ file: `${dashed(name)} = ${value}\n` });
    expect(byFile.get(dashed(name))).toMatchObject({ value, origin: 'file' });
  },
);

test('the password of a database is not shown', async () => {
  const { stdout } = await check({ file: 'database = postgres://shop:secretpw@db/waybill' });
  expect(stdout).toContain('postgres://shop:***@db/waybill');
  expect(stdout).not.toContain('secretpw');
});

test.each([
  ['port 4010', 'waybill.conf, line 1: expected a setting such as `port = 4010`.'],
  ['\nprot = 4010', 'waybill.conf, line 2: unknown setting prot.'],
  ['config = other.conf', 'waybill.conf, line 1: unknown setting config.'],
  ['port = many', '--port must be a whole number from 0 to 65535, not "many".'],
])('a file with %j is refused', async (file, message) => {
  const { exit, stderr } = await check({ file });
  expect([exit, errorOf(stderr).message]).toEqual([2, message]);
});

test('a file that does not exist is refused', async () => {
  const { exit, stderr } = await check({ flags: ['--config', 'missing.conf'] });
  expect([exit, errorOf(stderr).message]).toEqual([
    2,
    'The file missing.conf cannot be read: it does not exist.',
  ]);
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
  await vi.waitFor(() => expect(log).toContain('{"type":"waiting","for":"database"'), 5_000);
  expect(out).toBe('');
  rmdirSync(place);
  await vi.waitFor(() => expect(out).toContain('"type":"ready"'), 5_000);
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
