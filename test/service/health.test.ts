import { Server } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createMetrics, createServiceMetrics } from '../../src/service/metrics/service-metrics.ts';
import { createService } from '../../src/service/service.ts';
import { readSetting, writeSetting } from '../../src/storage/settings.ts';
import { type Storage, StorageUnavailable, schemaVersion } from '../../src/storage/storage.ts';
import { temporaryFolder } from '../storage/folder.ts';
import { orderRequest, sendTo, start, startFixture } from './fixture.ts';

const order = { body: { orders: [orderRequest()] } };

test('/health answers 503 once the background work has made no progress for a minute', async () => {
  const gate = Promise.withResolvers<void>();
  let isHanging = true;
  const whileOwner = async (work: () => Promise<unknown>) => {
    if (isHanging) await gate.promise;
    await work();
    return true;
  };
  const fixture = await startFixture({ parts: { ownership: { whileOwner } } });
  const health = async () => JSON.parse((await fixture.send('GET', '/health')).body);
  expect(await health()).toMatchObject({ status: 'ok' });
  fixture.passWall(61_000);
  // A service without loops is healthy.
  expect(await health()).toMatchObject({ status: 'ok', worker_silent_ms: null });
  fixture.service.start();
  fixture.passWall(60_000);
  expect(await health()).toMatchObject({ status: 'ok', worker_silent_ms: 60_000 });
  fixture.passWall(1);
  expect(await health()).toMatchObject({
    code: 'not_ready',
    message: 'The tasks loop has made no progress for 60 s.',
  });
  isHanging = false;
  gate.resolve();
  await expect.poll(health).toMatchObject({ status: 'ok' });
  await fixture.service.stop();
});

test('/health answers within seconds when the storage does not respond', async () => {
  const fixture = await startFixture();
  const storage: Storage = {
    ...fixture.storage,
    run: () => new Promise(() => {}),
    first: () => new Promise(() => {}),
    version: () => new Promise(() => {}),
  };
  const send = sendTo(createService({ ...fixture.config, storage }), '');
  expect((await send('GET', '/health')).status).toBe(503);
  // A restart would not bring the storage back.
  expect((await send('GET', '/health/live')).status).toBe(200);
});

test('a database that lacks migrations is not ready', async () => {
  const fixture = await startFixture();
  const probe = async () => JSON.parse((await fixture.send('GET', '/health/ready')).body);
  expect(await probe()).toMatchObject({ status: 'ok', schema_version: schemaVersion });
  await fixture.storage.run((db) => sql`pragma user_version = 0`.execute(db));
  expect(await probe()).toMatchObject({
    code: 'not_ready',
    message: `The schema of the database has version 0: this service needs ${schemaVersion}.`,
  });
});

test('a service that is shutting down is alive but not ready', async () => {
  const fixture = await startFixture();
  fixture.service.endStreams();
  expect((await fixture.send('GET', '/health/live')).status).toBe(200);
  const answer = await fixture.send('GET', '/health/ready');
  expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '2' } });
  expect(JSON.parse(answer.body)).toMatchObject({ code: 'not_ready' });
});

test('a service on a full disk is not ready, although small writes still fit', async () => {
  const fixture = await startFixture({ location: ':memory:' });
  const limitPages = (count: number) =>
    fixture.storage.run((db) => sql.raw(`pragma max_page_count = ${count}`).execute(db));
  const ready = async () => (await fixture.send('GET', '/health/ready')).status;
  const create = async () => (await fixture.send('POST', '/v2/orders/create', order)).status;
  // The database cannot grow beyond its current size.
  await limitPages(1);
  while ((await create()) === 200);
  const writeLittle = () => fixture.storage.write((db) => writeSetting(db, 'small', ''));
  await writeLittle();
  expect([await ready(), await ready(), await create(), await ready()]).toEqual([503, 503, 503, 503]);
  await limitPages(1_000_000);
  expect([await ready(), await create(), await ready()]).toEqual([200, 200, 200]);
  expect(await fixture.storage.read((db) => readSetting(db, 'write_check'))).toBe('');
});

