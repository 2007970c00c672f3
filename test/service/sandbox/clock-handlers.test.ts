import { expect, test } from 'vitest';
import { createServiceClock } from '../../../src/service/runtime/service-clock.ts';
import { createService } from '../../../src/service/service.ts';
import { type Fixture, orderMade, orderRequest, start as startedAt, startFixture } from '../fixture.ts';
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
  const fixture = await startFixture();
  const client = fixture.client();
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
  const fixture = await startFixture();
  const client = fixture.client();
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
  const fixture = await startFixture();
  const client = fixture.client();
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

test.each([
  ['a rate with manual', { mode: 'manual', rate: 2 }, 'rate'],
  ['a rate with real', { mode: 'real', rate: 1 }, 'rate'],
  ['a rate of nothing', { mode: 'scaled', rate: 0 }, 'rate'],
  ['an unknown mode', { mode: 'fast' }, 'mode'],
])('%s is refused', async (_what, body, path) => {
  const fixture = await startFixture();
  const answer = await fixture.send('POST', '/v2/sandbox/clock', { body });
  expect(answer.status).toBe(400);
  expect(JSON.parse(answer.body)).toMatchObject({ code: 'invalid_request', details: [{ path }] });
  expect((await clockOf(fixture)).mode).toBe('real');
});

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
  const clock = createServiceClock({ ...fixture.config, test_mode: 1, sandbox: false, seen: () => {} });
  await clock.refresh();
  expect(clock.now()).toBe(startedAt);
  const request = { method: 'GET', path: '/health', headers: {}, body: '' };
  expect((await hosted.fetch(request)).headers['x-service-time']).toBe(at(0));
});
