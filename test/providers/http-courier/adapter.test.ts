import { Check } from 'typebox/schema';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  CourierQuoteRequest,
  DeliveryRequest,
  rejectionReasons,
} from '../../../src/contract/courier-protocol/schemas.ts';
import type { CourierSettings } from '../../../src/providers/courier.ts';
import { createBody, httpCourier, quoteBody } from '../../../src/providers/http-courier/adapter.ts';
import { ProviderBusy, ProviderFault } from '../../../src/providers/port.ts';
import { portsTo } from '../../fakes/courier-ports.ts';
import { type FakeAnswer, fakeHttp } from '../../fakes/fake-http.ts';
import { exampleKey, exampleSecret, startExample } from '../../fakes/http-courier/example.ts';
import { courierDelivery, courierOrder } from '../courier-orders.ts';

const settings = { url: 'https://courier.example/', api_key: exampleKey, webhook_secret: exampleSecret };

const connect = (origin: string, changes: CourierSettings = {}) =>
  httpCourier.connect({ ...settings, ...changes }, portsTo({ 'https://courier.example': origin }));

describe('the adapter http with the courier of the guide', () => {
  let example: Awaited<ReturnType<typeof startExample>>;
  let orders = 0;
  let key = '';

  beforeAll(async () => {
    example = await startExample();
  });
  beforeEach(() => {
    orders += 1;
    key = `key_${orders}`;
  });
  afterAll(() => example.close());

  const courier = () => connect(example.url);
  const order = courierOrder();
  const create = (quote_reference: string | null) =>
    courier().create({ key, quote_reference, order, now: 0 });
  const simulate = async (event: string, reason?: string) => {
    const { http } = portsTo({ 'https://courier.example': example.url });
    const body = JSON.stringify({ event, ...(reason === undefined ? {} : { reason }) });
    const url = `https://courier.example/deliveries/${key}/simulate`;
    const headers = { authorization: `Bearer ${exampleKey}` };
    expect((await http({ method: 'POST', url, headers, body })).status).toBe(200);
  };

  it('checks the connection', async () => {
    expect(await courier().check()).toEqual({ kind: 'connected', mode: 'test' });
    expect(await connect(example.url, { api_key: 'x' }).check()).toEqual({
      kind: 'failed',
      field: 'api_key',
      problem: 'The API key is missing or wrong',
    });
  });

  it('quotes, books, finds and cancels', async () => {
    const quote = await courier().quote({ key, order, now: 0 });
    if (quote.kind !== 'quoted') throw new Error(quote.reason);
    expect(quote).toMatchObject({ cost: 700, currency: 'USD', reference: expect.any(String) });
    expect(quote.dropoff_eta).toBeGreaterThan(quote.pickup_eta ?? Number.NaN);
    expect(quote.expires_at).toBeGreaterThan(Date.now());
    expect(await courier().find?.({ key, quote_reference: null })).toBeNull();
    const booking = await create(quote.reference);
    expect(booking).toMatchObject({ kind: 'accepted', cost: 700, live: false });
    expect(await create(quote.reference)).toEqual(booking);
    expect(await courier().find?.({ key, quote_reference: null })).toEqual(booking);
    // A repeat with a time that has passed since: the parcel is booked, and no other courier may get it.
    const later = { ...order, pickup_at: Date.now() + 3_600_000 };
    const other = { key, quote_reference: quote.reference, order: later, now: 0 };
    expect(await courier().create(other)).toEqual(booking);
    const delivery = { ...courierDelivery('any'), key };
    expect(await courier().cancel(delivery)).toEqual({ kind: 'taken', fee: 0 });
    expect(await courier().cancel(delivery)).toEqual({ kind: 'taken', fee: 0 });
    const statuses = (await courier().poll(delivery)).map(({ status }) => status);
    expect(statuses).toEqual(['delivery_created', 'provider_canceled', null]);
  });

  it('declines, and refuses what was declined', async () => {
    const far = { ...order, dropoff: { ...order.dropoff, address: '1 Main St, Marfa, TX 79843, USA' } };
    const declined = { code: 'address_not_served', reason: 'We deliver in Chicago.' };
    expect(await courier().quote({ key, order: far, now: 0 })).toEqual({ kind: 'declined', ...declined });
    expect(await courier().create({ key, quote_reference: null, order: far, now: 0 })).toEqual({
      kind: 'refused',
      ...declined,
    });
    expect(await create('unknown')).toMatchObject({ kind: 'refused', code: 'quote_expired' });
  });

  it('reports a drive with the driver, the same in every poll', async () => {
    await create(null);
    for (const event of ['PICKUP_ONGOING', 'ARRIVED_AT_MERCHANT', 'PENDING', 'PICKUP_ONGOING'])
      await simulate(event);
    for (const event of ['ARRIVED_AT_MERCHANT', 'ORDER_PICKED', 'DELIVERY_ONGOING']) await simulate(event);
    for (const event of ['ARRIVED_AT_CUSTOMER', 'ORDER_DELIVERED', 'DELIVERY_FINISHED'])
      await simulate(event);
    const delivery = { ...courierDelivery('any'), key };
    const reports = await courier().poll(delivery);
    expect(reports.map(({ status }) => status)).toEqual([
      'delivery_created',
      'enroute_pickup',
      'arrived_at_pickup',
      'driver_not_assigned',
      'enroute_pickup',
      'arrived_at_pickup',
      'pickup_complete',
      'enroute_dropoff',
      'arrived_at_dropoff',
      'delivered',
      null,
      null,
    ]);
    expect(reports.at(-1)).toMatchObject({
      key,
      live: false,
      costs: { price: 700 },
      driver: { name: 'Sam Lee', phone: '13125557803', vehicle_type: 'bicycle' },
    });
    expect(await courier().poll(delivery)).toEqual(reports);
    expect(new Set(reports.map(({ id }) => id)).size).toBe(reports.length);
    expect(await courier().cancel(delivery)).toEqual({ kind: 'refused', reason: 'It is on its way.' });
  });

  it('reports a return with its reason', async () => {
    await create(null);
    for (const event of ['PICKUP_ONGOING', 'ARRIVED_AT_MERCHANT', 'ORDER_PICKED']) await simulate(event);
    await simulate('RETURNING_TO_MERCHANT', 'NOBODY_TO_RECEIVE');
    await simulate('RETURNED_TO_MERCHANT');
    const reports = await courier().poll({ ...courierDelivery('any'), key });
    expect(reports.slice(-3)).toMatchObject([
      {
        status: 'enroute_to_return',
        failure_reason: 'recipient_unreachable',
        reason: 'nobody to receive',
      },
      { status: 'returned' },
      { status: null },
    ]);
  });

  it('knows without asking that nothing is canceled after the pickup', async () => {
    const terms = (status: 'enroute_pickup' | 'pickup_complete') =>
      courier().cancelTerms({ ...courierDelivery('any', status), key });
    expect(await terms('enroute_pickup')).toEqual({ kind: 'taken', fee: null });
    expect(await terms('pickup_complete')).toMatchObject({ kind: 'refused' });
  });
});

