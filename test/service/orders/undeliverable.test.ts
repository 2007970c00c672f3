import { expect, test } from 'vitest';
import { orderMade, orderRequest, startFixture } from '../fixture.ts';

test('an order says what becomes of what cannot be handed over, or its store does', async () => {
  const fixture = await startFixture();
  const client = fixture.client();
  const create = async (changes: Parameters<typeof orderRequest>[0], rest: object = {}) => {
    const { pickup_address: _, pickup_name: __, pickup_phone_number: ___, ...order } = orderRequest(changes);
    const body = { orders: [{ ...(changes?.pickup_store_id ? order : orderRequest(changes)), ...rest }] };
    return (await orderMade(client.orders.create({ body }))).data.undeliverable_action;
  };
  const place = { name: 'Grill', address: '43 E Ohio St, Chicago, IL 60611', phone_number: '+13125550100' };
  const { data: store } = await client.stores.create({ body: place });
  expect(store.undeliverable_action).toBe('return');
  expect(await create({})).toBe('return');
  expect(await create({ undeliverable_action: 'discard' })).toBe('discard');
  const params = { store_id: store.id };
  const changed = await client.stores.update({ params, body: { undeliverable_action: 'leave_at_door' } });
  expect([changed.data.undeliverable_action, changed.data.address]).toEqual(['leave_at_door', store.address]);
  const pickup_store_id = store.id;
  expect(await create({ pickup_store_id })).toBe('leave_at_door');
  expect(await create({ pickup_store_id, undeliverable_action: 'return' })).toBe('return');
  // Nobody signs at the door.
  expect(await create({ pickup_store_id, request_signature: true })).toBe('return');
  const refused = create({ undeliverable_action: 'leave_at_door', request_signature: true });
  await expect(refused).rejects.toMatchObject({ code: 'invalid_request' });
});

test('it is no field of version 1', async () => {
  const client = (await startFixture()).client();
  const { data } = await client.deliveries.create({
    body: orderRequest({ undeliverable_action: 'discard' }),
  });
  expect(data).not.toHaveProperty('undeliverable_action');
  const { data: order } = await client.orders.get({ params: { order_id: data.order_id } });
  expect(order.undeliverable_action).toBe('discard');
});
