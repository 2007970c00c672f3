import type { Client } from '../../../src/client/client.ts';
import type { Batch } from '../../../src/contract/batches.ts';
import type { OrderRequest, OrderSettings } from '../../../src/contract/orders.ts';
import { type Scenario, scenarios } from '../../../src/domain/scenarios.ts';
import { eventRows } from '../event-rows.ts';
import { batchMade, type Fixture, orderRequest, startClient } from '../fixture.ts';

export const auto = (settings: Omit<OrderSettings, 'mechanism'> = {}): OrderSettings => ({
  mechanism: 'auto',
  ...settings,
});

/** A batch of orders with changes to the default order. */
export async function newBatch(
  client: Client,
  changes: readonly Partial<OrderRequest>[],
  settings: Omit<OrderSettings, 'mechanism'> = {},
): Promise<string> {
  const orders = changes.map((change) => orderRequest(change));
  const made = await batchMade(client.orders.create({ body: { orders, settings: auto(settings) } }));
  return made.batch_id;
}

/** A service with one batch. */
export async function startBatch(
  changes: readonly Partial<OrderRequest>[],
  settings: Omit<OrderSettings, 'mechanism'> = {},
) {
  const { fixture, client } = await startClient();
  const id = await newBatch(client, changes, settings);
  return { fixture, client, id };
}

export async function batchNow(client: Client, batch_id: string): Promise<Batch> {
  return (await client.batches.get({ params: { batch_id } })).data;
}

/** The batch after a number of seconds, in steps of one. */
export async function after(fixture: Fixture, batch_id: string, seconds: number): Promise<Batch> {
  for (let passed = 0; passed < seconds; passed += 1) await fixture.pass(1000);
  return batchNow(fixture.client(), batch_id);
}

/** Passes time until poolride, the only courier of a batch, is asked, which then takes half a minute to respond. */
export async function passUntilAsked(fixture: Fixture, batch_id: string): Promise<void> {
  await after(fixture, batch_id, 3);
  // Quotes arrive in the fourth second.
  await fixture.pass(999);
  const body = { state: 'slow', slow_seconds: 30 } as const;
  await fixture.client().sandbox.updateProvider({ params: { name: 'poolride' }, body });
  await after(fixture, batch_id, 2);
}

/** The attempts of an order, oldest first. */
export async function attemptsOf(client: Client, order_id: string) {
  const { data } = await client.tries.list({ params: { order_id }, query: { limit: 100 } });
  return data.data.toReversed();
}

/** An order whose phone number selects its scenario. */
export const withScenario = (scenario: Scenario): Partial<OrderRequest> => ({
  dropoff_phone_number: `+131255501${scenarios[scenario].number}`,
});

/** Too far for every courier. */
export const farAway: Partial<OrderRequest> = { dropoff_address: '11 Wall St, New York, NY 11201' };

export async function eventsOf(fixture: Fixture, ...types: string[]) {
  const rows = await fixture.storage.run(eventRows);
  return rows.filter(({ type }) => types.length === 0 || types.includes(type));
}
