import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DeliveryStatus } from '../../../src/contract/vocabulary.ts';
import { deliveryBody, tokenOf, updateBody } from '../../../src/providers/doordash-drive/adapter.ts';
import { ProviderBusy, ProviderFault } from '../../../src/providers/port.ts';
import type { ErrorOnDemand } from '../../fakes/doordash-drive/errors.ts';
import { courierDelivery, courierOrder } from '../courier-orders.ts';
import { type Connected, connected } from './connected.ts';

const start = Date.UTC(2026, 10, 22, 18);
const minute = 60_000;

describe('the adapter of DoorDash Drive', () => {
  let doorDash: Connected;

  beforeEach(async () => {
    doorDash = await connected();
  });

  afterEach(() => doorDash.fake.close());

  describe('quotes', () => {
    it('reads price, times and expiry', async () => {
      expect(await doorDash.quote()).toEqual({
        kind: 'quoted',
        reference: 'q_1',
        cost: 975,
        currency: 'USD',
        pickup_eta: start + 20 * minute,
        dropoff_eta: start + 45 * minute,
        expires_at: start + 5 * minute,
        is_of_order: true,
      });
    });

    it('reads the quote whose answer was lost', async () => {
      doorDash.fake.loseNext('POST');
      await expect(doorDash.quote()).rejects.toBeInstanceOf(ProviderFault);
      expect(await doorDash.quote()).toMatchObject({ kind: 'quoted', reference: 'q_1', cost: 975 });
    });

    it('adds the tax that Canada has', async () => {
      const body = {
        external_delivery_id: 'q_1',
        fee: 1000,
        tax: 130,
        currency: 'cad',
        delivery_status: 'quote',
      };
      doorDash.fake.answerNext('POST', { status: 200, body });
      expect(await doorDash.quote()).toMatchObject({
        cost: 1130,
        currency: 'CAD',
        pickup_eta: null,
        dropoff_eta: start,
      });
    });

    it('does not take an answer without a price for a quote', async () => {
      doorDash.fake.answerNext('POST', { status: 200, body: { delivery_status: 'quote' } });
      await expect(doorDash.quote()).rejects.toBeInstanceOf(ProviderFault);
    });

    it('is declined for a phone number that DoorDash does not take', async () => {
      const order = courierOrder();
      const fictional = { ...order, dropoff: { ...order.dropoff, phone: '+12025550199' } };
      expect(await doorDash.quote('q_1', fictional)).toEqual({
        kind: 'declined',
        code: 'contact_refused',
        reason:
          'DoorDash: Some request values are not valid (dropoff_phone_number: Unknown phone number format)',
      });
    });

    const declines: [ErrorOnDemand, string, string][] = [
      ['distance_too_long', 'too_far', 'DoorDash: The delivery is not valid (distance too long)'],
      [
        'pickup_address_not_in_coverage',
        'address_not_served',
        'DoorDash: The delivery is not valid (pickup address not in coverage)',
      ],
      [
        'delivery_address_not_in_coverage',
        'address_not_served',
        'DoorDash: The delivery is not valid (delivery address not in coverage)',
      ],
      [
        'outside_of_delivery_time',
        'outside_hours',
        'DoorDash: The delivery is not valid (outside of delivery time)',
      ],
      ['authentication_error', 'credentials_wrong', 'DoorDash: The [exp] is in the past; the JWT is expired'],
      ['authorization_error', 'account_blocked', 'DoorDash: The credentials do not work for this operation'],
      ['unknown_business_id', 'request_refused', 'DoorDash: The business is unknown'],
      ['unknown_store_id', 'request_refused', 'DoorDash: The store is unknown'],
    ];
    it.each(declines)('reads %s', async (error, code, reason) => {
      doorDash.fake.failNext('POST', error);
      expect(await doorDash.quote()).toEqual({ kind: 'declined', code, reason });
    });

    const fields: [string, string][] = [
      ['pickup_phone_number', 'contact_refused'],
      ['dropoff_contact_given_name', 'contact_refused'],
      ['pickup_address', 'address_unknown'],
      ['dropoff_address_components', 'address_unknown'],
      ['pickup_time', 'outside_hours'],
      ['order_value', 'request_refused'],
    ];
    it.each(fields)('reads a fault of %s', async (field, code) => {
      const body = { code: 'validation_error', message: 'No', field_errors: [{ field, error: 'Not so' }] };
      doorDash.fake.answerNext('POST', { status: 400, body });
      expect(await doorDash.quote()).toEqual({
        kind: 'declined',
        code,
        reason: `DoorDash: No (${field}: Not so)`,
      });
    });

    it('reads an error that it does not know', async () => {
      doorDash.fake.answerNext('POST', { status: 418 });
      expect(await doorDash.quote()).toEqual({
        kind: 'declined',
        code: 'request_refused',
        reason: 'DoorDash: status 418',
      });
    });

    it('tells a failure from a refusal', async () => {
      doorDash.fake.failNext('POST', 'service_fault');
      await expect(doorDash.quote()).rejects.toBeInstanceOf(ProviderFault);
      doorDash.fake.failNext('POST', 'throttled');
      await expect(doorDash.quote('q_2')).rejects.toBeInstanceOf(ProviderBusy);
    });
  });

  it('does not take an ID in use, which it does not find yet, for a refusal', async () => {
    doorDash.fake.answerNext('POST', {
      status: 409,
      body: { code: 'duplicate_delivery_id', message: 'Duplicate' },
    });
    await expect(doorDash.create(null)).rejects.toBeInstanceOf(ProviderFault);
  });

  describe('the check', () => {
    it('names the environment', async () => {
      expect(await doorDash.courier.check()).toEqual({
        kind: 'connected',
        mode: 'test',
      });
      expect(doorDash.fake.calls()).toEqual([
        'GET /drive/v2/deliveries/waybill-check',
        'GET /developer/v1/businesses',
      ]);
    });

    it('finds a wrong secret', async () => {
      expect(await doorDash.connect({ signing_secret: 'b3RoZXI' }).check()).toEqual({
        kind: 'failed',
        field: 'signing_secret',
        problem: 'DoorDash: The signature does not match the key',
      });
    });

    it('refuses credentials of the other environment', async () => {
      expect(await doorDash.connect({ environment: 'production' }).check()).toEqual({
        kind: 'failed',
        field: 'environment',
        problem: 'The credentials are of the sandbox environment.',
      });
      const body = { result: [{ is_test: false }, { is_test: false }], result_count: 2 };
      doorDash.fake.answerNext('GET', { status: 404 });
      doorDash.fake.answerNext('GET', { status: 200, body });
      expect(await doorDash.courier.check()).toMatchObject({
        problem: 'The credentials are of the production environment.',
      });
    });

    it('takes the stated environment where DoorDash shows no business', async () => {
      doorDash.fake.answerNext('GET', { status: 404 });
      doorDash.fake.failNext('GET', 'authorization_error');
      expect(await doorDash.connect({ environment: 'production' }).check()).toMatchObject({
        mode: 'live',
      });
    });

    it('asks for an environment that exists', async () => {
      expect(await doorDash.connect({ environment: 'staging' }).check()).toMatchObject({
        kind: 'failed',
        field: 'environment',
      });
    });
  });

  describe('bookings', () => {
    const booking = {
      kind: 'accepted',
      reference: 'q_1',
      cost: 975,
      tracking_url: 'https://doordash.com/tracking?id=q_1',
      live: null,
    };

    it('accepts the quote, which becomes the delivery', async () => {
      await doorDash.quote();
      expect(await doorDash.create('q_1')).toEqual(booking);
      expect(doorDash.fake.lastBody()).toEqual({ tip: 300, dropoff_phone_number: '+13125557702' });
      expect(doorDash.fake.deliveries.list().map(([id, { status }]) => [id, status])).toEqual([
        ['q_1', 'created'],
      ]);
    });

    it('books without a quote under the key, and takes a repeated create for the first one', async () => {
      await doorDash.quote();
      await doorDash.create('q_1');
      expect(await doorDash.create('q_1')).toEqual(booking);
      for (const tip of [300, 300, 1])
        expect(await doorDash.create(null, 'd_1', courierOrder({ tip }))).toMatchObject({
          kind: 'accepted',
          reference: 'd_1',
        });
      expect(doorDash.fake.deliveries.list()).toHaveLength(2);
    });

    it('finds a delivery whose answer was lost', async () => {
      await doorDash.quote();
      doorDash.fake.loseNext('POST');
      await expect(doorDash.create('q_1')).rejects.toBeInstanceOf(ProviderFault);
      expect(await doorDash.courier.find?.({ key: 'd_1', quote_reference: 'q_1' })).toEqual(booking);
      doorDash.fake.loseNext('POST');
      await expect(doorDash.create(null, 'd_2')).rejects.toBeInstanceOf(ProviderFault);
      expect(await doorDash.courier.find?.({ key: 'd_2', quote_reference: null })).toMatchObject({
        reference: 'd_2',
      });
    });

    it('is not known to be missing where it cannot be looked up', async () => {
      await doorDash.quote();
      await doorDash.create('q_1');
      doorDash.fake.failNext('GET', 'throttled');
      const fault = await doorDash.create('q_1').catch((error: unknown) => error);
      expect([fault instanceof ProviderFault, fault instanceof ProviderBusy]).toEqual([true, false]);
    });

    it('finds nothing where DoorDash has booked nothing', async () => {
      await doorDash.quote();
      expect(await doorDash.courier.find?.({ key: 'd_1', quote_reference: 'q_1' })).toBeNull();
      expect(await doorDash.courier.find?.({ key: 'd_1', quote_reference: null })).toBeNull();
    });

    it('does not take an unreadable answer for a missing delivery', async () => {
      for (const error of ['service_fault', 'authentication_error', 'throttled'] as const) {
        doorDash.fake.failNext('GET', error);
        const found = doorDash.courier.find?.({ key: 'd_1', quote_reference: null });
        await expect(found).rejects.toBeInstanceOf(ProviderFault);
      }
    });

    it('refuses an expired quote and an unknown one', async () => {
      await doorDash.quote();
      doorDash.clock.now += 5 * minute;
      expect(await doorDash.create('q_1')).toMatchObject({ kind: 'refused', code: 'quote_expired' });
      expect(await doorDash.create('q_0')).toMatchObject({ kind: 'refused', code: 'quote_expired' });
    });

    it('refuses what DoorDash refuses', async () => {
      doorDash.fake.failNext('POST', 'outside_of_delivery_time');
      expect(await doorDash.create(null)).toMatchObject({ kind: 'refused', code: 'outside_hours' });
      doorDash.fake.failNext('POST', 'authorization_error');
      expect(await doorDash.create('q_1')).toMatchObject({ kind: 'refused', code: 'account_blocked' });
    });
  });

  describe('cancellations', () => {
    beforeEach(async () => {
      await doorDash.create(null);
    });

    it('is taken until a Dasher is assigned, and taken again when repeated', async () => {
      expect(await doorDash.courier.cancel(courierDelivery('d_1'))).toEqual({ kind: 'taken', fee: null });
      expect(await doorDash.courier.cancel(courierDelivery('d_1'))).toEqual({ kind: 'taken', fee: null });
      expect(doorDash.fake.deliveries.get('d_1')?.status).toBe('cancelled');
    });

    it.each([
      ['confirmed', 'DoorDash: Cancellation is no longer possible (cancellation window closed)'],
      ['picked_up', 'DoorDash: Cancellation is no longer possible (delivery picked up)'],
      ['delivered', 'DoorDash: Cancellation is no longer possible (delivery completed)'],
    ] as const)('is refused once it is %s', async (status, reason) => {
      await doorDash.fake.step('d_1', status);
      expect(await doorDash.courier.cancel(courierDelivery('d_1'))).toEqual({ kind: 'refused', reason });
    });

    it('is refused for an abandoned and for an unknown delivery', async () => {
      doorDash.fake.failNext('PUT', 'delivery_abandoned');
      expect(await doorDash.courier.cancel(courierDelivery('d_1'))).toMatchObject({ kind: 'refused' });
      expect(await doorDash.courier.cancel(courierDelivery('d_0'))).toMatchObject({ kind: 'refused' });
    });

    it.each(['delivery_creation_in_progress', 'duplicate_request', 'throttled'] as const)(
      'is asked again later after %s',
      async (error) => {
        doorDash.fake.failNext('PUT', error);
        await expect(doorDash.courier.cancel(courierDelivery('d_1'))).rejects.toBeInstanceOf(ProviderBusy);
      },
    );

    it('knows without asking that nothing is canceled while a Dasher is assigned', async () => {
      const calls = doorDash.fake.calls().length;
      const kindOf = async (status: DeliveryStatus) =>
        (await doorDash.courier.cancelTerms(courierDelivery('d_1', status))).kind;
      for (const status of ['delivery_created', 'scheduled', 'driver_not_assigned'] as const)
        expect(await kindOf(status)).toBe('taken');
      for (const status of ['driver_assigned', 'enroute_pickup', 'pickup_complete'] as const)
        expect(await kindOf(status)).toBe('refused');
      expect(doorDash.fake.calls()).toHaveLength(calls);
    });
  });

  describe('changes', () => {
    beforeEach(async () => {
      await doorDash.create(null);
    });

    it('changes notes and tip', async () => {
      const changes = { dropoff_notes: 'Leave with the porter', tip: 500 };
      expect(await doorDash.courier.update?.(courierDelivery('d_1'), changes)).toEqual({ kind: 'taken' });
      expect(doorDash.fake.deliveries.get('d_1')?.request).toMatchObject({
        dropoff_instructions: 'Leave with the porter',
        tip: 500,
        pickup_instructions: 'Back door',
      });
    });

    it.each([
      ['picked_up', 'DoorDash: Update is no longer possible (delivery picked up)'],
      ['delivered', 'DoorDash: Update is no longer possible (delivery completed)'],
      ['cancelled', 'DoorDash: Update is no longer possible (delivery cancelled)'],
    ] as const)('is refused once it is %s', async (status, reason) => {
      await doorDash.fake.step('d_1', status);
      const refused = { kind: 'refused', code: 'request_refused', reason };
      expect(await doorDash.courier.update?.(courierDelivery('d_1'), { tip: 1 })).toEqual(refused);
    });

    it('is refused outside of the window for changes', async () => {
      doorDash.fake.failNext('PATCH', 'update_window_closed');
      expect(await doorDash.courier.update?.(courierDelivery('d_1'), { tip: 1 })).toMatchObject({
        reason: 'DoorDash: Update is no longer possible (update window closed)',
      });
    });
  });
});

