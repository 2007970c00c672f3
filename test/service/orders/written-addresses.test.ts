import { expect, test } from 'vitest';
import { lostWords, mayBeCompared } from '../../cases/lost-words.ts';
import { readTable } from '../../cases/read-table.ts';
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
        'has "1234" behind the ZIP code, which is left out',
      ],
    },
    {
      problem: 'unknown_address',
      understood: null,
      warnings: ['is a PO box: couriers need a street address'],
    },
  ]);
});

const cases = readTable('addresses.tsv', (cell) => ({ kind: cell('kind'), text: cell('text') }));

/** Paths that take an address, with the body for one and where the answer has it. */
const paths = [
  {
    path: '/v2/orders/create',
    bodyOf: (dropoff_address: string) => ({ orders: [orderRequest({ dropoff_address })] }),
  },
  { path: '/v2/orders', bodyOf: (dropoff_address: string) => orderRequest({ dropoff_address }) },
  {
    path: '/v1/delivery_information',
    bodyOf: (dropoff_address: string) => orderRequest({ dropoff_address }),
  },
  {
    path: '/v2/stores',
    bodyOf: (address: string) => ({ name: 'Grill', address, phone_number: '+13125550100' }),
  },
];

const remarksOf = (headers: Record<string, string>): string[] => JSON.parse(headers['x-remarks'] ?? '[]');

/** The first path takes all of them; the others, which read addresses by the same functions, every eighth. */
const casesOf = (path: string) => cases.filter((_, index) => path === paths[0]?.path || index % 8 === 0);

test.each(paths)('by POST $path no word of an address is lost without a word', async ({ path, bodyOf }) => {
  const fixture = await startFixture();
  const lost: unknown[] = [];
  for (const { kind, text } of casesOf(path)) {
    const { status, body, headers } = await fixture.send('POST', path, { body: bodyOf(text) });
    expect([text, status]).toEqual([text, 200]);
    const { address, dropoff_address, dropoffs } = JSON.parse(body);
    const read = address ?? dropoff_address ?? dropoffs[0].dropoff_address;
    const [, state = ''] = /, ([A-Z]{2})(?: \d{5})?, USA$/.exec(read) ?? [];
    const words = lostWords(text, [read, ...remarksOf(headers)], state);
    if (words.length > 0 && mayBeCompared({ kind, text })) lost.push([text, words]);
  }
  expect(lost).toEqual([]);
});

test('the remarks name the field, are ASCII, and end where a header would be too long', async () => {
  const fixture = await startFixture();
  const send = async (dropoff_address: string, count = 1) => {
    const orders = Array.from({ length: count }, () => orderRequest({ dropoff_address }));
    const path = count === 1 ? '/v2/orders/create' : '/v2/orders/bulk';
    const { status, headers } = await fixture.send('POST', path, { body: { orders } });
    expect(status).toBe(200);
    expect(headers['x-remarks'] ?? '').toMatch(/^[ -~]{0,4100}$/);
    return remarksOf(headers);
  };
  expect(await send('233 S Wacker Dr, Chicago, IL 60606')).toEqual([]);
  expect(await send('233 S Wacker Dr, Chicago, IL 60606-6306')).toEqual([
    'orders[0].dropoff_address: has "6306" behind the ZIP code, which is left out',
  ]);
  expect(await send('233 S Wacker Dr, Chicágo Nörth, IL 60606')).toEqual([expect.stringContaining('Nörth')]);
  const many = await send('233 S Wacker Dr, Chicago, IL 60606-6306', 100);
  expect(many.at(-1)).toMatch(/^and \d+ more, which POST \/v2\/places says$/);
});

test('a repeated request has its first answer, and a quote has remarks, too', async () => {
  const fixture = await startFixture();
  const pickup_address = '43 E Ohio St, Chicago, IL 60611-1234';
  const body = { pickup_address, dropoff_address: '233 S Wacker Dr, Chicago, IL 60606' };
  const { headers } = await fixture.send('POST', '/v1/quote', { body });
  expect(remarksOf(headers)).toEqual([
    'pickup_address: has "1234" behind the ZIP code, which is left out',
    expect.stringMatching(/^service: nightowl does not quote \(\w+\): scheduled deliveries only$/),
  ]);
});
