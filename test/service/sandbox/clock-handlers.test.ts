import { expect, test } from 'vitest';
import type { ClockAdvance } from '../../../src/contract/sandbox.ts';
import { createServiceClock } from '../../../src/service/runtime/service-clock.ts';
import { createService } from '../../../src/service/service.ts';
import { claimTasks, finishTask } from '../../../src/storage/tasks.ts';
import { nextDue } from '../../storage/read-rows.ts';
import { startedDelivery } from '../delivery-runs.ts';
import {
  type Fixture,
  orderMade,
  orderRequest,
  startClient,
  start as startedAt,
  startFixture,
} from '../fixture.ts';
import { listening } from '../remote-couriers.ts';
import { askedRoute } from '../route-runs.ts';

const at = (ms: number) => new Date(startedAt + ms).toISOString();

async function clockOf(fixture: Fixture) {
  const { data } = await fixture.client().clock.get();
  return data;
}

test('an unset clock is the base clock', async () => {
  const fixture = await startFixture();
  const real = { object: 'clock', mode: 'real', rate: 1 };
  expect(await clockOf(fixture)).toEqual({ ...real, now: at(0), next_due_at: null });
  await fixture.pass(5_000);
  await askedRoute(fixture.client());
  expect(await clockOf(fixture)).toEqual({ ...real, now: at(5_000), next_due_at: at(6_000) });
});

test('a manual clock stands still, and its tasks wait for their time', async () => {
  const { fixture, client } = await startClient();
  const { data } = await client.clock.set({ body: { mode: 'manual' } });
  expect(data).toEqual({ object: 'clock', mode: 'manual', rate: 0, now: at(0), next_due_at: null });
  const params = await askedRoute(fixture.client());
  await fixture.pass(3_600_000);
  expect(await clockOf(fixture)).toMatchObject({ now: at(0), next_due_at: at(1_000) });
  expect((await client.quotes.list({ params })).data.status).toBe('PENDING');
  const { headers } = await fixture.send('GET', '/v2/orders');
  expect(headers['x-service-time']).toBe(at(0));
  const order = await orderMade(client.orders.create({ body: { orders: [orderRequest()] } }));
  expect(order.data.created_at).toBe(at(0));
});

test('a second of a scaled clock is a minute by default', async () => {
  const { fixture, client } = await startClient();
  expect((await client.clock.set({ body: { mode: 'scaled' } })).data).toMatchObject({ rate: 60, now: at(0) });
  const params = await askedRoute(fixture.client());
  await fixture.pass(50);
  expect(await clockOf(fixture)).toMatchObject({ mode: 'scaled', now: at(3_000), next_due_at: at(4_000) });
  await fixture.pass(1_950);
  expect(await clockOf(fixture)).toMatchObject({ now: at(120_000), next_due_at: null });
  const quotes = (await client.quotes.list({ params })).data.data ?? [];
  expect(quotes.find(({ provider }) => provider === 'poolride')?.created_at).toBe(at(4_000));
  await client.clock.set({ body: { mode: 'scaled', rate: 0.5 } });
  await fixture.pass(1_001);
  expect(await clockOf(fixture)).toMatchObject({ rate: 0.5, now: at(120_500) });
});

test('a change of the clock’s mode keeps the time and never sets it back', async () => {
  const { fixture, client } = await startClient();
  const seen: string[] = [];
  for (const mode of ['scaled', 'manual', 'real', 'manual', 'scaled', 'real'] as const) {
    const { data } = await client.clock.set({ body: { mode } });
    seen.push(data.now);
    await fixture.pass(1_000);
  }
  seen.push((await clockOf(fixture)).now);
  expect(seen).toEqual([0, 60, 60, 61, 61, 121, 122].map((seconds) => at(seconds * 1000)));
});

