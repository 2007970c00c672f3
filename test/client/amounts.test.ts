import { expect, test } from 'vitest';
import { amountFields, toSmallestUnit, withMainUnits } from '../../src/client/amounts-and-statuses.ts';
import type { Notice } from '../../src/client/calls.ts';
import type { ClientOptions } from '../../src/client/client.ts';
import { operations } from '../../src/contract/operations.ts';
import { json, scripted } from './fakes.ts';

test.each([
  ['12.34', 'USD', 1234],
  [12.34, 'USD', 1234],
  ['12', 'USD', 1200],
  [12, 'USD', 1200],
  ['-0.5', 'USD', -50],
  [' 12.3400 ', 'usd', 1234],
  ['1200.00', 'JPY', 1200],
  [1200, 'JPY', 1200],
  ['1.234', 'KWD', 1234],
  ['12.34', '?', 1234],
  [5.99 + 0.48 + 0.1 + 0.2, 'USD', 677],
  [1.005 * 100, 'USD', 10_050],
  ['12.345', 'USD', undefined],
  [12.345, 'USD', undefined],
  ['1200.50', 'JPY', undefined],
  ['12,34', 'USD', undefined],
  ['$12.34', 'USD', undefined],
  ['99999999999999999.00', 'USD', undefined],
  [1e300, 'USD', undefined],
])('%j in %s is %s of the smallest unit', (value, currency, amount) => {
  expect(toSmallestUnit(value, currency)).toBe(amount);
});

test('every amount up to 1,000 dollars is converted exactly in both directions', () => {
  for (let cents = 0; cents <= 100_000; cents += 7) {
    const text = `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, '0')}`;
    expect([toSmallestUnit(text, 'USD'), toSmallestUnit(Number(text), 'USD')]).toEqual([cents, cents]);
    expect(withMainUnits({ tip: cents }, 'USD')).toEqual({ tip: Number(text) });
  }
});

/** The integers of responses that are no amounts. */
const others = [
  ...['quantity', 'order_count', 'retry_window', 'retry_interval', 'pending', 'dispatched', 'unfulfilled'],
  ...['failed', 'canceled', 'attempts', 'number', 'sequence', 'waiting', 'exhausted', 'status_code'],
  ...['duration_ms', 'stops_left', 'steps', 'slow_seconds', 'deleted', 'schema_version', 'worker_silent_ms'],
  ...['late_seconds', 'separate_deliveries', 'repeats'],
  ...['deliveries', 'active', 'delivered', 'on_time', 'late'],
  // Cents or a percentage.
  'value',
];

test('every integer of the contract is an amount or known not to be one', () => {
  const found = new Set<string>();
  const collect = (schema: unknown, name: string): void => {
    if (typeof schema !== 'object' || schema === null) return;
    if ('type' in schema && schema.type === 'integer') found.add(name);
    if ('anyOf' in schema && Array.isArray(schema.anyOf))
      for (const each of schema.anyOf) collect(each, name);
    if ('items' in schema) collect(schema.items, name);
    if ('properties' in schema)
      for (const [key, field] of Object.entries(schema.properties ?? {})) collect(field, key);
  };
  for (const verbs of Object.values(operations))
    for (const { answer } of Object.values(verbs)) collect(answer, '');
  for (const { accepted } of Object.values(operations.orders).filter((each) => 'accepted' in each))
    collect(accepted.schema, '');
  expect([...found].sort()).toEqual([...amountFields, ...others].sort());
});

const route = { params: { route_id: '2' } };

/** Reads quotes one response after the other, and gives costs, fees and notices. */
async function quotesRead(responses: readonly object[][], options: Partial<ClientOptions> = {}) {
  const notices: Notice[] = [];
  const script = responses.map((data) => json(200, { data }));
  const { client } = scripted(script, { onNotice: (notice) => notices.push(notice), ...options });
  const read: number[][] = [];
  for (const _ of responses) {
    const { data } = await client.quotes.list(route);
    read.push((data.data ?? []).flatMap((quote) => [quote.cost_of_delivery, quote.service_fee]));
  }
  return { read, notices };
}

const quote = (cost_of_delivery: unknown, service_fee: unknown, fields: object = {}) => ({
  ...{ id: 7, provider: 'thrifty', cost_of_delivery, service_fee },
  ...fields,
});
const news = (fields: object = {}) => ({ kind: 'main_units', hasReadCents: false, sent: [], ...fields });

test.each([
  ['whole numbers are cents', [quote(599, 48)], [599, 48], []],
  ['whole texts are cents', [quote('599', '48')], [599, 48], []],
  ['texts with decimals', [quote('5.99', '0.48')], [599, 48], [news()]],
  ['numbers with decimals', [quote(5.99, 0.48)], [599, 48], [news()]],
  ['a whole number beside decimals', [quote(12, 0.5)], [1200, 50], [news()]],
  ['a whole text beside decimals', [quote('12', '0.50')], [1200, 50], [news()]],
  ['whole numbers in a list with decimals', [quote(12, 1), quote(9.5, 1)], [1200, 100, 950, 100], [news()]],
  ['a text without cents', [quote('12.00', 0)], [1200, 0], [news()]],
])('%s', async (_, data, amounts, notices) => {
  expect(await quotesRead([data])).toEqual({ read: [amounts], notices });
});

