import { expect, test } from 'vitest';
import { records } from '../../src/client/pages.ts';
import { newPlacedId, requestNumber, takeRandomPart } from '../../src/service/runtime/ids.ts';
import { seededChance } from '../../src/service/runtime/random.ts';
import { updateDelivery } from '../../src/storage/deliveries.ts';
import { dispatchRoute, draftRoute, orderMade, orderRequest, start, startClient } from './fixture.ts';

test('lists are newest first, and each record is on exactly one page', async () => {
  const { fixture, client } = await startClient();
  const made: string[] = [];
  for (let index = 0; index < 7; index++) {
    await fixture.pass(1_000);
    const { data } = await orderMade(client.orders.create({ body: { orders: [orderRequest()] } }));
    made.unshift(data.id);
  }
  const first = (await client.orders.list({ query: { limit: 3 } })).data;
  expect(first.data.map(({ id }) => id)).toEqual(made.slice(0, 3));
  expect(first.has_more).toBe(true);
  const seen: string[] = [];
  for await (const order of records(client.orders.list, { limit: 3 })) seen.push(order.id);
  expect(seen).toEqual(made);
});

test('orders are filtered by status, reference and time', async () => {
  const { fixture, client } = await startClient();
  const early = await orderMade(
    client.orders.create({ body: { orders: [orderRequest({ external_order_ref: 'A' })] } }),
  );
  await fixture.pass(60_000);
  const late = await orderMade(
    client.orders.create({ body: { orders: [orderRequest({ external_order_ref: 'B' })] } }),
  );
  await client.orders.cancel({ params: { order_id: late.data.id } });
  const ids = async (query: NonNullable<Parameters<typeof client.orders.list>[0]>['query']) =>
    (await client.orders.list(query === undefined ? {} : { query })).data.data.map(({ id }) => id);
  expect(await ids({ status: ['open'] })).toEqual([early.data.id]);
  expect(await ids({ status: ['open', 'canceled'] })).toEqual([late.data.id, early.data.id]);
  expect(await ids({ external_order_ref: 'B' })).toEqual([late.data.id]);
  expect(await ids({ created_after: '2026-03-02T12:00:30Z' })).toEqual([late.data.id]);
  const edges = [early.data.created_at, late.data.created_at];
  expect(await ids({ created_after: edges[1] })).toEqual([late.data.id]);
  expect(await ids({ created_after: edges[0], created_before: edges[1] })).toEqual([early.data.id]);
  expect(await ids({ created_before: '2026-03-02T14:00:30+02:00' })).toEqual([early.data.id]);
  expect(await ids({ external_order_ref: 'C' })).toEqual([]);
});

test('deliveries are filtered by group, service, reference, and phone of pickup or dropoff', async () => {
  const { fixture, client } = await startClient();
  const requests = [orderRequest({ external_order_ref: 'A-7' })];
  await dispatchRoute(fixture, { requests, provider: 'haulvan' });
  const count = async (query: NonNullable<Parameters<typeof client.deliveries.list>[0]>['query']) =>
    (await client.deliveries.list(query === undefined ? {} : { query })).data.data.length;
  expect(await count({ status: ['initial'] })).toBe(1);
  expect(await count({ status: ['delivery_created'] })).toBe(1);
  expect(await count({ status: ['canceled'] })).toBe(0);
  expect(await count({ status: ['canceled', 'delivery_created'] })).toBe(1);
  expect(await count({ status: ['initial', 'delivery_created'] })).toBe(1);
  expect(await count({ service: 'haulvan' })).toBe(1);
  expect(await count({ service: 'swiftly' })).toBe(0);
  expect(await count({ external_order_ref: 'A-7' })).toBe(1);
  expect(await count({ phone: '+13125550142' })).toBe(1);
  expect(await count({ phone: '13125550100' })).toBe(1);
  expect(await count({ phone: '13125550199' })).toBe(0);
});

test('deliveries are filtered by text, lateness and time without change', async () => {
  const { fixture, client } = await startClient();
  await dispatchRoute(fixture, { requests: [orderRequest({ dropoff_name: 'Zoë 100% O’Neil' })] });
  const list = async (query: NonNullable<Parameters<typeof client.deliveries.list>[0]>['query'] = {}) =>
    (await client.deliveries.list({ query })).data.data;
  const matchedBy = async (q: string) =>
    (await client.deliveries.listDetailed({ query: { q } })).data.data.map(({ details }) => details.matched);
  const [delivery] = await list();
  for (const [q, matched] of [
    ['zoë', 'dropoff name'],
    ['ZOË 100% oneil', 'dropoff name'],
    ['43 e ohio', 'pickup address'],
    ['PIZZA', 'pickup name'],
    ['233 S Wacker Dr, Chicago, IL 60606, USA', 'dropoff address'],
  ] as const) {
    expect(await list({ q })).toEqual([delivery]);
    expect(await matchedBy(q)).toEqual([matched]);
  }
  expect(await list({ q: '' })).toEqual([delivery]);
  for (const q of ['onail', '%', 'zoe chicagoo']) expect(await list({ q })).toEqual([]);
  const made = delivery?.updated_at ?? '';
  expect(await list({ unchanged_since: made })).toEqual([delivery]);
  expect(await list({ unchanged_since: new Date(Date.parse(made) - 1).toISOString() })).toEqual([]);
  expect(await list({ late: true })).toEqual([]);
  expect(await list({ late: false, q: 'zoë', status: ['initial'] })).toEqual([delivery]);
  const { id = '' } = delivery ?? {};
  const expectedAt = async (dropoff_eta: number, promised_at: number) => {
    const change = { dropoff_eta, promised_at };
    const overdue = { id, from: 'delivery_created', change, now: fixture.now() } as const;
    await fixture.storage.run((db) => updateDelivery(db, overdue));
  };
  const now = fixture.now();
  await expectedAt(now, now - 5 * 60_000);
  expect(await list({ late: true })).toEqual([]);
  await expectedAt(now + 60_000, now - 4 * 60_000);
  expect(await list({ late: true })).toEqual([]);
  await expectedAt(now + 60_000, now - 4 * 60_000 - 1);
  expect((await list({ late: true })).map((found) => found.id)).toEqual([id]);
  await expectedAt(now - 60_000, now - 5 * 60_000 - 1);
  expect((await list({ late: true })).map((found) => found.id)).toEqual([id]);
  expect(await list({ late: true, q: 'nobody' })).toEqual([]);
});

test('a delivery that is not initiated is neither late nor stuck', async () => {
  const { fixture, client } = await startClient();
  const { data } = await client.deliveries.create({ body: orderRequest() });
  await fixture.pass(24 * 60 * 60_000);
  const ids = async (query: { late?: boolean; unchanged_since?: string }) =>
    (await client.deliveries.list({ query })).data.data.map(({ id }) => id);
  const unchanged_since = new Date(fixture.now()).toISOString();
  expect([await ids({ late: true }), await ids({ unchanged_since })]).toEqual([[], []]);
  expect(await ids({})).toEqual([data.id]);
});

const newestFirst = (refs: readonly string[]) => [...refs].reverse();

test('records of the same millisecond are listed newest first', async () => {
  const { client } = await startClient();
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
  expect(ids.map(requestNumber)).toEqual(places.map(([request]) => request));
  expect(new Set(ids.map(takeRandomPart)).size).toBe(1);
  for (const id of ids) expect(id).toMatch(/^ord_[0-9A-HJKMNP-TV-Z]{26}$/);
  expect(requestNumber(idAt(5_000_000, 0))).toBe(1_048_575);
});