describe('the adapter http with any courier', () => {
  let answer: FakeAnswer;
  let server: Awaited<ReturnType<typeof fakeHttp>>;

  beforeEach(async () => {
    server = await fakeHttp(() => answer);
  });
  afterEach(() => server.close());

  const courier = (changes: CourierSettings = {}) => connect(server.url, changes);
  const request = { key: 'key_1', order: courierOrder(), now: 5 };
  const quoteOf = (given: FakeAnswer) => {
    answer = given;
    return courier().quote(request);
  };

  const codes = {
    PRICE_EXCEEDED: 'request_refused',
    VEHICLE_NOT_AVAILABLE: 'vehicle_not_offered',
    NO_DELIVERYPERSON_AVAILABLE: 'no_courier_free',
    DOES_NOT_MEET_REQUESTED_TIMES: 'outside_hours',
    REGION_NOT_SERVED: 'address_not_served',
    OTHER: 'request_refused',
    ADDRESS_UNKNOWN: 'address_unknown',
    DISTANCE_TOO_LONG: 'too_far',
    ITEM_TOO_LARGE: 'item_too_large',
    VALUE_TOO_HIGH: 'value_too_high',
    CONTACT_REFUSED: 'contact_refused',
    SIGNATURE_NOT_OFFERED: 'signature_not_offered',
    SCHEDULED_NOT_TAKEN: 'scheduled_not_taken',
    QUOTE_EXPIRED: 'quote_expired',
    ACCOUNT_BLOCKED: 'account_blocked',
    ORDER_ALREADY_PICKED: 'request_refused',
    A_REASON_OF_TOMORROW: 'request_refused',
  };

  it.each(Object.entries(codes))('reads the reason %s', async (reason, code) => {
    const body = { rejectionInfo: { reason, message: 'No.' } };
    expect(await quoteOf({ status: 422, body })).toEqual({ kind: 'declined', code, reason: 'No.' });
  });

  it('has a code for every reason of the protocol', () => {
    expect(Object.keys(codes)).toEqual(expect.arrayContaining([...rejectionReasons]));
  });

  it('reads errors without a reason', async () => {
    expect(await quoteOf({ status: 401 })).toMatchObject({ code: 'credentials_wrong' });
    expect(await quoteOf({ status: 403 })).toMatchObject({ code: 'account_blocked' });
    expect(await quoteOf({ status: 400, body: { message: 'items is missing' } })).toEqual({
      kind: 'declined',
      code: 'request_refused',
      reason: 'items is missing',
    });
  });

  it('tells a failure from a refusal', async () => {
    await expect(quoteOf({ status: 500 })).rejects.toBeInstanceOf(ProviderFault);
    await expect(quoteOf({ status: 302 })).rejects.toBeInstanceOf(ProviderFault);
    await expect(quoteOf({ status: 429 })).rejects.toBeInstanceOf(ProviderBusy);
    await expect(quoteOf({ status: 200, body: { quoteId: 'q' } })).rejects.toBeInstanceOf(ProviderFault);
    answer = { status: 201, body: {} };
    await expect(courier().create({ ...request, quote_reference: null })).rejects.toBeInstanceOf(
      ProviderFault,
    );
    answer = { status: 500 };
    await expect(courier().find?.({ key: 'k', quote_reference: null })).rejects.toBeInstanceOf(ProviderFault);
    await expect(courier().poll(courierDelivery('r'))).rejects.toBeInstanceOf(ProviderFault);
  });

  it('reads a quote that does not expire, and one without times', async () => {
    const deliveryPrice = { value: 700, currency: 'usd' };
    expect(await quoteOf({ status: 200, body: { quoteId: 'q', deliveryPrice, expiresAt: null } })).toEqual({
      kind: 'quoted',
      reference: 'q',
      cost: 700,
      currency: 'USD',
      pickup_eta: null,
      dropoff_eta: 5,
      expires_at: null,
    });
  });

  it('checks address, secret, protocol and mode', async () => {
    const described = { protocol: 'waybill-courier/1', name: 'Ours' };
    answer = { status: 200, body: { ...described, liveMode: true } };
    expect(await courier().check()).toMatchObject({ kind: 'connected', mode: 'live' });
    answer = { status: 200, body: described };
    expect(await courier().check()).toMatchObject({ kind: 'connected', mode: 'unknown' });
    for (const other of [{ status: 200, body: { protocol: 'waybill-courier/2' } }, { status: 404 }]) {
      answer = other;
      expect(await courier().check()).toMatchObject({ kind: 'failed', field: 'url' });
    }
    for (const url of ['', 'courier.example', 'http://courier.example', 'https://a@b', 'https://a/?b']) {
      expect(await courier({ url }).check()).toMatchObject({ kind: 'failed', field: 'url' });
    }
    expect(await courier({ webhook_secret: 'whsec_short' }).check()).toMatchObject({
      kind: 'failed',
      field: 'webhook_secret',
    });
  });
});

