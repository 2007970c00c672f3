import { array, assert, property, string } from 'fast-check';
import { expect, test } from 'vitest';
import type { Delivery } from '../../../src/contract/deliveries.ts';
import type { OrderRequest } from '../../../src/contract/orders.ts';
import { eventTypes, namedEventTypes } from '../../../src/contract/vocabulary.ts';
import { eventData } from '../../../src/service/events/publish-event.ts';
import { isWhole } from '../../in-part.ts';
import { after, newBatch } from '../auto-dispatch/batches.ts';
import { startedDelivery } from '../delivery-runs.ts';
import { everyEvent } from '../event-rows.ts';
import { dispatchRoute, type Fixture, startClient, startFixture } from '../fixture.ts';

const most_bytes = 20_000;

/** The longest valid order of one repeated character, with a scenario. */
function longest(character: string, number = '00'): OrderRequest {
  const text = (length: number) => character.repeat(length);
  const end = ' Chicago, IL 60611';
  return {
    pickup_address: `1 ${text(170)} St,${end}`,
    pickup_name: text(200),
    pickup_unit: text(200),
    pickup_notes: text(500),
    pickup_phone_number: '+13125550100',
    dropoff_address: `1 ${text(170)} St,${end}`,
    dropoff_name: text(200),
    dropoff_unit: text(200),
    dropoff_notes: text(500),
    dropoff_phone_number: `+131255501${number}`,
    dropoff_email: 'dana@mail.example',
    items: Array.from({ length: 50 }, () => ({ name: text(200), quantity: 999, size: 'large' as const })),
    items_description: text(500),
    external_order_ref: text(155),
    order_value: 99_999_999,
    tip: 99_999,
    request_signature: true,
  };
}

const size = (value: unknown) => Buffer.byteLength(JSON.stringify(value));

/** Both flows with long texts everywhere, and every outcome with additional fields. */
async function live(fixture: Fixture, character: string): Promise<void> {
  const client = fixture.client();
  const public_url = `https://${character.repeat(192)}`;
  const template = { subject: '{name}'.repeat(33), text: '{name}'.repeat(833) };
  const notices = { language: 'en' as const, templates: { dispatched: template } };
  await client.account.update({ body: { public_url, upsell: { kind: 'percent', value: 50 }, notices } });
  await dispatchRoute(fixture, { requests: Array(3).fill(longest(character)) });
  for (const scenario of ['happy_path', 'customer_refused', 'no_capacity'] as const) {
    await startedDelivery(client, scenario, longest(character));
  }
  await fixture.pass(26 * 3_600_000);
  for (const { id, status } of (await client.deliveries.list()).data.data) {
    const params = { deliveryid: id };
    const body = { reason: character.repeat(500) };
    if (status === 'delivered') await client.deliveries.dispute({ params, body });
  }
  const canceled = await startedDelivery(client, 'happy_path', longest(character));
  const params = { deliveryid: canceled.id };
  await client.deliveries.edit({ params, body: { dropoff_notes: character.repeat(500) } });
  await client.deliveries.cancel({ params, body: { reason: character.repeat(500) } });
  const batch = [longest(character), longest(character, '24')];
  await after(fixture, await newBatch(client, batch, { retry_window: 0 }), 6);
}

const half = '\ud83d';

