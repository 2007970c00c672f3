import { afterAll, beforeAll, expect, test } from 'vitest';
import { logText } from '../../../../src/cli/commands/serve/run-server.ts';
import { stackTexts } from '../../../../src/cli/kit/errors/failure.ts';
import type { RequestLog } from '../../../../src/contract/operation.ts';
import { type RunningServer, startServer } from '../../../../src/service/server.ts';
import { jsonOf, waybill } from '../../harness.ts';

const log: RequestLog[] = [];
let server: RunningServer;
let key: string;

/** What may identify a person; none of it is part of another text. */
const personal = ['Dana Whitfield', '3125550142', 'S Wacker Dr', 'ring at the back door', '5550142'];
const order = [
  ...['--pickup-address', '43 E Ohio St, Chicago, IL 60611', '--pickup-name', 'Pizza & Friends'],
  ...['--pickup-phone', '+13125550100', '--dropoff-address', '233 S Wacker Dr, Chicago, IL 60606'],
  ...['--dropoff-name', 'Dana Whitfield', '--dropoff-phone', '+13125550142'],
  ...['--dropoff-notes', 'ring at the back door', '--item', 'Brisket Classic:4:small'],
];

async function run(...argv: string[]) {
  const env = { WAYBILL_BASE_URL: server.url, WAYBILL_API_KEY: key };
  return waybill([...argv, '--json'], { env });
}

beforeAll(async () => {
  server = await startServer({
    ...{ host: '127.0.0.1', port: 0, database: ':memory:', publicUrl: null, sandbox: true, seed: 'metrics' },
    metrics: { host: '127.0.0.1', port: 0 },
    log: (line) => log.push(line),
  });
  key = server.keys?.test ?? '';
  // Quotes take a second, and are valid for half a minute.
  await run('sandbox', 'clock', 'scaled', '--rate', '20');
  // A port without a listener.
  await run('webhooks', 'create', 'http://127.0.0.1:9/hook');
  const shipped = await run('ship', ...order, '--cheapest', '--yes');
  expect(shipped).toMatchObject({ exit: 0 });
  const { id } = JSON.parse(shipped.stdout).deliveries[0];
  const advanced = await run('sandbox', 'advance', '--until', `${id}:delivered`);
  expect(advanced).toMatchObject({ exit: 0 });
});
afterAll(() => server.stop());

/** The values of a scrape, by the name with its labels. */
async function scrape(): Promise<Map<string, number>> {
  const response = await fetch(server.metrics_url ?? '');
  expect(response.headers.get('content-type')).toContain('text/plain; version=0.0.4');
  const lines = (await response.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const space = line.lastIndexOf(' ');
      return [line.slice(0, space), Number(line.slice(space + 1))];
    }),
  );
}

test('a scrape has requests, calls of couriers, quotes, dispatches, webhooks and the backlog', async () => {
  const found = await scrape();
  const sum = (name: string) =>
    [...found].filter(([each]) => each.startsWith(name)).reduce((total, [, value]) => total + value, 0);
  const created = 'waybill_http_request_duration_seconds_count{operation="CreateOrders",status="201"}';
  expect(found.get(created) ?? found.get(created.replace('201', '200'))).toBe(1);
  expect(sum('waybill_quotes_total{')).toBeGreaterThan(3);
  expect([...found.keys()]).toContainEqual(
    expect.stringMatching(/^waybill_quotes_total\{.*outcome="quoted"\}/),
  );
  expect([...found.keys()]).toContainEqual(
    expect.stringMatching(/^waybill_quotes_total\{.*outcome="(?!quoted|no_answer)\w+"\}/),
  );
  expect(sum('waybill_dispatches_total{')).toBe(1);
  expect(sum('waybill_provider_call_duration_seconds_count{')).toBeGreaterThan(4);
  expect(found.get('waybill_webhook_attempt_duration_seconds_count{outcome="failed"}')).toBeGreaterThan(0);
  const live = [
    'tasks_due',
    'tasks_oldest_due_seconds',
    'webhooks_pending',
    'webhooks_oldest_pending_seconds',
  ];
  for (const name of live) expect(found.get(`waybill_${name}{mode="live"}`), name).toBe(0);
  // The endpoint takes no event, so the later ones wait behind the first.
  expect(found.get('waybill_webhooks_pending{mode="test"}')).toBeGreaterThan(5);
  expect(found.get('waybill_order_dispatch_seconds_count{mode="test"}')).toBe(1);
  expect(found.get('waybill_database_up')).toBe(1);
  expect(found.get('waybill_failed_writes_total{reason="unreachable"}')).toBe(0);
  expect(found.get('waybill_failed_tasks{mode="test"}')).toBe(0);
  expect(found.get('waybill_event_streams_open')).toBe(0);
  expect(found.get('waybill_clock_skew_seconds')).toBe(0);
  expect(found.get('waybill_transactions_total')).toBeGreaterThan(10);
  expect(found.get('waybill_commits_total')).toBeLessThanOrEqual(
    found.get('waybill_transactions_total') ?? 0,
  );
  expect(found.get('waybill_transaction_retries_total')).toBe(0);
  expect(found.get('nodejs_eventloop_lag_seconds')).toBeGreaterThanOrEqual(0);
});

test('the address of the metrics serves nothing else', async () => {
  const url = new URL('/health', server.metrics_url ?? '');
  expect((await fetch(url)).status).toBe(404);
});

test('a scrape names no person and no key', async () => {
  const text = await (await fetch(server.metrics_url ?? '')).text();
  for (const each of [...personal, key]) expect(text).not.toContain(each);
});

test('the log has operation, account, mode and the end of the key, and nothing personal', async () => {
  for (const path of ['/v2/orders/%2B13125550142', '/v2/deliveries/13125550142', '/v2/Dana%20Whitfield'])
    await fetch(`${server.url}${path}?search=Dana+Whitfield`, { headers: { 'x-api-key': key } });
  await fetch(`${server.url}/v2/account`, {
    headers: { 'x-api-key': 'wb_test_wrong0000000000000000000000000000' },
  });
  const lines = log.map((line) => logText(line, true, stackTexts()));
  const entries = lines.map((line) => jsonOf(line));
  expect(entries).toContainEqual({
    ...{ time: expect.any(String), level: 'info', type: 'request', operation: 'CreateOrders' },
    ...{ method: 'POST', path: '/orders/create', status: expect.any(Number) },
    ...{ duration_ms: expect.any(Number), request_id: expect.stringMatching(/^req_/) },
    ...{ account_id: expect.stringMatching(/^acct_/), mode: 'test', key_end: key.slice(-4) },
  });
  expect(entries).toContainEqual(
    expect.objectContaining({ path: '/v2/account', status: 401, account_id: null, key_end: null }),
  );
  expect(entries).toContainEqual(expect.objectContaining({ path: '/v2/orders/...', status: 400 }));
  expect(entries.some(({ path }) => /\/[a-z]{3}_[0-9A-Z]{26}/.test(String(path)))).toBe(true);
  const texts = [...lines, ...log.map((line) => logText(line, false, stackTexts()))].join('\n');
  for (const each of [...personal, 'Dana', key]) expect(texts).not.toContain(each);
});