describe('requests of DoorDash Drive', () => {
  it('carries everything that is known about an order', () => {
    expect(deliveryBody({ key: 'q_1', order: courierOrder() })).toEqual({
      external_delivery_id: 'q_1',
      pickup_address: '233 S Wacker Dr, Chicago, IL 60606, USA',
      pickup_business_name: 'Lakeside Books',
      pickup_phone_number: '+13125557701',
      pickup_instructions: 'Back door',
      pickup_reference_tag: 'A-100',
      dropoff_address: '600 E Grand Ave, Apt 5, Chicago, IL 60611, USA',
      dropoff_phone_number: '+13125557702',
      dropoff_instructions: 'Ring twice',
      dropoff_contact_given_name: 'Ada',
      dropoff_contact_family_name: 'Maria Byron',
      order_value: 2500,
      items: [{ name: 'Atlas', quantity: 2 }],
      tip: 300,
      contactless_dropoff: false,
      action_if_undeliverable: 'return_to_pickup',
    });
  });

  it('has the coordinates of the dropoff if its house is known', () => {
    const { dropoff, pickup } = courierOrder();
    const near = { latitude: 41.9, longitude: -87.6 };
    const order = courierOrder({ pickup: { ...pickup, ...near }, dropoff: { ...dropoff, ...near } });
    const body = deliveryBody({ key: 'q_1', order });
    expect(body).toMatchObject({ dropoff_location: { lat: 41.9, lng: -87.6 } });
    expect(body).not.toHaveProperty('pickup_location');
  });

  it('says what becomes of what cannot be handed over; at the door if nothing is said', () => {
    const body = (undeliverable_action: 'leave_at_door' | 'discard') =>
      deliveryBody({ key: 'q_1', order: courierOrder({ undeliverable_action }) });
    expect(body('discard')).toMatchObject({ action_if_undeliverable: 'dispose' });
    expect(body('leave_at_door')).not.toHaveProperty('action_if_undeliverable');
  });

  it('leaves out what an order does not have', () => {
    const order = courierOrder({ items: [], external_order_ref: '' });
    const bare = { ...order, dropoff: { ...order.dropoff, name: 'Cher', notes: '', unit: '' } };
    const body = deliveryBody({ key: 'k', order: bare });
    expect(body).not.toHaveProperty('pickup_reference_tag');
    expect(body).not.toHaveProperty('dropoff_instructions');
    expect(body).not.toHaveProperty('dropoff_contact_family_name');
    expect(body).toMatchObject({
      dropoff_contact_given_name: 'Cher',
      dropoff_address: '600 E Grand Ave, Chicago, IL 60611, USA',
      items: [{ name: 'Books', quantity: 1 }],
    });
  });

  it('splits a quantity of more than a hundred, and cuts long names', () => {
    const order = courierOrder({ items: [{ name: 'x'.repeat(120), quantity: 205, size: 'small' }] });
    const name = 'x'.repeat(100);
    expect(deliveryBody({ key: 'q', order }).items).toEqual([
      { name, quantity: 100 },
      { name, quantity: 100 },
      { name, quantity: 5 },
    ]);
  });

  it('names an item in one line, without cutting a character in two', () => {
    const items = ['Soup\n\tof the day ', `${'x'.repeat(99)}\u{1f35c}\u{1f35c}`, ' \n '].map((name) => {
      return { name, quantity: 1, size: 'small' } as const;
    });
    const names = deliveryBody({ key: 'q', order: courierOrder({ items }) }).items.map(({ name }) => name);
    expect(names).toEqual(['Soup of the day', 'x'.repeat(99), 'Items']);
  });

  it('removes the characters that DoorDash refuses in names', () => {
    const order = courierOrder();
    const named = { ...order, dropoff: { ...order.dropoff, name: 'Ada {QA} #7' } };
    expect(deliveryBody({ key: 'q', order: named })).toMatchObject({
      dropoff_contact_given_name: 'Ada',
      dropoff_contact_family_name: 'QA 7',
    });
  });

  it('asks for a signature, which excludes leaving the parcel at the door', () => {
    const order = courierOrder({ request_signature: true, request_contactless: true });
    expect(deliveryBody({ key: 'q', order })).toMatchObject({
      contactless_dropoff: false,
      dropoff_options: { signature: 'required' },
    });
    const contactless = courierOrder({ request_contactless: true });
    expect(deliveryBody({ key: 'q', order: contactless })).toMatchObject({ contactless_dropoff: true });
  });

  it('gives scheduled times in UTC', () => {
    const at = Date.UTC(2026, 10, 22, 18, 30);
    const pickup = deliveryBody({ key: 'q', order: courierOrder({ pickup_at: at }) });
    expect(pickup).toMatchObject({ pickup_time: '2026-11-22T18:30:00.000Z' });
    expect(pickup).not.toHaveProperty('dropoff_time');
    const dropoff = deliveryBody({ key: 'q', order: courierOrder({ dropoff_at: at }) });
    expect(dropoff).toMatchObject({ dropoff_time: '2026-11-22T18:30:00.000Z' });
  });

  it('changes only what is given', () => {
    expect(updateBody({ tip: 0 })).toEqual({ tip: 0 });
    expect(updateBody({ pickup_notes: 'a', dropoff_notes: '' })).toEqual({
      pickup_instructions: 'a',
      dropoff_instructions: '',
    });
  });

  it('signs a token with the decoded secret', () => {
    const secret = { developer_id: 'dev', key_id: 'key', signing_secret: 'c2VjcmV0LV8' };
    const [header = '', claims = '', signature] = tokenOf(secret, 1_700_000_000_900).split('.');
    expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toEqual({
      alg: 'HS256',
      typ: 'JWT',
      'dd-ver': 'DD-JWT-V1',
    });
    expect(JSON.parse(Buffer.from(claims, 'base64url').toString())).toEqual({
      aud: 'doordash',
      iss: 'dev',
      kid: 'key',
      iat: 1_700_000_000,
      exp: 1_700_000_300,
    });
    // By `openssl dgst -sha256 -mac HMAC -macopt hexkey:7365637265742d5f` over header and claims.
    expect(signature).toBe('PDN7Dkxw6HJgtWgDvx_5lVdISjBCPD_-BVPSRpBgQjc');
  });
});
