import type { Client } from '../../../src/client/client.ts';
import type { Delivery } from '../../../src/contract/deliveries.ts';
import type { OrderSettings } from '../../../src/contract/orders.ts';
import { isScenario, type Scenario, scenarioNames } from '../../../src/domain/scenarios.ts';
import { oneOf } from '../../in-part.ts';
import { draftRoute, type Fixture, orderRequest } from '../fixture.ts';
import { newBatch, withScenario } from './batches.ts';

/** What can happen to an order: by its scenario, and by actions of merchant or operator. */
export interface DispatchCase {
  name: string;
  scenario: Scenario;
  /** An action once a courier has the delivery. */
  action?: (client: Client, delivery: Delivery) => Promise<unknown>;
  /** An action after a day. */
  afterwards?: (client: Client, delivery: Delivery) => Promise<unknown>;
}

const params = ({ id }: Delivery) => ({ deliveryid: id });

const actions: DispatchCase[] = [
  {
    name: 'canceled by the merchant',
    scenario: 'happy_path',
    action: (client, delivery) => client.deliveries.cancel({ params: params(delivery), body: {} }),
  },
  {
    name: 'its order canceled by the merchant',
    scenario: 'happy_path',
    action: (client, { order_id }) => client.orders.cancel({ params: { order_id } }),
  },
  {
    name: 'canceled by the operator',
    scenario: 'happy_path',
    action: (client, delivery) =>
      client.deliveries.cancel({ params: params(delivery), body: { operator: true } }),
  },
  {
    name: 'a cancellation that crosses the pickup',
    scenario: 'cancel_race',
    action: (client, delivery) =>
      client.deliveries.cancel({ params: params(delivery), body: {} }).catch(() => null),
  },
  {
    name: 'corrected before the pickup',
    scenario: 'happy_path',
    action: (client, delivery) =>
      client.deliveries.edit({ params: params(delivery), body: { dropoff_notes: 'Ring twice' } }),
  },
  {
    name: 'disputed',
    scenario: 'happy_path',
    afterwards: (client, delivery) =>
      client.deliveries.dispute({ params: params(delivery), body: { reason: 'It is not here' } }),
  },
];

/** Deterministic scenarios, and every action. */
export const dispatch_cases: readonly DispatchCase[] = [
  ...scenarioNames
    .filter(isScenario)
    .filter((scenario) => scenario !== 'chaos')
    .filter(oneOf(2))
    .map((scenario) => ({ name: scenario, scenario })),
  ...actions,
];

/** The retry settings of scenarios that need more than one attempt; the manual flow asks as often. */
const retry_settings: Partial<Record<Scenario, Omit<OrderSettings, 'mechanism'>>> = {
  no_quotes_then: { retry_window: 30, retry_interval: 10 },
  payment_declined_once: { retry_window: 300, retry_interval: 300 },
};

/** The order of each case, by name. */
export type OrdersByCase = ReadonlyMap<string, string>;

/** Each case manually: a route, quotes until some are valid, and a dispatch until it is paid. */
export async function dispatchManually(fixture: Fixture): Promise<OrdersByCase> {
  const client = fixture.client();
  const orders = new Map<string, string>();
  for (const { name, scenario, action } of dispatch_cases) {
    const route = await draftRoute(client, [orderRequest(withScenario(scenario))]);
    const [order_id = ''] = route.order_ids;
    orders.set(name, order_id);
    const rounds = scenario === 'no_quotes_then' ? 4 : 1;
    const delivery = await dispatched(fixture, route.id, rounds);
    if (delivery?.status === 'failed' && retry_settings[scenario] !== undefined) {
      const again = (await client.routes.create({ body: { order_ids: [order_id] } })).data;
      await dispatched(fixture, again.id, 1);
    }
    if (delivery !== null) await action?.(client, delivery);
  }
  await finish(fixture, orders);
  return orders;
}

async function dispatched(fixture: Fixture, route_id: string, rounds: number): Promise<Delivery | null> {
  const client = fixture.client();
  for (let round = 1; round <= rounds; round += 1) {
    await client.quotes.request({ params: { route_id } });
    await completed(fixture, route_id);
    const quotes = (await client.quotes.list({ params: { route_id } })).data.data ?? [];
    const quote = quotes.find(({ provider }) => provider === 'poolride');
    if (quote === undefined) continue;
    if (isDead(fixture, quote)) return dispatched(fixture, route_id, 1);
    const body = { quote_id: quote.id };
    const { data } = await client.dispatches.create({ params: { route_id }, body });
    return data.deliveries[0] ?? null;
  }
  return null;
}

function isDead(fixture: Fixture, { expires_at }: { expires_at: string | null }): boolean {
  return expires_at !== null && Date.parse(expires_at) <= fixture.now();
}

async function completed(fixture: Fixture, route_id: string): Promise<void> {
  for (let waited = 0; waited < 100; waited += 5) {
    await fixture.pass(5000);
    const { status } = (await fixture.client().quotes.list({ params: { route_id } })).data;
    if (status === 'COMPLETE') return;
  }
  throw new Error('the quotes never came');
}

/** Each case by auto dispatch. */
export async function dispatchAutomatically(fixture: Fixture): Promise<OrdersByCase> {
  const client = fixture.client();
  const orders = new Map<string, string>();
  for (const { name, scenario, action } of dispatch_cases) {
    const batch_id = await newBatch(
      client,
      [withScenario(scenario)],
      retry_settings[scenario] ?? { retry_window: 0 },
    );
    const [line] = (await client.batches.get({ params: { batch_id } })).data.orders;
    const order_id = line?.order_id ?? '';
    orders.set(name, order_id);
    if (action === undefined) continue;
    await fixture.pass(5000);
    await action(client, await deliveryOf(client, order_id));
  }
  await finish(fixture, orders);
  return orders;
}

/** Passes more than a day, and runs the remaining tasks. */
async function finish(fixture: Fixture, orders: OrdersByCase): Promise<void> {
  await fixture.pass(26 * 3_600_000);
  const client = fixture.client();
  for (const { name, afterwards } of dispatch_cases) {
    const delivery = await deliveryOf(client, orders.get(name) ?? '').catch(() => null);
    if (delivery !== null) await afterwards?.(client, delivery);
  }
}

async function deliveryOf(client: Client, order_id: string): Promise<Delivery> {
  const { delivery } = (await client.orders.get({ params: { order_id }, query: { expand: 'delivery' } }))
    .data;
  if (delivery === null || delivery === undefined) throw new Error('nothing was dispatched');
  return delivery;
}
