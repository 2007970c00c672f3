import type { ErrorCode } from '../../src/contract/errors.ts';
import { dispatchRoute, draftRoute, type Fixture, orderRequest, quotesOf } from './fixture.ts';

/** A request that must be refused, with its error code. */
export interface Refusal {
  name: string;
  code: ErrorCode;
  /** A pattern for the message or the path of an error. */
  says: RegExp;
  send: (fixture: Fixture) => Promise<{ status: number; body: string; headers: Record<string, string> }>;
}

export const create = (fixture: Fixture, body: unknown, headers: Record<string, string> = {}) =>
  fixture.send('POST', '/v2/orders/create', { body, headers });
export const one = (changes: object) => ({ orders: [{ ...orderRequest(), ...changes }] });

async function dispatch(fixture: Fixture, route_id: string, quote_id: string) {
  return fixture.send('POST', `/v2/routes/${route_id}/dispatch`, { body: { quote_id } });
}

export const refusals: Refusal[] = [
  {
    name: 'a read-only key that writes',
    code: 'unauthorized',
    says: /read permission; this request needs write/,
    send: async (fixture) => {
      const { data } = await fixture.client().keys.create({ body: { permission: 'read' } });
      return create(fixture, one({}), { 'x-api-key': data.key ?? '' });
    },
  },
  {
    name: 'a live key on a test route',
    code: 'route_api_key_test_mode_mismatch',
    says: /test mode.*live key/,
    send: async (fixture) => {
      const route = await draftRoute(fixture.client());
      return fixture.send('GET', `/v2/routes/${route.id}/quotes`, {
        headers: { 'x-api-key': fixture.keys.live },
      });
    },
  },
  {
    name: 'an unknown route',
    code: 'record_not_found',
    says: /There is no route rte_nope/,
    send: (fixture) => fixture.send('POST', '/v2/routes/rte_nope/quotes'),
  },
  {
    name: 'quoting a dispatched route',
    code: 'route_not_draft',
    says: /is dispatched/,
    send: async (fixture) => {
      const { route } = await dispatchRoute(fixture);
      return fixture.send('POST', `/v2/routes/${route.id}/quotes`);
    },
  },
  {
    name: 'deleting a dispatched route',
    code: 'route_not_draft',
    says: /is dispatched/,
    send: async (fixture) => {
      const { route } = await dispatchRoute(fixture);
      return fixture.send('DELETE', `/v2/routes/${route.id}`);
    },
  },
  {
    name: 'dispatch before quotes were asked for',
    code: 'quotes_not_ready',
    says: /has no quotes/,
    send: async (fixture) => dispatch(fixture, (await draftRoute(fixture.client())).id, 'rq_1'),
  },
  {
    name: 'dispatch before quotes are there',
    code: 'quotes_not_ready',
    says: /pending/,
    send: async (fixture) => {
      const route = await draftRoute(fixture.client());
      await fixture.client().quotes.request({ params: { route_id: route.id } });
      return dispatch(fixture, route.id, 'rq_1');
    },
  },
  {
    name: "another route's quote",
    code: 'quote_not_found',
    says: /has no quote/,
    send: async (fixture) => {
      const [mine, other] = [await draftRoute(fixture.client()), await draftRoute(fixture.client())];
      await quotesOf(fixture, mine.id);
      const [quote] = await quotesOf(fixture, other.id);
      return dispatch(fixture, mine.id, quote?.id ?? '');
    },
  },
  {
    name: 'a quote of an earlier round',
    code: 'quote_outdated',
    says: /earlier round/,
    send: async (fixture) => {
      const { id } = await draftRoute(fixture.client());
      const [quote] = await quotesOf(fixture, id);
      await quotesOf(fixture, id);
      return dispatch(fixture, id, quote?.id ?? '');
    },
  },
  {
    name: 'an expired quote',
    code: 'quote_expired',
    says: /has expired/,
    send: async (fixture) => {
      const route = await draftRoute(fixture.client());
      const quotes = await quotesOf(fixture, route.id);
      await fixture.pass(5 * 60_000);
      return dispatch(fixture, route.id, quotes.find(({ provider }) => provider === 'metrobike')?.id ?? '');
    },
  },
  {
    name: 'two orders in one manual request',
    code: 'invalid_request',
    says: /takes one order per request; this request has 2/,
    send: (fixture) => create(fixture, { orders: [orderRequest(), orderRequest()] }),
  },
  {
    name: 'an order_value of 12.5',
    code: 'invalid_request',
    says: /orders\[0\]\.order_value/,
    send: (fixture) => create(fixture, one({ order_value: 12.5 })),
  },
  {
    name: 'an empty body',
    code: 'invalid_request',
    says: /"orders","message":"is required"/,
    send: (fixture) => fixture.send('POST', '/v2/orders/create'),
  },
  {
    name: 'a body of another type',
    code: 'unsupported_media_type',
    says: /application\/json/,
    send: (fixture) =>
      fixture.send('POST', '/v2/routes', { body: 'a=b', headers: { 'content-type': 'text/plain' } }),
  },
  {
    name: 'a plus before a US number without its country code',
    code: 'invalid_request',
    says: /orders\[0\]\.dropoff_phone_number.*did you mean/i,
    send: (fixture) => create(fixture, one({ dropoff_phone_number: '+3125550142' })),
  },
  {
    name: 'both pickup_at and dropoff_at',
    code: 'invalid_request',
    says: /orders\[0\]\.dropoff_at.*together with pickup_at/,
    send: (fixture) =>
      create(fixture, one({ pickup_at: '2026-03-02T15:00:00Z', dropoff_at: '2026-03-02T16:00:00Z' })),
  },
  {
    name: 'a pickup_at that has passed',
    code: 'invalid_request',
    says: /orders\[0\]\.pickup_at.*future/,
    send: (fixture) => create(fixture, one({ pickup_at: '2026-03-02T11:59:59Z' })),
  },
  {
    name: 'a pickup_at in 31 days',
    code: 'invalid_request',
    says: /orders\[0\]\.pickup_at.*30 days/,
    send: (fixture) => create(fixture, one({ pickup_at: '2026-04-02T12:00:00Z' })),
  },
  {
    name: 'an address without ZIP',
    code: 'address_not_geocodable',
    says: /orders\[0\]\.pickup_address.*ZIP/,
    send: (fixture) => create(fixture, one({ pickup_address: '43 E Ohio St, Chicago' })),
  },
  {
    name: 'a control character',
    code: 'invalid_request',
    says: /orders\[0\]\.pickup_name.*control/,
    send: (fixture) => create(fixture, one({ pickup_name: 'a\u001b[31mb' })),
  },
  {
    name: 'a cursor that no list gave',
    code: 'invalid_request',
    says: /cursor/,
    send: (fixture) => fixture.send('GET', '/v2/orders?cursor=zzz'),
  },
  {
    name: 'an unknown filter',
    code: 'invalid_request',
    says: /"colour","message":"is not a field/,
    send: (fixture) => fixture.send('GET', '/v2/orders?colour=red'),
  },
  {
    name: 'an unknown scenario',
    code: 'simulation_unknown',
    says: /Unknown scenario or parameter \\"sunny\\"; see GET \/v2\/sandbox\/scenarios/,
    send: (fixture) => create(fixture, one({}), { 'x-simulation': 'sunny' }),
  },
  {
    name: 'a scenario with a live key',
    code: 'simulation_not_allowed',
    says: /test key on/,
    send: (fixture) =>
      create(fixture, one({}), { 'x-simulation': 'happy_path', 'x-api-key': fixture.keys.live }),
  },
  {
    name: 'an unknown path',
    code: 'not_found',
    says: /Unknown path/,
    send: (fixture) => fixture.send('GET', '/v2/nothing'),
  },
  {
    name: 'a wrong method',
    code: 'method_not_allowed',
    says: /only GET/,
    send: (fixture) => fixture.send('POST', '/v2/events'),
  },
  {
    name: 'orders whose times are hours apart in one route',
    code: 'invalid_request',
    says: /more than an hour/,
    send: async (fixture) => {
      const times = ['2026-03-02T15:00:00Z', '2026-03-02T17:00:00Z'];
      const orders = times.map((pickup_at) => orderRequest({ pickup_at }));
      const { order_ids } = (await fixture.client().orders.createMany({ body: { orders } })).data;
      return fixture.send('POST', '/v2/routes', { body: { order_ids } });
    },
  },
];
