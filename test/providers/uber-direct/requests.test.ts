import { describe, expect, it } from 'vitest';
import type { CourierOrder } from '../../../src/providers/courier.ts';
import { deliveryBody, quoteBody, updateBody } from '../../../src/providers/uber-direct/requests.ts';
import { courierOrder } from '../courier-orders.ts';

const now = Date.UTC(2026, 10, 22, 18);
const options = { asks_pin: false, test_mode: false };

function delivery(order: Partial<CourierOrder> = {}, changes: Partial<typeof options> = {}) {
  const request = { key: 'dsp_1_0', quote_reference: 'dqt_7', order: courierOrder(order), now };
  return deliveryBody(request, { ...options, ...changes });
}

const places = {
  pickup_address:
    '{"street_address":["233 S Wacker Dr"],"city":"Chicago","state":"IL","zip_code":"60606","country":"US"}',
  pickup_phone_number: '+13125557701',
  dropoff_address:
    '{"street_address":["600 E Grand Ave","Apt 5"],"city":"Chicago","state":"IL","zip_code":"60611","country":"US"}',
  dropoff_phone_number: '+13125557702',
};

describe('a request for Uber Direct', () => {
  it('asks for a quote with places, phones and value', () => {
    expect(quoteBody(courierOrder(), now)).toEqual({ ...places, manifest_total_value: 2500 });
  });

  it('books with everything that is known', () => {
    expect(delivery()).toEqual({
      ...places,
      manifest_total_value: 2500,
      quote_id: 'dqt_7',
      pickup_name: 'Lakeside Books',
      pickup_notes: 'Back door',
      dropoff_name: 'Ada Maria Byron',
      dropoff_notes: 'Ring twice',
      manifest_items: [{ name: 'Atlas', quantity: 2, size: 'small' }],
      manifest_reference: 'A-100',
      external_id: 'dsp_1_0',
      idempotency_key: 'dsp_1_0',
      tip: 300,
      deliverable_action: 'deliverable_action_meet_at_door',
      undeliverable_action: 'return',
    });
  });

  it('says what becomes of what cannot be handed over', () => {
    for (const undeliverable_action of ['leave_at_door', 'discard'] as const)
      expect(delivery({ undeliverable_action })).toMatchObject({ undeliverable_action });
  });

  it('asks for a robo courier in test mode only', () => {
    const robo = { test_specifications: { robo_courier_specification: { mode: 'auto' } } };
    expect(delivery({}, { test_mode: true })).toMatchObject(robo);
    expect(delivery()).not.toHaveProperty('test_specifications');
  });

  it('names the coordinates of a house in both', () => {
    const dropoff = { ...courierOrder().dropoff, latitude: 41.9, longitude: -87.6 };
    const known = { ...places, dropoff_latitude: 41.9, dropoff_longitude: -87.6 };
    expect(quoteBody(courierOrder({ dropoff }), now)).toEqual({ ...known, manifest_total_value: 2500 });
    expect(delivery({ dropoff })).toMatchObject(known);
  });

  it('writes an address as it is if its parts are not known', () => {
    const stop = { ...courierOrder().dropoff, address: 'Navy Pier', unit: '' };
    expect(quoteBody(courierOrder({ dropoff: stop }), now)).toMatchObject({ dropoff_address: 'Navy Pier' });
    const withUnit = { ...stop, unit: 'Hall B' };
    expect(quoteBody(courierOrder({ dropoff: withUnit }), now)).toMatchObject({
      dropoff_address: 'Navy Pier, Hall B',
    });
  });

  it('uses our order ID where the merchant has no number, and leaves out what is empty', () => {
    const stop = (side: 'pickup' | 'dropoff') => ({ ...courierOrder()[side], notes: '' });
    const body = delivery({
      external_order_ref: '',
      tip: 0,
      order_value: 0,
      pickup: stop('pickup'),
      dropoff: stop('dropoff'),
    });
    expect(body).toMatchObject({ manifest_reference: 'ord_1' });
    for (const name of ['tip', 'manifest_total_value', 'pickup_notes', 'dropoff_notes'])
      expect(body).not.toHaveProperty(name);
  });

  it('describes the parcel where no items are known, and translates sizes', () => {
    expect(delivery({ items: [] })).toMatchObject({
      manifest_items: [{ name: 'Books', quantity: 1, size: 'small' }],
    });
    expect(delivery({ items: [], items_description: '' })).toMatchObject({
      manifest_items: [{ name: 'Parcel' }],
    });
    const items = (['small', 'medium', 'large', 'extra_large'] as const).map((size) => ({
      name: 'a',
      quantity: 1,
      size,
    }));
    expect(delivery({ items })).toMatchObject({
      manifest_items: [{ size: 'small' }, { size: 'medium' }, { size: 'large' }, { size: 'xlarge' }],
    });
  });

  it('cuts notes to 280 characters', () => {
    const dropoff = { ...courierOrder().dropoff, notes: 'x'.repeat(281) };
    expect(delivery({ dropoff })).toMatchObject({ dropoff_notes: `${'x'.repeat(279)}…` });
    const whole = { ...dropoff, notes: 'x'.repeat(280) };
    expect(delivery({ dropoff: whole })).toMatchObject({ dropoff_notes: 'x'.repeat(280) });
  });

  it('schedules by when the parcel is ready, or by a window around the dropoff', () => {
    const at = Date.UTC(2026, 10, 23, 12);
    expect(quoteBody(courierOrder({ pickup_at: at }), now)).toEqual({
      ...places,
      manifest_total_value: 2500,
      pickup_ready_dt: '2026-11-23T12:00:00.000Z',
    });
    expect(quoteBody(courierOrder({ dropoff_at: at }), now)).toEqual({
      ...places,
      manifest_total_value: 2500,
      dropoff_ready_dt: '2026-11-23T11:45:00.000Z',
      dropoff_deadline_dt: '2026-11-23T12:15:00.000Z',
    });
    expect(quoteBody(courierOrder({ pickup_at: now - 1 }), now)).not.toHaveProperty('pickup_ready_dt');
  });

  const meet = 'deliverable_action_meet_at_door';
  const leave = 'deliverable_action_leave_at_door';
  const signature = {
    signature_requirement: { enabled: true, collect_signer_name: true, collect_signer_relationship: false },
  };
  it.each([
    ['nothing', {}, false, meet, undefined],
    ['a signature', { request_signature: true }, false, meet, signature],
    ['no contact', { request_contactless: true }, false, leave, { picture: true }],
    [
      'a signature and no contact',
      { request_signature: true, request_contactless: true },
      false,
      meet,
      signature,
    ],
    ['a PIN', {}, true, meet, { pincode: { enabled: true } }],
    ['a PIN and a signature', { request_signature: true }, true, meet, signature],
    ['a PIN and no contact', { request_contactless: true }, true, leave, { picture: true }],
  ])('hands over with %s', (_, order, asks_pin, deliverable_action, dropoff_verification) => {
    const body = delivery(order, { asks_pin });
    expect(body).toMatchObject({ deliverable_action });
    expect(Object.entries(body).find(([name]) => name === 'dropoff_verification')?.[1]).toEqual(
      dropoff_verification,
    );
  });

  it('changes only what is given', () => {
    expect(updateBody({ tip: 500 })).toEqual({ tip_by_customer: 500 });
    expect(updateBody({ pickup_notes: '', dropoff_notes: 'x'.repeat(300) })).toEqual({
      pickup_notes: '',
      dropoff_notes: `${'x'.repeat(279)}…`,
    });
  });
});
