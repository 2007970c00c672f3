import { expect, test } from 'vitest';
import type { OrderRequest } from '../../../src/contract/orders.ts';
import { again, startedDelivery } from '../delivery-runs.ts';
import { type Fixture, startFixture } from '../fixture.ts';

/** As the script of the page sends it, without a key. */
async function save({ service }: Fixture, link: string, body: unknown, headers: Record<string, string> = {}) {
  const {
    status,
    body: text,
    headers: received,
  } = await service.fetch({
    method: 'PATCH',
    path: new URL(link).pathname,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  return { status, headers: received, answer: JSON.parse(text) };
}

async function started(request: Partial<OrderRequest> = {}) {
  const fixture = await startFixture();
  const client = fixture.client();
  const delivery = await startedDelivery(client, 'happy_path', request);
  return { fixture, client, delivery, link: delivery.tracking_url };
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
  [{ dropoff_notes: 'x'.repeat(501) }, 400, 'invalid_request'],
  [{ dropoff_notes: 'bell \u0007' }, 400, 'invalid_request'],
  [{ dropoff_notes: 5 }, 400, 'invalid_request'],
  [{}, 400, 'invalid_request'],
  [{ dropoff_notes: 'a', dropoff_phone_number: '+13125550100' }, 400, 'invalid_request'],
  [{ dropoff_notes: 'x'.repeat(9000) }, 413, 'payload_too_large'],
])('%j is refused', async (body, expected, code) => {
  const { fixture, link } = await started();
  const { status, answer } = await save(fixture, link, body);
  expect([status, answer.code]).toEqual([expected, code]);
});

test('a form of another site cannot send changes', async () => {
  const { fixture, link } = await started();
  const { status } = await save(fixture, link, { dropoff_notes: 'a' }, { 'content-type': 'text/plain' });
  expect(status).toBe(415);
});

test('an unknown token is not found and not repeated in the error', async () => {
  const { fixture } = await started();
  const { status, answer } = await save(fixture, 'https://shop.example/track/abcdef0123', {
    dropoff_notes: 'a',
  });
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
