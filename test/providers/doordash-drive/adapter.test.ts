import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DeliveryStatus } from '../../../src/contract/vocabulary.ts';
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
