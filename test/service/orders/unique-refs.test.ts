import { describe, expect, onTestFinished, test } from 'vitest';
import type { Client } from '../../../src/client/client.ts';
import { ApiError } from '../../../src/client/errors.ts';
import type { OrderRequest } from '../../../src/contract/orders.ts';
import { createService } from '../../../src/service/service.ts';
import { openStorage } from '../../../src/storage/open-storage.ts';
import { engines } from '../../databases.ts';
import { auto, withScenario } from '../auto-dispatch/batches.ts';
import { startedDelivery } from '../delivery-runs.ts';
import { clientOf, dispatchRoute, type Fixture, orderMade, orderRequest, startFixture } from '../fixture.ts';

const day_ms = 24 * 60 * 60_000;
const of = (external_order_ref: string, changes: Partial<OrderRequest> = {}) =>
  orderRequest({ external_order_ref, ...changes });

type Creation = (client: Client, ref: string, headers?: Record<string, string>) => Promise<unknown>;

/** Each way to create with `unique_ref`, and the path of the reference in its request. */
const creations: Record<string, { create: Creation; path: string }> = {
  'one order': {
    create: (client, ref, headers = {}) =>
      client.orders.create({ body: { orders: [of(ref)], unique_ref: true }, headers }),
    path: 'orders[0].external_order_ref',
  },
  'an order alone': {
    create: (client, ref, headers = {}) =>
      client.orders.createOne({ body: { ...of(ref), unique_ref: true }, headers }),
    path: 'external_order_ref',
  },
  'auto dispatch': {
    create: (client, ref, headers = {}) => {
      const orders = [of('another'), of(ref)];
      return client.orders.create({ body: { orders, settings: auto(), unique_ref: true }, headers });
    },
    path: 'orders[1].external_order_ref',
  },
  'several orders': {
    create: (client, ref, headers = {}) =>
      client.orders.createMany({ body: { orders: [of('another'), of(ref)], unique_ref: true }, headers }),
    path: 'orders[1].external_order_ref',
  },
  'a stored delivery': {
    create: (client, ref, headers = {}) =>
      client.deliveries.create({ body: { ...of(ref), unique_ref: true }, headers }),
    path: 'external_order_ref',
  },
  'an initiated delivery': {
    create: (client, ref, headers = {}) =>
      client.deliveries.create({ body: { ...of(ref), initiate: true, unique_ref: true }, headers }),
    path: 'external_order_ref',
  },
};

/** The error of a refused call. */
async function refusalOf(call: Promise<unknown>): Promise<ApiError> {
  const error = await call.then(
    () => null,
    (fault: unknown) => fault,
  );
  if (!(error instanceof ApiError)) throw new Error(`not refused: ${error}`);
  return error;
}

const countOrders = async (client: Client) =>
  (await client.orders.list({ query: { limit: 100 } })).data.data.length;

test.each(Object.entries(creations))('%s', async (_name, { create, path }) => {
  const client = (await startFixture()).client();
  await create(client, 'A-1');
  const [order] = (await client.orders.list({ query: { external_order_ref: 'A-1' } })).data.data;
  const ids = [order?.id, ...(order?.delivery_id ? [order.delivery_id] : [])];
  const before = await countOrders(client);
  for (const other of Object.values(creations)) {
    const error = await refusalOf(other.create(client, ' A-1\u200b'));
    expect(error).toMatchObject({
      status: 409,
      code: 'duplicate_ref',
      related_ids: expect.arrayContaining(ids),
    });
    expect(error.details).toContainEqual({
      path: other.path,
      message: `"A-1" is in use by order ${ids.join(', ')} (${order?.status})`,
      related_ids: ids,
    });
  }
  expect(await countOrders(client)).toBe(before);
  expect(path).not.toBe('');
});

