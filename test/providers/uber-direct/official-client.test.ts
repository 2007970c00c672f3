import { getAccessToken } from 'uber-direct/auth';
import { createDeliveriesClient } from 'uber-direct/deliveries';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { errorCodes } from '../../fakes/uber-direct/errors.ts';
import { type UberDirect, uberDirect } from '../../fakes/uber-direct/server.ts';
import { account, deliveryRequest, quoteRequest } from './sample-requests.ts';

// The courier's own client runs against our fake of the courier, so that the fake is not only our reading of its pages.

const MINUTE = 60_000;
const clock = { now: Date.now() };
let courier: UberDirect;
let client: ReturnType<typeof createDeliveriesClient>;

beforeEach(async () => {
  clock.now = Date.now();
  courier = await uberDirect(account, () => clock.now);
  // The client asks a fixed host for its token.
  const { fetch } = globalThis;
  vi.stubGlobal('fetch', (url: string, init?: RequestInit) =>
    fetch(url.replace('https://login.uber.com', courier.origin), init),
  );
  vi.stubEnv('UBER_DIRECT_CLIENT_ID', account.client_id);
  vi.stubEnv('UBER_DIRECT_CLIENT_SECRET', account.client_secret);
  client = clientOf(await getAccessToken());
});

afterEach(async () => {
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  await courier.close();
});

function clientOf(token: string): ReturnType<typeof createDeliveriesClient> {
  const made = createDeliveriesClient(token, account.customer_id);
  made.baseURL = made.baseURL.replace('https://api.uber.com', courier.origin);
  return made;
}

test('quotes a delivery, books it by the quote and reads it', async () => {
  const quote = await client.createQuote(quoteRequest);
  expect(quote).toMatchObject({
    kind: 'delivery_quote',
    id: expect.stringMatching(/^dqt_/),
    currency_type: 'USD',
  });
  expect(Date.parse(quote.expires) - Date.parse(quote.created)).toBe(15 * MINUTE);
  const booked = await client.createDelivery({ ...deliveryRequest, quote_id: quote.id, tip: 300 });
  expect(booked).toMatchObject({
    id: expect.stringMatching(/^del_/),
    quote_id: quote.id,
    status: 'pending',
    complete: false,
    live_mode: false,
    fee: quote.fee + 300,
    tip: 300,
  });
  expect(await client.getDelivery(booked.id)).toEqual(booked);
});

test('the robo courier goes from step to step, and each step is a signed webhook', async () => {
  const { id } = await client.createDelivery(deliveryRequest);
  const seen: [string, boolean][] = [];
  for (let step = 0; step < 6; step += 1) {
    await courier.step(id);
    const { status, courier_imminent } = await client.getDelivery(id);
    seen.push([status, courier_imminent]);
  }
  expect(seen).toEqual([
    ['pickup', false],
    ['pickup', true],
    ['pickup_complete', false],
    ['dropoff', false],
    ['dropoff', true],
    ['delivered', false],
  ]);
  const kinds = courier.pushes.map(({ body }) => JSON.parse(body).data.status);
  expect(kinds).toEqual(['pending', ...seen.map(([status]) => status)]);
  expect(courier.pushes[0]?.headers['x-uber-signature']).toMatch(/^[0-9a-f]{64}$/);
});

test('lists deliveries, newest first, by status and page', async () => {
  const ids: string[] = [];
  for (let index = 0; index < 3; index += 1) ids.unshift((await client.createDelivery(deliveryRequest)).id);
  await client.cancelDelivery(ids[0] ?? '');
  const listed = async (query: Record<string, string | number>) => {
    const { data, next_href } = await client.listDeliveries(query);
    return { ids: data.map(({ id }: { id: string }) => id), next_href };
  };
  expect((await listed({})).ids).toEqual(ids);
  expect((await listed({ filter: 'ongoing' })).ids).toEqual(ids.slice(1));
  expect((await listed({ filter: 'canceled' })).ids).toEqual(ids.slice(0, 1));
  const first = await listed({ limit: 2 });
  expect(first.ids).toEqual(ids.slice(0, 2));
  expect(first.next_href).toContain('offset=2');
  expect((await listed({ limit: 2, Offset: 2 })).ids).toEqual(ids.slice(2));
});