test('a base clock that is set back does not set service time before its last change', async () => {
  let base = startedAt;
  const fixture = await startFixture({ parts: { clock: { now: () => base } } });
  await fixture.client().clock.advance({ body: { by: 60 } });
  base -= 3_600_000;
  expect((await clockOf(fixture)).now).toBe(at(60_000));
});

test.each([['a rate with manual', { mode: 'manual', rate: 2 }, 'rate']])(
  '%s is refused',
  async (_what, body, path) => {
    const fixture = await startFixture();
    const answer = await fixture.send('POST', '/v2/sandbox/clock', { body });
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.body)).toMatchObject({ code: 'invalid_request', details: [{ path }] });
    expect((await clockOf(fixture)).mode).toBe('real');
  },
);

test('an instant is at most ten years ahead; durations may add up to more', async () => {
  const fixture = await startFixture();
  const advanced = async (body: { to: string } | { by: number }) =>
    (await fixture.client().clock.advance({ body })).data.now;
  expect(await advanced({ to: '2036-03-02T12:00:00Z' })).toBe('2036-03-02T12:00:00.000Z');
  expect(await advanced({ by: 31_536_000 })).toBe('2037-03-02T12:00:00.000Z');
  const body = { to: '8999-01-01T00:00:00Z' };
  const refused = await fixture.send('POST', '/v2/sandbox/clock/advance', { body });
  expect(JSON.parse(refused.body)).toMatchObject({
    message: 'The clock can be advanced by at most 10 years at a time, to 2047-03-02T12:00:00.000Z.',
    details: [{ path: 'to', message: 'must be within 10 years' }],
  });
});

test('a hosted service on a sandbox’s database uses real time', async () => {
  const fixture = await startFixture();
  await fixture.client().clock.advance({ body: { by: 3_600 } });
  const hosted = createService({ ...fixture.config, sandbox: false });
  const clock = createServiceClock({ ...fixture.config, test_mode: 1, sandbox: false, followSeed: () => {} });
  await clock.refresh();
  expect(clock.now()).toBe(startedAt);
  const request = { method: 'GET', path: '/health', headers: {}, body: '' };
  expect((await hosted.fetch(request)).headers['x-service-time']).toBe(at(0));
});

const minute_ms = 60_000;

type Move = NonNullable<Parameters<ReturnType<Fixture['client']>['clock']['advance']>[0]>['body'] & {};

async function advance(fixture: Fixture, body: Move): Promise<ClockAdvance> {
  return (await fixture.client().clock.advance({ body })).data;
}

test('an advance runs due tasks, each at its own time, and reports what happened', async () => {
  const fixture = await startFixture();
  const params = await askedRoute(fixture.client());
  const moved = await advance(fixture, { by: 60 });
  expect(moved).toEqual({
    object: 'clock_advance',
    now: at(minute_ms),
    steps: 5,
    events: [
      {
        id: expect.stringMatching(/^evt_/),
        type: 'route_quotes.completed',
        created_at: at(4_000),
        delivery_id: null,
        sequence: null,
        status: 'COMPLETE',
      },
    ],
    more: false,
  });
  const quotes = (await fixture.client().quotes.list({ params })).data.data ?? [];
  expect(quotes.map(({ provider, created_at }) => [provider, created_at])).toContainEqual([
    'metrobike',
    at(1_000),
  ]);
  const { headers } = await fixture.send('GET', '/v2/orders');
  expect(headers['x-service-time']).toBe(at(minute_ms));
});

test.each(['real', 'scaled', 'manual'] as const)('an advanced %s clock keeps the new time', async (mode) => {
  const fixture = await startFixture();
  await fixture.client().clock.set({ body: { mode } });
  expect((await advance(fixture, { by: 3600 })).now).toBe(at(3_600_000));
  expect((await advance(fixture, { to: '2026-03-02T09:00:00-05:00' })).now).toBe(at(2 * 3_600_000));
  await fixture.pass(1_000);
  const passed = { real: 1_000, scaled: 60_000, manual: 0 }[mode];
  const { data } = await fixture.client().clock.get();
  expect(data.now).toBe(at(2 * 3_600_000 + passed));
});

