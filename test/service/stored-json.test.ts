import { expect, test } from 'vitest';
import {
  type DeliveryRecord,
  deliveryJson,
  readDeliveryJson,
} from '../../src/service/deliveries/delivery-json.ts';
import { orderJson, readOrderJson } from '../../src/service/orders/order-json.ts';
import type { OrderRecord } from '../../src/service/orders/order-request.ts';
import { type QuoteRecord, quoteJson, readQuoteJson } from '../../src/service/quotes/quote-json.ts';
import { readStopsJson, stopsJson } from '../../src/service/routes/stops-json.ts';

const noon = 1_772_452_800_000;
const point = { lat: 41.894742, lng: -87.615073 };
const end = {
  ...{ address: '43 E Ohio St', point, name: 'Zoë "Z" O\'Neil', phone: '13125550100', unit: '4' },
  ...{ notes: '[["', at: null },
};
const items = [{ name: 'Brisket Classic', quantity: 4, size: 'small' as const }];

const order: OrderRecord = {
  pickup: end,
  dropoff: { ...end, at: noon },
  ...{ store_id: null, items, items_description: '', order_value: 0, tip: null },
  ...{ request_signature: false, request_contactless: true, vehicle: null },
  simulation: { scenario: 'happy_path', provider: null },
};

const created: DeliveryRecord = {
  delivery_type: 'asap',
  quote_id: 'rq_1',
  pickup: { ...end, eta: noon + 1 },
  dropoff: { ...end, eta: noon + 2 },
  ...{ items, items_description: 'lunch', order_value: 5, store_id: 'str_1' },
  ...{ cost_of_delivery: 1, payment_amount: 2, tip: null, fee: 3, upsell: null, subsidized: 4 },
  ...{ refunded_amount: 6, cancellation_reason: null, failure_reason: null, failure_message: '' },
  ...{ dispute_reason: null, driver: null, way: [], proof: [], signature: null, reported_at: 7 },
  ...{ event_count: 8, status_history: [{ status: 'delivery_created', at: noon }] },
};
const vehicle = { type: 'car', make: 'Norvane', model: 'Pico', color: 'black', license_plate: 'WB-6154' };
const driver = { name: 'Dana', image: null, phone: null, vehicle_type: 'car', vehicle: null };
const delivered: DeliveryRecord = {
  ...created,
  dropoff: { ...created.dropoff, email: 'zoe@example.com' },
  driver: { ...driver, vehicle },
  way: [{ ...point, at: noon }],
  proof: [
    { type: 'photo', url: 'https://couriers.example/1', at: noon, source: 'https://couriers.example/2' },
  ],
  signature: { name: 'Zoë', image_url: 'https://couriers.example/3', at: noon },
  pin: '1234',
  dispute_outcome: 'refunded',
};

const quote: QuoteRecord = { pickup_eta: 1, dropoff_eta: 2, stop_etas: [1, 2], order_costs: [3] };
const stop = {
  kind: 'pickup' as const,
  order_ids: ['ord_1'],
  address: '43 E Ohio St',
  ...point,
  leg_tenths: 19,
};

test.each([order, { ...order, dropoff: { ...end, email: 'zoe@example.com' }, items: [] }])(
  'an order is read as it was stored, and as older versions stored it',
  (record) => {
    expect(readOrderJson(orderJson(record))).toEqual(record);
    expect(readOrderJson(JSON.stringify(record))).toEqual(record);
    expect(orderJson(record).length).toBeLessThan(JSON.stringify(record).length * 0.6);
  },
);

test.each([created, delivered, { ...created, driver }])(
  'a delivery is read as it was stored, and as older versions stored it',
  (record) => {
    expect(readDeliveryJson(deliveryJson(record))).toEqual(record);
    expect(readDeliveryJson(JSON.stringify(record))).toEqual(record);
    expect(deliveryJson(record).length).toBeLessThan(JSON.stringify(record).length * 0.7);
  },
);

test.each([
  quote,
  { ...quote, stop_etas: [1, 2, 3], pickup_time: 1, round: 2 },
  { ...quote, stop_etas: [2, 1], references: ['q1'], courier_name: 'Zoë', vehicle_id: 'v' },
  { ...quote, stop_etas: [], place: { isTest: true, text: 'chicago' } },
])('a quote is read as it was stored, and as older versions stored it', (record) => {
  expect(readQuoteJson(quoteJson(record))).toEqual(record);
  expect(readQuoteJson(JSON.stringify(record))).toEqual(record);
});

test.each([[[]], [[stop, { ...stop, order_ids: ['ord_1', 'ord_2'] }]]])(
  'the stops of a route are read as they were stored, and as older versions stored them',
  (stops) => {
    expect(readStopsJson(stopsJson(stops))).toEqual(stops);
    expect(readStopsJson(JSON.stringify(stops))).toEqual(stops);
  },
);
