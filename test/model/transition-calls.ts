import fc from 'fast-check';
import { expect } from 'vitest';
import type { Client } from '../../src/client/client.ts';
import type { Charge } from '../../src/contract/accounting.ts';
import type { Delivery } from '../../src/contract/deliveries.ts';
import { deliveryStatuses } from '../../src/contract/vocabulary.ts';
import { scenarioNames } from '../../src/domain/scenarios.ts';
import type { Report } from '../../src/providers/port.ts';
import {
  applyTransition,
  IllegalTransition,
  type TransitionContext,
} from '../../src/service/deliveries/delivery-transitions.ts';
import { receiveReport } from '../../src/service/deliveries/take-report.ts';
import { seededChance } from '../../src/service/runtime/random.ts';
import type { DeliveryRow } from '../../src/storage/database.ts';
import { loadDelivery } from '../../src/storage/deliveries.ts';
import { eventRows } from '../service/event-rows.ts';
import { type Fixture, orderMade, orderRequest, quotesOf, startClient } from '../service/fixture.ts';
import { checkHistory, follows } from './delivery-model.ts';

type Status = Delivery['status'];

/** The context of one run: the deliveries created so far, oldest first. */
interface World {
  fixture: Fixture;
  client: Client;
  made: string[];
}

/** One call; whatever its result, nothing illegal may be written. */
interface Step {
  name: string;
  run: (world: World) => Promise<unknown>;
}

/** A step on one of the deliveries created so far; does nothing while there is none. */
function onOne(name: string, place: number, run: (id: string, world: World) => Promise<unknown>): Step {
  return {
    name: `${name} ${place}`,
    run: async (world) => {
      const id = world.made[place % Math.max(1, world.made.length)];
      if (id !== undefined) await run(id, world);
    },
  };
}

const create = (scenario: string, initiate: boolean): Step => ({
  name: `create ${scenario} ${initiate}`,
  run: async ({ client, made }) => {
    const body = { ...orderRequest({ tip: 150 }), initiate };
    const { data } = await client.deliveries.create({ body, headers: { 'x-simulation': scenario } });
    made.push(data.id);
  },
});

const dispatch = (scenario: string): Step => ({
  name: `dispatch ${scenario}`,
  run: async ({ client, fixture, made }) => {
    const headers = { 'x-simulation': scenario };
    const order = await orderMade(client.orders.create({ body: { orders: [orderRequest()] }, headers }));
    const route = await client.routes.create({ body: { order_ids: [order.data.id] } });
    const [quote] = await quotesOf(fixture, route.data.id);
    if (quote === undefined) return;
    const params = { route_id: route.data.id };
    const { data } = await client.dispatches.create({ params, body: { quote_id: quote.id } });
    made.push(...data.deliveries.map(({ id }) => id));
  },
});

const initiate = (place: number) =>
  onOne('initiate', place, (deliveryid, { client }) =>
    client.deliveries.initiate({ params: { deliveryid }, body: {} }),
  );
const cancel = (place: number, operator: boolean) =>
  onOne(operator ? 'cancel as operator' : 'cancel', place, (deliveryid, { client }) =>
    client.deliveries.cancel({ params: { deliveryid }, body: { operator } }),
  );
const dispute = (place: number) =>
  onOne('dispute', place, (deliveryid, { client }) =>
    client.deliveries.dispute({ params: { deliveryid }, body: { reason: 'It never came' } }),
  );
const edit = (place: number) =>
  onOne('edit', place, (deliveryid, { client }) =>
    client.deliveries.edit({ params: { deliveryid }, body: { dropoff_notes: 'Ring twice' } }),
  );
const retry = (place: number) =>
  onOne('retry', place, async (deliveryid, { client, made }) => {
    made.push((await client.deliveries.retry({ params: { deliveryid }, body: {} })).data.id);
  });
const cancelOrder = (place: number) =>
  onOne('cancel the order of', place, async (deliveryid, { client }) => {
    const { order_id } = (await client.deliveries.get({ params: { deliveryid } })).data;
    await client.orders.cancel({ params: { order_id } });
  });
const step = (place: number, status: Status) =>
  onOne(`step to ${status}`, place, (delivery_id, { client }) =>
    client.sandbox.step({ params: { delivery_id }, body: { status } }),
  );

async function inTransaction(
  { fixture }: World,
  id: string,
  change: (context: TransitionContext, row: DeliveryRow) => Promise<unknown>,
): Promise<void> {
  const context = { chance: seededChance('transitions'), now: fixture.now() };
  const { providers } = fixture.config;
  await fixture.storage.transaction(async (db) => {
    const row = await loadDelivery(db, id);
    if (row === undefined) throw new Error(`there is no delivery ${id}`);
    await change({ ...context, db, providers }, row);
  });
}

/** A provider's report in any order: a repeated id, or a time in the past. */
const report = (place: number, status: Status | null, { id, age_ms }: { id: number; age_ms: number }) =>
  onOne(`report ${id} of ${status} ${age_ms} ms ago from`, place, (delivery_id, world) =>
    inTransaction(world, delivery_id, (context, row) => {
      const given: Report = {
        id: `${delivery_id} ${id}`,
        order_id: row.order_id,
        status,
        occurred_at: context.now - age_ms,
        reason: 'The provider says so',
      };
      return receiveReport(context, row, given);
    }),
  );

