import { Check } from 'typebox/schema';
import { expect, test } from 'vitest';
import { Delivery } from '../../../src/contract/deliveries.ts';
import { deliveryStatuses } from '../../../src/contract/vocabulary.ts';
import { isScenario, scenarioNames } from '../../../src/domain/scenarios.ts';
import { again, scenarioHeader, startedDelivery } from '../delivery-runs.ts';
import { type Fixture, orderRequest, startFixture } from '../fixture.ts';

type Kind = 'string' | 'integer' | 'number' | 'boolean' | 'instant' | 'array' | 'object';
type Rule = Kind | [Kind, 'nullable'];

/** Every field of the delivery record with its type and whether it may be null. */
const fields: Record<string, Rule> = {
  currency: 'string',
  payment_amount: 'integer',
  tip: ['integer', 'nullable'],
  fee: 'integer',
  upsell: ['integer', 'nullable'],
  subsidized: ['integer', 'nullable'],
  id: 'string',
  delivery_type: 'string',
  service: 'string',
  status: 'string',
  tracking_url: 'string',
  created_at: 'instant',
  updated_at: 'instant',
  cancellation_reason: ['string', 'nullable'],
  external_order_ref: 'string',
  order_value: 'integer',
  proof_of_delivery: 'array',
  quote_id: 'string',
  signature: ['object', 'nullable'],
  status_history: 'array',
  store_id: ['string', 'nullable'],
  test_mode: 'boolean',
  vehicle: ['object', 'nullable'],
  pickup_at: ['instant', 'nullable'],
  pickup_address: 'string',
  pickup_eta: 'instant',
  pickup_name: 'string',
  pickup_notes: 'string',
  pickup_phone_number: 'string',
  pickup_unit: 'string',
  dropoffs: 'array',
  items_description: 'string',
  items: 'array',
  courier_name: ['string', 'nullable'],
  courier_img: ['string', 'nullable'],
  courier_phone_number: ['string', 'nullable'],
  courier_vehicle_type: ['string', 'nullable'],
  courier_location_lat: ['number', 'nullable'],
  courier_location_lng: ['number', 'nullable'],
};

const dropoffFields: Record<string, Rule> = {
  dropoff_at: ['instant', 'nullable'],
  dropoff_address: 'string',
  dropoff_eta: 'instant',
  dropoff_name: 'string',
  dropoff_notes: 'string',
  dropoff_phone_number: 'string',
  dropoff_unit: 'string',
};

const isOf: Record<Kind, (value: unknown) => boolean> = {
  string: (value) => typeof value === 'string',
  integer: Number.isInteger,
  number: (value) => typeof value === 'number' && Number.isFinite(value),
  boolean: (value) => typeof value === 'boolean',
  instant: (value) => typeof value === 'string' && new Date(value).toISOString() === value,
  array: Array.isArray,
  object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
};

function checkFields(record: object, rules: Record<string, Rule>, where: string): void {
  const values = new Map(Object.entries(record));
  for (const [field, rule] of Object.entries(rules)) {
    const [kind, nullable] = typeof rule === 'string' ? [rule, undefined] : rule;
    const value = values.get(field);
    const fits = (value === null && nullable !== undefined) || isOf[kind](value);
    expect(fits, `${where}: ${field} is ${JSON.stringify(value)}`).toBe(true);
  }
}

const exact = { ...Delivery, additionalProperties: false };

function checkRecord(delivery: Delivery): void {
  checkFields(delivery, fields, delivery.status);
  for (const dropoff of delivery.dropoffs) checkFields(dropoff, dropoffFields, delivery.status);
  expect(delivery.dropoffs).toHaveLength(1);
  expect(Check(exact, delivery), delivery.status).toBe(true);
  expect(delivery).toMatchObject({ currency: 'USD', test_mode: true });
  expect(delivery.pickup_address).toMatch(/, USA$/);
  expect(delivery.dropoffs[0]?.dropoff_phone_number).toMatch(/^\d+$/);
}

/** Advances from one due task to the next, and reads the record each time. */
async function followed(fixture: Fixture, delivery: Delivery, seen: Map<string, Delivery>): Promise<void> {
  const client = fixture.client();
  for (let steps = 0; steps < 60; steps += 1) {
    const now = await again(client, delivery);
    checkRecord(now);
    seen.set(now.status, now);
    const { next_due_at } = (await client.clock.get()).data;
    if (next_due_at === null) return;
    await fixture.pass(Math.max(0, Date.parse(next_due_at) - fixture.now()));
  }
}

test('the record has every documented field with its type, in every status', async () => {
  const fixture = await startFixture();
  const client = fixture.client();
  const seen = new Map<string, Delivery>();
  const { data: stored } = await client.deliveries.create({ body: orderRequest() });
  await followed(fixture, stored, seen);
  for (const scenario of scenarioNames.filter(isScenario)) {
    await followed(
      fixture,
      await startedDelivery(client, scenario, { tip: 100, request_signature: true }),
      seen,
    );
  }
  const pickup_at = new Date(fixture.now() + 60 * 60_000).toISOString();
  await followed(fixture, await startedDelivery(client, 'happy_path', { pickup_at }), seen);
  const done = seen.get('delivered');
  const params = { deliveryid: done?.id ?? '' };
  checkRecord((await client.deliveries.dispute({ params, body: { reason: 'Broken' } })).data);
  await followed(fixture, (await client.deliveries.get({ params })).data, seen);
  const canceled = await client.deliveries.cancel({ params: { deliveryid: stored.id }, body: {} });
  await followed(fixture, canceled.data, seen);
  expect(deliveryStatuses.filter((status) => !seen.has(status))).toEqual([]);
});

test('an undispatched delivery has all fields too', async () => {
  const fixture = await startFixture();
  const body = orderRequest();
  const { data } = await fixture.client().deliveries.create({ body, headers: scenarioHeader('no_quotes') });
  checkRecord(data);
  expect(data).toMatchObject({ status: 'request', service: '', quote_id: '', payment_amount: 0, fee: 0 });
});