test('changes notes and tip; the fee contains the tip', async () => {
  const booked = await client.createDelivery(deliveryRequest);
  const changed = await client.updateDelivery(booked.id, {
    dropoff_notes: 'Second floor',
    tip_by_customer: 200,
  });
  expect(changed).toMatchObject({ tip: 200, fee: booked.fee + 200, dropoff: { notes: 'Second floor' } });
  await expect(client.updateDelivery(booked.id, { tip_by_customer: 200 })).rejects.toMatchObject({
    code: 'tip_already_recorded_error',
  });
});

test('cancels until the pickup', async () => {
  const { id } = await client.createDelivery(deliveryRequest);
  await courier.step(id);
  expect(await client.cancelDelivery(id)).toMatchObject({ status: 'canceled', complete: true });
  const { id: gone } = await client.createDelivery(deliveryRequest);
  for (let step = 0; step < 3; step += 1) await courier.step(gone);
  await expect(client.cancelDelivery(gone)).rejects.toMatchObject({
    status: 400,
    code: 'noncancelable_delivery',
  });
});

test('gives the picture of a signature after the handover', async () => {
  const { id } = await client.createDelivery({
    ...deliveryRequest,
    dropoff_verification: { signature_requirement: { enabled: true, collect_signer_name: true } },
  });
  const proof = () => client.proofOfDelivery(id, { waypoint: 'dropoff', type: 'signature' });
  await expect(proof()).rejects.toMatchObject({ status: 404 });
  for (let step = 0; step < 6; step += 1) await courier.step(id);
  expect(
    Buffer.from((await proof()).document, 'base64')
      .subarray(1, 4)
      .toString(),
  ).toBe('PNG');
});

test('a repeat with the same idempotency key books nothing for an hour', async () => {
  const request = { ...deliveryRequest, idempotency_key: 'key_1' };
  const booked = await client.createDelivery(request);
  expect((await client.createDelivery(request)).id).toBe(booked.id);
  clock.now += 60 * MINUTE;
  expect((await client.createDelivery(request)).id).not.toBe(booked.id);
});

test('external ID and manifest reference together book once', async () => {
  const request = { ...deliveryRequest, external_id: 'dlv_1', manifest_reference: 'A-7' };
  const { id } = await client.createDelivery(request);
  await expect(client.createDelivery(request)).rejects.toMatchObject({
    status: 409,
    code: 'duplicate_delivery',
    metadata: { delivery_id: id },
  });
});

test('refuses expired, used and foreign quotes', async () => {
  const quote = await client.createQuote(quoteRequest);
  const other = { ...deliveryRequest, quote_id: quote.id, dropoff_address: '1 Wall St, New York' };
  await expect(client.createDelivery(other)).rejects.toMatchObject({ code: 'mismatched_price_quote' });
  await client.createDelivery({ ...deliveryRequest, quote_id: quote.id });
  const again = client.createDelivery({ ...deliveryRequest, quote_id: quote.id });
  await expect(again).rejects.toMatchObject({ code: 'used_quote' });
  const old = await client.createQuote(quoteRequest);
  clock.now += 15 * MINUTE;
  const late = client.createDelivery({ ...deliveryRequest, quote_id: old.id });
  await expect(late).rejects.toMatchObject({ code: 'expired_quote' });
});

