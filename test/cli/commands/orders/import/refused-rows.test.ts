import { expect, test } from 'vitest';
import { refusedRows } from '../../../../../src/cli/commands/orders/import/send-chunks.ts';
import { refusal, unreachable } from './made-up-service.ts';

const tip = { path: 'orders[1].tip', message: 'is too much' };

test('the orders named by a refusal fail, each with all its reasons', () => {
  const whole = { path: 'orders[0]', message: 'is no order' };
  const name = { path: 'orders[1].dropoff_name', message: 'is required' };
  expect(refusedRows(refusal('invalid_request', 400, [tip, whole, name]), 2)).toEqual(
    new Map([
      [1, 'tip: is too much; dropoff_name: is required'],
      [0, 'is no order'],
    ]),
  );
});

test.each([
  [
    'a fault of the settings',
    refusal('invalid_request', 400, [{ path: 'settings.providers', message: 'x' }]),
    1,
  ],
  ['settings beside an order', refusal('invalid_request', 400, [tip, { path: 'settings', message: 'x' }]), 2],
  ['an order that was not sent', refusal('invalid_request', 400, [tip]), 1],
  ['a request as a whole', refusal('invalid_request', 400, []), 2],
  ['the key', refusal('unauthorized', 401, []), 1],
  ['a scenario', refusal('simulation_unknown', 422, []), 1],
  ['no answer', unreachable(), 1],
])('%s is not the fault of an order', (_, error, count) => {
  expect(refusedRows(error, count)).toBeNull();
});

test('if no order is named all fail: an unknown store', () => {
  expect(refusedRows(refusal('record_not_found', 404, []), 2)?.size).toBe(2);
  expect(refusedRows(refusal('invalid_request', 400, []), 1)?.size).toBe(1);
});
