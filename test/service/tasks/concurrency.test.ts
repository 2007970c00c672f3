import { expect, onTestFinished, test } from 'vitest';
import { realTimers, wallClock } from '../../../src/service/runtime/time.ts';
import { findTask, insertTasks } from '../../../src/storage/tasks.ts';
import { nextDue } from '../../storage/read-rows.ts';
import { type Fixture, orderRequest, start, startFixture } from '../fixture.ts';
import { couriers, gateAt } from '../remote-couriers.ts';
import { askedRoute } from '../route-runs.ts';

const many = Number.MAX_SAFE_INTEGER;

async function quotedBy({ storage }: Fixture): Promise<string[]> {
  const rows = await storage.run((db) => db.selectFrom('quotes').select('provider').execute());
  return rows.map(({ provider }) => provider).sort();
}

function task(id: string, due_at: number, kind = 'report.take', payload: object = {}) {
  const record = { subject: 'rec_gone', due_at, payload: JSON.stringify(payload) };
  return { id, account_id: 'acct_1', test_mode: 1 as const, kind, ...record };
}

test('a stalled provider delays neither other providers nor reports nor later work', async () => {
  const gate = gateAt();
  const asked: string[] = [];
  const providers = couriers(
    () => true,
    async (name) => {
      asked.push(name);
      if (name === 'swiftly') await gate.pass(name);
    },
  );
  const fixture = await startFixture({ parts: { providers } });
  await askedRoute(fixture.client());
  await fixture.storage.run((db) => insertTasks(db, [task('tsk_report', start + 5_000)]));
  const working = fixture.pass(5_000);
  await expect.poll(() => quotedBy(fixture), { interval: 5 }).toEqual(['haulvan', 'metrobike', 'poolride']);
  await expect
    .poll(() => fixture.storage.run((db) => findTask(db, 'tsk_report')), { interval: 5 })
    .toBeUndefined();
  expect(asked).toHaveLength(5);
  // New requests are started immediately.
  await fixture.storage.run((db) => insertTasks(db, [task('tsk_later', start + 1)]));
  await fixture.client().quotes.request({ params: await askedRoute(fixture.client()) });
  await expect
    .poll(() => fixture.storage.run((db) => findTask(db, 'tsk_later')), { interval: 5 })
    .toBeUndefined();
  gate.open();
  await working;
  expect(await quotedBy(fixture)).toHaveLength(4);
});

test('follow-up work of a call starts while another call is running', async () => {
  const gate = gateAt();
  const providers = couriers(
    (name) => name !== 'poolride',
    async (name) => {
      if (name === 'haulvan') await gate.pass(name);
    },
  );
  const fixture = await startFixture({ parts: { providers } });
  const settle = async (name: string) => {
    const settings = { mechanism: 'auto' as const, providers: [name] };
    await fixture.client().orders.create({ body: { orders: [orderRequest()], settings } });
  };
  for (const name of ['haulvan', 'swiftly']) await settle(name);
  const working = fixture.pass(5_000);
  const dispatched = async () =>
    (await fixture.client().deliveries.list()).data.data.map(({ service }) => service);
  await expect.poll(dispatched, { interval: 5 }).toEqual(['swiftly']);
  expect(gate.waiting).toHaveLength(1);
  gate.open();
  await working;
  expect((await dispatched()).sort()).toEqual(['haulvan', 'swiftly']);
});

test('at most ten calls per provider run at a time, and the next starts when one ends', async () => {
  const gate = gateAt();
  const providers = couriers(
    (name) => name === 'swiftly',
    (name) => (name === 'swiftly' ? gate.pass(name) : Promise.resolve()),
  );
  const fixture = await startFixture({ parts: { providers } });
  for (let count = 0; count < 13; count++) await askedRoute(fixture.client());
  const working = fixture.pass(2_000);
  await expect.poll(() => gate.waiting.length, { interval: 5 }).toBe(10);
  await expect.poll(async () => (await quotedBy(fixture)).length, { interval: 5 }).toBe(13);
  gate.waiting.shift()?.open();
  await expect.poll(() => gate.waiting.length, { interval: 5 }).toBe(10);
  gate.open();
  await expect.poll(() => gate.waiting.length, { interval: 5 }).toBe(2);
  gate.open();
  await working;
  expect(gate.most()).toBe(10);
  expect(await quotedBy(fixture)).toHaveLength(26);
});

test('sequential tasks keep their order beside running calls', async () => {
  const asked: string[] = [];
  const gate = gateAt();
  const providers = couriers(
    (name) => name === 'swiftly',
    async (name) => {
      if (name === 'swiftly') return gate.pass(name);
      asked.push(name);
    },
  );
  const fixture = await startFixture({ parts: { providers } });
  for (let count = 0; count < 2; count++) await askedRoute(fixture.client());
  const working = fixture.pass(60_000);
  await expect.poll(() => asked.length, { interval: 5 }).toBe(8);
  gate.open();
  await working;
  const [first, last] = [Array(2).fill('metrobike'), Array(2).fill('poolride')];
  expect(asked).toEqual([...first, 'haulvan', 'nightowl', 'haulvan', 'nightowl', ...last]);
});

test('more waiting calls than a page has all run, each once', async () => {
  const fixture = await startFixture({ parts: { providers: couriers() } });
  const payload = { job_id: 'job_gone', provider: 'swiftly' };
  const asks = Array.from({ length: 700 }, (_, at) =>
    task(`tsk_${at}`, start - 1_000 + at, 'quote.ask', payload),
  );
  await fixture.storage.run((db) => insertTasks(db, [...asks, task('tsk_last', start)]));
  expect(await fixture.service.tick()).toBe(701);
  expect(await fixture.storage.run((db) => nextDue(db, { test_mode: 1, now: many }))).toBeUndefined();
});

test('a stopping service waits for running calls and starts no more', async () => {
  const gate = gateAt();
  const providers = couriers(() => true, gate.pass);
  const fixture = await startFixture({ parts: { providers, wall: wallClock } });
  for (let count = 0; count < 11; count++) await askedRoute(fixture.client());
  const working = fixture.pass(1_000);
  await expect.poll(() => gate.waiting.length, { interval: 5 }).toBe(10);
  let isStopped = false;
  const stopping = fixture.service.stop().then(() => {
    isStopped = true;
  });
  await new Promise((resolve) => realTimers.after(50, () => resolve(null)));
  expect(isStopped).toBe(false);
  gate.open();
  await Promise.all([stopping, working]);
  expect(gate.waiting).toEqual([]);
  expect(await quotedBy(fixture)).toHaveLength(10);
});

test('an advance of the clock waits for running calls', async () => {
  const gate = gateAt();
  const providers = couriers(() => true, gate.pass);
  const fixture = await startFixture({ parts: { providers } });
  for (let count = 0; count < 12; count++) await askedRoute(fixture.client());
  const working = fixture.pass(1_000);
  await expect.poll(() => gate.waiting.length, { interval: 5 }).toBe(10);
  const moving = fixture.client().clock.advance({ body: { by: 1 } });
  await new Promise((resolve) => realTimers.after(50, () => resolve(null)));
  gate.open();
  // The advance runs the rest, one by one.
  const waited: number[] = [];
  const opening = setInterval(() => {
    waited.push(gate.waiting.length);
    gate.open();
  }, 2);
  onTestFinished(() => clearInterval(opening));
  expect((await moving).data.steps).toBe(14);
  await working;
  expect(Math.max(...waited)).toBe(1);
});
