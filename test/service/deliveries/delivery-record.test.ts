import { Check } from 'typebox/schema';
import { expect, test } from 'vitest';
import { Delivery, DeliveryDetails, DeliveryEventDetails } from '../../../src/contract/deliveries.ts';
import { deliveryStatuses } from '../../../src/contract/vocabulary.ts';
import { isScenario, scenarioNames } from '../../../src/domain/scenarios.ts';
import { again, scenarioHeader, startedDelivery } from '../delivery-runs.ts';
import { type Fixture, orderRequest, startClient, startFixture } from '../fixture.ts';

type Kind = 'string' | 'integer' | 'number' | 'boolean' | 'instant' | 'array' | 'object';
type Rule = Kind | [Kind, 'nullable'];

/** Every field of the version 1 record with its type and whether it may be null. No others are ever added. */
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
  order_id: 'string',
  route_id: ['string', 'nullable'],
  failure_reason: ['string', 'nullable'],
  failure_message: 'string',
  dispute_reason: ['string', 'nullable'],
  refunded_amount: 'integer',
  handover_pin: ['string', 'nullable'],
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
  expect(Object.keys(record).sort(), where).toEqual(Object.keys(rules).sort());
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

/** Checks that each way to read a delivery returns the same record, and version 2 only adds its details. */
async function checkVersions({ client }: Fixture, delivery: Delivery): Promise<void> {
  const { deliveries, events } = client();
  const { id } = delivery;
  const { details, ...record } = (await deliveries.getDetailed({ params: { deliveryid: id } })).data;
  expect(record).toEqual(delivery);
  expect(Check({ ...DeliveryDetails, additionalProperties: false }, details)).toBe(true);
  for (const q of [undefined, 'whitfield']) {
    const query = { limit: 100, q };
    expect((await deliveries.list({ query })).data.data).toContainEqual(record);
    const matched = q === undefined ? '' : 'dropoff name';
    const detailed = { ...record, details: { ...details, matched } };
    expect((await deliveries.listDetailed({ query })).data.data).toContainEqual(detailed);
  }
  const type = 'delivery.created,delivery.updated';
  const [event] = (await events.list({ query: { type, delivery_id: id, limit: 1 } })).data.data;
  if (event === undefined) throw new Error(`${id} has no event`);
  checkFields(event.data, fields, event.type);
  expect(Check({ ...DeliveryEventDetails, additionalProperties: false }, event.details)).toBe(true);
}

/** Advances from one due task to the next, and reads the record each time. */
async function followed(fixture: Fixture, delivery: Delivery, seen: Map<string, Delivery>): Promise<void> {
  const client = fixture.client();
  for (let steps = 0; steps < 60; steps += 1) {
    const now = await again(client, delivery);
    checkRecord(now);
    if (!seen.has(now.status)) await checkVersions(fixture, now);
    seen.set(now.status, now);
    const { next_due_at } = (await client.clock.get()).data;
    if (next_due_at === null) return;
    await fixture.pass(Math.max(0, Date.parse(next_due_at) - fixture.now()));
  }
}

test('the version 1 record has exactly its fields with their types, in every status and scenario', async () => {
  const { fixture, client } = await startClient();
  const seen = new Map<string, Delivery>();
  const dropoff_email = 'dana@diner.example';
  const { data: stored } = await client.deliveries.create({ body: orderRequest({ dropoff_email }) });
  await followed(fixture, stored, seen);
  for (const scenario of scenarioNames.filter(isScenario)) {
    await followed(
      fixture,
      await startedDelivery(client, scenario, { tip: 100, request_signature: true }),
      seen,
    );
  }
  const pickup_at = new Date(fixture.now() + 60 * 60_000).toISOString();
  const last = await startedDelivery(client, 'happy_path', { pickup_at, dropoff_email });
  await followed(fixture, last, seen);
  const params = { deliveryid: last.id };
  checkRecord((await client.deliveries.dispute({ params, body: { reason: 'Broken' } })).data);
  await client.disputes.resolve({ params, body: { outcome: 'refunded' } });
  await client.deliveries.note({ params, body: { text: 'Called' } });
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
