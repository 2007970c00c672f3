import { expect, test } from 'vitest';
import type { OrderRequest } from '../../../src/contract/orders.ts';
import { createService } from '../../../src/service/service.ts';
import { after, startBatch, withScenario } from '../auto-dispatch/batches.ts';
import { dispatchOne, reportOf, startScripted } from '../couriers/scripted-courier.ts';
import { again, startedDelivery } from '../delivery-runs.ts';
import { type Fixture, startClient } from '../fixture.ts';

/** As a browser without a key. */
async function open({ service }: Fixture, link: string, headers: Record<string, string> = {}) {
  const path = link.replace(/^https:\/\/[^/]+/, '');
  return service.fetch({ method: 'GET', path, headers, body: '' });
}

async function started(request: Partial<OrderRequest> = {}) {
  const { fixture, client } = await startClient();
  const delivery = await startedDelivery(client, 'happy_path', request);
  return { fixture, client, delivery, link: delivery.tracking_url };
}

const headline = (body: string) => /<h1>(.*?)<\/h1>/.exec(body)?.[1];
const distance = (body: string) => /[\d.]+ miles away/.exec(body)?.[0];

test('tracking_url opens a page without a key, and forbids caching and indexing', async () => {
  const { fixture, link } = await started();
  const { status, headers, body } = await open(fixture, link);
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
  const { fixture, link } = await started({ dropoff_latitude: 41.93, dropoff_longitude: -87.66 });
  const places = new Set<string | undefined>();
  const headlines: (string | undefined)[] = [];
  for (let minutes = 0; minutes < 90; minutes += 1) {
    await fixture.pass(60_000);
    const { body } = await open(fixture, link);
    places.add(distance(body));
    if (headlines.at(-1) !== headline(body)) headlines.push(headline(body));
    expect(body).toContain(`data-now="${new Date(fixture.now()).toISOString()}"`);
  }
  expect(headlines).toEqual(expect.arrayContaining(['Courier assigned', 'Picked up']));
  expect(headlines.at(-1)).toBe('Delivered');
  expect(places.size).toBeGreaterThan(5);
});

test('the page opens only with the whole token, and a refusal does not repeat it', async () => {
  const { fixture, link } = await started();
  for (const wrong of [link.slice(0, -1), `${link}0`, link.toUpperCase(), '/track/%25']) {
    const { status, body } = await open(fixture, wrong.replace('HTTPS://SHOP.EXAMPLE/TRACK', '/track'));
    expect(status).toBe(404);
    expect(JSON.parse(body)).toMatchObject({ code: 'record_not_found' });
    expect(body).not.toContain(wrong.split('/').at(-1));
  }
});

test('while auto dispatch tries again, the old link says that a courier is looked for, and then follows the new one', async () => {
  const retried = { retry_window: 3600, retry_interval: 600 };
  const { fixture, client, id } = await startBatch([withScenario('payment_declined_once')], retried);
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
  const saved = await save(fixture, link, { dropoff_notes: 'Ring twice' });
  expect(saved.status).toBe(200);
  for (let minutes = 0; minutes < 90; minutes += 1) await fixture.pass(60_000);
  expect(headline((await open(fixture, link)).body)).toBe('Delivered');
  const [newest] = (await client.deliveries.list({})).data.data;
  expect(newest?.dropoffs[0]?.dropoff_notes).toBe('Ring twice');
});

test('the notes are those of the delivery that is under way by now', async () => {
  const retried = { retry_window: 3600, retry_interval: 600 };
  const { fixture, client, id } = await startBatch([withScenario('payment_declined_once')], retried);
  await after(fixture, id, 30);
  const [failed] = (await client.deliveries.list({})).data.data;
  // Nothing runs until the next request.
  await fixture.pass(630_000, async () => {});
  const ownership = { whileOwner: (work: () => Promise<unknown>) => work().then(() => true) };
  const service = createService({ ...fixture.config, ownership });
  const saved = await service.fetch({
    ...{ method: 'PATCH', path: new URL(failed?.tracking_url ?? '').pathname },
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ dropoff_notes: 'Ring twice' }),
  });
  expect(saved.status).toBe(200);
  const [newest] = (await client.deliveries.list({})).data.data;
  expect([newest?.id === failed?.id, newest?.dropoffs[0]?.dropoff_notes]).toEqual([false, 'Ring twice']);
});

test('notes that are saved while another courier takes over are told to that one, too', async () => {
  const told: string[] = [];
  const courier = await startScripted({
    update: async ({ reference }) => {
      told.push(reference);
      if (told.length > 1) return;
      await courier.push([reportOf(courier.creates[0]?.key ?? '', 'failed')]);
      await client.deliveries.retry({ params: { deliveryid: id }, body: { provider: 'scripted' } });
    },
  });
  const client = courier.fixture.client();
  const { id } = await dispatchOne(courier);
  const { data } = await client.deliveries.get({ params: { deliveryid: id } });
  const saved = await save(courier.fixture, data.tracking_url, { dropoff_notes: 'Ring twice' });
  expect(saved.status).toBe(200);
  expect(told).toEqual(['del_1', 'del_2']);
});

