import { describe, expect, test } from 'vitest';
import type { Delivery } from '../../../src/contract/deliveries.ts';
import { after, newBatch, withScenario } from '../auto-dispatch/batches.ts';
import { again, runToEnd, startedDelivery } from '../delivery-runs.ts';
import { type Fixture, startFixture } from '../fixture.ts';

/** As a browser without a key. */
async function open({ service }: Fixture, link: string, headers: Record<string, string> = {}) {
  const path = link.replace(/^https:\/\/[^/]+/, '');
  return service.fetch({ method: 'GET', path, headers, body: '' });
}

const headline = (body: string) => /<h1>(.*?)<\/h1>/.exec(body)?.[1];
const courierAt = (body: string) => /class="courier" transform="(.*?)"/.exec(body)?.[1];

test('tracking_url opens a page without a key, and forbids caching and indexing', async () => {
  const fixture = await startFixture();
  const delivery = await startedDelivery(fixture.client(), 'happy_path');
  const { status, headers, body } = await open(fixture, delivery.tracking_url);
  expect([status, headline(body)]).toEqual([200, 'Looking for a courier']);
  expect(headers).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-robots-tag': 'noindex',
  });
});

test('the page follows the delivery and the courier on the service’s clock', async () => {
  const fixture = await startFixture();
  const client = fixture.client();
  const delivery = await startedDelivery(client, 'happy_path');
  const places = new Set<string | undefined>();
  const headlines: (string | undefined)[] = [];
  for (let minutes = 0; minutes < 90; minutes += 1) {
    await fixture.pass(60_000);
    const { body } = await open(fixture, delivery.tracking_url);
    places.add(courierAt(body));
    if (headlines.at(-1) !== headline(body)) headlines.push(headline(body));
    expect(body).toContain(`data-now="${new Date(fixture.now()).toISOString()}"`);
  }
  expect(headlines).toEqual(expect.arrayContaining(['Courier assigned', 'Picked up']));
  expect(headlines.at(-1)).toBe('Delivered');
  expect(places.size).toBeGreaterThan(5);
});

test('the page opens only with the whole token, and a refusal does not repeat it', async () => {
  const fixture = await startFixture();
  const { tracking_url } = await startedDelivery(fixture.client(), 'happy_path');
  for (const link of [
    tracking_url.slice(0, -1),
    `${tracking_url}0`,
    tracking_url.toUpperCase(),
    '/track/%25',
  ]) {
    const { status, body } = await open(fixture, link.replace('HTTPS://SHOP.EXAMPLE/TRACK', '/track'));
    expect(status).toBe(404);
    expect(JSON.parse(body)).toMatchObject({ code: 'record_not_found' });
    expect(body).not.toContain(link.split('/').at(-1));
  }
});

/** An order with data that its recipient must not see. */
const request = {
  // No simulated courier has these numbers.
  pickup_phone_number: '+12175551234',
  dropoff_phone_number: '+12175554321',
  dropoff_name: 'Quentin Whitfield',
  dropoff_notes: 'gate 8823',
  pickup_notes: 'ring twice',
  dropoff_unit: 'Unit 4711',
  external_order_ref: 'ref-90210',
  order_value: 777_123,
  tip: 931,
};

function secretsOf(record: Delivery): string[] {
  const { pickup_phone_number, dropoffs, id, order_id, route_id, quote_id, service, vehicle } = record;
  const amounts = [record.payment_amount, record.order_value, record.refunded_amount, record.tip];
  const places = [record.courier_location_lat, record.courier_location_lng];
  const texts = [
    ...['Quentin', 'Whitfield', request.pickup_notes, '4711', 'Ohio St', 'Wacker'],
    ...[pickup_phone_number, dropoffs[0]?.dropoff_phone_number],
    ...[id, order_id, route_id, quote_id, service, vehicle?.license_plate],
    ...[record.courier_name, record.courier_img],
    ...[record.failure_reason, record.failure_message, record.cancellation_reason],
    ...places.map((place) => (place === null ? null : String(place))),
    ...amounts.flatMap((amount) => (amount ? [`>${amount}`, ` ${amount}`, `$${amount / 100}`] : [])),
  ];
  return texts.filter((text) => typeof text === 'string').filter((text) => text !== '');
}

/** A page without its style, its script, their hashes, and the courier company's addresses of pictures. */
function readable(body: string): string {
  return body.replace(
    /<(style|script)[\s\S]*?<\/\1>|<meta http-equiv="Content[^>]*>|<img src="https:[^"]*"/g,
    '',
  );
}

describe.each([
  'happy_path',
  'customer_unreachable',
  'driver_reassigned',
  'provider_cancel_after_pickup',
  'payment_declined',
] as const)('%s', (scenario) => {
  test('the page never shows private fields of the record', async () => {
    const fixture = await startFixture();
    const client = fixture.client();
    const delivery = await startedDelivery(client, scenario, request);
    for (let step = 0; step < 30; step += 1) {
      await fixture.pass(3 * 60_000);
      const { status, body } = await open(fixture, delivery.tracking_url);
      const record = await again(client, delivery);
      expect(status).toBe(200);
      expect(body).toContain('Pizza &amp; Friends');
      for (const secret of secretsOf(record)) expect(readable(body)).not.toContain(secret);
    }
    await runToEnd(fixture, client, delivery);
    expect((await open(fixture, delivery.tracking_url)).status).toBe(200);
    expect(fixture.faults).toEqual([]);
  });
});

test('while auto dispatch tries again, the old link says that a courier is looked for, and then follows the new one', async () => {
  const fixture = await startFixture();
  const client = fixture.client();
  const retried = { retry_window: 3600, retry_interval: 600 };
  const id = await newBatch(client, [withScenario('payment_declined_once')], retried);
  await after(fixture, id, 30);
  const [failed] = (await client.deliveries.list({})).data.data;
  expect(failed?.status).toBe('failed');
  const link = failed?.tracking_url ?? '';
  const waiting = await open(fixture, link);
  expect(headline(waiting.body)).toBe('Looking for a courier');
  expect(waiting.body).not.toMatch(/could not be delivered|Estimated arrival|Was expected/i);
  expect(waiting.body).toContain('data-refresh="15"');
  const spanish = await open(fixture, `${link}?lang=es`);
  expect(headline(spanish.body)).toBe('Buscando un repartidor');
  expect(spanish.body).not.toContain('No se pudo entregar');
  await fixture.pass(600_000);
  const save = {
    method: 'PATCH',
    path: new URL(link).pathname,
    headers: { 'content-type': 'application/json' },
  } as const;
  const saved = await fixture.service.fetch({
    ...save,
    body: JSON.stringify({ dropoff_notes: 'Ring twice' }),
  });
  expect(saved.status).toBe(200);
  for (let minutes = 0; minutes < 90; minutes += 1) await fixture.pass(60_000);
  expect(headline((await open(fixture, link)).body)).toBe('Delivered');
  const [newest] = (await client.deliveries.list({})).data.data;
  expect(newest?.dropoffs[0]?.dropoff_notes).toBe('Ring twice');
});

test('after the last attempt the link says that the order could not be delivered', async () => {
  const fixture = await startFixture();
  const client = fixture.client();
  const id = await newBatch(client, [withScenario('payment_declined')], {
    retry_window: 0,
    retry_interval: 600,
  });
  await after(fixture, id, 30);
  const [failed] = (await client.deliveries.list({})).data.data;
  expect(headline((await open(fixture, failed?.tracking_url ?? '')).body)).toBe('Could not be delivered');
});
