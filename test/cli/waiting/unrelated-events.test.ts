import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Transport } from '../../../src/contract/operation.ts';
import { batchId, batchOf, batchOrder, changing } from '../commands/batches/records.ts';
import { waybill } from '../harness.ts';
import { newOrder } from '../sandbox.ts';
import { createFeed } from './feed.ts';
import { hosted } from './hosted.ts';

test('routes quote --wait ignores the quotes of another route', async () => {
  const { box, run } = await hosted();
  const draft = async () => String((await box.json(['routes', 'create', await newOrder(box)])).id);
  const [route, other] = [await draft(), await draft()];
  await box.json(['routes', 'quote', other]);
  box.advance(1500);
  const { exit, reads, lag_ms } = await run(['routes', 'quote', route, '--wait', '--json']);
  expect([exit, lag_ms]).toEqual([0, 50]);
  expect(reads.filter((path) => path.endsWith('/quotes'))).toHaveLength(2);
});

const between_ms = 20;
const orders = 200;

/** A batch with one event per order; each poll is recorded with its time. */
function flood() {
  const time = '2030-01-01T00:00:00.000Z';
  const feed = createFeed(time);
  const looks: number[] = [];
  let now = 0;
  let sent = 0;
  let ended_at = 0;
  const tell = async () => {
    sent += 1;
    if (sent === orders) ended_at = now;
    const type = sent === orders ? ('batch.completed' as const) : ('order.dispatched' as const);
    const event = { id: `evt_${sent}`, object: 'event' as const, type, created_at: time, test_mode: true };
    await feed.tell({ ...event, sequence: null, data: { batch_id: batchId } });
    for (let turns = 0; turns < 3; turns += 1) await turn();
  };
  const sleep = async (ms: number, signal: AbortSignal) => {
    const until = now + ms;
    for (let turns = 0; turns < 20; turns += 1) await turn();
    while (now < until && !signal.aborted) {
      now += Math.min(between_ms, until - now);
      if (sent < orders) await tell();
    }
  };
  const clock = { '/v2/sandbox/clock': [{ mode: 'real' }] };
  const seen = (status: 'pending' | 'dispatched') =>
    changing({ ...clock, [`/v2/batches/${batchId}`]: [batchOf([batchOrder(1, { status })])] });
  const transport: Transport = async (request) => {
    if (request.path.startsWith('/v2/events/stream')) return feed.response;
    if (request.path.startsWith('/v2/batches')) looks.push(now);
    return seen(sent < orders ? 'pending' : 'dispatched')(request);
  };
  return { transport, sleep, now: () => now, ended: () => ended_at, looks };
}

test('with many orders a batch is polled a few times, and at once at its end', async () => {
  const { looks, ended, ...machine } = flood();
  const env = { WAYBILL_BASE_URL: 'https://deliveries.test', WAYBILL_API_KEY: 'wb_test_madeup' };
  const { exit } = await waybill(['batches', 'get', batchId, '--wait'], { ...machine, env });
  expect(exit).toBe(0);
  expect(looks.length).toBeLessThanOrEqual(12);
  expect((looks.at(-1) ?? 0) - ended()).toBeLessThanOrEqual(50);
});
