import { expect, test } from 'vitest';
import type { DeliveryStatus } from '../../../src/contract/vocabulary.ts';
import type { Scenario } from '../../../src/domain/scenarios.ts';
import { totalTenths } from '../../../src/domain/stops.ts';
import { simulatedProviders } from '../../../src/providers/directory.ts';
import {
  type CreateAnswer,
  type Provider,
  ProviderBusy,
  type QuoteRequest,
  type RecordEntry,
} from '../../../src/providers/port.ts';
import { costOfDelivery } from '../../../src/providers/simulated/simulated-provider.ts';
import { memoryRecords } from './memory-records.ts';
import {
  cancelRequest,
  createRequest,
  MINUTE,
  names,
  now,
  ordersFrom,
  provider,
  quoteRequest,
  tomorrow,
} from './requests.ts';

const near = ordersFrom('60611', '60606');

async function quoted(name: string, changes: Partial<QuoteRequest> = {}) {
  const answer = await provider(name).quote(quoteRequest(near, changes));
  if (answer.kind !== 'quoted') throw new Error(answer.reason);
  return answer;
}

async function quoting(changes: Partial<QuoteRequest>): Promise<string[]> {
  const quoting: string[] = [];
  for (const { name, quote } of simulatedProviders(memoryRecords())) {
    const answer = await quote(quoteRequest(near, changes));
    if (answer.kind === 'quoted') quoting.push(name);
  }
  return quoting;
}

const scheduled = { pickup_at: tomorrow };

test.each<[Partial<QuoteRequest>, string[]]>([
  [{}, ['swiftly', 'metrobike', 'poolride', 'haulvan', 'flaky_co']],
  [{ asked_by_name: false }, ['swiftly', 'metrobike', 'poolride', 'haulvan']],
  [scheduled, ['swiftly', 'poolride', 'haulvan', 'nightowl']],
  [{ dropoff_at: tomorrow }, ['swiftly', 'poolride', 'haulvan', 'nightowl']],
  [{ vehicles: ['car'] }, ['swiftly', 'poolride', 'flaky_co']],
  [{ vehicles: ['car'], ...scheduled }, ['swiftly', 'poolride', 'nightowl']],
  [{ vehicles: ['suv'] }, ['haulvan']],
  [{ vehicles: ['pickup_truck'] }, ['haulvan']],
  [{ vehicles: ['cargo_van'] }, ['haulvan']],
  [{ vehicles: ['box_truck'] }, ['haulvan']],
  [{ signature: true }, ['swiftly', 'haulvan']],
  [{ largest_size: 'medium' }, ['swiftly', 'metrobike', 'poolride', 'haulvan', 'flaky_co']],
  [{ largest_size: 'large' }, ['swiftly', 'poolride', 'haulvan', 'flaky_co']],
  [{ largest_size: 'extra_large' }, ['haulvan']],
])('for %j these quote: %j', async (changes, names) => {
  expect(await quoting(changes)).toEqual(names);
});

test.each<[string, Partial<QuoteRequest>, string, string]>([
  ['swiftly', { distance_tenths: 109 }, 'too_far', 'distance 10.9 mi exceeds its 10 mi limit'],
  ['swiftly', { vehicles: ['cargo_van'] }, 'vehicle_not_offered', 'no cargo van (offers car)'],
  ['metrobike', { vehicles: ['car'] }, 'vehicle_not_offered', 'no car (bikes only)'],
  ['poolride', { signature: true }, 'signature_not_offered', 'does not collect signatures'],
  [
    'metrobike',
    { largest_size: 'extra_large' },
    'item_too_large',
    'item size extra large exceeds its maximum, medium',
  ],
  ['metrobike', scheduled, 'scheduled_not_taken', 'no scheduled deliveries'],
  ['nightowl', {}, 'scheduled_only', 'scheduled deliveries only'],
  ['flaky_co', { asked_by_name: false }, 'only_when_named', 'quotes only when requested by name'],
])('%s, asked for %j, declines with %s', async (name, changes, code, reason) => {
  const answer = await provider(name).quote(quoteRequest(near, changes));
  expect(answer).toEqual({ kind: 'declined', code, reason });
});

test.each([
  ['swiftly', 100, 10],
  ['metrobike', 30, 4],
  ['poolride', 250, 26],
  ['haulvan', 600, 15],
  ['nightowl', 400, 26],
  ['flaky_co', 150, 10],
])('%s accepts up to %i tenths and %i stops', async (name, distance_tenths, most) => {
  const pickup_at = name === 'nightowl' ? tomorrow : null;
  const { stops } = quoteRequest(ordersFrom('60611', ...Array<string>(30).fill('60611')));
  const ask = (changes: Partial<QuoteRequest>) =>
    provider(name).quote(quoteRequest(near, { pickup_at, ...changes }));
  expect((await ask({ distance_tenths, stops: stops.slice(0, most) })).kind).toBe('quoted');
  expect(await ask({ distance_tenths: distance_tenths + 1 })).toMatchObject({ code: 'too_far' });
  expect(await ask({ stops: stops.slice(0, most + 1) })).toEqual({
    kind: 'declined',
    code: 'too_many_stops',
    reason: `${most + 1} stops exceed its limit of ${most}`,
  });
});

