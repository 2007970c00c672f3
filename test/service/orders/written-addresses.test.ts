import { expect, test } from 'vitest';
import { orderRequest, startClient, startFixture } from '../fixture.ts';

test.each([
  ['233 S Wacker Dr<br>Chicago, IL 60606', '233 S Wacker Dr, Chicago, IL 60606, USA'],
  ['“233 S Wacker Dr, Chicago, Ill. 60606, Apt 4”', '233 S Wacker Dr, Apt 4, Chicago, IL 60606, USA'],
  ['1 Calle Sol, San Juan 00901, Puerto Rico', '1 Calle Sol, San Juan, PR 00901, USA'],
  ['44 Elm St, Brooklyn 11201', '44 Elm St, Brooklyn, NY 11201, USA'],
])('%j is stored as %s', async (dropoff_address, address) => {
  const { client } = await startClient();
  const { data } = await client.orders.create({ body: { orders: [orderRequest({ dropoff_address })] } });
  expect(data).toMatchObject({ dropoff_address: address });
});

test.each([
  ['same as billing, IL 60606', 'points to another address'],
  ['PSC 802 BOX 74, APO AE 09499-0074', 'is a military post office'],
  ['233 S Wacker Dr, Chicago, IL 60606 or 43 E Ohio St, Chicago, IL 60611', 'contains two addresses'],
])('%j is refused with its reason', async (dropoff_address, reason) => {
  const fixture = await startFixture();
  const { status, body } = await fixture.send('POST', '/v2/orders/create', {
    body: { orders: [orderRequest({ dropoff_address })] },
  });
  expect([status, body]).toEqual([422, expect.stringContaining(reason)]);
});

test('places say how an address is read, and what may be wrong with it', async () => {
  const { client } = await startClient();
  const addresses = ['Union Station, Chicgo, IL 60606-1234', 'PO Box 1, Seattle, WA 98103'];
  const { data } = await client.places.find({ body: { addresses } });
  expect(data.data).toMatchObject([
    {
      problem: null,
      understood: 'Union Station, Chicgo, IL 60606, USA',
      warnings: [
        expect.stringContaining('is read as Chicago'),
        'has no house number',
        '"1234" behind the ZIP code is left out',
      ],
    },
    {
      problem: 'unknown_address',
      understood: null,
      warnings: ['is a PO box: couriers need a street address'],
    },
  ]);
});
