import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import type { Transport } from '../../../../src/contract/operation.ts';
import { account } from '../../fake-service.ts';
import { errorOf, freshHome, type RunOptions, waybill } from '../../harness.ts';
import { orderLine } from '../../sandbox.ts';

const key = 'wb_test_0123456789abcdef';
const far = { WAYBILL_BASE_URL: 'http://far.test', WAYBILL_API_KEY: key };

interface Seen {
  check: string;
  status: string;
  found: string;
  remedy: string;
  command: string | null;
  code: string | null;
  exit_code: number;
}

async function doctor(options: RunOptions): Promise<{ exit: number; stderr: string; findings: Seen[] }> {
  const { stdout, stderr, exit } = await waybill(['doctor', '--json'], options);
  const findings: Seen[] = JSON.parse(stdout);
  return { exit, stderr, findings };
}

function of(findings: readonly Seen[], check: string): Seen | undefined {
  return findings.find((finding) => finding.check === check);
}

/** All files below a folder, with modes, content and modification times. */
function contents(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((name) => {
      const stats = statSync(join(folder, name));
      const bytes = stats.isFile() ? `${stats.mtimeMs} ${readFileSync(join(folder, name), 'base64')}` : '';
      return `${name} ${stats.mode} ${bytes}`;
    });
}

/** A service that responds to these paths, and 404 otherwise. */
function service(answers: Record<string, unknown>, time = '2030-01-01T00:00:00.000Z'): Transport {
  const known: Record<string, unknown> = {
    '/v2/account': account,
    '/health': { status: 'ok', service_time: time },
    '/v2/sandbox/clock': { object: 'clock', mode: 'real', rate: 1, now: time, next_due_at: null },
    '/v2/webhook_endpoints': { object: 'list', data: [], has_more: false, next_cursor: null },
    ...answers,
  };
  return async ({ method, path }) => {
    if (method !== 'GET') throw new Error(`${method} ${path} was sent`);
    const body = known[path.split('?')[0] ?? ''];
    const found = body ?? { object: 'error', code: 'record_not_found', message: `no ${path}` };
    const headers = { 'x-service-time': time, 'content-type': 'application/json' };
    return { status: body === undefined ? 404 : 200, headers, body: JSON.stringify(found) };
  };
}

test('a new home has no problem, and doctor creates nothing', async () => {
  const home = freshHome();
  const { exit, findings, stderr } = await doctor({ home });
  expect([exit, stderr]).toEqual([0, '']);
  expect(findings.map(({ check }) => check)).toEqual([
    ...['runtime', 'settings', 'settings folder', 'settings file', 'keychain', 'storage', 'service', 'proxy'],
    'terminal',
  ]);
  expect(contents(home)).toEqual([]);
});

test('on an embedded service it changes nothing, even if work is due', async () => {
  const home = freshHome();
  const run = (...line: string[]) => waybill(line, { home });
  await run('sandbox', 'clock', 'manual');
  await run('deliveries', 'create', ...orderLine.slice(2), '--initiate');
  await run('sandbox', 'clock', 'scaled', '--rate', '86400');
  const before = contents(home).filter((file) => !file.includes('cache'));
  const { exit, findings } = await doctor({ home });
  expect(exit).toBe(0);
  expect(of(findings, 'storage')?.found).toMatch(/waybill\.db, [\d.]+ kB, schema \d+, [\d.]+ [GT]B free$/);
  expect(of(findings, 'service')?.found).toMatch(/^sandbox: embedded, ok, after \d+ ms$/);
  expect(of(findings, 'key')?.found).toBe('test mode, may admin');
  expect(of(findings, 'clock')?.found).toMatch(/^sandbox, scaled: 86400 times as fast, at /);
  expect(of(findings, 'driving times')?.found).toBe('no router is set: estimated by straight lines');
  expect(of(findings, 'maps')?.found).toBe('drawn, without streets');
  expect(of(findings, 'webhooks')?.found).toBe('0 endpoints');
  expect(contents(home).filter((file) => !file.includes('cache'))).toEqual(before);
});

test('a key that the next command would create is not created', async () => {
  const home = freshHome();
  const file = join(home, '.config/waybill/profiles.json');
  await waybill(['whoami'], { home });
  const unknown = readFileSync(file, 'utf8').replace(/wb_test_\w+/, key);
  writeFileSync(file, unknown);
  const { exit, findings } = await doctor({ home });
  expect(exit).toBe(0);
  expect(of(findings, 'key')).toMatchObject({ status: 'warn', found: 'not known to this database' });
  expect(readFileSync(file, 'utf8')).toBe(unknown);
  rmSync(file);
  const without = await doctor({ home });
  expect(of(without.findings, 'key')).toMatchObject({ status: 'warn', found: 'none yet' });
  expect(existsSync(file)).toBe(false);
});

test('a database of an older version is left for the next command to migrate', async () => {
  const home = freshHome();
  const file = join(home, '.local/share/waybill/waybill.db');
  await waybill(['whoami'], { home });
  const version = (value?: number) => {
    const database = new DatabaseSync(file);
    if (value !== undefined) database.exec(`pragma user_version = ${value}`);
    const read = Number(database.prepare('pragma user_version').get()?.user_version);
    database.close();
    return read;
  };
  const newest = version();
  version(newest - 1);
  const { exit, findings } = await doctor({ home });
  expect([exit, of(findings, 'storage')?.status, version()]).toEqual([0, 'warn', newest - 1]);
  version(newest + 1);
  const newer = await doctor({ home });
  expect(newer.exit).toBe(7);
  expect(of(newer.findings, 'storage')?.found).toContain('newer version');
});