test('after the last attempt the link says that the order could not be delivered', async () => {
  const settings = { retry_window: 0, retry_interval: 600 };
  const { fixture, client, id } = await startBatch([withScenario('payment_declined')], settings);
  await after(fixture, id, 30);
  const [failed] = (await client.deliveries.list({})).data.data;
  expect(headline((await open(fixture, failed?.tracking_url ?? '')).body)).toBe('Could not be delivered');
});

/** As the script of the page sends it, without a key. */
async function save(fixture: Fixture, link: string, body: unknown, headers: Record<string, string> = {}) {
  const sent = { body, headers: { 'x-api-key': '', ...headers } };
  const answer = await fixture.send('PATCH', new URL(link).pathname, sent);
  return { status: answer.status, headers: answer.headers, answer: JSON.parse(answer.body) };
}

test('the recipient changes the notes of delivery and order, and the shop gets an event', async () => {
  const { fixture, client, delivery, link } = await started({ dropoff_notes: 'old' });
  const notes = 'Gate 8823\nthird floor <b>';
  const { status, answer } = await save(fixture, link, { dropoff_notes: notes });
  expect([status, answer]).toEqual([200, { object: 'tracking', dropoff_notes: notes }]);
  expect((await again(client, delivery)).dropoffs[0]?.dropoff_notes).toBe(notes);
  const { data: order } = await client.orders.get({ params: { order_id: delivery.order_id } });
  expect(order.dropoff_notes).toBe(notes);
  const { data: events } = await client.events.list({ query: { delivery_id: delivery.id } });
  expect(events.data[0]).toMatchObject({
    type: 'delivery.updated',
    data: { dropoffs: [{ dropoff_notes: notes }] },
  });
});

test('after the pickup nothing changes', async () => {
  const { fixture, client, delivery, link } = await started({ dropoff_notes: 'old' });
  await fixture.pass(20 * 60_000);
  const { status, answer } = await save(fixture, link, { dropoff_notes: 'new' });
  expect([status, answer.code]).toEqual([409, 'delivery_not_editable']);
  expect((await again(client, delivery)).dropoffs[0]?.dropoff_notes).toBe('old');
});

test.each([
  [{ dropoff_notes: 'x'.repeat(501) }, {}, 400, 'invalid_request'],
  [{ dropoff_notes: 'bell \u0007' }, {}, 400, 'invalid_request'],
  [{ dropoff_notes: 'a', dropoff_phone_number: '+13125550100' }, {}, 400, 'invalid_request'],
  [{ dropoff_notes: 'x'.repeat(9000) }, {}, 413, 'payload_too_large'],
  // What a form of another site can send.
  [{ dropoff_notes: 'a' }, { 'content-type': 'text/plain' }, 415, 'unsupported_media_type'],
])('%j with %j is refused', async (body, headers, expected, code) => {
  const { fixture, link } = await started();
  const { status, answer } = await save(fixture, link, body, headers);
  expect([status, answer.code]).toEqual([expected, code]);
});

test('an unknown token is not found and not repeated in the error', async () => {
  const { fixture } = await started();
  const link = 'https://shop.example/track/abcdef0123';
  const { status, answer } = await save(fixture, link, { dropoff_notes: 'a' });
  expect([status, answer.code]).toEqual([404, 'record_not_found']);
  expect(JSON.stringify(answer)).not.toContain('abcdef0123');
});

test('ten changes are accepted at once, then one per minute, for each delivery separately', async () => {
  const { fixture, client, link } = await started();
  const other = await startedDelivery(client, 'happy_path', {});
  for (let index = 0; index < 10; index += 1) {
    expect((await save(fixture, link, { dropoff_notes: `note ${index}` })).status).toBe(200);
  }
  const { status, headers, answer } = await save(fixture, link, { dropoff_notes: 'one more' });
  expect([status, answer.code, headers['retry-after']]).toEqual([429, 'rate_limited', '60']);
  expect((await save(fixture, other.tracking_url, { dropoff_notes: 'mine' })).status).toBe(200);
  fixture.passWall(60_000);
  expect((await save(fixture, link, { dropoff_notes: 'one more' })).status).toBe(200);
});

test('an idempotency key without an account stores nothing', async () => {
  const { fixture, link } = await started();
  const keyed = (notes: string) => save(fixture, link, { dropoff_notes: notes }, { 'idempotency-key': 'k' });
  expect((await keyed('first')).status).toBe(200);
  expect((await keyed('second')).answer.dropoff_notes).toBe('second');
});