test('tasks run by due time, then by insertion; tasks created meanwhile run in their order', async () => {
  const asked: string[] = [];
  const providers = listening(asked, async (name) => {
    if (name === 'metrobike') throw new Error('bad gateway');
  });
  const fixture = await startFixture({ parts: { providers } });
  await askedRoute(fixture.client());
  expect((await advance(fixture, { by: 60 })).steps).toBe(8);
  expect(asked).toEqual([
    'metrobike 1000',
    'swiftly 2000',
    'metrobike 2000',
    'haulvan 3000',
    'nightowl 3000',
    'poolride 4000',
    'metrobike 6000',
    'metrobike 22000',
  ]);
});

test('next advances to the next due time and runs everything due then', async () => {
  const fixture = await startFixture();
  expect(await advance(fixture, { next: true })).toMatchObject({ now: at(0), steps: 0 });
  await askedRoute(fixture.client());
  const moves: [string, number][] = [];
  for (let count = 0; count < 5; count++) {
    const { now, steps } = await advance(fixture, { next: true });
    moves.push([now, steps]);
  }
  expect(moves).toEqual([
    [at(1_000), 1],
    [at(2_000), 1],
    [at(3_000), 2],
    [at(4_000), 1],
    [at(4_000), 0],
  ]);
});

test('drain runs until nothing is due and stops the clock there', async () => {
  const fixture = await startFixture();
  await fixture.client().clock.set({ body: { mode: 'manual' } });
  const { id } = await startedDelivery(fixture.client(), 'happy_path');
  const { now, events, more } = await advance(fixture, { drain: true });
  expect(more).toBe(false);
  const statuses = events.filter(({ delivery_id }) => delivery_id === id).map(({ status }) => status);
  expect(statuses.at(-1)).toBe('delivered');
  const { data } = await fixture.client().clock.get();
  expect(data).toMatchObject({ now, next_due_at: null });
  expect(Date.parse(now)).toBeGreaterThan(startedAt + 10 * minute_ms);
});

test('until stops when the delivery has reached the status', async () => {
  const fixture = await startFixture();
  await fixture.client().clock.set({ body: { mode: 'manual' } });
  const { id } = await startedDelivery(fixture.client(), 'happy_path');
  const moved = await advance(fixture, { until: { delivery_id: id, status: 'pickup_complete' } });
  const { data } = await fixture.client().deliveries.get({ params: { deliveryid: id } });
  expect(data.status).toBe('pickup_complete');
  expect(data.status_history.at(-1)).toEqual({ status: 'pickup_complete', created_at: moved.now });
  expect(moved.events.at(-1)).toMatchObject({ delivery_id: id, status: 'pickup_complete' });
  const again = await advance(fixture, { until: { delivery_id: id, status: 'driver_assigned' } });
  expect(again).toMatchObject({ now: moved.now, steps: 0, events: [] });
});

test('until stops if the delivery ends otherwise, and passes statuses that the courier skips', async () => {
  const fixture = await startFixture();
  const unlucky = await startedDelivery(fixture.client(), 'no_driver');
  await startedDelivery(fixture.client(), 'happy_path');
  const moved = await advance(fixture, { until: { delivery_id: unlucky.id, status: 'delivered' } });
  expect(moved.events.at(-1)).toMatchObject({ delivery_id: unlucky.id, type: 'order.canceled' });
  const sparse = await startedDelivery(fixture.client(), 'sparse_statuses');
  await advance(fixture, { until: { delivery_id: sparse.id, status: 'arrived_at_dropoff' } });
  const client = fixture.client();
  const statusOf = async (deliveryid: string) =>
    (await client.deliveries.get({ params: { deliveryid } })).data.status;
  expect([await statusOf(unlucky.id), await statusOf(sparse.id)]).toEqual(['provider_canceled', 'delivered']);
});

