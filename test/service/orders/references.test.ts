import { expect, test } from 'vitest';
import { normalizeReference } from '../../../src/domain/references.ts';
import { orderMade, orderRequest, startClient } from '../fixture.ts';

/** Texts that look the same, and the form that is stored. */
const alike: Record<string, readonly string[]> = {
  'A-1042': [
    'A-1042 ',
    ' A-1042',
    'A-1042\u00a0',
    '\u200bA-1042',
    'A-\u200b1042',
    '\ufeffA-1042',
    'A\u00ad-1042',
  ],
  'Caf\u00e9-1': ['Cafe\u0301-1', 'Caf\u00e9-1\u2060'],
  '10 42': ['10\u00a042', '10\u202f42', '10\t42', '\n10 42\n'],
  '': [' ', '\u200b', '\u3164', '\ufeff \u00a0'],
};
const cases = Object.entries(alike).flatMap(([stored, texts]) =>
  texts.map((text) => [text, stored] as const),
);

test.each(cases)('%j is %j', (text, stored) => {
  expect(normalizeReference(text)).toBe(stored);
  expect(normalizeReference(stored)).toBe(stored);
});

test('case, dashes and visible characters stay', () => {
  for (const text of ['a-1042', 'A\u20131042', '#1042', '\u2460', 'A  1'])
    expect(normalizeReference(text)).toBe(text);
});

test('orders and deliveries are stored and filtered in that form', async () => {
  const { client } = await startClient();
  const [text = '', other = ''] = alike['Caf\u00e9-1'] ?? [];
  const body = { orders: [orderRequest({ external_order_ref: ` ${text}` })] };
  const { data: order } = await orderMade(client.orders.create({ body }));
  const { data: delivery } = await client.deliveries.create({
    body: orderRequest({ external_order_ref: other }),
  });
  expect([order.external_order_ref, delivery.external_order_ref]).toEqual(['Caf\u00e9-1', 'Caf\u00e9-1']);
  for (const external_order_ref of [text, other, ' Caf\u00e9-1 ']) {
    expect((await client.orders.list({ query: { external_order_ref } })).data.data).toHaveLength(2);
    expect((await client.deliveries.list({ query: { external_order_ref } })).data.data).toHaveLength(1);
    expect((await client.deliveries.listDetailed({ query: { external_order_ref } })).data.data).toHaveLength(
      1,
    );
  }
});

test('names of stores and drivers are stored in that form, and one that nobody can see is refused', async () => {
  const { client } = await startClient();
  const store = { address: '43 E Ohio St, Chicago, IL 60611', phone_number: '+13125550100' };
  const made = await client.stores.create({ body: { ...store, name: 'Cafe\u0301\u200b ' } });
  const driver = await client.drivers.create({ body: { name: ' Jose\u0301', phone_number: '+13125550133' } });
  expect([made.data.name, driver.data.name]).toEqual(['Caf\u00e9', 'Jos\u00e9']);
  const invisible = { code: 'invalid_request', param: 'name' };
  await expect(client.stores.create({ body: { ...store, name: '\u200b' } })).rejects.toMatchObject(invisible);
  const params = { driver_id: driver.data.id };
  await expect(client.drivers.update({ params, body: { name: '\u200b' } })).rejects.toMatchObject(invisible);
});