test.each([
  ['a key that it does not know', 4, { '/v2/account': undefined }, 401],
  ['a service that is broken', 7, { '/health': undefined }, 503],
])('%s is exit %d, with its remedy', async (_, exit, missing, status) => {
  const [path = ''] = Object.keys(missing);
  const answers = service({});
  const code = status === 401 ? 'unauthorized' : 'storage_unavailable';
  const transport: Transport = async (request) =>
    request.path === path
      ? {
          ...{ status, headers: { 'content-type': 'application/json' } },
          body: JSON.stringify({ object: 'error', code, message: 'No.' }),
        }
      : answers(request);
  const env = { ...far, WAYBILL_REQUEST_TIMEOUT: '1ms' };
  const got = await doctor({ home: freshHome(), env, transport });
  expect(got.exit).toBe(exit);
  const [fault] = got.findings.filter((finding) => finding.status === 'fail');
  expect(fault).toMatchObject({ exit_code: exit, code: errorOf(got.stderr).code });
  expect(`${fault?.remedy}${fault?.command}`).not.toBe('null');
});

test('a service that does not answer is waited for at most 10 s', async () => {
  const never: Transport = () => new Promise(() => {});
  const timer: RunOptions['timer'] = (milliseconds, expired) => {
    const waiting = setTimeout(expired, milliseconds === 10_000 ? 200 : milliseconds);
    return () => clearTimeout(waiting);
  };
  const got = await doctor({ home: freshHome(), env: far, transport: never, timer });
  expect([got.exit, of(got.findings, 'service')?.found]).toEqual([7, 'There was no answer within 10 s.']);
});

test('a clock that differs much is a warning; a sandbox clock shows its mode', async () => {
  const now = () => Date.parse('2030-01-01T01:00:00.000Z');
  const off = await doctor({ home: freshHome(), env: far, transport: service({}), now });
  expect(of(off.findings, 'clock')).toMatchObject({
    status: 'warn',
    found: 'the service is 1 h behind this machine',
  });
  const clock = {
    object: 'clock',
    mode: 'manual',
    rate: 0,
    now: '2030-01-01T00:00:00.000Z',
    next_due_at: null,
  };
  const answers = { '/v2/sandbox/clock': clock };
  const still = await doctor({ home: freshHome(), env: far, transport: service(answers), now });
  expect(of(still.findings, 'clock')).toMatchObject({ status: 'ok' });
  expect(of(still.findings, 'clock')?.found).toMatch(
    /^sandbox, manual: it is stopped at .*1 h behind this machine$/,
  );
  const place = { home: freshHome(), env: far, transport: service(answers), now, tty: true };
  const { stdout } = await waybill(['doctor', '--time', 'relative'], place);
  expect(stdout).toContain('sandbox, manual: it is stopped 1 h behind this machine\n');
});

test('settings: their sources, modes, and a key in a file', async () => {
  const home = freshHome();
  writeFileSync(join(home, 'key'), key, { mode: 0o644 });
  const env = { WAYBILL_CONFIG_DIR: join(home, 'config') };
  const line = ['profiles', 'create', 'ci', '--base-url', 'http://far.test', '--api-key-file', 'key'];
  await waybill(line, { home, env });
  chmodSync(join(home, 'config'), 0o755);
  const { findings, exit } = await doctor({
    home,
    env: { ...env, WAYBILL_PROFILE: 'ci' },
    transport: service({}),
  });
  expect(exit).toBe(0);
  expect(of(findings, 'settings')?.found).toMatch(/profiles\.json; ci in use, as the environment says$/);
  expect(of(findings, 'settings folder')?.command).toBe(`chmod 700 ${home}/config`);
  expect(of(findings, 'settings file')?.status).toBe('ok');
  expect(of(findings, 'key file')?.command).toBe(`chmod 600 ${home}/key`);
  expect(of(findings, 'keychain')?.found).toBe('the key is in a key file');
});

test('proxies: how requests are sent, without passwords', async () => {
  const proxied = async (env: Record<string, string>) =>
    of(
      (await doctor({ home: freshHome(), env: { ...far, ...env }, transport: service({}) })).findings,
      'proxy',
    );
  const address = { HTTP_PROXY: 'http://joe:secret@proxy.test:8080', NO_PROXY: 'localhost' };
  expect((await proxied(address))?.found).toBe(
    'requests go through http://proxy.test:8080, but for localhost',
  );
  expect(await proxied({ HTTP_PROXY: 'proxy.test' })).toMatchObject({ status: 'warn' });
  expect((await proxied({ HTTPS_PROXY: 'http://proxy.test' }))?.found).toContain('not used');
});

test('in a terminal it fits, with the command beside each problem', async () => {
  const home = freshHome();
  mkdirSync(join(home, '.config/waybill'), { recursive: true, mode: 0o755 });
  chmodSync(join(home, '.config/waybill'), 0o755);
  const env = { NO_COLOR: '1', TERM: 'xterm-256color' };
  const { stdout, exit } = await waybill(['doctor'], { home, env, tty: true, columns: 120 });
  expect(exit).toBe(0);
  expect(stdout).toMatch(/^warn {2}settings folder {2}.* is open to others \(0755\)\n {23}chmod 700 /m);
  expect(stdout).toMatch(
    /^ok {4}terminal {9}120 columns, no colour, plots in ASCII, as the locale asks for$/m,
  );
  expect(existsSync(join(home, '.local'))).toBe(false);
  const narrow = await waybill(['doctor'], { home, env, tty: true, columns: 40 });
  // A command to be copied.
  expect(narrow.stdout).toContain(`\nchmod 700 ${home}/.config/waybill\n`);
  expect(narrow.stdout.trimEnd()).not.toMatch(/^ *$/m);
});