test.each([
  ['pickup_ready_too_early', { pickup_ready_dt: -10 }],
  ['pickup_ready_too_late', { pickup_ready_dt: 31 * 24 * 60 }],
  ['pickup_window_too_small', { pickup_ready_dt: 60, pickup_deadline_dt: 65 }],
  ['pickup_deadline_too_early', { pickup_ready_dt: 1, pickup_deadline_dt: 15 }],
  ['dropoff_ready_after_pickup_deadline', { pickup_deadline_dt: 60, dropoff_ready_dt: 61 }],
  ['dropoff_deadline_too_early', { dropoff_ready_dt: 60, dropoff_deadline_dt: 79 }],
  ['dropoff_deadline_before_pickup_deadline', { pickup_deadline_dt: 60, dropoff_deadline_dt: 59 }],
])('refuses windows by %s', async (code, minutes) => {
  const times = Object.entries(minutes).map(([name, minute]) => [
    name,
    new Date(clock.now + minute * MINUTE).toISOString(),
  ]);
  const refused = client.createQuote({ ...quoteRequest, ...Object.fromEntries(times) });
  await expect(refused).rejects.toMatchObject({ status: 400, code });
});

test.each([
  ['dropoff_phone_number', { dropoff_phone_number: '312 555 0142' }],
  ['pickup_name', { pickup_name: '' }],
  ['dropoff_address', { dropoff_address: '{"street_address":"no list"}' }],
  ['dropoff_notes', { dropoff_notes: 'x'.repeat(281) }],
  ['manifest_items', { manifest_items: [] }],
  [
    'param_details',
    {
      deliverable_action: 'deliverable_action_leave_at_door',
      dropoff_verification: { pincode: { enabled: true } },
    },
  ],
])('refuses a request because of its %s', async (field, changes) => {
  const refused = client.createDelivery({ ...deliveryRequest, ...changes });
  await expect(refused).rejects.toMatchObject({
    code: 'invalid_params',
    metadata: { [field]: expect.any(String) },
  });
});

test('a parcel that cannot be handed over goes back in a delivery of its own', async () => {
  const { id } = await client.createDelivery(deliveryRequest);
  for (let step = 0; step < 5; step += 1) await courier.step(id);
  const back = await courier.sendBack(id, 'NO_SECURE_LOCATION_TO_DROPOFF');
  expect(back).toMatch(/^ret_/);
  expect(await client.getDelivery(id)).toMatchObject({
    status: 'returned',
    complete: true,
    undeliverable_reason: 'NO_SECURE_LOCATION_TO_DROPOFF',
    related_deliveries: [{ id: back, relationship: 'returned' }],
  });
  for (let step = 0; step < 3; step += 1) await courier.step(back);
  expect(await client.getDelivery(back)).toMatchObject({ status: 'delivered' });
  expect(await client.getDelivery(id)).toMatchObject({ return: { status: 'completed' } });
});

test('tokens expire after 30 days, and unknown ones are refused', async () => {
  await expect(clientOf('made up').listDeliveries()).rejects.toMatchObject({
    status: 401,
    code: 'unauthorized',
  });
  clock.now += 30 * 24 * 60 * MINUTE;
  await expect(client.listDeliveries()).rejects.toMatchObject({ status: 401 });
  vi.stubEnv('UBER_DIRECT_CLIENT_SECRET', 'wrong');
  vi.spyOn(console, 'log').mockReturnValue();
  await expect(getAccessToken()).rejects.toThrow('invalid_client');
});

test('limits the requests of ten minutes', async () => {
  courier.rate.limit = 2;
  await client.listDeliveries();
  await client.listDeliveries();
  await expect(client.listDeliveries()).rejects.toMatchObject({ status: 429, code: 'customer_limited' });
  clock.now += 10 * MINUTE;
  await client.listDeliveries();
});

test.each(errorCodes)('answers $code with $status on demand, once', async ({ code, status }) => {
  courier.faults.push({ request: 'POST /deliveries', kind: { code } });
  await expect(client.createDelivery(deliveryRequest)).rejects.toMatchObject({ status, code });
  expect(await client.createDelivery(deliveryRequest)).toMatchObject({ status: 'pending' });
});
