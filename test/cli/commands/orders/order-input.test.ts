import { expect, test } from 'vitest';
import { UsageError } from '../../../../src/cli/kit/errors/failure.ts';
import { changed, copyOf, readOrderFile, requestsOf } from '../../../../src/cli/nouns/order-input.ts';
import type { Order } from '../../../../src/contract/orders.ts';

const request = {
  pickup_address: '43 E Ohio St, Chicago, IL 60611',
  pickup_name: 'Grill',
  pickup_phone_number: '+13125550101',
  dropoff_address: '233 S Wacker Dr, Chicago, IL 60606',
  dropoff_name: 'Joe Diner',
  dropoff_phone_number: '+13125550142',
};

test('reads one order, an array of orders, and the request body of the interface', () => {
  expect(readOrderFile(JSON.stringify(request), 'f')).toEqual({ orders: [request], settings: null });
  expect(readOrderFile(JSON.stringify([request, {}]), 'f')).toEqual({
    orders: [request, {}],
    settings: null,
  });
  const body = { orders: [request], settings: { mechanism: 'manual' } };
  expect(readOrderFile(JSON.stringify(body), 'f')).toEqual(body);
  expect(readOrderFile(JSON.stringify({ orders: [request] }), 'f')).toEqual({
    orders: [request],
    settings: {},
  });
});

test.each([
  ['{', /o\.json is not valid JSON/],
  ['3', /o\.json holds no orders/],
  ['[1]', /holds no orders/],
  ['[]', /no order in o\.json/],
  ['{"orders":{}}', /holds no orders/],
  ['{"orders":[{}],"settings":1}', /holds no orders/],
  ['{"orders":[{}],"setings":{}}', /"setings" is not a field/],
])('%s is refused', (text, message) => {
  expect(() => readOrderFile(text, 'o.json')).toThrow(message);
  expect(() => readOrderFile(text, 'o.json')).toThrow(UsageError);
});

test('all missing input is named at once: as flags for one order, by position for several', () => {
  expect(requestsOf([request], 'f')).toEqual([request]);
  const { pickup_name: _, ...rest } = { ...request, dropoff_phone_number: '' };
  expect(missingOf([rest])).toEqual(['--pickup-name', '--dropoff-phone-number']);
  expect(missingOf([request, rest])).toEqual(['orders[1].pickup_name', 'orders[1].dropoff_phone_number']);
});

function missingOf(orders: Record<string, unknown>[]): readonly string[] | undefined {
  try {
    requestsOf(orders, 'f');
    return [];
  } catch (error) {
    return error instanceof UsageError ? error.details.missing : undefined;
  }
}

const order: Order = {
  ...{
    id: 'ord_1',
    object: 'order',
    status: 'dispatched',
    batch_id: null,
    route_id: 'rte_1',
    delivery_id: 'dlv_1',
  },
  ...request,
  ...{ pickup_phone_number: '13125550101', dropoff_phone_number: '13125550142' },
  ...{ pickup_unit: '', pickup_notes: 'Back door', dropoff_unit: '4', dropoff_notes: '' },
  ...{ pickup_at: null, pickup_store_id: null, dropoff_at: '2026-03-02T12:00:00.000Z' },
  ...{
    items: [{ name: 'Soup', quantity: 2, size: 'small' }],
    items_description: '',
    external_order_ref: '#1',
  },
  ...{ order_value: 0, tip: 0, request_signature: true, request_contactless: false, vehicle: '' },
  ...{ test_mode: true, created_at: '2026-03-02T10:00:00.000Z', updated_at: '2026-03-02T10:00:00.000Z' },
};

test('a copy has the input of an order and none of its outcome', () => {
  expect(copyOf(order, Date.parse('2026-03-02T13:00:00Z'))).toEqual({
    ...request,
    pickup_notes: 'Back door',
    dropoff_unit: '4',
    items: order.items,
    external_order_ref: '#1',
    request_signature: true,
    request_contactless: false,
  });
});

test('a copy from a store keeps it, unless its pickup is changed: then it has its fields', () => {
  const stored: Order = { ...order, pickup_store_id: 'str_1' };
  const now = Date.parse('2026-03-02T13:00:00Z');
  const kept = copyOf(stored, now, { dropoff_notes: 'Ring twice' });
  expect(kept).toMatchObject({ pickup_store_id: 'str_1' });
  expect(Object.keys(kept).filter((field) => field.startsWith('pickup_'))).toEqual(['pickup_store_id']);
  const moved = changed(copyOf(stored, now, { pickup_name: 'Bar' }), { pickup_name: 'Bar' });
  expect(moved).toMatchObject({
    pickup_address: request.pickup_address,
    pickup_name: 'Bar',
    pickup_phone_number: '+13125550101',
    pickup_notes: 'Back door',
  });
  expect(moved).not.toHaveProperty('pickup_store_id');
});

test('a field of a wrong type is not missing: the service says what it must be', () => {
  const order = { ...request, dropoff_phone_number: 3_125_550_142 };
  expect(requestsOf([order], 'f')).toEqual([order]);
});

test('a field similar to the missing one is named, unless it is a field of orders', () => {
  const { dropoff_name: _, ...rest } = request;
  const hintOf = (field: string) => {
    try {
      return requestsOf([{ ...rest, [field]: 'Joe' }], 'f');
    } catch (error) {
      return error instanceof UsageError ? [error.message, error.details.hint] : error;
    }
  };
  expect(hintOf('dropof_name')).toEqual([
    'Missing in f: --dropoff-name.',
    'Unknown: dropof_name. Check the spelling.',
  ]);
  expect(hintOf('dropoff_unit')).toEqual(['Missing in f: --dropoff-name.', undefined]);
});