describe.each(['sqlite', 'postgres'] as const)('on %s', (engine) => {
  test.each(Object.entries(creations))(
    'of two requests at once one creates: %s',
    async (_name, { create }) => {
      const location = await engines[engine]();
      const fixture = await startFixture({ location });
      onTestFinished(() => fixture.storage.close());
      const clients = [fixture.client(), fixture.client()];
      if (engine === 'postgres') {
        const storage = await openStorage(location);
        onTestFinished(() => storage.close());
        clients[1] = clientOf(createService({ ...fixture.config, storage }), fixture.keys.test);
      }
      const calls = Array.from({ length: 6 }, (_, index) =>
        create(clients[index % 2] ?? fixture.client(), 'B-2'),
      );
      const outcomes = await Promise.allSettled(calls);
      expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
      const { data } = await fixture.client().orders.list({ query: { external_order_ref: 'B-2' } });
      expect(data.data).toHaveLength(1);
    },
  );
});

/** What a record with a reference is, and whether the reference is in use. */
const states: Record<
  string,
  { isInUse: boolean; make: (fixture: Fixture, ref: string) => Promise<unknown> }
> = {
  'an open order': { isInUse: true, make: ({ client }, ref) => opened(client(), ref) },
  'a canceled order': {
    isInUse: false,
    make: async ({ client }, ref) => {
      const { id } = await opened(client(), ref);
      await client().orders.cancel({ params: { order_id: id } });
    },
  },
  'a dispatched order': {
    isInUse: true,
    make: (fixture, ref) => dispatchRoute(fixture, { requests: [of(ref)] }),
  },
  'a delivered one': {
    isInUse: true,
    make: async (fixture, ref) => {
      await dispatchRoute(fixture, { requests: [of(ref)] });
      await fixture.pass(3 * 60 * 60_000);
    },
  },
  'one that came back': {
    isInUse: true,
    make: async (fixture, ref) => {
      await dispatchRoute(fixture, { requests: [of(ref, withScenario('customer_refused'))] });
      await fixture.pass(6 * 60 * 60_000);
    },
  },
  'a failed delivery': {
    isInUse: false,
    make: ({ client }, ref) => startedDelivery(client(), 'no_capacity', { external_order_ref: ref }),
  },
  'a canceled delivery': {
    isInUse: false,
    make: async ({ client }, ref) => {
      const { id } = await startedDelivery(client(), 'happy_path', { external_order_ref: ref });
      await client().deliveries.cancel({ params: { deliveryid: id }, body: {} });
    },
  },
  'one that auto dispatch goes on with after a failure': {
    isInUse: true,
    make: async (fixture, ref) => {
      const orders = [of(ref, withScenario('payment_declined'))];
      await fixture.client().orders.create({ body: { orders, settings: auto() } });
      await fixture.pass(60_000);
    },
  },
  'one that auto dispatch found no courier for': {
    isInUse: false,
    make: async (fixture, ref) => {
      const orders = [of(ref, withScenario('no_quotes'))];
      await fixture.client().orders.create({ body: { orders, settings: auto({ retry_window: 0 }) } });
      await fixture.pass(60_000);
    },
  },
  'an order of 30 days ago': {
    isInUse: true,
    make: async (fixture, ref) => {
      await opened(fixture.client(), ref);
      await fixture.pass(30 * day_ms);
    },
  },
  'an older one': {
    isInUse: false,
    make: async (fixture, ref) => {
      await opened(fixture.client(), ref);
      await fixture.pass(30 * day_ms + 1);
    },
  },
};

async function opened(client: Client, ref: string) {
  return (await orderMade(client.orders.create({ body: { orders: [of(ref)] } }))).data;
}

test.each(Object.entries(states))('%s', async (_name, { isInUse, make }) => {
  const fixture = await startFixture();
  await make(fixture, 'C-3');
  const outcome = creations['one order']?.create(fixture.client(), 'C-3');
  if (isInUse) await expect(outcome).rejects.toMatchObject({ code: 'duplicate_ref' });
  else await expect(outcome).resolves.toBeDefined();
  await expect(opened(fixture.client(), 'C-3')).resolves.toBeDefined();
});