describe('requests of the courier protocol', () => {
  it('carry everything that is known about an order', () => {
    const order = courierOrder({ vehicle: 'cargo_van', request_contactless: true });
    const body = createBody({ key: 'k', quote_reference: 'q-1', order, now: 0 });
    expect(body).toEqual({
      quoteId: 'q-1',
      orderDisplayId: 'A-100',
      merchant: { name: 'Lakeside Books', phone: '+13125557701' },
      pickupAddress: {
        formattedAddress: '233 S Wacker Dr, Chicago, IL 60606, USA',
        country: 'US',
        street: '233 S Wacker Dr',
        city: 'Chicago',
        state: 'IL',
        postalCode: '60606',
      },
      pickupInstructions: 'Back door',
      customerName: 'Ada Maria Byron',
      customerPhone: '+13125557702',
      deliveryAddress: {
        formattedAddress: '600 E Grand Ave, Chicago, IL 60611, USA',
        country: 'US',
        street: '600 E Grand Ave',
        city: 'Chicago',
        state: 'IL',
        postalCode: '60611',
        complement: 'Apt 5',
      },
      specialInstructions: 'Ring twice',
      items: [{ name: 'Atlas', quantity: 2, size: 'SMALL' }],
      packageDescription: 'Books',
      totalOrderPrice: { value: 2500, currency: 'USD' },
      tip: { value: 300, currency: 'USD' },
      vehicle: { type: ['CARGO_VAN'] },
      signatureRequired: false,
      leaveAtDoor: true,
      returnToMerchant: true,
    });
    expect(Check(DeliveryRequest, body)).toBe(true);
  });

  it('are of their schema for places alone', () => {
    const alone = { name: '', phone: '', notes: '' };
    const { pickup, dropoff } = courierOrder();
    const order = courierOrder({ pickup: { ...pickup, ...alone }, dropoff: { ...dropoff, ...alone } });
    expect(Check(CourierQuoteRequest, quoteBody({ ...order, items_description: '' }))).toBe(true);
  });

  it('say whether what cannot be handed over comes back', () => {
    expect(quoteBody(courierOrder({ undeliverable_action: 'discard' })).returnToMerchant).toBe(false);
  });

  it('have the coordinates of a house', () => {
    const { dropoff } = courierOrder();
    const order = courierOrder({ dropoff: { ...dropoff, latitude: 41.9, longitude: -87.6 } });
    const body = quoteBody(order);
    expect(body.deliveryAddress).toMatchObject({ latitude: 41.9, longitude: -87.6 });
    expect(body.pickupAddress).not.toHaveProperty('latitude');
    expect(Check(CourierQuoteRequest, body)).toBe(true);
  });

  it('are of their schema, scheduled and with a signature', () => {
    const at = Date.UTC(2026, 10, 22, 18, 30);
    const order = courierOrder({ request_signature: true, request_contactless: true, dropoff_at: at });
    const body = quoteBody(order);
    expect(body).toMatchObject({
      signatureRequired: true,
      leaveAtDoor: false,
      deliveryDatetime: '2026-11-22T18:30:00.000Z',
    });
    expect(Check(CourierQuoteRequest, body)).toBe(true);
    const scheduled = quoteBody(courierOrder({ pickup_at: at }));
    expect(scheduled).toMatchObject({ pickupDatetime: '2026-11-22T18:30:00.000Z' });
  });

  it('keep an address that has no parts', () => {
    const order = courierOrder();
    const body = quoteBody({ ...order, pickup: { ...order.pickup, address: 'Pier 39' } });
    expect(body.pickupAddress).toEqual({
      formattedAddress: 'Pier 39',
      country: 'US',
    });
  });
});
