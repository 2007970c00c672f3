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
const baseUrl = 'https://api.example/burq';
const list = 'https://api.example/burq/v1/deliveries';

/** The first page of a list, and the path of the next request if there is one. */
async function paged(body: unknown, headers: Record<string, string> = {}) {
  const { client, sent } = scripted([json(200, body, headers), json(200, rows(3))], { baseUrl });
  const { data, may_have_more } = await client.deliveries.list();
  const cursor = data.next_cursor;
  if (cursor !== null) await client.deliveries.list({ query: { cursor } });
  return { has_more: data.has_more, may_have_more, next: sent[1]?.path ?? null };
}

const next = { has_more: true, may_have_more: undefined, next: '/v1/deliveries?page=2' };
const whole = { has_more: false, may_have_more: undefined, next: null };
const more = { has_more: true, may_have_more: undefined, next: null };

test.each([
  ['a Link header', rows(1), { link: `<${list}?page=2>; rel="next"` }, next],
  [
    'several links',
    rows(1),
    { link: `<${list}?a=1,2>; rel="first",<${list}?page=2>;title="a, b";rel=next` },
    next,
  ],
  ['two relations', rows(1), { link: `<${list}?page=2>; rel="next last"` }, next],
  ['a relative link', rows(1), { link: '<?page=2>; rel="next"' }, next],
  ['a path', rows(1), { link: '</burq/v1/deliveries?page=2>; rel="next"' }, next],
  ['http behind a gateway', rows(1), { link: `<${list.replace('https', 'http')}?page=2>; rel="next"` }, next],
  ['the last page', rows(1), { link: `<${list}?page=1>; rel="first"` }, whole],
  [
    'a link of another kind',
    rows(...Array(10).keys()),
    { link: '</spec>; rel="describedby"' },
    { ...whole, may_have_more: true },
  ],
  ['another host', rows(1), { link: '<https://evil.example/burq/v1/deliveries?page=2>; rel="next"' }, more],
  [
    'another port',
    rows(1),
    { link: '<https://api.example:8443/burq/v1/deliveries?page=2>; rel="next"' },
    more,
  ],
  ['another path', rows(1), { link: '<https://api.example/burq/v2/routes?page=2>; rel="next"' }, more],
  [
    'a cursor of the contract',
    { data: rows(1), next_cursor: 'a b' },
    {},
    { ...next, next: '/v1/deliveries?cursor=a%20b' },
  ],
  ['the end in the contract', { data: rows(1), has_more: false, next_cursor: 'x' }, {}, whole],
  ['more without a cursor', { data: rows(1), has_more: true }, {}, more],
  ['a next URL', { count: 3, next: `${list}?page=2`, results: rows(1) }, {}, next],
  ['the end of next URLs', { count: 10, next: null, results: rows(...Array(10).keys()) }, {}, whole],
  ['nested links', { data: rows(1), _links: { next: { href: '/burq/v1/deliveries?page=2' } } }, {}, next],
  ['a page number', { data: rows(1), meta: { next_page: 2 } }, {}, more],
  ['a total', { data: rows(1), meta: { total: 25 } }, {}, more],
  ['a total that is reached', { data: rows(...Array(10).keys()), total: 10 }, {}, whole],
  ['a count in a header', rows(1), { 'x-total-count': '25' }, more],
  ['a few records', rows(1, 2, 3), {}, whole],
  ['what looks like a full page', rows(...Array(20).keys()), {}, { ...whole, may_have_more: true }],
])('further pages are found by %s', async (_, body, headers, expected) => {
  expect(await paged(body, headers)).toEqual(expected);
});

test('the path of a next page is sent as it is', async () => {
  const link = { link: `<${list}?after={x}&page=2>; rel="next"` };
  const { client, sent } = scripted([json(200, rows(1), link), json(200, rows(2))], { baseUrl });
  const ids: string[] = [];
  for await (const { id } of records(client.deliveries.list, { limit: 5 })) ids.push(id);
  expect(ids).toEqual(['1', '2']);
  expect(sent.map(({ path }) => path)).toEqual([
    '/v1/deliveries?limit=5',
    '/v1/deliveries?after=%7Bx%7D&page=2',
  ]);
});

test('a limit that the service ignores is kept, and one request is enough to read on', async () => {
  const { client, sent } = scripted([json(200, rows(1, 2, 3, 4, 5))]);
  const ids: string[] = [];
  for await (const { id } of records(client.deliveries.list, { limit: 2 })) ids.push(id);
  expect([ids, sent.length]).toEqual([['1', '2', '3', '4', '5'], 1]);
});

test('a cursor within a page continues there, whatever size the pages have by then', async () => {
  const pages = [
    json(200, { data: rows(1, 2, 3), next_cursor: 'b' }),
    json(200, { data: rows(4, 5), next_cursor: null }),
  ];
  const { client, sent } = scripted(pages);
  const { data } = await client.deliveries.list({ query: { limit: 2, cursor: 'a#4' } });
  expect(data).toMatchObject({ data: [{ id: '5' }], has_more: false });
  expect(sent.map(({ path }) => path)).toEqual([
    '/v1/deliveries?limit=2&cursor=a',
    '/v1/deliveries?limit=100&cursor=b',
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

test('reading on ends with an error if the service has more and no way to it', async () => {
  const { client } = scripted([json(200, { data: rows(1), total: 25 })]);
  const read = async () => {
    for await (const { id } of records(client.deliveries.list, {})) expect(id).toBe('1');
  };
  await expect(read()).rejects.toMatchObject({ code: 'unexpected_answer' });
});
