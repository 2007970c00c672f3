import { expect, test } from 'vitest';
import { orderRequest, startFixture } from '../fixture.ts';

const { dropoff_name: _, ...nameless } = orderRequest();

const cases = [
  ['POST', '/orders/create', { orders: [nameless] }, 'orders[0].dropoff_name is required.'],
  [
    'POST',
    '/orders/create',
    { orders: [{}] },
    /^orders\[0\]\.\w+ is required, and \d more fields are wrong\.$/,
  ],
  ['POST', '/v2/orders', { ...orderRequest(), dropoff_phone_number: '1' }, /^dropoff_phone_number .*\.$/],
  ['POST', '/v2/orders', { ...orderRequest(), items: [], tip: -1 }, /^tip must be .*\.$/],
  ['GET', '/v1/deliveries?limit=x', undefined, 'limit must be a whole number.'],
] as const;

test.each(cases)('the message names what is wrong: %s %s', async (method, path, body, message) => {
  const fixture = await startFixture();
  const answer = await fixture.send(method, path, body === undefined ? {} : { body });
  expect([answer.status, JSON.parse(answer.body).message]).toEqual([
    400,
    typeof message === 'string' ? message : expect.stringMatching(message),
  ]);
});
