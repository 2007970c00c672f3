import { describe, expect, it } from 'vitest';
import { tokenOf } from '../../../src/providers/doordash-drive/adapter.ts';
import { deliveryBody, updateBody } from '../../../src/providers/doordash-drive/requests.ts';
import { courierOrder } from '../courier-orders.ts';

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
