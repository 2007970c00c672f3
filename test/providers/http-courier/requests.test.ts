import { Check } from 'typebox/schema';
import { describe, expect, it } from 'vitest';
import { CourierQuoteRequest, DeliveryRequest } from '../../../src/contract/courier-protocol/schemas.ts';
import { createBody, quoteBody } from '../../../src/providers/http-courier/adapter.ts';
import { courierOrder } from '../courier-orders.ts';

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
