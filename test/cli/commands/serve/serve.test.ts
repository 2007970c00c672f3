import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Entry } from '../../../../src/cli/settings/setting-entries.ts';
import { createMetrics } from '../../../../src/service/metrics/service-metrics.ts';
import { freePort } from '../../../local-server.ts';
import { errorOf, freshHome, jsonOf, linesIn, type Outcome, objectsIn, waybill } from '../../harness.ts';

function statusOf(url: string, key = ''): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = { 'x-api-key': key, 'content-type': 'application/json', connection: 'close' };
    get(url, { headers }, (response) => resolve(response.resume().statusCode)).on('error', reject);
  });
}

interface Served {
  url: string;
  outcome: Outcome;
}

/** Serves until the work is done; returns the output. */
async function serving(
  flags: readonly string[],
  home: string,
  work: (url: string) => Promise<void>,
): Promise<Served> {
  const controller = new AbortController();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const running = waybill(['serve', '--port', `${port}`, ...flags], { home, signal: controller.signal });
  await expect.poll(() => statusOf(`${url}/health`)).toBe(200);
  await work(url);
  controller.abort();
  return { url, outcome: await running };
}

test('prints that it is ready in one line, with the keys of a new database once', async () => {
  const home = freshHome();
  const flags = ['--database', 'shop.db', '--json'];
  const first = await serving(flags, home, async () => {});
  const ready = jsonOf(first.outcome.stdout);
  expect(ready).toEqual({
    ...{ type: 'ready', url: first.url, database: join(home, 'shop.db') },
    keys: { test: expect.stringMatching(/^wb_test_/), live: expect.stringMatching(/^wb_live_/) },
    metrics_url: null,
  });
  const key = String(jsonOf(JSON.stringify(ready.keys)).test);
  const second = await serving(flags, home, async (url) => {
    expect(await statusOf(`${url}/v2/orders?limit=1`, key)).toBe(200);
  });
  expect(jsonOf(second.outcome.stdout).keys).toBeNull();
  const log = objectsIn(second.outcome.stderr);
  expect(log).toContainEqual(expect.objectContaining({ type: 'request', path: '/v2/orders', status: 200 }));
  expect(second.outcome.stderr).not.toContain(key);
});

test("without --database it serves the embedded service's data, with the profile's own key", async () => {
  const home = freshHome();
  expect(await waybill(['orders', 'list', '--json'], { home })).toMatchObject({ stdout: '[]\n' });
  const { outcome } = await serving([], home, async (url) => {
    await expect(statusOf(`${url}/v2/orders`, 'wb_test_unknown')).resolves.toBe(401);
  });
  expect(outcome.stdout).toContain(`Database: ${join(home, '.local/share/waybill/waybill.db')}`);
  expect(outcome.stdout).not.toContain('wb_live_');
  expect(outcome.stderr).toMatch(/^GET \/v2\/orders 401 \d+ ms$/m);
});

test('a port in use and a database that cannot be opened are reported', async () => {
  const home = freshHome();
  await serving(['--database', 'a.db'], home, async (url) => {
    const port = url.split(':')[2] ?? '';
    const { exit, stderr } = await waybill(['serve', '--port', port, '--database', 'b.db', '--json'], {
      home,
    });
    expect([exit, errorOf(stderr).message]).toEqual([2, `Port ${port} on 127.0.0.1 is already in use.`]);
  });
  const folder = await waybill(['serve', '--port', '0', '--database', '.', '--json'], { home });
  expect([folder.exit, errorOf(folder.stderr).code]).toEqual([7, 'storage_unavailable']);
});

test('a start that fails creates no account, whose keys nobody would see', async () => {
  const home = freshHome();
  await serving(['--database', 'a.db'], home, async (url) => {
    const port = url.split(':')[2] ?? '';
    writeFileSync(join(home, 'd.key'), 'not a key');
    for (const [database, ...flags] of [
      ['b.db', '--port', port],
      ['c.db', '--port', '0', '--metrics-port', port],
      ['d.db', '--port', '0', '--secret-key-file', 'd.key'],
    ]) {
      const failed = await waybill(['serve', '--database', database ?? '', ...flags], { home });
      expect([failed.exit, failed.stdout]).toEqual([2, '']);
      const { outcome } = await serving(['--database', database ?? '', '--json'], home, async () => {});
      expect(jsonOf(outcome.stdout).keys).not.toBeNull();
    }
  });
});