test('an amount that cannot be converted is missing, and shows the unit of the others nevertheless', async () => {
  const { read } = await quotesRead([[quote('5.999', 12)], [quote('5,99', 12)]]);
  expect(read).toEqual([
    [Number.NaN, 1200],
    [Number.NaN, 1200],
  ]);
});

test('other fields with decimals do not show the unit', async () => {
  const { read, notices } = await quotesRead([[quote(599, 48, { distance: 2.5, total_price: 6.47 })]]);
  expect([read, notices]).toEqual([[[599, 48]], []]);
});

test('once amounts had decimals, those of later responses are in the same unit, and earlier ones are reported', async () => {
  const { read, notices } = await quotesRead([
    [quote(12, 1)],
    [quote(12.5, 1)],
    [quote(12, 1)],
    [quote(9, 1)],
  ]);
  expect(read).toEqual([
    [12, 1],
    [1250, 100],
    [1200, 100],
    [900, 100],
  ]);
  expect(notices).toEqual([news({ hasReadCents: true }), { kind: 'assumed_units' }]);
});

test('a service without amounts in cents has none in its first response', async () => {
  const { read, notices } = await quotesRead([[quote(12, 1)]], { features: { cents: false } });
  expect([read, notices]).toEqual([[[1200, 100]], [{ kind: 'assumed_units' }]]);
});

test('the currency is that of the record, and another one than US dollars is reported once', async () => {
  const yen = quote('1200.00', 50, { currency: 'JPY' });
  const { read, notices } = await quotesRead([[yen], [yen]]);
  expect(read).toEqual([
    [1200, 50],
    [1200, 50],
  ]);
  expect(notices).toEqual([news(), { kind: 'currency', currency: 'JPY' }]);
});

test('amounts within a wrapper are converted once', async () => {
  const delivery = { id: '8', status: 'delivered', payment_amount: '6.47', fee: 7, tip: null };
  const { client } = scripted([json(200, { success: true, data: { delivery } })]);
  const { data } = await client.deliveries.get({ params: { deliveryid: '8' } });
  expect(data).toMatchObject({ payment_amount: 647, fee: 700, tip: null });
});

const order = { pickup_store_id: 'S1', dropoff_address: 'x', dropoff_name: 'y', dropoff_phone_number: 'z' };
const create = { body: { orders: [{ ...order, tip: 300, order_value: 0 }] } };

test('a service without amounts in cents gets them with decimals', async () => {
  const { client, sent } = scripted([json(200, { id: 1 })], { features: { cents: false } });
  await client.orders.create({ body: { ...create.body, settings: { max_cost: 1250 } } });
  expect(JSON.parse(sent[0]?.body ?? '')).toEqual({
    orders: [{ ...order, tip: 3, order_value: 0 }],
    settings: { max_cost: 12.5 },
  });
});

test('an amount that was sent in cents before the unit was known is an error in the next look-up', async () => {
  const notices: Notice[] = [];
  const quotes = json(200, { data: [quote(5.99, 0.48)] });
  const { client } = scripted([json(200, { id: 1 }), quotes, quotes], {
    onNotice: (notice) => notices.push(notice),
  });
  await client.orders.create(create);
  await expect(client.quotes.list(route)).rejects.toThrow(/was sent tip in cents/);
  expect(notices).toEqual([news({ sent: ['tip'] })]);
  expect((await client.quotes.list(route)).data.data).toMatchObject([{ cost_of_delivery: 599 }]);
});

test('an order value that was sent in cents is only reported', async () => {
  const notices: Notice[] = [];
  const script = [json(200, { id: 1 }), json(200, { data: [quote(5.99, 0.48)] })];
  const { client } = scripted(script, { onNotice: (notice) => notices.push(notice) });
  await client.orders.create({ body: { orders: [{ ...order, order_value: 2450 }] } });
  expect((await client.quotes.list(route)).data.data).toMatchObject([{ cost_of_delivery: 599 }]);
  expect(notices).toEqual([news({ sent: ['order_value'] })]);
});

test('an accepted write whose response shows the unit is no error', async () => {
  const notices: Notice[] = [];
  const { client } = scripted([json(200, { id: 1, tip: '300.00' })], {
    onNotice: (notice) => notices.push(notice),
  });
  expect((await client.orders.create(create)).data).toMatchObject({ id: '1', tip: 30_000 });
  expect(notices).toEqual([news({ sent: ['tip'] })]);
});
