import { expect, onTestFinished, test } from 'vitest';
import { createSteadyClock } from '../../../src/service/runtime/base-clock.ts';
import { wallClock } from '../../../src/service/runtime/time.ts';
import { createService } from '../../../src/service/service.ts';
import { startedDelivery } from '../delivery-runs.ts';
import { clientOf, draftRoute, startFixture } from '../fixture.ts';
import { insertEndpoint } from '../webhooks/received-events.ts';
import { startReceiver } from '../webhooks/receiver.ts';

const hour = 60 * 60_000;

function steady() {
  const at = { clock: 10 * hour, monotonic: 5 };
  const clock = createSteadyClock({
    clock: { now: () => at.clock },
    monotonic: { now: () => at.monotonic },
  });
  const pass = (ms: number) => {
    at.clock += ms;
    at.monotonic += ms;
    return clock.now();
  };
  return { at, clock, pass };
}

test('a steady clock follows its base clock, also when that is set forward', () => {
  const { at, clock, pass } = steady();
  expect([clock.now(), pass(7), pass(0)]).toEqual([10 * hour, 10 * hour + 7, 10 * hour + 7]);
  at.clock += hour;
  expect([clock.now(), clock.ahead_ms()]).toEqual([11 * hour + 7, 0]);
});

test('when the base clock is set back it passes at half speed until the base has caught up', () => {
  const { at, clock, pass } = steady();
  clock.now();
  at.clock -= hour;
  expect([pass(100), pass(100)]).toEqual([10 * hour + 50, 10 * hour + 100]);
  expect(clock.ahead_ms()).toBe(hour - 100);
  expect([pass(hour / 2), clock.ahead_ms()]).toEqual([10.25 * hour + 100, 0.75 * hour - 100]);
  expect([pass(hour), clock.ahead_ms()]).toEqual([at.clock, 0]);
  expect(pass(100)).toBe(at.clock);
});

test('a clock that jumps ahead and is put right is right again after twice the jump', () => {
  const { at, clock, pass } = steady();
  at.clock += hour;
  clock.now();
  at.clock -= hour;
  let latest = clock.now();
  // Read often, it shows whole milliseconds and never goes back.
  for (let count = 0; count < 2 * 3_600; count += 1) {
    const next = pass(999);
    expect(next).toBeGreaterThanOrEqual(latest);
    expect(Number.isInteger(next)).toBe(true);
    latest = next;
  }
  expect(clock.ahead_ms()).toBeCloseTo(hour / 1_000, 0);
  expect(pass(10_000)).toBe(at.clock);
});

test('deliveries and webhooks go on after a clock is set back by an hour', async () => {
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
  await expect.poll(() => receiver.received.length).toBeGreaterThan(0);
  const seen = receiver.received.length;
  const params = { route_id: (await draftRoute(client)).id };
  await client.quotes.request({ params });
  set_back_ms = hour;
  const delivery = await startedDelivery(client, 'happy_path');
  expect(Date.parse(delivery.created_at)).toBeGreaterThanOrEqual(Date.parse(before.created_at));
  await expect.poll(() => receiver.received.length).toBeGreaterThan(seen);
  await expect.poll(async () => (await client.quotes.list({ params })).data.status).toBe('COMPLETE');
  expect(fixture.faults).toEqual([]);
});