test('equal references within a request are refused by their paths, empty ones are not', async () => {
  const fixture = await startFixture();
  const client = fixture.client();
  const orders = [of('D-4'), of(''), of(''), of('D-4 ')];
  const error = await refusalOf(client.orders.createMany({ body: { orders, unique_ref: true } }));
  expect([error.code, error.details]).toEqual([
    'duplicate_ref',
    [
      {
        path: 'orders[3].external_order_ref',
        message: 'is the same as orders[0].external_order_ref',
        conflicts_with: 'orders[0].external_order_ref',
      },
    ],
  ]);
  expect(await countOrders(client)).toBe(0);
  await client.orders.createMany({ body: { orders } });
  expect(await countOrders(client)).toBe(4);
});

test('the other mode and other accounts have references of their own', async () => {
  const fixture = await startFixture();
  await opened(fixture.client(fixture.keys.live), 'E-5');
  await creations['one order']?.create(fixture.client(), 'E-5');
});

test.each(Object.entries(creations))('a repeat gets its first response: %s', async (_name, { create }) => {
  const fixture = await startFixture();
  const client = fixture.client();
  const key = { 'idempotency-key': 'K' };
  const calls = [create(client, 'F-6', key), create(client, 'F-6', key), create(client, 'F-6', key)];
  const answers = await Promise.all(calls);
  expect(new Set(answers.map((answer) => JSON.stringify(Object(answer).data))).size).toBe(1);
});

test('a refused reference is free for the same key once its record has ended', async () => {
  const fixture = await startFixture();
  const client = fixture.client();
  const { id } = await opened(client, 'G-7');
  const repeated = () => creations['one order']?.create(client, 'G-7', { 'idempotency-key': 'K' });
  await expect(repeated()).rejects.toMatchObject({ code: 'duplicate_ref' });
  await client.orders.cancel({ params: { order_id: id } });
  await expect(repeated()).resolves.toBeDefined();
});

/** Ways to dispatch an order that exists, with `unique_ref`; each stores what it dispatches. */
const dispatches = {
  'a route': async (client: Client) => {
    const { data: order } = await orderMade(client.orders.create({ body: { orders: [of('F-1')] } }));
    const { data: route } = await client.routes.create({ body: { order_ids: [order.id] } });
    const params = { route_id: route.id };
    await client.quotes.request({ params });
    return async (fixture: Fixture, body: { unique_ref?: true }) => {
      await fixture.pass(10_000);
      const { data: quotes } = await client.quotes.list({ params });
      return client.dispatches.create({ params, body: { quote_id: quotes.data?.[0]?.id ?? '', ...body } });
    };
  },
  'a stored delivery': async (client: Client) => {
    const { data } = await client.deliveries.create({ body: of('F-1') });
    const params = { deliveryid: data.id };
    return (_: Fixture, body: { unique_ref?: true }) => client.deliveries.initiate({ params, body });
  },
};

test.each(Object.entries(dispatches))(
  '%s is not dispatched once another order with its reference is sent, unless that is allowed',
  async (_, store) => {
    const fixture = await startFixture();
    const client = fixture.client();
    const dispatch = await store(client);
    // One that only exists is no second delivery.
    await client.orders.create({ body: { orders: [of('F-1')] } });
    const { data: sent } = await client.deliveries.create({ body: { ...of('F-1'), initiate: true } });
    const { code, message, related_ids } = await refusalOf(dispatch(fixture, { unique_ref: true }));
    expect([code, message]).toEqual(['duplicate_ref', expect.stringContaining('Nothing was dispatched.')]);
    expect(related_ids).toEqual([sent.order_id, sent.id]);
    expect((await client.deliveries.list({})).data.data.map(({ status }) => status)).not.toContain('failed');
    await dispatch(fixture, {});
    const { data } = await client.orders.list({ query: { status: ['dispatched'] } });
    expect(data.data).toHaveLength(2);
  },
);
