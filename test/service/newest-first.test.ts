import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createClient } from '../../src/client/client.ts';
import { openEmbedded } from '../../src/service/embedded.ts';
import { chanceOf, newPlacedId, requestOf } from '../../src/service/runtime/ids.ts';
import { seededChance } from '../../src/service/runtime/random.ts';
import { draftRoute, orderMade, orderRequest, start, startFixture } from './fixture.ts';

const folder = mkdtempSync(join(tmpdir(), 'waybill-newest-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const newestFirst = (refs: readonly string[]) => [...refs].reverse();

test('records of the same millisecond are listed newest first', async () => {
  const fixture = await startFixture();
  const client = fixture.client();
  const refs = ['1', '2', '3', '4', '5', '6'];
  for (const external_order_ref of refs) {
    await client.orders.create({ body: { orders: [orderRequest({ external_order_ref })] } });
  }
  const orders = async (limit: number) => (await client.orders.list({ query: { limit } })).data;
  expect((await orders(100)).data.map((order) => order.external_order_ref)).toEqual(newestFirst(refs));
  expect((await orders(1)).data.map((order) => order.external_order_ref)).toEqual(['6']);
  const routes: string[] = [];
  for (const _ of refs) routes.push((await draftRoute(client)).id);
  expect((await client.routes.list()).data.data.map(({ id }) => id)).toEqual(newestFirst(routes));
  const deliveries: string[] = [];
  for (const _ of refs) deliveries.push((await client.deliveries.create({ body: orderRequest() })).data.id);
  expect((await client.deliveries.list()).data.data.map(({ id }) => id)).toEqual(newestFirst(deliveries));
});

test('so they are across processes while the clock stands still', async () => {
  const file = join(folder, 'still.db');
  const keys: string[] = [];
  const keep = async (key: string) => void keys.push(key);
  let count = 0;
  const commandOn = async <T>(run: (client: ReturnType<typeof createClient>) => Promise<T>): Promise<T> => {
    const opened = await openEmbedded({
      file,
      key: keys.at(-1) ?? null,
      ownKey: { read: () => keys.at(-1) ?? null, keep },
      parts: { clock: { now: () => start } },
    });
    const client = createClient({
      transport: opened.transport,
      apiKey: null,
      sleep: async () => {},
      wallNow: () => start,
      chance: () => 0.5,
      newIdempotencyKey: () => `command-${++count}`,
      userAgent: 'test',
    });
    const result = await run(client);
    await opened.close();
    return result;
  };
  await commandOn((client) => client.clock.set({ body: { mode: 'manual' } }));
  const ids: string[] = [];
  for (let each = 0; each < 6; each += 1) {
    const body = { orders: [orderRequest()] };
    ids.push((await commandOn((client) => orderMade(client.orders.create({ body })))).data.id);
  }
  const listed = await commandOn((client) => client.orders.list());
  expect(listed.data.data.map(({ id }) => id)).toEqual(newestFirst(ids));
});

test('ids of the same millisecond sort by request and rank and keep their random parts', () => {
  const chance = seededChance('7');
  const idAt = (request: number, rank: number) =>
    newPlacedId(chance, 'ord', { at: start, request, rank }, 'a');
  const places: [number, number][] = [
    [0, 0],
    [0, 1],
    [0, 299],
    [1, 0],
    [31, 0],
    [32, 5],
    [5000, 0],
    [1_048_575, 1023],
  ];
  const ids = places.map(([request, rank]) => idAt(request, rank));
  expect([...ids].sort()).toEqual(ids);
  expect(ids.map(requestOf)).toEqual(places.map(([request]) => request));
  expect(new Set(ids.map(chanceOf)).size).toBe(1);
  for (const id of ids) expect(id).toMatch(/^ord_[0-9A-HJKMNP-TV-Z]{26}$/);
  expect(requestOf(idAt(5_000_000, 0))).toBe(1_048_575);
});