// In bytes of JSON: four, and six for a lone surrogate, which JSON must escape.
test.each([['a smile', '😀'], ...(isWhole ? [['half a character', half]] : [])])(
  'the largest records, written with %s: every event is sent whole and below the limit',
  async (_, character) => {
    const fixture = await startFixture();
    await live(fixture, character);
    const found = await everyEvent(fixture.client());
    const types = new Set(found.map(({ type }) => type));
    expect([...types].sort()).toEqual(
      eventTypes
        .filter((type) => type !== 'webhook.test' && !namedEventTypes.some((each) => each === type))
        .sort(),
    );
    const request = longest(character);
    for (const { type, data } of found) {
      if (!/^(order|delivery)\./.test(type)) continue;
      const { external_order_ref, order_value } = request;
      // A column stores whole characters only.
      const isHalf = character.length < 2 && /\p{Cs}/u.test(character);
      expect(data).toMatchObject({ order_value, ...(isHalf ? {} : { external_order_ref }) });
      expect(JSON.stringify(data)).toMatch(/"tracking_url":"https|"object":"order"/);
      if (character !== '😀') continue;
      expect(data).toMatchObject({
        truncated: true,
        items: Array(50).fill({ quantity: 999, size: 'large' }),
      });
    }
    expect(found.filter((event) => size(event) >= most_bytes).map(({ type }) => type)).toEqual([]);
    // What was shortened in the event is complete in the record.
    const [order] = (await fixture.client().orders.list()).data.data;
    expect(order).toMatchObject({ items: request.items, dropoff_notes: request.dropoff_notes });
  },
);

test('an event of a delivery with an endless history has its last part; the record has all of it', async () => {
  const { client } = await startClient();
  const { id } = await startedDelivery(client, 'happy_path');
  const params = { delivery_id: id };
  for (let turn = 0; turn < 140; turn += 1) {
    await client.sandbox.step({ params, body: { status: 'driver_assigned' } });
    await client.sandbox.step({ params, body: { status: 'driver_not_assigned' } });
  }
  const { status_history, pickup_name } = (await client.deliveries.get({ params: { deliveryid: id } })).data;
  expect(status_history).toHaveLength(281);
  const [last] = (await client.events.list({ query: { delivery_id: id, limit: 1 } })).data.data;
  expect(size(last)).toBeLessThan(most_bytes);
  expect(size(last)).toBeGreaterThan(most_bytes - 3_000);
  const data: Partial<Delivery> = Object(last?.data);
  expect(data).toMatchObject({ truncated: true, status: 'driver_not_assigned', pickup_name });
  const kept = data.status_history ?? [];
  expect(kept.length).toBeGreaterThan(150);
  expect(kept).toEqual(status_history.slice(-kept.length));
});

test('a small event is sent unchanged; a large one is cut in a repeatable way, longest texts first', () => {
  const small = { id: 'ord_1', pickup_notes: 'x'.repeat(17_000), items: [] };
  expect(eventData(small)).toBe(JSON.stringify(small));
  const large = { ...small, dropoff_notes: 'ring twice', reason: '😀'.repeat(2_000) };
  const data = JSON.parse(eventData(large));
  expect(eventData(large)).toBe(eventData(large));
  expect(data).toMatchObject({ id: 'ord_1', dropoff_notes: 'ring twice', truncated: true });
  expect(data.pickup_notes).toMatch(/^x+…$/);
  expect(data.reason).toMatch(/^(😀)+…$/u);
  const halves = eventData({ ...small, reason: half.repeat(3_000) });
  expect(Buffer.byteLength(halves)).toBeLessThan(most_bytes);
});

test('any event is below the limit and keeps everything but its texts and lists', () => {
  const texts = string({ unit: 'binary', maxLength: 700 });
  const rows = array(texts, { maxLength: 120 });
  assert(
    property(texts, rows, rows, (text, names, others) => {
      const kept = { id: 'dlv_1', tip: 7, store_id: null, external_order_ref: text.slice(0, 155) };
      const items = names.map((name, index) => ({ name, quantity: index, size: 'small' }));
      const reasons = others.map((reason) => ({ provider: 'swiftly', code: 'too_far', reason }));
      const found = eventData({ ...kept, pickup_notes: text, items, reasons });
      expect(Buffer.byteLength(found)).toBeLessThan(most_bytes - 1_700);
      const data = JSON.parse(found);
      expect(data).toMatchObject(kept);
      for (const [index, { name, ...rest }] of data.items.entries()) {
        expect(rest).toEqual({ quantity: index, size: 'small' });
        expect(items[index]?.name.startsWith(name.replace(/…$/, ''))).toBe(true);
      }
    }),
    { numRuns: 10, seed: 5 },
  );
});