test.each([
  ['nothing', {}, /^by,to,until,next,drain$|^body$/],
  ['next: false alone', { next: false }, /^by,to,until,next,drain$/],
  ['three ways', { by: 60, to: at(minute_ms), next: true }, /^to,next$/],
  ['an instant in the past', { to: at(-1) }, /^to$/],
  ['an instant more than ten years ahead', { to: '2036-03-02T12:00:00.001Z' }, /^to$/],
])('%s is refused, and the clock does not change', async (_what, body, paths) => {
  const fixture = await startFixture();
  const answer = await fixture.send('POST', '/v2/sandbox/clock/advance', { body });
  const { code, details }: { code: string; details: { path: string }[] } = JSON.parse(answer.body);
  expect([answer.status, code]).toEqual([400, 'invalid_request']);
  expect(details.map(({ path }) => path).join()).toMatch(paths);
  expect((await fixture.client().clock.get()).data.now).toBe(at(0));
});

test('after about 20 s of real time it stops as well', async () => {
  let wall = startedAt;
  const providers = listening([], async () => {
    wall += 9_000;
  });
  const fixture = await startFixture({ parts: { providers, wall: { now: () => wall } } });
  await askedRoute(fixture.client());
  expect(await advance(fixture, { by: 60 })).toMatchObject({ steps: 3, more: true, now: at(3_000) });
  expect(await advance(fixture, { by: 60 })).toMatchObject({ steps: 2, more: false, now: at(63_000) });
});

test('a task leased by another worker is waited for, and later ones do not overtake it', async () => {
  const asked: string[] = [];
  const fixture = await startFixture({ parts: { providers: listening(asked) } });
  await askedRoute(fixture.client());
  const { storage } = fixture;
  const first = await storage.run((db) => nextDue(db, { test_mode: 1, now: startedAt + minute_ms }));
  const id = first?.id ?? '';
  const claims = await storage.run((db) =>
    claimTasks(db, { tasks: [{ id, claim: 0 }], wall_now: startedAt, until: startedAt + 10_000 }),
  );
  const moving = advance(fixture, { by: 60 });
  await new Promise((resolve) => fixture.config.timers.after(100, () => resolve(null)));
  expect(asked).toEqual([]);
  await storage.run((db) => finishTask(db, id, claims.get(id) ?? 0));
  expect(await moving).toMatchObject({ steps: 4, now: at(minute_ms) });
  expect(asked).toEqual(['swiftly 2000', 'haulvan 3000', 'nightowl 3000', 'poolride 4000']);
});

test('overdue work runs first and does not move the clock', async () => {
  const asked: string[] = [];
  const fixture = await startFixture({ parts: { providers: listening(asked) } });
  await fixture.client().clock.advance({ body: { by: 60 } });
  await askedRoute(fixture.client());
  const change = { due_at: startedAt + 5_000 };
  await fixture.storage.run((db) => db.updateTable('tasks').set(change).execute());
  expect(await advance(fixture, { drain: true })).toMatchObject({ steps: 5, now: at(minute_ms) });
  expect(new Set(asked.map((each) => each.split(' ')[1]))).toEqual(new Set(['5000']));
});

test('a concurrent request is answered at once and sees the progress of the clock', async () => {
  const reached = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const providers = listening([], async (name) => {
    if (name !== 'swiftly') return;
    reached.resolve();
    await gate.promise;
  });
  let base = startedAt;
  const fixture = await startFixture({ parts: { providers, clock: { now: () => base } } });
  await askedRoute(fixture.client());
  const moving = advance(fixture, { by: 60 });
  await reached.promise;
  base += 30_000;
  const { data } = await fixture.client().clock.get();
  expect(data).toMatchObject({ mode: 'real', now: at(2_000) });
  gate.resolve();
  expect((await moving).now).toBe(at(minute_ms));
});
