import { afterEach, beforeEach, expect, test } from 'vitest';
import { createService } from '../../../src/service/service.ts';
import type { Storage } from '../../../src/storage/storage.ts';
import { type Fixture, orderRequest, start, startFixture } from '../fixture.ts';
import { askedRoute } from '../route-runs.ts';
import { accountOf, eventId, readerOf, streamOf, write, writeMany } from '../streams.ts';

let fixture: Fixture;
beforeEach(async () => {
  fixture = await startFixture();
});
afterEach(async () => {
  await fixture.service.stop();
  await fixture.storage.close();
  expect(fixture.faults).toEqual([]);
});

const path = '/v2/events/stream';
const early = `since=${new Date(start - 1000).toISOString()}`;

async function open(query = '', headers: Record<string, string> = {}) {
  return readerOf(await fixture.send('GET', query === '' ? path : `${path}?${query}`, { headers }));
}

test('each event has its id and type, as in the list', async () => {
  const answer = await fixture.send('GET', path);
  expect([answer.status, answer.body]).toEqual([200, '']);
  expect(answer.headers).toMatchObject({
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    'x-request-id': expect.stringMatching(/^req_/),
    'x-service-time': new Date(start).toISOString(),
  });
  const reader = readerOf(answer);
  expect(await reader.chunk()).toBe(': open\nretry: 1000\n\n');
  const { data } = await fixture.client().deliveries.create({ body: { ...orderRequest(), initiate: true } });
  await fixture.pass(3_600_000);
  const received = await reader.take(6);
  expect(received[0]?.event).toBe('delivery.created');
  for (const { id = '', event, data: sent = '', text } of received) {
    const { body } = await fixture.send('GET', `/v2/events/${id}`);
    expect(JSON.parse(sent)).toEqual(JSON.parse(body));
    expect(JSON.parse(body)).toMatchObject({ id, type: event });
    expect(text.split('\n')).toEqual([`id: ${id}`, `event: ${event}`, `data: ${sent}`]);
  }
  const { tracking_url } = JSON.parse(received[0]?.data ?? '').data;
  expect(tracking_url).toBe(data.tracking_url);
});

test('a stream resumed after any event loses and repeats nothing', async () => {
  const ids = await writeMany(fixture, 120);
  const whole = await (await open(early)).take(120);
  expect(whole.map(({ id }) => id)).toEqual(ids);
  for (const [cut, id] of ids.entries()) {
    const headers = { 'last-event-id': id };
    const rest = await (await open(early, headers)).take(ids.length - cut - 1);
    expect(rest).toEqual(whole.slice(cut + 1));
  }
});

test('a stream opened after the last event gets only new ones', async () => {
  const ids = await writeMany(fixture, 3);
  const reader = await open('', { 'last-event-id': ids[2] ?? '' });
  const now = await open();
  expect(await now.chunk()).toBe(`: open\nretry: 1000\nid: ${ids[2]}\n\n`);
  const later = await writeMany(fixture, 2, 3);
  for (const each of [reader, now]) expect((await each.take(2)).map(({ id }) => id)).toEqual(later);
});

test('resuming after an unknown event, or one of the other mode, is refused', async () => {
  await writeMany(fixture, 1);
  const unknown = await fixture.send('GET', path, { headers: { 'last-event-id': eventId(9) } });
  expect([unknown.status, JSON.parse(unknown.body).code]).toEqual([404, 'record_not_found']);
  const live = { 'x-api-key': fixture.keys.live, 'last-event-id': eventId(0) };
  expect((await fixture.send('GET', path, { headers: live })).status).toBe(404);
});

test('an unknown event type is refused with similar ones', async () => {
  const answer = await fixture.send('GET', `${path}?types=order.failed,delivery.update`);
  expect(answer.status).toBe(400);
  expect(JSON.parse(answer.body)).toMatchObject({
    code: 'invalid_request',
    details: [{ path: 'types', message: 'delivery.update is not an event type; expected delivery.updated' }],
  });
  expect((await fixture.send('GET', `${path}?type=order.failed`)).status).toBe(400);
  expect((await fixture.send('GET', path, { headers: { 'x-api-key': 'none' } })).status).toBe(401);
});

