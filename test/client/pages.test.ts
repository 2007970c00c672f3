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
