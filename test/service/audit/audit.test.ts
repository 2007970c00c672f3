import { expect, test } from 'vitest';
import { everyOperation } from '../../../src/contract/openapi.ts';
import { operations } from '../../../src/contract/operations.ts';
import { engines } from '../../databases.ts';
import { addAccount } from '../accounts/second-account.ts';
import { auto } from '../auto-dispatch/batches.ts';
import {
  batchMade,
  type Fixture,
  orderMade,
  orderRequest,
  start,
  startClient,
  startFixture,
} from '../fixture.ts';
import { inOrder, type Parts, validParts } from '../isolation/requests.ts';
import { call, makeWorlds } from '../isolation/world.ts';

async function entriesOf(fixture: Fixture, key?: string) {
  return (await fixture.client(key).audit.list({ query: { limit: 100 } })).data.data;
}

/** Operations on several records, or on none with an id. */
const withoutRecord = [
  ...['QuoteDelivery', 'CreateManyOrders', 'UpdateSandboxSettings', 'SetClock', 'AdvanceClock'],
  'ResetSandbox',
];

/** Who carries out the operations that need no key. Every other one is carried out with a key. */
const actors: Readonly<Record<string, 'driver' | 'recipient'>> = {
  SendTaps: 'driver',
  UpdateTracking: 'recipient',
};

/** What those requests must have to change something. */
const changing: Readonly<Record<string, Parts>> = {
  SendTaps: {
    body: {
      sent_at: '2026-03-02T12:00:00.000Z',
      taps: [{ id: 'first', kind: 'duty', on: true, at: '2026-03-02T12:00:00.000Z' }],
    },
  },
};

/** One looks addresses up, and is a POST so that no log of URLs has them; the other keeps where a phone is told of offers. */
const changeNothing: readonly string[] = ['FindPlaces', 'SubscribeDriver'];

test('each operation that changes something leaves one entry with its record and actor, and no other does', async () => {
  const worlds = await makeWorlds();
  const { keys, ids } = worlds.test;
  const count = async () => {
    const rows = await worlds.fixture.storage.run((db) =>
      db.selectFrom('audit_entries').selectAll().execute(),
    );
    return rows.length;
  };
  for (const id of inOrder) {
    const before = await count();
    worlds.fixture.passWall(1);
    const parts = { ...validParts[id]?.(ids), ...changing[id] };
    const { status, headers } = await call(worlds, keys.admin, { id, parts, name: `audit ${id}` });
    expect([id, status < 300]).toEqual([id, true]);
    const operation = everyOperation.find((each) => each.id === id);
    const isExpected = operation?.method !== 'GET' && !changeNothing.includes(id);
    expect([id, (await count()) - before]).toEqual([id, isExpected ? 1 : 0]);
    if (!isExpected) continue;
    const [entry] = await entriesOf(worlds.fixture, keys.admin);
    const named = Object.values(parts.params ?? {});
    const actor = actors[id] ?? 'key';
    // Its path names the driver, its entry the delivery.
    const isNamed = named[0] !== undefined && actor === 'key' && id !== 'AssignDelivery';
    const record_id = isNamed ? named[0] : expect.stringMatching(/^[a-z]+_\w+$/);
    expect(entry).toMatchObject({
      ...{ operation: id, actor, record_id: withoutRecord.includes(id) ? null : record_id },
      request_id: actor === 'key' ? headers['x-request-id'] : null,
      key_last_four: actor === 'key' ? keys.admin.slice(-4) : null,
      driver_id: actor === 'driver' ? expect.stringMatching(/^drv_/) : null,
      ...{ address: null, test_mode: true },
    });
  }
  worlds.fixture.service.endStreams();
});

test.each(['sqlite', 'postgres'] as const)(
  'on %s, neither a refused request nor the repeat of one leaves an entry',
  async (engine) => {
    const fixture = await startFixture({ location: await engines[engine]() });
    const create = (body: unknown, key: string) =>
      fixture.send('POST', '/v2/orders/create', { body, headers: { 'idempotency-key': key } });
    const body = { orders: [orderRequest()] };
    const answers = [await create(body, 'one'), await create(body, 'one')];
    expect(answers.map(({ headers }) => headers['idempotent-replayed'])).toEqual([undefined, 'true']);
    const { id } = JSON.parse(answers[0]?.body ?? '');
    expect((await create({ orders: [] }, 'two')).status).toBe(400);
    expect((await create({ ...body, settings: {} }, 'one')).status).toBe(422);
    expect((await fixture.send('POST', `/v2/orders/${id}/cancel`)).status).toBe(200);
    expect((await fixture.send('POST', `/v2/orders/${id}/cancel`)).status).toBe(409);
    expect((await fixture.send('POST', '/v2/orders/ord_none/cancel')).status).toBe(404);
    const entries = await entriesOf(fixture);
    expect(entries.map(({ operation, record_id, detail }) => [operation, record_id, detail])).toEqual([
      ['CancelOrder', id, null],
      ['CreateOrders', id, null],
    ]);
    const two = { body: { orders: [orderRequest(), orderRequest()] } };
    expect((await fixture.send('POST', '/v2/orders/bulk', two)).status).toBeLessThan(300);
    expect((await entriesOf(fixture))[0]?.detail).toBe('2 orders');
    await fixture.storage.close();
  },
);

