import { afterAll, beforeAll, expect, test } from 'vitest';
import type { RequestLog } from '../../../src/contract/operation.ts';
import { type RunningServer, startServer } from '../../../src/service/server.ts';
import { jsonOf, waybill } from '../harness.ts';
import { orderLine } from '../sandbox.ts';

const log: RequestLog[] = [];
let server: RunningServer;

beforeAll(async () => {
  const place = { host: '127.0.0.1', port: 0, database: ':memory:', publicUrl: null, sandbox: null };
  server = await startServer({ ...place, seed: 'over-http', log: (line) => log.push(line) });
  // A delivery takes about a second.
  await run('sandbox', 'clock', 'scaled', '--rate', '1200');
});
afterAll(() => server.stop());

async function run(...argv: string[]) {
  const env = { WAYBILL_BASE_URL: server.url, WAYBILL_API_KEY: server.keys?.test ?? '' };
  log.splice(0);
  const outcome = await waybill([...argv, '--json'], { env });
  const reads = log.flatMap((line) => (line.type === 'request' && line.method === 'GET' ? [line.path] : []));
  return { ...outcome, reads };
}

test('ship --wait: streams replace most polls, and none stays open', async () => {
  const line = ['ship', ...orderLine.slice(2), '--cheapest', '--yes', '--wait', 'delivered'];
  const { exit, stdout, reads } = await run(...line);
  expect([exit, jsonOf(stdout)]).toMatchObject([0, { deliveries: [{ status: 'delivered' }] }]);
  expect(reads.filter((path) => path === '/v2/events/stream')).toHaveLength(2);
  expect(reads.length).toBeLessThanOrEqual(25);
  // An open stream would delay it by its grace period of five seconds.
  const from = performance.now();
  await server.stop();
  expect(performance.now() - from).toBeLessThan(4000);
});
