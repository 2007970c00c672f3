import { once } from 'node:events';
import { request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { orderRequest } from '../service/fixture.ts';
import { callerOf, connected, connectedOver } from './mcp-client.ts';
import { freshHome, type Home, inProcess, type Served, serve, start } from './run.ts';

/** An assistant that is gone in the middle of a call: the service goes on, and the same call sends nothing twice. */

const initialize = {
  protocolVersion: '2025-06-18',
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
};

const message = (method: string, params: object, id?: number) =>
  JSON.stringify({ jsonrpc: '2.0', ...(id === undefined ? {} : { id }), method, params });

const shipment = (ref: string) => ({
  ...orderRequest({ external_order_ref: ref }),
  ...{ max_cost: 1250, idempotency_key: ref },
});

const callOf = (ref: string) => message('tools/call', { name: 'ship_delivery', arguments: shipment(ref) }, 2);

/** Begins a call over HTTP and closes its connection after a while; null: when its answer begins. */
async function leaveOverHttp({ url, keys }: Served, ref: string, ms: number | null): Promise<void> {
  const sent = request(new URL('/mcp', url), {
    method: 'POST',
    headers: {
      authorization: `Bearer ${keys.test}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
  });
  sent.on('error', () => {});
  const answer = once(sent, 'response').catch(() => null);
  sent.end(callOf(ref));
  await (ms === null ? answer : delay(ms));
  sent.destroy();
}

/** Begins a call on stdin and stdout, and closes both after a while. The process must end by itself. */
async function leaveOnStdio(home: Home, ref: string, ms: number | null): Promise<void> {
  const child = start(home, ['mcp'], 'pipe');
  const lines = [message('initialize', initialize, 1), message('notifications/initialized', {})];
  child.stdin?.write(`${lines.join('\n')}\n`);
  child.stderr?.resume();
  await once(child.stdout ?? child, 'data');
  child.stdin?.on('error', () => {});
  child.stdin?.write(`${callOf(ref)}\n`);
  await (ms === null ? once(child.stdout ?? child, 'data') : delay(ms));
  const ended = once(child, 'exit');
  child.stdout?.destroy();
  child.stdin?.destroy();
  await ended;
}

const moments = [0, 30, 600, null];

test('a client that is gone in the middle of a call leaves the service well, and the order is sent once', async () => {
  const served = await serve(freshHome(), { flags: ['--mcp'] });
  const home = freshHome({ WAYBILL_BASE_URL: served.url, WAYBILL_API_KEY: served.keys.test });
  await inProcess(home, 'sandbox', 'clock', 'scaled', '--rate', '20');
  const refs = moments.flatMap((ms) => [`http-${ms}`, `stdio-${ms}`]);
  for (const ms of moments) {
    await leaveOverHttp(served, `http-${ms}`, ms);
    await leaveOnStdio(home, `stdio-${ms}`, ms);
  }
  const again = {
    http: callerOf(await connectedOver(served.url, served.keys.test)),
    stdio: callerOf(await connected(home)),
  };
  for (const ref of refs) {
    const call = ref.startsWith('http') ? again.http : again.stdio;
    expect([ref, await call('ship_delivery', shipment(ref))]).toEqual([
      ref,
      expect.objectContaining({
        dispatched: true,
        delivery: expect.objectContaining({ external_order_ref: ref }),
      }),
    ]);
  }
  const listed = async (...line: string[]): Promise<Record<string, unknown>[]> =>
    JSON.parse((await inProcess(home, ...line, '--all', '--json')).stdout);
  const sent = (await listed('deliveries', 'list')).map((each) => String(each.external_order_ref));
  expect(sent.sort()).toEqual(refs.toSorted());
  const charges = (await listed('charges', 'list')).filter(({ kind }) => kind === 'delivery');
  expect(charges).toHaveLength(refs.length);
  const health = await fetch(new URL('/health/ready', served.url));
  expect(health.status).toBe(200);
  await served.stop();
});