test.each([
  ['swiftly', 2000, 15],
  ['metrobike', 1000, 5],
  ['poolride', 4000, 10],
  ['haulvan', 3000, 60],
  ['nightowl', 3000, null],
  ['flaky_co', 5000, 5],
])('%s responds after %i ms with a quote that is valid for %j minutes', async (name, delay, life) => {
  const { expires_at } = await quoted(name, name === 'nightowl' ? scheduled : {});
  expect(expires_at).toBe(life === null ? null : now + life * MINUTE);
  const listed = simulatedProviders(memoryRecords()).find((each) => each.name === name);
  expect(listed?.answer_delay_ms).toBe(delay);
});

/**
 * Minutes to the driver's assignment, milliseconds for the two miles to the pickup, and for the drive with both
 * stops.
 */
test.each([
  ['swiftly', 2, 400_000, 480_000 + 380_000],
  ['metrobike', 1, 800_000, 480_000 + 760_000],
  ['poolride', 6, 450_000, 480_000 + 427_500],
  ['haulvan', 15, 450_000, 480_000 + 427_500],
  ['flaky_co', 4, 400_000, 480_000 + 380_000],
])('%s is at the pickup after %i min and %i ms', async (name, minutes, approach, way) => {
  const { pickup_eta, dropoff_eta, stop_etas } = await quoted(name);
  expect(pickup_eta).toBe(now + minutes * MINUTE + approach);
  expect(dropoff_eta).toBe(pickup_eta + way);
  expect(stop_etas).toEqual([pickup_eta, dropoff_eta]);
});

test('scheduled quotes keep the requested time', async () => {
  expect((await quoted('nightowl', scheduled)).pickup_eta).toBe(tomorrow);
  expect((await quoted('poolride', { dropoff_at: tomorrow })).dropoff_eta).toBe(tomorrow);
});

test('each quote has its courier’s fields and no others', async () => {
  const chance = (purpose: string) => (purpose === 'swiftly driver' ? 0 : 0.9999);
  expect(await quoted('swiftly', { chance })).toMatchObject({
    courier_name: 'Amara Osei',
    courier_image: 'https://couriers.example/amara-osei.jpg',
    vehicle_id: 'swiftly-9999',
    pickup_time: now + 2 * MINUTE + 400_000,
  });
  const base = [
    'cost_of_delivery',
    'dropoff_eta',
    'expires_at',
    'kind',
    'order_costs',
    'pickup_eta',
    'service_fee',
    'stop_etas',
  ];
  expect(Object.keys(await quoted('nightowl', scheduled)).sort()).toEqual(base);
  for (const name of ['metrobike', 'poolride', 'haulvan', 'flaky_co']) {
    const answer = await quoted(name);
    expect(answer.pickup_time).toBe(answer.pickup_eta);
    expect(Object.keys(answer).sort()).toEqual([...base, 'pickup_time'].sort());
  }
});

/** From, to, tenths of a mile by road, and each provider's cost in cents; null if it declines. */
const table: [string, string[], number, (number | null)[]][] = [
  ['60611', ['60606'], 19, [799, 659, 599, 2499, 899, 699]],
  ['94105', ['94103'], 21, [799, 689, 599, 2499, 899, 699]],
  ['10001', ['11201'], 51, [1112, null, 833, 2968, 916, 1000]],
  ['78701', ['78758'], 109, [null, null, 1326, 4070, 1322, 1638]],
  ['60611', ['60611'], 3, [799, 649, 599, 2499, 899, 699]],
  ['60611', ['60606', '60614', '60657'], 72, [1874, null, 1361, 4567, 1363, 1731]],
];

test.each(table)('%s to %j: %i tenths cost %j', async (from, to, tenths, costs) => {
  const request = quoteRequest(ordersFrom(from, ...to));
  expect(totalTenths(request.stops)).toBe(tenths);
  const providers = simulatedProviders(memoryRecords());
  expect(providers.map(({ name }) => name)).toEqual(names);
  for (const [index, provider] of providers.entries()) {
    const pickup_at = provider.name === 'nightowl' ? tomorrow : null;
    const answer = await provider.quote({ ...request, pickup_at });
    if (answer.kind === 'quoted')
      expect([provider.name, answer.cost_of_delivery]).toEqual([provider.name, costs[index]]);
    else expect([answer.code, costs[index]]).toEqual(['too_far', null]);
  }
});

const tariff = { base: 599, per_mile: 125, minimum: 799, included_tenths: 10, extra_stop: 250 };