/** A caller without checks of its own: only the transition itself protects the record. */
const transition = (place: number, to: Status) =>
  onOne(`apply ${to} to`, place, (delivery_id, world) =>
    inTransaction(world, delivery_id, async (context, row) => {
      const applying = applyTransition(context, row, to);
      if (follows(row.status, to)) return expect((await applying).status).toBe(to);
      const refused = await applying.catch((fault: unknown) => fault);
      // A transaction that another one has crossed is repeated by the storage.
      if (refused instanceof Error && !(refused instanceof IllegalTransition)) throw refused;
      expect(refused, `${row.status} to ${to}`).toBeInstanceOf(IllegalTransition);
    }),
  );

const pass = (seconds: number): Step => ({
  name: `pass ${seconds} s`,
  run: ({ fixture }) => fixture.pass(seconds * 1000),
});

/** Runs several steps concurrently. */
const together = (steps: readonly Step[]): Step => ({
  name: `together (${steps.map(({ name }) => name).join(' | ')})`,
  run: async (world) => {
    await Promise.all(steps.map((each) => attempt(each, world)));
  },
});

/** A step may fail with a regular error; anything else is a bug. */
async function attempt({ run, name }: Step, world: World): Promise<void> {
  try {
    await run(world);
  } catch (fault) {
    const code = fault instanceof Error && 'code' in fault ? String(fault.code) : '';
    const isRefusal = /^(delivery|order|route|step|quote)_/.test(code);
    if (!isRefusal) throw new Error(`${name} failed`, { cause: fault });
  }
}

/** Any sequence of calls, sequential and concurrent. */
function steps(scenarios: readonly string[]): fc.Arbitrary<Step[]> {
  const place = fc.nat({ max: 3 });
  const status = fc.constantFrom(...deliveryStatuses);
  const reportFields = fc.record({
    id: fc.nat({ max: 5 }),
    age_ms: fc.constantFrom(0, 0, 1, 90_000, 3_600_000),
  });
  const one = fc.oneof(
    place.map(initiate),
    fc.tuple(place, fc.boolean()).map((given) => cancel(...given)),
    place.map(dispute),
    place.map(edit),
    place.map(retry),
    place.map(cancelOrder),
    fc.tuple(place, status).map((given) => step(...given)),
    fc.tuple(place, fc.option(status), reportFields).map((given) => report(...given)),
    fc.tuple(place, status).map((given) => transition(...given)),
  );
  const made = fc.oneof(
    fc.tuple(fc.constantFrom(...scenarios), fc.boolean()).map((given) => create(...given)),
    fc.constantFrom(...scenarios).map(dispatch),
  );
  const any = fc.oneof(
    { weight: 12, arbitrary: one },
    { weight: 2, arbitrary: made },
    { weight: 3, arbitrary: fc.constantFrom(20, 150, 600, 3600, 90_000).map(pass) },
    { weight: 3, arbitrary: fc.array(one, { minLength: 2, maxLength: 3 }).map(together) },
  );
  const rest = fc.array(any, { minLength: 4, maxLength: 14, size: 'max' });
  return fc.tuple(made, rest).map(([first, others]) => [first, ...others]);
}

/** Checks every recorded history of the run's deliveries, and their charges. */
async function checkWritten({ fixture, client, made }: World): Promise<void> {
  for (const id of new Set(made)) {
    const events = await fixture.storage.run((db) => eventRows(db, id));
    const snapshots = events.flatMap(({ data, sequence }): Delivery[] =>
      sequence === null ? [] : [JSON.parse(data)],
    );
    const { data: delivery } = await client.deliveries.get({ params: { deliveryid: id } });
    expect(snapshots.length).toBeGreaterThan(0);
    for (const written of [...snapshots, delivery]) checkHistory(undefined, written);
    checkCharges(delivery, (await client.charges.list({ query: { delivery_id: id } })).data.data);
  }
}

function checkCharges(
  { status, status_history, refunded_amount }: Delivery,
  charges: readonly Charge[],
): void {
  const amounts = new Map(charges.map(({ kind, amount }) => [kind, amount]));
  const amount = (kind: Charge['kind']) => amounts.get(kind) ?? 0;
  expect(amounts.size, 'each kind once').toBe(charges.length);
  // A parcel that is canceled on its way back was carried.
  const isCarried = status_history.at(-2)?.status === 'enroute_to_return';
  const isGivenBack = status === 'failed' || (/canceled/.test(status) && !isCarried);
  expect(-amount('refund') + 0).toBe(isGivenBack ? amount('delivery') + amount('tip') : 0);
  expect(refunded_amount).toBe(-amount('refund') + 0);
  if (status !== 'customer_canceled') expect(amounts.has('cancellation')).toBe(false);
  if (status !== 'returned') expect(amounts.has('return')).toBe(false);
}

/** Runs random sequences of calls and checks everything they have written. */
export async function runSequences(numRuns: number, seed: number, location = ':memory:'): Promise<void> {
  const { fixture, client } = await startClient({ location });
  const runOne = async (sequence: readonly Step[]) => {
    const world: World = { fixture, client, made: [] };
    for (const step of sequence) await attempt(step, world);
    await checkWritten(world).catch((fault: unknown) => {
      throw new Error(`after ${sequence.map(({ name }) => name).join('; ')}`, { cause: fault });
    });
    // The tasks of this run must not run in the next.
    await fixture.storage.run((db) => db.deleteFrom('tasks').execute());
  };
  const property = fc.asyncProperty(steps(scenarioNames), runOne);
  await fc.assert(property, { numRuns, seed, endOnFailure: true });
  // A provider's failure is reported as text, an internal error as an `Error`.
  expect(fixture.faults.filter((fault) => fault instanceof Error)).toEqual([]);
  await fixture.storage.close();
}