test('a stream is filtered by type, delivery, batch and time; named types are sent only if named', async () => {
  const account_id = await accountOf(fixture);
  const delivery_id = 'dlv_1';
  await fixture.storage.transaction(async (db) => {
    await write(db, { id: eventId(1), account_id, created_at: start - 5_000 });
    await write(db, { id: eventId(2), account_id, type: 'delivery.location_updated', delivery_id });
    await write(db, { id: eventId(3), account_id, type: 'webhook.test' });
    await write(db, { id: eventId(4), account_id, type: 'order.dispatched', delivery_id, batch_id: 'bat_1' });
    await write(db, { id: eventId(5), account_id, type: 'batch.completed', batch_id: 'bat_1' });
    await write(db, { id: eventId(6), account_id, test_mode: 0 });
    await write(db, { id: eventId(7), account_id });
  });
  const seen = async (query: string) => {
    const reader = await open(query);
    const ids: number[] = [];
    // The last event is in every stream.
    await fixture.storage.run((db) =>
      write(db, { id: eventId(100), account_id, type: 'order.dispatched', delivery_id, batch_id: 'bat_1' }),
    );
    for (;;) {
      const [next] = await reader.take(1);
      if (next?.id === eventId(100)) break;
      ids.push(Number(next?.id?.slice(4)));
    }
    reader.close();
    await fixture.storage.run((db) => db.deleteFrom('events').where('id', '=', eventId(100)).execute());
    return ids;
  };
  expect(await seen(early)).toEqual([3, 4, 5, 7]);
  expect(await seen('since=2026-01-01T00:00:00Z')).toEqual([1, 3, 4, 5, 7]);
  expect(await seen('')).toEqual([]);
  expect(await seen(`${early}&delivery_id=dlv_1`)).toEqual([4]);
  expect(await seen(`${early}&batch_id=bat_1`)).toEqual([4, 5]);
  expect(await seen(`${early}&types=delivery.location_updated,webhook.test,order.dispatched`)).toEqual([
    2, 3, 4,
  ]);
  expect(await seen(`${early}&types=order.dispatched&delivery_id=dlv_1&batch_id=bat_1`)).toEqual([4]);
});

/** Another process on the same database at a later time, which executes due tasks. */
function laterBy(ms: number) {
  const whileOwner = async (work: () => Promise<unknown>) => {
    await work();
    return true;
  };
  const clock = { now: () => fixture.now() + ms };
  const { fetch } = createService({ ...fixture.config, ownership: { whileOwner }, clock });
  return fetch({ method: 'GET', path, headers: { 'x-api-key': fixture.keys.test }, body: '' });
}

test('tasks that were due before a stream opened run, and their events are sent', async () => {
  await writeMany(fixture, 1);
  await askedRoute(fixture.client());
  const reader = readerOf(await laterBy(60_000));
  const [received] = await reader.take(1);
  expect(received?.event).toBe('route_quotes.completed');
  reader.close();
});

test('a stream follows changes of the clock', async () => {
  await fixture.client().clock.set({ body: { mode: 'manual' } });
  const answer = await laterBy(60_000);
  expect(answer.headers['x-service-time']).toBe(new Date(start).toISOString());
  streamOf(answer).close();
});

test('streams of an account that are at the same place read each page once', async () => {
  let reads = 0;
  const { storage } = fixture;
  const read: Storage['read'] = (work) => {
    reads += 1;
    return storage.read(work);
  };
  const service = createService({ ...fixture.config, storage: { ...storage, read } });
  const headers = { 'x-api-key': fixture.keys.test };
  const openOne = async () => readerOf(await service.fetch({ method: 'GET', path, headers, body: '' }));
  const readers = await Promise.all(Array.from({ length: 30 }, openOne));
  for (const reader of readers) expect(await reader.chunk()).toContain(': open');
  const before = reads;
  const ids = await writeMany(fixture, 20);
  const taken = await Promise.all(readers.map((reader) => reader.take(20)));
  for (const events of taken) expect(events.map(({ id }) => id)).toEqual(ids);
  expect(reads - before).toBeLessThan(5);
  await service.stop();
});
