import { getAccessToken } from 'uber-direct/auth';
import { createDeliveriesClient } from 'uber-direct/deliveries';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
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

test('lists deliveries, newest first, by pages', async () => {
  const ids: string[] = [];
  for (let index = 0; index < 3; index += 1) ids.unshift((await client.createDelivery(deliveryRequest)).id);
  const { data, next_href } = await client.listDeliveries({ limit: 2 });
  expect(data.map(({ id }: { id: string }) => id)).toEqual(ids.slice(0, 2));
  expect(next_href).toContain('offset=2');
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
