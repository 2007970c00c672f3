import { describe, expect, test } from 'vitest';
import { errorTable } from '../../src/contract/errors.ts';
import { deliveryRefusals } from './deliveries/delivery-refusals.ts';
import { startFixture } from './fixture.ts';
import { keyRefusals } from './key-refusal-cases.ts';
import { create, one, refusals } from './refusal-cases.ts';
import { webhookRefusals } from './webhook-refusals.ts';

describe('errors of the service', () => {
  test.each([...refusals, ...keyRefusals, ...deliveryRefusals, ...webhookRefusals])(
    '$name: $code',
    async ({ code, says, send }) => {
      const fixture = await startFixture();
      const answer = await send(fixture);
      const body: unknown = JSON.parse(answer.body);
      expect(body).toMatchObject({ object: 'error', code, request_id: answer.headers['x-request-id'] });
      expect(answer.status).toBe(errorTable[code].status);
      expect(answer.body).toMatch(says);
      expect(fixture.faults).toEqual([]);
    },
  );

  test.each([
    'joe@diner.example\r\nBcc: all@diner.example',
    'joe@diner.example, ann@diner.example',
    'Joe <joe@diner.example>',
    '"joe"@diner.example',
    'joe@diner',
    `${'a'.repeat(250)}@diner.example`,
  ])('%j is no e-mail address', async (dropoff_email) => {
    const answer = await create(await startFixture(), one({ dropoff_email }));
    expect(answer.status).toBe(400);
    expect(answer.body).toMatch(
      /"path":"orders\[0\].dropoff_email","message":"must (be an e-mail|not have more)/,
    );
  });

  test('a refused order writes nothing', async () => {
    const fixture = await startFixture();
    await create(fixture, one({ order_value: 12.5 }));
    expect((await fixture.client().orders.list()).data.data).toEqual([]);
  });

  test('all errors of an order are reported together', async () => {
    const fixture = await startFixture();
    const answer = await create(fixture, { orders: [{ tip: -1, dropoff_phone_number: '1' }] });
    const { details }: { details: { path: string }[] } = JSON.parse(answer.body);
    expect(details.map(({ path }) => path).sort()).toEqual([
      'orders[0].dropoff_address',
      'orders[0].dropoff_name',
      'orders[0].pickup_address',
      'orders[0].pickup_name',
      'orders[0].pickup_phone_number',
      'orders[0].tip',
    ]);
  });
});
