import { expect, test } from 'vitest';
import { orderRequest, startClient, startFixture } from '../fixture.ts';

test('an order takes phone numbers as people write them, and puts an extension into the notes', async () => {
  const { client } = await startClient();
  const request = orderRequest({
    pickup_phone_number: '(312) 555-0100',
    dropoff_phone_number: '312-555-0142 x204',
    dropoff_notes: 'Ring twice',
  });
  const { data } = await client.orders.create({ body: { orders: [request] } });
  expect(data).toMatchObject({
    pickup_phone_number: '13125550100',
    dropoff_phone_number: '13125550142',
    dropoff_notes: 'Ring twice. Phone ext. 204',
  });
});

test('an edit keeps the notes when a number with an extension replaces another', async () => {
  const { client } = await startClient();
  const { data: created } = await client.deliveries.create({
    body: { ...orderRequest({ dropoff_notes: 'Ring twice' }), initiate: false },
  });
  const params = { deliveryid: created.id };
  const edit = async (body: object) => (await client.deliveries.edit({ params, body })).data.dropoffs[0];
  expect(await edit({ dropoff_phone_number: '312.555.0143 ext 7' })).toMatchObject({
    dropoff_phone_number: '13125550143',
    dropoff_notes: 'Ring twice. Phone ext. 7',
  });
});

test('deliveries are listed by a phone number as people write it', async () => {
  const { client } = await startClient();
  const { data: created } = await client.deliveries.create({
    body: { ...orderRequest({ dropoff_phone_number: '+13125550177' }), initiate: false },
  });
  const listed = async (phone: string) =>
    (await client.deliveries.list({ query: { phone } })).data.data.map(({ id }) => id);
  for (const phone of ['(312) 555-0177', '3125550177', '+13125550177', 'tel: 312.555.0177 x2'])
    expect(await listed(phone)).toEqual([created.id]);
  expect(await listed('(312) 555-0178')).toEqual([]);
});

test('a driver and the number on tracking pages have room for one number only', async () => {
  const fixture = await startFixture();
  const body = { name: 'Sam Lee', phone_number: '312-555-0133 x5', vehicle_type: 'car' };
  const response = await fixture.send('POST', '/v2/drivers', { body });
  expect(response.status).toBe(400);
  expect(response.body).toContain('has \\"ext. 5\\" beside the number: write only one number');
});
