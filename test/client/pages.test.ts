import { expect, test } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { pages, records } from '../../src/client/pages.ts';
import type { WireResponse } from '../../src/contract/operation.ts';
import { json, page, scripted } from './fakes.ts';

const at = '2026-03-02T10:00:00.000Z';

function route(id: string) {
  return {
    ...{ id, object: 'route', status: 'draft', order_ids: ['ord_1'], stops: [], distance_miles: 1.9 },
    ...{ test_mode: true, created_at: at, updated_at: at },
  };
}

test('records of all pages come one by one, with the same filter and the next cursor', async () => {
  const { client, sent } = scripted([page([route('a'), route('b')], 'two'), page([route('c')])]);
  const seen: string[] = [];
  for await (const { id } of records(client.routes.list, { status: 'draft', limit: 2 })) seen.push(id);
  expect(seen).toEqual(['a', 'b', 'c']);
  expect(sent.map(({ path }) => path)).toEqual([
    '/v2/routes?status=draft&limit=2',
    '/v2/routes?status=draft&limit=2&cursor=two',
  ]);
});

test('a page that is not needed is not requested', async () => {
  const { client, sent } = scripted([page([route('a')], 'two')]);
  for await (const answer of pages(client.routes.list, {})) {
    expect(answer.data.next_cursor).toBe('two');
    break;
  }
  expect(sent).toHaveLength(1);
});

/** The number of requests of a list that ends with an error, and the error. */
async function walked(answerTo: (cursor: number) => WireResponse) {
  let requests = 0;
  const client = createClient({
    transport: async ({ path }) => {
      requests += 1;
      if (requests > 5000) throw new Error('The walk does not end.');
      return answerTo(Number(/cursor=(\d+)/.exec(path)?.[1] ?? 0));
    },
    ...{ apiKey: 'wb_test_abc', userAgent: 'waybill/1', newIdempotencyKey: () => 'key' },
    ...{ sleep: async () => {}, wallNow: () => 0, chance: () => 0 },
  });
  const walk = async () => {
    for await (const { id } of records(client.routes.list, {})) expect(id).toBe('a');
  };
  const error: unknown = await walk().catch((thrown: unknown) => thrown);
  return { requests, error };
}

test.each([1, 2, 3, 10, 100])('cursors that repeat after %i pages end with an error', async (length) => {
  const { requests, error } = await walked((cursor) => page([route('a')], `${(cursor % length) + 1}`));
  expect(error).toMatchObject({ name: 'ApiError', code: 'unexpected_answer' });
  expect(String(error)).toContain('next_cursor repeats');
  expect(requests).toBeLessThanOrEqual(3 * length + 3);
});

test.each([
  ['pages without records', (cursor: number) => page([], `${cursor + 1}`), 'pages without records', 101],
  ['a list without an end', (cursor: number) => page([route('a')], `${cursor + 1}`), 'has no end', 1001],
  [
    'no cursor for what is left',
    () => json(200, { object: 'list', data: [], has_more: true, next_cursor: null }),
    'next_cursor is null',
    1,
  ],
])('%s end in one error', async (_, answerTo, words, most) => {
  const { requests, error } = await walked(answerTo);
  expect(error).toMatchObject({ name: 'ApiError', code: 'unexpected_answer' });
  expect(String(error)).toContain(words);
  expect(requests).toBeLessThanOrEqual(most);
});

const rows = (...ids: number[]) => ids.map((id) => ({ id, status: 'request' }));

/** The first page of a list, and the path of the next request if there is one. */
async function paged(body: unknown) {
  const { client, sent } = scripted([json(200, body), json(200, rows(3))]);
  const { data, may_have_more } = await client.deliveries.list();
  const cursor = data.next_cursor;
  if (cursor !== null) await client.deliveries.list({ query: { cursor } });
  return { has_more: data.has_more, may_have_more, next: sent[1]?.path ?? null };
}

const next = { has_more: true, may_have_more: undefined, next: '/v1/deliveries?cursor=a%20b' };
const whole = { has_more: false, may_have_more: undefined, next: null };
const more = { has_more: true, may_have_more: undefined, next: null };

test.each([
  ['a cursor', { data: rows(1), next_cursor: 'a b' }, next],
  ['a cursor with more', { data: rows(1), has_more: true, next_cursor: 'a b' }, next],
  ['the end', { data: rows(1), has_more: false, next_cursor: 'x' }, whole],
  ['more without a cursor', { data: rows(1), has_more: true }, more],
  ['a few records', rows(1, 2, 3), whole],
  ['no records', { data: [] }, whole],
  ['what looks like a full page', rows(...Array(20).keys()), { ...whole, may_have_more: true }],
  [
    'a full page of a list of its own name',
    { deliveries: rows(...Array(25).keys()) },
    { ...whole, may_have_more: true },
  ],
])('further pages are found by %s', async (_, body, expected) => {
  expect(await paged(body)).toEqual(expected);
});

test('a limit that the service ignores is kept', async () => {
  const all = json(200, rows(1, 2, 3, 4, 5));
  const { client } = scripted([all, all, all]);
  const found: string[][] = [];
  for await (const { data } of pages(client.deliveries.list, { limit: 2 }))
    found.push(data.data.map(({ id }) => id));
  expect(found).toEqual([['1', '2'], ['3', '4'], ['5']]);
});

