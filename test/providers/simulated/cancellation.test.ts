import { expect, test } from 'vitest';
import type { DeliveryStatus } from '../../../src/contract/vocabulary.ts';
import { cancelRequest, MINUTE, now, provider, tomorrow } from './requests.ts';

/** The fee, or the reason of a refusal. */
async function costOf(name: string, changes: Parameters<typeof cancelRequest>[0]) {
  const terms = await provider(name).cancelTerms(cancelRequest(changes));
  return terms.kind === 'taken' ? terms.fee : terms.reason;
}

const late = 'does not accept a cancellation once a driver is assigned';
const gone = 'has picked it up';

/** Of 1,001 cents: before a driver, with one, and after the pickup; three minutes after acceptance. */
test.each<[string, number, number | string]>([
  ['swiftly', 0, 501],
  ['metrobike', 0, `metrobike ${late}`],
  ['poolride', 0, 0],
  ['haulvan', 999, 999],
  ['nightowl', 0, 0],
  ['flaky_co', 0, 501],
])('%s: %j without a driver, %j with one, not after the pickup', async (name, before, after) => {
  for (const status of ['delivery_created', 'scheduled', 'driver_not_assigned'] as const) {
    expect(await costOf(name, { status })).toBe(before);
  }
  for (const status of ['driver_assigned', 'enroute_pickup', 'arrived_at_pickup'] as const) {
    expect(await costOf(name, { status })).toBe(after);
  }
  const having: DeliveryStatus[] = ['pickup_complete', 'enroute_dropoff', 'arrived_at_dropoff'];
  const over: DeliveryStatus[] = ['dropoff_complete', 'delivered', 'enroute_to_return', 'returned'];
  for (const status of [...having, ...over]) expect(await costOf(name, { status })).toBe(`${name} ${gone}`);
  for (const status of ['failed', 'provider_canceled'] as const) {
    expect(await costOf(name, { status })).toBe('it has ended');
  }
});

test('poolride is free for five minutes, then costs 299 cents', async () => {
  const status = 'driver_assigned';
  expect(await costOf('poolride', { status, now: now + 5 * MINUTE - 1 })).toBe(0);
  expect(await costOf('poolride', { status, now: now + 5 * MINUTE })).toBe(299);
  expect(await costOf('poolride', { now: now + 5 * MINUTE })).toBe(299);
});

test('nightowl is free until an hour before the pickup, then costs everything', async () => {
  expect(await costOf('nightowl', { now: tomorrow - 60 * MINUTE - 1 })).toBe(0);
  expect(await costOf('nightowl', { now: tomorrow - 60 * MINUTE })).toBe(1001);
});

test.each([
  ['swiftly', 601],
  ['metrobike', 0],
  ['poolride', 601],
  ['haulvan', 1001],
  ['nightowl', 501],
  ['flaky_co', 601],
])('a return with %s costs %i of 1,001 cents', (name, price) => {
  expect(provider(name).returnPrice(1001)).toBe(price);
});