test.each(['sqlite', 'postgres'] as const)(
  'on %s, a key sees the entries of its account and mode only',
  async (engine) => {
    const fixture = await startFixture({ location: await engines[engine]() });
    const other = await addAccount(fixture);
    const keys = [fixture.keys.test, fixture.keys.live, other];
    for (const key of keys)
      await orderMade(fixture.client(key).orders.create({ body: { orders: [orderRequest()] } }));
    const seen = await Promise.all(keys.map((key) => entriesOf(fixture, key)));
    expect(seen.map((entries) => entries.length)).toEqual([1, 1, 1]);
    expect(new Set(seen.flat().map(({ id }) => id)).size).toBe(3);
    const record_id = seen[0]?.[0]?.record_id ?? '';
    const found = keys.map(
      async (key) => (await fixture.client(key).audit.list({ query: { record_id } })).data.data.length,
    );
    expect(await Promise.all(found)).toEqual([1, 0, 0]);
    await fixture.storage.close();
  },
);

test('entries are filtered, paged, and in the order of the requests of one millisecond', async () => {
  const { fixture, client } = await startClient();
  const made = [];
  for (let index = 0; index < 5; index++) {
    made.push((await orderMade(client.orders.create({ body: { orders: [orderRequest()] } }))).data.id);
  }
  fixture.passWall(60_000);
  await client.account.update({ body: { tip_limit: 500 } });
  const first = (await client.audit.list({ query: { operation: 'CreateOrders', limit: 3 } })).data;
  const cursor = first.next_cursor ?? '';
  const second = (await client.audit.list({ query: { operation: 'CreateOrders', limit: 3, cursor } })).data;
  expect([...first.data, ...second.data].map(({ record_id }) => record_id)).toEqual(made.toReversed());
  expect(second.has_more).toBe(false);
  const since = new Date(start + 30_000).toISOString();
  const late = (await client.audit.list({ query: { created_after: since } })).data.data;
  expect(late.map(({ operation, created_at }) => [operation, created_at])).toEqual([
    ['UpdateAccount', new Date(start + 60_000).toISOString()],
  ]);
  const key_id = late[0]?.key_id ?? '';
  expect((await client.audit.list({ query: { key_id } })).data.data).toHaveLength(6);
  expect((await client.audit.list({ query: { key_id: 'key_none' } })).data.data).toEqual([]);
});

test('an operation that leaves no entries is refused as a filter, with those that do', async () => {
  const fixture = await startFixture();
  const { status, body } = await fixture.send('GET', '/v2/audit?operation=ListOrders');
  expect([status, JSON.parse(body)]).toMatchObject([400, { details: [{ path: 'operation' }] }]);
  expect(JSON.parse(body).choices).toContain(operations.deliveries.cancel.id);
  expect(JSON.parse(body).choices).not.toContain('ListOrders');
});

test('the times are real while the sandbox clock is ahead, and a reset leaves the entries', async () => {
  const fixture = await startFixture();
  await fixture.client().clock.advance({ body: { by: 3_600 } });
  await fixture.client().sandbox.reset({ body: {} });
  const entries = await entriesOf(fixture);
  expect(entries.map(({ operation }) => operation)).toEqual(['ResetSandbox', 'AdvanceClock']);
  expect(new Set(entries.map(({ created_at }) => created_at))).toEqual(
    new Set([new Date(start).toISOString()]),
  );
});

test('a key that only reads is told who changed one record, without addresses, and nothing more', async () => {
  const worlds = await makeWorlds();
  const { keys, ids } = worlds.test;
  const client = worlds.fixture.client(keys.read);
  const delivery = ids.ended_delivery_id;
  const { data } = await client.audit.list({ query: { record_id: delivery } });
  expect(data.data.every(({ address }) => address === null)).toBe(true);
  for (const query of [{}, { record_id: 'key_1' }, { actor: 'key' } as const])
    await expect(client.audit.list({ query })).rejects.toMatchObject({ code: 'unauthorized' });
});

test('the entries of an order have those of the batch that it was sent with', async () => {
  const { client } = await startClient();
  const orders = ['6020', '6021'].map((external_order_ref) => orderRequest({ external_order_ref }));
  const settings = auto();
  const { batch_id } = await batchMade(client.orders.create({ body: { orders, settings } }));
  const { data } = (await client.audit.list({ query: { external_order_ref: '6021' } })).data;
  expect(data).toMatchObject([{ operation: 'CreateOrders', record_id: batch_id, detail: '2 orders' }]);
});