test('a cursor within a page continues there, and says so where the page may be cut', async () => {
  const ten = json(200, rows(...Array(10).keys()));
  const { client, sent } = scripted([ten, ten, json(200, rows(1, 2, 3))]);
  const { data } = await client.deliveries.list({ query: { limit: 6 } });
  expect(data.next_cursor).toBe('#6');
  const rest = await client.deliveries.list({ query: { limit: 6, cursor: '#6' } });
  expect(rest).toMatchObject({ data: { data: [{ id: '6' }, {}, {}, { id: '9' }] }, may_have_more: true });
  const other = await client.deliveries.list({ query: { limit: 2, cursor: 'a#2' } });
  expect(other.data).toMatchObject({ data: [{ id: '3' }], has_more: false });
  expect(sent.map(({ path }) => path)).toEqual([
    ...['/v1/deliveries?limit=6', '/v1/deliveries?limit=6', '/v1/deliveries?limit=2&cursor=a'],
  ]);
});

test('a small page that is filtered here is asked for as a large one', async () => {
  const many = Array.from({ length: 30 }, (_, id) => ({
    id,
    status: 'request',
    external_order_ref: `R${id}`,
  }));
  const { client, sent } = scripted([json(200, many.slice(0, 10)), json(200, many)]);
  const { data } = await client.deliveries.list({ query: { external_order_ref: 'R25', limit: 10 } });
  expect([data.data.map(({ id }) => id), sent.length]).toEqual([['25'], 2]);
});

test('a service that keeps the limit but no filter has each record once, whatever the limit', async () => {
  const all = Array.from({ length: 250 }, (_, id) => ({ id, status: id % 2 === 0 ? 'delivered' : 'failed' }));
  const client = createClient({
    transport: async ({ path }) => {
      const { cursor = 0, limit = 20 } = Object.fromEntries(new URLSearchParams(path.split('?')[1]));
      const end = Number(cursor) + Number(limit);
      return page(all.slice(Number(cursor), end), end < all.length ? `${end}` : null);
    },
    ...{ apiKey: 'wb_test_abc', userAgent: 'waybill/1', newIdempotencyKey: () => 'key' },
    ...{ sleep: async () => {}, wallNow: () => 0, chance: () => 0 },
  });
  const seen: number[] = [];
  for await (const { id } of records(client.deliveries.list, { status: 'failed', limit: 5 }))
    seen.push(Number(id));
  expect(seen).toEqual(all.flatMap(({ id, status }) => (status === 'failed' ? id : [])));
});

test('reading on ends with an error if the service has more and no way to it', async () => {
  const { client } = scripted([json(200, { data: rows(1), has_more: true })]);
  const read = async () => {
    for await (const { id } of records(client.deliveries.list, {})) expect(id).toBe('1');
  };
  await expect(read()).rejects.toMatchObject({ code: 'unexpected_answer' });
});

test.each([
  ['25 orders, of which one has no delivery', 25, {}],
  ['7 orders, and more', 7, { has_more: true, next_cursor: 'two' }],
])('deliveries within orders are not taken for all: %s', async (_, count, more) => {
  const at = (number: number) => ({ id: number, status: 'delivered', created_at: '2026-03-02T10:00:00Z' });
  const orders = Array.from({ length: count }, (_each, number) => ({
    ...{ id: `o_${number}`, latest_delivery: number === 0 ? null : at(number) },
  }));
  const { client } = scripted(
    [json(200, { data: [], has_more: false }), json(200, { data: orders, ...more }), json(404, {})],
    { features: { idempotency: false, orders: true } },
  );
  const { data } = await client.deliveries.list({ query: { limit: 100 } });
  expect([data.data.length, data.has_more]).toEqual([count - 1, true]);
});

test('a delivery within an order is found by an ID that is a number', async () => {
  const order = { id: 3, latest_delivery: { id: 7, status: 'delivered' } };
  const list = json(200, { data: [order] });
  const { client } = scripted([json(404, { code: 'record_not_found' }), list, json(200, order)]);
  const { data } = await client.deliveries.get({ params: { deliveryid: '7' } });
  expect(data).toMatchObject({ id: '7', status: 'delivered' });
});

test.each([
  [{ store_id: 'sto_1' }, ['a']],
  [{ batch_id: 'bat_1' }, ['b']],
  [{ due_after: '2026-03-02T09:00:00Z' }, ['a']],
  [{ due_before: '2026-03-02T09:00:00Z' }, ['b']],
  [{ delivered_after: '2026-03-02T00:00:00Z' }, ['a']],
  [{ ended_before: '2026-03-02T00:00:00Z' }, []],
])('orders of a service without filters are filtered here: %o', async (query, ids) => {
  const latest = { id: 'd', status: 'delivered', status_history: [{ status: 'delivered', created_at: at }] };
  const orders = [
    { id: 'a', pickup_store_id: 'sto_1', dropoff: { at }, latest_delivery: latest },
    { id: 'b', batch_id: 'bat_1', pickup_at: '2026-03-02T08:00:00.000Z', latest_delivery: null },
  ];
  const { client } = scripted([json(200, orders)]);
  expect((await client.orders.list({ query })).data.data.map(({ id }) => id)).toEqual(ids);
});

test('a filter that neither the service nor its client has is refused', async () => {
  const { client } = scripted([json(200, [{ id: 'd', status: 'delivered' }])]);
  const list = client.deliveries.list({ query: { charged_after: at } });
  await expect(list).rejects.toMatchObject({
    code: 'not_supported',
    message: expect.stringContaining('no filter charged_after'),
  });
});

test('pages without records are not taken for the end of a list', async () => {
  const found = { id: 'd_1', external_order_ref: 'A1', status: 'delivered' };
  const other = { ...found, id: 'd_2', external_order_ref: 'B1' };
  const empty = [page([], 'two'), page([], 'three')];
  const { client } = scripted([...empty, page([other, found])]);
  const query = { external_order_ref: 'A1' };
  expect((await client.deliveries.list({ query })).data.data).toMatchObject([{ id: 'd_1' }]);
});
