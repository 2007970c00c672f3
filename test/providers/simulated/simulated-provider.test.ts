import { expect, test } from 'vitest';
import type { Scenario } from '../../../src/domain/scenarios.ts';
import { simulatedProviders } from '../../../src/providers/directory.ts';
import type { QuoteRequest } from '../../../src/providers/port.ts';
import { memoryRecords } from './memory-records.ts';
import { MINUTE, names, now, ordersFrom, provider, quoteRequest, tomorrow } from './requests.ts';

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
  ['swiftly', 2000, 15, true],
  ['metrobike', 1000, 5, true],
  ['poolride', 4000, 10, true],
  ['haulvan', 3000, 60, false],
  ['nightowl', 3000, null, true],
  ['flaky_co', 5000, 5, false],
])(
  '%s responds after %i ms with a quote that is valid for %j minutes',
  async (name, delay, life, idempotent) => {
    const { expires_at } = await quoted(name, name === 'nightowl' ? scheduled : {});
    expect(expires_at).toBe(life === null ? null : now + life * MINUTE);
    const listed = simulatedProviders(memoryRecords()).find((each) => each.name === name);
    expect(listed?.answer_delay_ms).toBe(delay);
    expect(listed?.simulation?.idempotent_create).toBe(idempotent);
  },
);

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

test.each(names)(
  '%s declines in every round without quotes, and in three when they are late',
  async (name) => {
    const pickup_at = name === 'nightowl' ? tomorrow : null;
    const answerIn = (scenario: Scenario, round: number) =>
      provider(name).quote(quoteRequest(near, { scenario, pickup_at, round }));
    const reason = `${name} has no courier available`;
    for (let round = 1; round <= 4; round += 1) {
      const declined = { kind: 'declined', code: 'no_courier_free', reason };
      expect(await answerIn('no_quotes', round)).toEqual(declined);
      expect(await answerIn('no_quotes_then', round)).toMatchObject(
        round < 4 ? declined : { kind: 'quoted' },
      );
    }
  },
);

/** 60611 to 60606, plus 8%, rounded half up. */
test.each([
  ['swiftly', 799, 863],
  ['metrobike', 659, 712],
  ['poolride', 599, 647],
  ['haulvan', 2499, 2699],
  ['nightowl', 899, 971],
  ['flaky_co', 699, 755],
])('an expired quote of %s costs %i, and the next %i', async (name, first, next) => {
  const pickup_at = name === 'nightowl' ? tomorrow : null;
  const dead = await quoted(name, { scenario: 'quote_expired', pickup_at });
  expect(dead).toMatchObject({ cost_of_delivery: first, order_costs: [first], expires_at: now });
  const alive = await quoted(name, { scenario: 'quote_expired', pickup_at, round: 2 });
  const { expires_at } = await quoted(name, { pickup_at });
  expect(alive).toMatchObject({ cost_of_delivery: next, order_costs: [next], expires_at });
  expect(await quoted(name, { pickup_at, round: 2 })).toMatchObject({ cost_of_delivery: first });
});