test('an address of the metrics that cannot be used is named by its own flags', async () => {
  const home = freshHome();
  await serving(['--database', 'a.db'], home, async (url) => {
    const port = url.split(':')[2] ?? '';
    const start = async (...flags: string[]) => {
      const line = ['serve', '--port', '0', '--database', 'b.db', '--json', '--metrics-port', ...flags];
      const { exit, stderr } = await waybill(line, { home });
      const { message, hint } = errorOf(stderr);
      return [exit, message, hint];
    };
    expect(await start(port)).toEqual([
      2,
      `Port ${port} on 127.0.0.1 is already in use.`,
      'Choose another port with --metrics-port; --metrics-port 0 picks a free one.',
    ]);
    const foreign = '192.0.2.1';
    expect(await start('9464', '--metrics-host', foreign)).toEqual([
      2,
      `${foreign} is not an address of this machine.`,
      'Choose another address with --metrics-host.',
    ]);
  });
});

test('with --log-format json warnings are objects of the log', async () => {
  const home = freshHome();
  const owner = 'acct_01KJPZ6V3CQ8YH2W5N7R4T9XEA';
  const flags = ['--database', 'shop.db', '--host', '0.0.0.0', '--clock-owner', owner];
  const { outcome } = await serving([...flags, '--log-format', 'json'], home, async () => {});
  const warnings = objectsIn(outcome.stderr).filter(({ level }) => level === 'warn');
  expect(warnings).toEqual(
    ['Other machines can reach this service', `There is no account ${owner}`].map((message) => ({
      ...{ time: expect.stringMatching(/Z$/), level: 'warn', type: 'warning' },
      message: expect.stringContaining(message),
    })),
  );
});

test('--metrics-port serves the metrics on an address of their own', async () => {
  const home = freshHome();
  const flags = ['--database', ':memory:', '--metrics-port', '0', '--log-format', 'json'];
  const { outcome } = await serving(flags, home, async (url) => {
    expect(await statusOf(`${url}/metrics`)).toBe(404);
  });
  expect(outcome.stdout).toMatch(/Metrics: http:\/\/127\.0\.0\.1:\d+\/metrics/);
  const [first, ...others] = objectsIn(outcome.stderr);
  expect(first).toMatchObject({ level: 'info', operation: 'GetHealth' });
  // Nothing warns of an address that other machines cannot reach.
  expect(others.filter(({ level }) => level === 'warn')).toEqual([]);
});

test('--database :memory: is a database in memory, not a file of that name', async () => {
  const home = freshHome();
  const { outcome } = await serving(['--database', ':memory:', '--json'], home, async () => {});
  expect(jsonOf(outcome.stdout)).toMatchObject({ type: 'ready', database: ':memory:' });
  expect(readdirSync(home).filter((name) => name.includes('memory'))).toEqual([]);
});

test.each([
  ['--database', 'mysql://joe:secretpw@db/x'],
  ['--database', 'sqlite:'],
  ['--database', ''],
  ['--public-url', 'nonsense'],
  ['--public-url', 'ftp://files.example'],
  ['--public-url', 'https://shop.example/?q=1'],
])('%s "%s" is refused before anything is created', async (flag, value) => {
  const home = freshHome();
  const { exit, stderr } = await waybill(['serve', '--port', '0', flag, value, '--json'], { home });
  expect([exit, errorOf(stderr).message]).toEqual([2, expect.stringContaining(flag)]);
  expect(stderr).not.toContain('secretpw');
  expect(readdirSync(home)).toEqual([]);
});

const page = readFileSync(join(import.meta.dirname, '../../../../src/guide/operating.md'), 'utf8');
const [unit = '', settings = ''] = [...page.matchAll(/^```ini\n(.*?)^```$/gms)].map(([, text = '']) => text);
const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0;

