import { expect, onTestFinished, test } from 'vitest';
import { createSteadyClock } from '../../../src/service/runtime/steady-clock.ts';
import { wallClock } from '../../../src/service/runtime/time.ts';
import { createService } from '../../../src/service/service.ts';
import { startedDelivery } from '../delivery-runs.ts';
import { clientOf, draftRoute, startFixture } from '../fixture.ts';
import { insertEndpoint } from '../webhooks/received-events.ts';
import { startReceiver } from '../webhooks/receiver.ts';

const hour = 60 * 60_000;

function steady() {
  const at = { clock: 10 * hour, monotonic: 5 };
  const steps: number[] = [];
  const clock = createSteadyClock({
    clock: { now: () => at.clock },
    monotonic: { now: () => at.monotonic },
    onStepBack: (by_ms) => steps.push(by_ms),
  });
  const pass = (ms: number) => {
    at.clock += ms;
    at.monotonic += ms;
    return clock.now();
  };
  return { at, clock, steps, pass };
}

test('a steady clock follows its base clock, also when that is set forward', () => {
  const { at, clock, steps, pass } = steady();
  expect([clock.now(), pass(7), pass(0)]).toEqual([10 * hour, 10 * hour + 7, 10 * hour + 7]);
  at.clock += hour;
  expect(clock.now()).toBe(11 * hour + 7);
  expect(steps).toEqual([]);
});

test('when the base clock is set back it keeps counting, reports it once and follows it again later', () => {
  const { at, clock, steps, pass } = steady();
  clock.now();
  at.clock -= hour;
  expect([pass(100), pass(100)]).toEqual([10 * hour + 100, 10 * hour + 200]);
  at.clock -= 5_000;
  expect(pass(0)).toBe(10 * hour + 200);
  expect(steps).toEqual([hour]);
  at.clock += 2 * hour;
  expect(clock.now()).toBe(at.clock);
});

test('a small correction is not reported', () => {
  const { at, clock, steps, pass } = steady();
  clock.now();
  at.clock -= 900;
  expect(pass(10)).toBe(10 * hour + 10);
  expect(steps).toEqual([]);
});

test('a clock that is set back by an hour delays neither deliveries nor webhooks', async () => {
  let set_back_ms = 0;
  const clock = { now: () => wallClock.now() - set_back_ms };
  const receiver = await startReceiver();
  const fixture = await startFixture({ parts: { clock, wall: clock } });
  const service = createService({ ...fixture.config, monotonic: wallClock });
  onTestFinished(async () => {
    await service.stop();
    await receiver.close();
  });
  await insertEndpoint(fixture, receiver.url);
  service.start();
  const client = clientOf(service, fixture.keys.test);
  const before = await startedDelivery(client, 'happy_path');
  await expect.poll(() => receiver.received.length, { timeout: 5_000 }).toBeGreaterThan(0);
  const seen = receiver.received.length;
  const params = { route_id: (await draftRoute(client)).id };
  await client.quotes.request({ params });
  set_back_ms = hour;
  const delivery = await startedDelivery(client, 'happy_path');
  expect(Date.parse(delivery.created_at)).toBeGreaterThanOrEqual(Date.parse(before.created_at));
  await expect.poll(() => receiver.received.length, { timeout: 5_000 }).toBeGreaterThan(seen);
  await expect
    .poll(async () => (await client.quotes.list({ params })).data.status, { timeout: 9_000 })
    .toBe('COMPLETE');
  expect(fixture.faults.map(String)).toEqual([
    'Error: the system clock was set back by 3600 s: service time continues without going back',
  ]);
});