test('a service whose clock has jumped ahead is not ready until service time is right again', async () => {
  let passed_ms = 0;
  let jump_ms = 0;
  const monotonic = { now: () => passed_ms };
  const clock = { now: () => start + passed_ms + jump_ms };
  const fixture = await startFixture({ parts: { clock, wall: clock, monotonic } });
  const message = async () => {
    passed_ms += 30_000;
    return JSON.parse((await fixture.send('GET', '/health/ready')).body).message;
  };
  fixture.service.start();
  jump_ms = 3 * 60_000;
  expect(await message()).toBeUndefined();
  jump_ms = 0;
  const wrong = /^The clock is wrong: service time is \d+ s ahead of the clock of this machine\.$/;
  // The loop compares the clocks in one of two polls a second.
  await expect.poll(message, { interval: 600 }).toMatch(wrong);
  expect((await fixture.service.measure()).skew_ms).toBeGreaterThan(60_000);
  await expect.poll(message, { interval: 600 }).toBeUndefined();
  await fixture.service.stop();
  expect(fixture.faults.map(String)).toEqual([
    expect.stringMatching(
      /^Error: service time is \d+ s ahead .* this machine: synchronize the clocks with NTP$/,
    ),
  ]);
});

test('a scrape of the metrics is answered while the database is away, and counts the writes that fail', async () => {
  const fixture = await startFixture();
  let isAway = false;
  const away = () => Promise.reject(new StorageUnavailable('connection refused'));
  const { storage: working } = fixture;
  const storage: Storage = {
    ...working,
    read: (work) => (isAway ? away() : working.read(work)),
    transaction: (work, isolation) => (isAway ? away() : working.transaction(work, isolation)),
  };
  const service = createService({ ...fixture.config, storage });
  const metrics = createMetrics(service.measure);
  const scrape = async () => {
    const lines = (await metrics.text()).split('\n');
    const value = (name: string) => lines.find((line) => line.startsWith(`waybill_${name} `))?.split(' ')[1];
    return ['database_up', 'tasks_due{mode="live"}', 'failed_writes_total{reason="unreachable"}'].map(value);
  };
  expect(await scrape()).toEqual(['1', '0', '0']);
  isAway = true;
  const { status } = await sendTo(service, fixture.keys.test)('POST', '/v2/orders/create', order);
  expect([status, await scrape()]).toEqual([503, ['0', undefined, '1']]);
  isAway = false;
  expect(await scrape()).toEqual(['1', '0', '1']);
});

test('the server of the metrics outlives connections that it cannot accept, and reports them', async () => {
  const listening = vi.spyOn(Server.prototype, 'listen');
  onTestFinished(() => listening.mockRestore());
  const { service } = await startFixture();
  const faults: unknown[] = [];
  const metrics = createServiceMetrics({ host: '127.0.0.1', port: 0 }, service.measure);
  const { url, close } = await metrics.serve((fault) => faults.push(fault));
  onTestFinished(close);
  const fault = new Error('accept EMFILE');
  const [server] = listening.mock.contexts;
  for (const _ of [1, 2]) if (server instanceof Server) server.emit('error', fault);
  expect([faults, (await fetch(url)).status]).toEqual([[fault, fault], 200]);
});

test('a process whose database file a newer version migrates is not ready, and neither works nor writes', async () => {
  const location = join(temporaryFolder(), 'waybill.db');
  const fixture = await startFixture({ location });
  onTestFinished(() => fixture.storage.close());
  const create = () => fixture.send('POST', '/v2/orders/create', order);
  const ready = () => fixture.send('GET', '/health/ready');
  expect([(await create()).status, (await ready()).status]).toEqual([200, 200]);
  const newer = new DatabaseSync(location);
  newer.exec(`pragma user_version = ${schemaVersion + 1}`);
  // The loops make the same check twice a second.
  expect([(await ready()).status, (await create()).status]).toEqual([503, 503]);
  for (const working of [fixture.service.tick(), fixture.service.send()])
    await expect(working).rejects.toThrow('the database was created by a newer version of waybill');
  expect(newer.prepare('select count(*) as count from orders').get()).toEqual({ count: 1 });
  newer.close();
});