test.runIf(hasSystemd)('systemd accepts the unit of the guide', () => {
  const verify = (text: string) => {
    const file = join(freshHome(), 'waybill.service');
    // Replaces the program, which need not be installed, with one that exists.
    writeFileSync(file, text.replace('/usr/bin/waybill', process.execPath));
    const exposure = spawnSync('systemd-analyze', ['security', '--offline=yes', '--threshold=15', file], {
      encoding: 'utf8',
    });
    expect(exposure.status, exposure.stdout.slice(-2_000)).toBe(0);
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', file], { encoding: 'utf8' });
    // Units of the machine itself may have warnings too.
    return { status, warnings: stderr.split('\n').filter((line) => line.includes('waybill.service')) };
  };
  expect(verify(unit)).toEqual({ status: 0, warnings: [] });
  expect(verify(unit.replace('ProtectHome=yes', 'ProtectHouse=yes')).warnings).not.toEqual([]);
});

test('serve takes the settings of the guide, and the unit names their file', async () => {
  const home = freshHome();
  writeFileSync(join(home, 'waybill.conf'), settings);
  const { exit, stdout, stderr } = await waybill(['serve', '--config', 'waybill.conf', '--check', '--json'], {
    home,
  });
  expect([exit, stderr]).toEqual([0, '']);
  const entries: Entry[] = JSON.parse(stdout);
  const fromFile = entries.filter(({ origin }) => origin === 'file');
  const lines = linesIn(settings).filter((line) => !line.startsWith('#'));
  expect(fromFile).toHaveLength(lines.length);
  expect(unit).toContain('ExecStart=/usr/bin/waybill serve --config /etc/waybill.conf --must-exist\n');
});

test('serve takes the settings of the composition in the guide', async () => {
  const [composition = ''] = [...page.matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, text = '']) => text);
  const values = new Map([
    ['DATABASE_PASSWORD', 'word'],
    ['SECRET_KEY', Buffer.alloc(32, 1).toString('base64')],
  ]);
  const variables = [...composition.matchAll(/^ +(WAYBILL_\w+): (.*)$/gm)].map(
    ([, name = '', value = '']) => [
      name,
      value.replaceAll(/\$\{(\w+)\}/g, (text, given) => values.get(given) ?? text),
    ],
  );
  const { exit, stdout, stderr } = await waybill(['serve', '--check', '--json'], {
    env: Object.fromEntries(variables),
  });
  expect([exit, stderr]).toEqual([0, '']);
  const entries: Entry[] = JSON.parse(stdout);
  // The secret key is not listed, as it has no flag.
  const fromVariables = entries.filter(({ origin }) => origin === 'environment');
  expect(fromVariables).toHaveLength(variables.length - 1);
});

const rules = /^```yaml\n(groups:\n.*?)^```$/ms.exec(page)?.[1] ?? '';
const hasPromtool = spawnSync('promtool', ['--version']).status === 0;

test.runIf(hasPromtool)('Prometheus accepts the alert rules of the guide', () => {
  const check = (text: string) => {
    const file = join(freshHome(), 'rules.yml');
    writeFileSync(file, text);
    return spawnSync('promtool', ['check', 'rules', file]).status;
  };
  expect(check(rules)).toBe(0);
  expect(check(rules.replace('increase(', 'increased('))).not.toBe(0);
});

test('the alert rules use metrics that exist', async () => {
  const metrics = createMetrics(async () => ({
    ...{ backlogs: [], open_streams: 0, skew_ms: 0, is_postponed: false, circuits: [] },
    storage: {
      ...{ transactions: 0, commits: 0, retries: 0, lock_waits: 0, lock_wait_ms: 0 },
      ...{ connections: { total: 0, idle: 0, waiting: 0 }, refused_connections: 0 },
    },
    failed_writes: { conflicts: 0, disk_full: 0, locked: 0, moved: 0, read_only: 0, unreachable: 0 },
  }));
  const known = [...(await metrics.text()).matchAll(/^# TYPE (\w+)/gm)].map(([, name = '']) => name);
  const used = [...rules.matchAll(/\bwaybill_\w+/g)].map(([name]) => name.replace(/_count$/, ''));
  expect(used.length).toBeGreaterThan(10);
  expect(known).toEqual(expect.arrayContaining(used));
});