test('half a cent rounds up', () => {
  expect(costOfDelivery({ ...tariff, base: 1000, per_mile: 125 }, 11, 2)).toBe(1013);
});

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

const takesOnce = ['swiftly', 'metrobike', 'poolride', 'nightowl'];
const takesAgain = ['haulvan', 'flaky_co'];

/** A courier with these records: a new instance each time, as after a restart. */
function courierOn(entries: RecordEntry[], name: string): Provider {
  const found = simulatedProviders(memoryRecords(entries)).find((each) => each.name === name);
  if (found === undefined) throw new Error(`no provider ${name}`);
  return found;
}

/** The response to a create, or its error. */
async function outcome(courier: Provider, scenario: Scenario): Promise<CreateAnswer['kind'] | Error> {
  return courier.create(createRequest({ scenario })).then(
    ({ kind }) => kind,
    (fault: Error) => fault,
  );
}

const kindsOf = (entries: readonly RecordEntry[]) => entries.map(({ kind }) => kind);

test.each(takesOnce)(
  '%s called twice with one key books once and repeats its first response',
  async (name) => {
    const entries: RecordEntry[] = [];
    const first = await courierOn(entries, name).create(createRequest());
    expect(await courierOn(entries, name).create(createRequest({ now: tomorrow }))).toEqual(first);
    expect(await courierOn(entries, name).create(createRequest({ scenario: 'no_capacity' }))).toEqual(first);
    expect(entries).toEqual([
      { provider: name, reference: 'dsp_1', name: 'k', kind: 'created', answer: first, entered_at: now },
    ]);
    await courierOn(entries, name).create(createRequest({ key: 'other', reference: 'dsp_2' }));
    expect(kindsOf(entries)).toEqual(['created', 'created']);
  },
);

test.each(takesAgain)('%s called twice books twice, and its records show it', async (name) => {
  const entries: RecordEntry[] = [];
  for (const at of [now, tomorrow]) await courierOn(entries, name).create(createRequest({ now: at }));
  expect(entries.map(({ kind, entered_at }) => [kind, entered_at])).toEqual([
    ['created', now],
    ['created', tomorrow],
  ]);
});

test.each(names)('%s still has what it accepted, refused and canceled after a restart', async (name) => {
  const entries: RecordEntry[] = [];
  const taken = await courierOn(entries, name).create(createRequest());
  const refusal = createRequest({ key: 'r', reference: 'dsp_2', scenario: 'no_capacity' });
  const refused = await courierOn(entries, name).create(refusal);
  expect(await courierOn(entries, name).find(createRequest({ reference: 'dsp_1' }))).toEqual(taken);
  expect(await courierOn(entries, name).find(createRequest({ reference: 'dsp_2' }))).toEqual(refused);
  expect(taken).toEqual({ kind: 'accepted', reference: 'dsp_1' });
  expect(refused).toEqual({ kind: 'refused', reason: `${name} has no courier available` });
  expect(await courierOn(entries, name).find(createRequest({ reference: 'dsp_3' }))).toBeNull();
  const canceled = await courierOn(entries, name).cancel(cancelRequest());
  expect(canceled).toEqual(await courierOn(entries, name).cancelTerms(cancelRequest()));
  const late = cancelRequest({ now: tomorrow, status: 'customer_canceled' });
  expect(await courierOn(entries, name).cancel(late)).toEqual(canceled);
  // The same order on another route is a different delivery.
  const other = await courierOn(entries, name).cancel({ ...late, reference: 'dsp_9' });
  expect(other.kind).toBe('refused');
  expect(kindsOf(entries)).toEqual(['created', 'refused', 'canceled']);
  expect(await courierOn(entries, name).find(createRequest({ reference: 'dsp_1' }))).toEqual(taken);
});

test('each dispatch fails on its own, independent of others', async () => {
  const entries: RecordEntry[] = [];
  const courier = courierOn(entries, 'swiftly');
  await outcome(courier, 'unknown_outcome_lost');
  const other = createRequest({ key: 'b', reference: 'dsp_2', scenario: 'unknown_outcome_lost' });
  await expect(courier.create(other)).rejects.toThrow('lost');
  expect((await courier.create(other)).kind).toBe('accepted');
});

test('a busy courier says for how long', async () => {
  const busy = await outcome(courierOn([], 'swiftly'), 'rate_limited');
  expect(busy instanceof ProviderBusy && busy.retry_after_seconds).toBe(2);
});

test('a booking is found even if the courier stopped before it recorded the lost response', async () => {
  const entries: RecordEntry[] = [];
  await outcome(courierOn(entries, 'haulvan'), 'unknown_outcome_accepted');
  expect(
    await courierOn(entries.slice(0, 1), 'haulvan').find(createRequest({ reference: 'dsp_1' })),
  ).toMatchObject({ kind: 'accepted' });
});
