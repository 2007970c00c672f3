import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { freshHome, jsonOf } from '../harness.ts';
import { newDelivery, newOrder, orderFields, orderLine } from '../sandbox.ts';
import { hosted } from './hosted.ts';

const { box, run } = await hosted();
// A minute of service time is a second: with a stream, few polls are needed.
const rate = 60;
await box.json(['sandbox', 'clock', 'scaled', '--rate', String(rate)]);
/** The poll comes 50 ms after the event. */
const max_lag_ms = 100 * rate;

const createDelivery = (...flags: string[]) => newDelivery(box, '--initiate', ...flags);

/** The number of events of a delivery, given by id or path. */
async function eventsOf(path: string): Promise<number> {
  const id = path.split('/').at(-1) ?? '';
  const { stdout } = await box.run(['events', 'list', '--delivery', id, '-o', 'id']);
  return stdout.trim().split('\n').length;
}

test.each(['wait', 'watch'])('deliveries %s polls once for each event, soon after it', async (verb) => {
  const id = await createDelivery();
  const { exit, stdout, reads, streams, lag_ms, open } = await run(['deliveries', verb, id, '--json']);
  expect([exit, jsonOf(stdout.trim().split('\n').at(-1) ?? '').status]).toEqual([0, 'delivered']);
  expect([lag_ms < max_lag_ms, open]).toEqual([true, 0]);
  expect(streams.map(({ path }) => path)).toEqual([
    `/v2/events/stream?types=delivery.created%2Cdelivery.updated&delivery_id=${id}`,
  ]);
  const polls = reads.filter((path) => path.includes(id)).length;
  expect(polls).toBeLessThanOrEqual((await eventsOf(id)) + 2);
});

test.each(['--wait', '--watch'])('quotes list %s has the quotes at the third poll', async (flag) => {
  const route = String((await box.json(['routes', 'create', await newOrder(box)])).id);
  await box.json(['routes', 'quote', route]);
  const { exit, stdout, reads, lag_ms, open } = await run(['quotes', 'list', route, flag, '--json']);
  expect([exit, stdout.includes('COMPLETE'), lag_ms < max_lag_ms, open]).toEqual([0, true, true, 0]);
  const polls = Array(2).fill(`/v2/routes/${route}/quotes`);
  expect(reads).toEqual([polls[0], '/v2/sandbox/clock', ...polls]);
});

test('orders create --auto --wait polls the batch three times', async () => {
  box.advance(1);
  const line = [...orderLine, '--auto', '--wait', '--yes', '--json'];
  const { exit, stdout, reads, streams, lag_ms, open } = await run(line);
  const { batch_id, status } = jsonOf(stdout);
  expect(streams.map(({ path }) => decodeURIComponent(path))).toEqual([
    expect.stringMatching(`types=.*order.dispatched.*batch.completed.*&batch_id=${batch_id}$`),
  ]);
  expect([exit, status, lag_ms < max_lag_ms, open]).toEqual([0, 'complete', true, 0]);
  expect(reads.filter((path) => path === `/v2/batches/${batch_id}`)).toHaveLength(3);
});

test.each([
  ['get', '--wait'],
  ['get', '--watch'],
])('batches %s %s ends soon after the batch', async (verb, flag) => {
  box.advance(1);
  const id = String((await box.json([...orderLine, '--auto', '--yes'])).batch_id);
  const line = ['batches', verb, id, flag, '--json'];
  const { exit, stdout, reads, lag_ms, open } = await run(line);
  expect([exit, stdout.includes(id), lag_ms < max_lag_ms, open]).toEqual([0, true, true, 0]);
  expect(reads.filter((path) => path.startsWith('/v2/batches')).length).toBeLessThanOrEqual(4);
});

const ship = (...flags: string[]) => run(['ship', ...flags, '--cheapest', '--yes', '--wait', 'delivered']);

test('ship --wait opens one stream for its quotes and one for its delivery', async () => {
  box.advance(1);
  const { exit, reads, streams, lag_ms, open } = await ship(...orderLine.slice(2));
  expect([exit, streams.length, lag_ms < max_lag_ms, open]).toEqual([0, 2, true, 0]);
  expect(reads.length).toBeLessThanOrEqual(15);
});

test('ship --wait of several orders opens one stream, and ignores events of other deliveries', async () => {
  const file = join(freshHome(), 'orders.json');
  const near = { ...orderFields, dropoff_address: '1 A St, Chicago, IL 60606' };
  const far = { ...orderFields, dropoff_address: '1 A St, Chicago, IL 60657' };
  await createDelivery();
  box.advance(5000);
  writeFileSync(file, JSON.stringify([near, far]));
  const { exit, reads, streams } = await ship('--file', file, '--timeout', '3h');
  expect([exit, streams.map(({ path }) => path.includes('delivery_id'))]).toEqual([0, [false, false]]);
  const polls = reads.filter((path) => path.startsWith('/v1/delivery/'));
  const ids = [...new Set(polls)];
  const events = await Promise.all(ids.map(eventsOf));
  const eventCount = events.reduce((sum, each) => sum + each, 0);
  expect(polls.length).toBeLessThanOrEqual(eventCount + 2 * ids.length);
});

test('orders wait ends soon after the order is dispatched', async () => {
  box.advance(1);
  const { batch_id } = await box.json([...orderLine, '--auto', '--yes']);
  const { stdout: id } = await box.run(['orders', 'list', '--batch', String(batch_id), '-o', 'id']);
  const { exit, stdout, reads, streams, open } = await run(['orders', 'wait', id.trim(), '--json']);
  expect([exit, stdout.includes('"dispatched"'), streams.length, open]).toEqual([0, true, 1, 0]);
  expect(reads.filter((path) => path.startsWith('/v2/orders')).length).toBeLessThanOrEqual(4);
});

test('deliveries list --watch opens one stream for all deliveries', async () => {
  const ids = [
    await createDelivery('--ref', 'listed'),
    await createDelivery('--ref', 'listed', '--allow-duplicate-ref'),
  ];
  const line = ['deliveries', 'list', '--ref', 'listed', '--watch', '--json'];
  const { exit, stdout, streams, lag_ms, open } = await run(line);
  expect([exit, streams.length, lag_ms < max_lag_ms, open]).toEqual([0, 1, true, 0]);
  for (const id of ids) expect(stdout).toContain(id);
});
