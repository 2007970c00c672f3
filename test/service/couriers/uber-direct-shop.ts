import { onTestFinished } from 'vitest';
import type { OrderRequest } from '../../../src/contract/orders.ts';
import { courierProviders, simulatedProviders } from '../../../src/providers/directory.ts';
import { createCircuitBreakers } from '../../../src/service/runtime/circuit-breakers.ts';
import { systemWeb } from '../../../src/service/runtime/network.ts';
import { createCourierHttp } from '../../../src/service/runtime/outgoing-calls.ts';
import { createCourierBookings } from '../../../src/service/runtime/system.ts';
import { monotonicClock, realTimers } from '../../../src/service/runtime/time.ts';
import { type UberDirect, uberDirect } from '../../fakes/uber-direct/server.ts';
import { memoryRecords } from '../../providers/simulated/memory-records.ts';
import { account } from '../../providers/uber-direct/sample-requests.ts';
import { dispatchRoute, type Fixture, orderRequest, start, startFixture } from '../fixture.ts';

/** A shop that has connected Uber Direct in test mode, and a fake Uber Direct with the same clock. */
export interface Shop {
  fixture: Fixture;
  uber: UberDirect;
  /** The wall clock, which is service time unless a test sets another. */
  clock: { now: () => number };
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
  onTestFinished(uber.close);
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
  const connection = { params: { name: 'uber-direct' }, body: { settings } };
  const { data } = await fixture.client().couriers.connect(connection);
  const path = new URL(data.push_url ?? '').pathname;
  uber.webhook.send = async ({ headers, body }) =>
    (await fixture.send('POST', path, { headers, body })).status;
  return { fixture, uber, clock };
}

/** A delivery of a new route that Uber Direct carries, with its quote. */
export async function dispatchOne({ fixture }: Shop, order: Partial<OrderRequest> = { tip: 200 }) {
  const route = { requests: [orderRequest(order)], provider: 'uber-direct' };
  const { quote, deliveries } = await dispatchRoute(fixture, route);
  const [delivery] = deliveries;
  if (delivery === undefined) throw new Error('no delivery');
  return { quote, delivery };
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
