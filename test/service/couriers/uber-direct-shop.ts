import type { Delivery } from '../../../src/contract/deliveries.ts';
import type { OrderRequest } from '../../../src/contract/orders.ts';
import { courierProviders, simulatedProviders } from '../../../src/providers/directory.ts';
import { createCircuitBreakers } from '../../../src/service/runtime/circuit-breaker.ts';
import { createCourierBookings } from '../../../src/service/runtime/courier-connections.ts';
import { createCourierHttp } from '../../../src/service/runtime/courier-http.ts';
import { systemWeb } from '../../../src/service/runtime/network.ts';
import { monotonicClock, realTimers } from '../../../src/service/runtime/time.ts';
import { type UberDirect, uberDirect } from '../../fakes/uber-direct/server.ts';
import type { Push } from '../../fakes/uber-direct/webhooks.ts';
import { memoryRecords } from '../../providers/simulated/memory-records.ts';
import { account } from '../../providers/uber-direct/sample-requests.ts';
import { draftRoute, type Fixture, orderRequest, start, startFixture } from '../fixture.ts';

/** A shop that has connected Uber Direct in test mode, and a fake Uber Direct with the same clock. */
export interface Shop {
  fixture: Fixture;
  uber: UberDirect;
  /** Sends a webhook to the shop's address. */
  push: (push: Push) => Promise<number>;
  close: () => Promise<void>;
}

const settings = {
  client_id: account.client_id,
  client_secret: account.client_secret,
  customer_id: account.customer_id,
  webhook_signing_key: account.signing_key,
};

/** Webhooks arrive at once, and before the answer of the call that they are about. */
export async function startShop(): Promise<Shop> {
  const clock = { now: () => start };
  const uber = await uberDirect({ ...account, live_mode: false }, () => clock.now());
  const hosts = { 'api.uber.com': uber.origin, 'auth.uber.com': uber.origin };
  const wall = { now: () => clock.now() };
  const circuits = createCircuitBreakers(monotonicClock);
  const ports = { timers: realTimers, wall, circuits, web: systemWeb };
  const http = createCourierHttp({ ...ports, allows_private: false, hosts });
  const fixture = await startFixture({
    parts: { courier_http: http, circuits },
    providersOf: ({ storage, connections }) => [
      ...simulatedProviders(memoryRecords()),
      ...courierProviders({
        settings: connections.settings,
        bookings: createCourierBookings(storage, wall),
        http,
        now: wall.now,
      }),
    ],
  });
  clock.now = fixture.now;
  const path = await connect(fixture, fixture.keys.test);
  const push = async ({ headers, body }: Push) =>
    (await fixture.send('POST', path, { headers, body })).status;
  uber.webhook.send = push;
  return { fixture, uber, push, close: uber.close };
}

/** Connects Uber Direct and gives the path for its webhooks. */
async function connect({ send }: Fixture, key: string): Promise<string> {
  const headers = { 'x-api-key': key };
  const { status, body } = await send('PUT', '/v2/couriers/uber-direct', { headers, body: { settings } });
  if (status !== 200) throw new Error(body);
  return new URL(JSON.parse(body).push_url).pathname;
}

/** The quote of Uber Direct for a new route. */
export async function quoted({ fixture }: Shop, orders: readonly Partial<OrderRequest>[] = [{ tip: 200 }]) {
  const client = fixture.client();
  const route = await draftRoute(
    client,
    orders.map((order) => orderRequest(order)),
  );
  const params = { route_id: route.id };
  await client.quotes.request({ params });
  await fixture.pass(5_000);
  const { data } = await client.quotes.list({ params });
  const quote = data.data?.find(({ provider }) => provider === 'uber-direct');
  if (quote === undefined) throw new Error(`no quote: ${JSON.stringify(data)}`);
  return { params, quote };
}

/** Dispatches a new route to Uber Direct and gives its deliveries. */
export async function dispatched(shop: Shop, orders?: readonly Partial<OrderRequest>[]): Promise<Delivery[]> {
  const { params, quote } = await quoted(shop, orders);
  const { data } = await shop.fixture.client().dispatches.create({ params, body: { quote_id: quote.id } });
  return data.deliveries;
}

/** A delivery as it is now. */
export async function deliveryNow({ fixture }: Shop, { id }: { id: string }): Promise<Delivery> {
  return (await fixture.client().deliveries.get({ params: { deliveryid: id } })).data;
}

export async function historyOf(shop: Shop, delivery: { id: string }): Promise<string[]> {
  return (await deliveryNow(shop, delivery)).status_history.map(({ status }) => status);
}

/** The only delivery at the courier. */
export function booked({ uber }: Shop) {
  const [first, ...others] = uber.state.deliveries.values();
  if (first === undefined || others.length > 0) throw new Error(`${others.length} more deliveries than one`);
  return first;
}

/** Lets the courier go a number of steps, a minute each. */
export async function drive({ fixture, uber }: Shop, id: string, steps: number): Promise<void> {
  for (let step = 0; step < steps; step++) {
    await fixture.pass(60_000);
    await uber.step(id);
  }
}
