import { expect, test } from 'vitest';
import { pages, records } from '../../src/client/pages.ts';
import { page, scripted } from './fakes.ts';

test('records of all pages come one by one, with the same filter and the next cursor', async () => {
  const { client, sent } = scripted([page([{ id: 'a' }, { id: 'b' }], 'two'), page([{ id: 'c' }])]);
  const seen: string[] = [];
  for await (const route of records(client.routes.list, { status: 'draft', limit: 2 })) seen.push(route.id);
  expect(seen).toEqual(['a', 'b', 'c']);
  expect(sent.map(({ path }) => path)).toEqual([
    '/v2/routes?status=draft&limit=2',
    '/v2/routes?status=draft&limit=2&cursor=two',
  ]);
});

test('a page that nobody wants is not asked for', async () => {
  const { client, sent } = scripted([page([{ id: 'a' }], 'two')]);
  for await (const answer of pages(client.routes.list, {})) {
    expect(answer.data.next_cursor).toBe('two');
    break;
  }
  expect(sent).toHaveLength(1);
});
