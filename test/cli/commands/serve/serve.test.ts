import { readdirSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { freePort } from '../../../local-server.ts';
import { errorOf, freshHome, jsonOf, type Outcome, waybill } from '../../harness.ts';

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
  await vi.waitFor(async () => expect(await statusOf(`${url}/health`)).toBe(200), 5000);
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
  const log = second.outcome.stderr.trim().split('\n').map(jsonOf);
  expect(log).toContainEqual(expect.objectContaining({ type: 'request', path: '/v2/orders', status: 200 }));
  expect(second.outcome.stderr).not.toContain(key);
});

test("without --database it serves the embedded service's data, with the profile's own key", async () => {
  const home = freshHome();
  const { stdout } = await waybill(['orders', 'list', '--json'], { home });
  expect(stdout).toBe('[]\n');
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

test('--no-sandbox and --seed are passed to the service', async () => {
  const home = freshHome();
  const flags = ['--no-sandbox', '--seed', '7', '--database', 'hosted.db', '--json'];
  const { outcome } = await serving(flags, home, async () => {});
  expect(jsonOf(outcome.stdout)).toMatchObject({ type: 'ready' });
});

test('--metrics-port serves the metrics on an address of their own', async () => {
  const home = freshHome();
  const flags = ['--database', ':memory:', '--metrics-port', '0', '--log-format', 'json'];
  const { outcome } = await serving(flags, home, async (url) => {
    expect(await statusOf(`${url}/metrics`)).toBe(404);
  });
  expect(outcome.stdout).toMatch(/Metrics: http:\/\/127\.0\.0\.1:\d+\/metrics/);
  const [first = ''] = outcome.stderr.split('\n');
  expect(jsonOf(first)).toMatchObject({ level: 'info', operation: 'GetHealth' });
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
])('%s "%s" is refused before anything is created', async (flag, value) => {
  const home = freshHome();
  const { exit, stderr } = await waybill(['serve', '--port', '0', flag, value, '--json'], { home });
  expect([exit, errorOf(stderr).message]).toEqual([2, expect.stringContaining(flag)]);
  expect(stderr).not.toContain('secretpw');
  expect(readdirSync(home)).toEqual([]);
});
