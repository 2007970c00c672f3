import type { Client } from '../../src/client/client.ts';
import type { Delivery } from '../../src/contract/deliveries.ts';
import type { OrderRequest } from '../../src/contract/orders.ts';
import type { Scenario } from '../../src/domain/scenarios.ts';
import type { OrderRecord } from '../../src/service/orders/order.ts';
import { loadOrder } from '../../src/storage/orders.ts';
import { type Fixture, orderRequest } from './fixture.ts';

/** The scenario of a delivery, as a request header. */
export const scenarioHeader = (scenario: Scenario) => ({ 'x-simulation': scenario });

/** The stored scenario of an order. */
export async function storedScenario(
  fixture: Fixture,
  { order_id }: { order_id: string },
): Promise<Scenario> {
  const row = await fixture.storage.run((db) => loadOrder(db, order_id));
  const { simulation }: OrderRecord = JSON.parse(row?.record ?? '');
  return simulation.scenario;
}

/** A new delivery of version 1 with a courier and a scenario. */
export async function startedDelivery(
  client: Client,
  scenario: Scenario,
  changes: Partial<OrderRequest> = {},
): Promise<Delivery> {
  const body = { ...orderRequest(changes), initiate: true };
  return (await client.deliveries.create({ body, headers: scenarioHeader(scenario) })).data;
}

export async function again(client: Client, { id }: { id: string }): Promise<Delivery> {
  return (await client.deliveries.get({ params: { deliveryid: id } })).data;
}

export function deliveryOf(fixture: Fixture, id: string): Promise<Delivery> {
  return again(fixture.client(), { id });
}

/** The quotes of version 1 for the default order with changes. */
export async function deliveryQuotes(client: Client, changes: Partial<OrderRequest> = {}, headers = {}) {
  const { pickup_address = '', dropoff_address } = orderRequest();
  const body = { pickup_address, dropoff_address, ...changes };
  return (await client.deliveries.quote({ body, headers })).data;
}

/** Runs a delivery until a day has passed, in steps that miss nothing. */
export async function runToEnd(fixture: Fixture, client: Client, delivery: Delivery): Promise<Delivery> {
  await fixture.pass(25 * 60 * 60_000);
  return again(client, delivery);
}

export function statusesOf({ status_history }: Delivery): string[] {
  return status_history.map(({ status }) => status);
}

/** The charges and refunds by kind; zero if there are none. */
export async function moneyOf(client: Client, { id }: { id: string }) {
  const { data } = await client.charges.list({ query: { delivery_id: id } });
  const sum = data.data.reduce((total, { amount }) => total + amount, 0);
  return { sum, kinds: data.data.map(({ kind }) => kind).sort() };
}
