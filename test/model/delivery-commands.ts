import fc from 'fast-check';
import { expect } from 'vitest';
import type { Client } from '../../src/client/client.ts';
import type { ApiError } from '../../src/client/errors.ts';
import type { Delivery } from '../../src/contract/deliveries.ts';
import { deliveryStatuses } from '../../src/contract/vocabulary.ts';
import { findQuote } from '../../src/storage/quotes.ts';
import { dispatchesOfRoute } from '../../src/storage/routes.ts';
import { type Fixture, orderMade, orderRequest } from '../service/fixture.ts';
import { canBeCanceled, check, follows, type Remembered } from './delivery-model.ts';

/** The known deliveries of one run, by index. */
export interface Model {
  seen: Remembered[];
}

export interface Real {
  fixture: Fixture;
  client: Client;
  account_id: string;
}

type Command = fc.AsyncCommand<Model, Real>;

/** Reads every delivery of the run and checks it. */
async function readAll(model: Model, real: Real): Promise<void> {
  const { fixture, client, account_id } = real;
  for (const [index, seen] of model.seen.entries()) {
    const delivery = (await client.deliveries.get({ params: { deliveryid: seen.id } })).data;
    const charges = (await client.charges.list({ query: { delivery_id: seen.id } })).data.data;
    const row = await fixture.storage.run((db) => findQuote(db, account_id, delivery.quote_id));
    const quote = row && { ...row, place: JSON.parse(row.record).place !== undefined };
    model.seen[index] = check(seen, { delivery, charges, quote: quote ?? null });
    await checkSteps(delivery, real);
    await checkOrder(delivery, model, client);
  }
}

/** An order must have the status of its latest delivery. */
async function checkOrder(
  { id, order_id, status }: Delivery,
  { seen }: Model,
  client: Client,
): Promise<void> {
  const order = (await client.orders.get({ params: { order_id } })).data;
  if (order.delivery_id !== id) {
    // Only an unsuccessful delivery can have been retried.
    expect(seen.some((other) => other.id === order.delivery_id)).toBe(true);
    expect(status).toMatch(/failed|canceled/);
    return;
  }
  const ended = /canceled/.test(status) ? 'canceled' : status === 'failed' ? 'failed' : 'dispatched';
  expect(order.status, `the order of a delivery in ${status}`).toBe(status === 'request' ? 'routed' : ended);
}

/** The possible next reports must match the model, if there is a courier. */
async function checkSteps(delivery: Delivery, { fixture, client }: Real): Promise<void> {
  const { id, status } = delivery;
  const { data } = await client.sandbox.steps({ params: { delivery_id: id } });
  const couriers = deliveryStatuses.filter((each) => !['customer_canceled', 'disputed'].includes(each));
  const isCarried = status !== 'request' && !(await isAskedFor(delivery, fixture));
  const legal = isCarried ? couriers.filter((each) => follows(status, each)) : [];
  expect([...data.data].sort(), `steps from ${status}`).toEqual([...legal].sort());
}

/** Whether the dispatch is still in progress, which ends 21 s after the first attempt. */
async function isAskedFor({ route_id, status, status_history: [first] }: Delivery, fixture: Fixture) {
  if (status !== 'delivery_created' && status !== 'scheduled') return false;
  const dispatches = await fixture.storage.run((db) => dispatchesOfRoute(db, route_id ?? ''));
  const isAsked = dispatches.at(-1)?.state === 'asking';
  if (isAsked) expect(fixture.now() - Date.parse(first?.created_at ?? '')).toBeLessThan(21_000);
  return isAsked;
}

/** The error code of a refused call; null if it succeeded. */
async function codeOf(call: Promise<unknown>): Promise<string | null> {
  try {
    await call;
    return null;
  } catch (error) {
    const isApiError = (fault: unknown): fault is ApiError => fault instanceof Error && 'code' in fault;
    if (isApiError(error)) return error.code;
    throw error;
  }
}

function command(name: string, run: (model: Model, real: Real) => Promise<void>): Command {
  return {
    check: () => true,
    run: async (model, real) => {
      await run(model, real);
      await readAll(model, real);
    },
    toString: () => name,
  };
}

function remember(model: Model, deliveries: readonly Delivery[]): void {
  for (const { id, status, status_history } of deliveries) {
    model.seen.push({ id, status, history: status_history });
  }
}

/** An action on one delivery of the run; does nothing while there is none. */
function onOne(
  name: string,
  place: number,
  act: (seen: Remembered, model: Model, real: Real) => Promise<void>,
): Command {
  return command(`${name}(${place})`, async (model, real) => {
    const seen = model.seen[place % Math.max(1, model.seen.length)];
    if (seen !== undefined) await act(seen, model, real);
  });
}

const hour = 3600;
const scheduled = (real: Real) => new Date(real.fixture.now() + 2 * hour * 1000).toISOString();

const store = (scenario: string, initiate: boolean, isScheduled: boolean, quoted: 'no' | 'fresh' | 'stale') =>
  command(`store(${scenario}, ${initiate}, ${isScheduled}, ${quoted})`, async (model, real) => {
    const { client, fixture } = real;
    const headers = { 'x-simulation': scenario };
    const when = isScheduled ? { pickup_at: scheduled(real) } : {};
    const request = { ...orderRequest({ tip: 150 }), ...when };
    const { pickup_address = '', dropoff_address } = request;
    const body = { pickup_address, dropoff_address, ...when };
    const quotes = quoted === 'no' ? [] : (await client.deliveries.quote({ body, headers })).data;
    if (quoted === 'stale') await fixture.pass(20 * 60_000);
    const [quote] = quotes;
    const given = quote === undefined ? {} : { quote_id: quote.id };
    const { data } = await client.deliveries.create({ body: { ...request, initiate, ...given }, headers });
    expect(data.status === 'request').toBe(!initiate);
    if (quoted === 'stale' && quote !== undefined && quote.expires !== null)
      expect(data.quote_id).not.toBe(quote.id);
    remember(model, [data]);
  });

const phones = ['+13125550142', '+13125550143', '+13125550109'];

const dispatch = (scenario: string, count: number) =>
  command(`dispatch(${scenario}, ${count})`, async (model, { client, fixture }) => {
    const order_ids: string[] = [];
    for (const [index, dropoff_phone_number] of phones.slice(0, count).entries()) {
      const headers: Record<string, string> = index === 0 ? { 'x-simulation': scenario } : {};
      const body = { orders: [orderRequest({ dropoff_phone_number })] };
      order_ids.push((await orderMade(client.orders.create({ body, headers }))).data.id);
    }
    const route = (await client.routes.create({ body: { order_ids } })).data;
    const params = { route_id: route.id };
    await client.quotes.request({ params });
    await fixture.pass(65_000);
    const quotes = (await client.quotes.list({ params })).data.data ?? [];
    const isAlive = (expires_at: string | null) =>
      expires_at === null || Date.parse(expires_at) > fixture.now();
    for (const { id, expires_at } of quotes.filter((each) => !isAlive(each.expires_at)).slice(0, 1)) {
      expect(expires_at).not.toBeNull();
      expect(await codeOf(client.dispatches.create({ params, body: { quote_id: id } }))).toBe(
        'quote_expired',
      );
    }
    const quote = quotes.find(({ expires_at }) => isAlive(expires_at));
    if (quote === undefined) return;
    const { data } = await client.dispatches.create({ params, body: { quote_id: quote.id } });
    expect(data.deliveries).toHaveLength(count);
    remember(model, data.deliveries);
  });

const initiate = (place: number) =>
  onOne('initiate', place, async (seen, _, { client }) => {
    const code = await codeOf(client.deliveries.initiate({ params: { deliveryid: seen.id }, body: {} }));
    expect(code).toBe(seen.status === 'request' ? null : 'delivery_not_initiable');
  });

const cancel = (place: number) =>
  onOne('cancel', place, async (seen, _, { client }) => {
    const params = { deliveryid: seen.id };
    const { data: terms } = await client.deliveries.cancellation({ params });
    const code = await codeOf(client.deliveries.cancel({ params, body: {} }));
    expect([null, 'delivery_not_cancelable']).toContain(code);
    if (!canBeCanceled(seen.status))
      expect([terms.cancelable, code]).toEqual([false, 'delivery_not_cancelable']);
    if (seen.status === 'request') expect(code).toBe(null);
    const charges = (await client.charges.list({ query: { delivery_id: seen.id } })).data.data;
    const fee = charges.find(({ kind }) => kind === 'cancellation')?.amount ?? 0;
    if (code === null) expect(fee).toBe(terms.fee);
  });

const dispute = (place: number) =>
  onOne('dispute', place, async (seen, _, { client }) => {
    const call = client.deliveries.dispute({
      params: { deliveryid: seen.id },
      body: { reason: 'Never came' },
    });
    expect(await codeOf(call)).toBe(seen.status === 'delivered' ? null : 'delivery_not_disputable');
  });

const retry = (place: number) =>
  onOne('retry', place, async (seen, model, { client }) => {
    const call = client.deliveries.retry({ params: { deliveryid: seen.id }, body: {} });
    const code = await codeOf(call);
    if (code === null) remember(model, [(await call).data]);
    else expect(code).toBe('delivery_not_initiable');
    const ended = ['failed', 'provider_canceled', 'customer_canceled', 'burq_canceled'].includes(seen.status);
    if (!ended) expect(code).toBe('delivery_not_initiable');
  });

const edit = (place: number) =>
  onOne('edit', place, async (seen, _, { client }) => {
    const params = { deliveryid: seen.id };
    const code = await codeOf(client.deliveries.edit({ params, body: { dropoff_notes: 'Ring twice' } }));
    const waits = ['request', 'delivery_created', 'scheduled', 'driver_not_assigned'].includes(seen.status);
    const comes = ['driver_assigned', 'enroute_pickup', 'arrived_at_pickup'].includes(seen.status);
    expect(code).toBe(waits || comes ? null : 'delivery_not_editable');
  });

const step = (place: number, status: Delivery['status']) =>
  onOne(`step ${status}`, place, async (seen, _, { client }) => {
    const params = { delivery_id: seen.id };
    const legal = (await client.sandbox.steps({ params })).data.data;
    const code = await codeOf(client.sandbox.step({ params, body: { status } }));
    expect(code).toBe(legal.includes(status) ? null : 'step_not_legal');
  });

const pass = (seconds: number) =>
  command(`pass(${seconds})`, async (_, { fixture }) => {
    await fixture.pass(seconds * 1000);
  });

/** Advances to the next due work, several times. */
const next = (count: number) =>
  command(`next(${count})`, async (_, { fixture }) => {
    for (let times = 0; times < count; times += 1) {
      const first = await fixture.storage.run((db) =>
        db.selectFrom('tasks').select('due_at').orderBy('due_at').limit(1).executeTakeFirst(),
      );
      if (first === undefined) return;
      await fixture.pass(Math.max(0, first.due_at - fixture.now()));
    }
  });

/** Any sequence of actions by merchants, couriers and time. */
export function commandsFor(scenarios: readonly string[]) {
  const scenario = fc.constantFrom(...scenarios);
  const place = fc.nat({ max: 5 });
  const quoted = fc.constantFrom('no' as const, 'fresh' as const, 'stale' as const);
  const status = fc.constantFrom(...deliveryStatuses);
  return fc.commands(
    [
      fc.tuple(scenario, fc.boolean(), fc.boolean(), quoted).map((given) => store(...given)),
      fc.tuple(scenario, fc.integer({ min: 1, max: 3 })).map((given) => dispatch(...given)),
      place.map(initiate),
      place.map(cancel),
      place.map(dispute),
      place.map(retry),
      place.map(edit),
      fc.tuple(place, status).map((given) => step(...given)),
      fc.constantFrom(20, 150, 600, 3600, 90_000).map(pass),
      fc.integer({ min: 1, max: 3 }).map(next),
      fc.integer({ min: 4, max: 12 }).map(next),
    ],
    { maxCommands: 16, size: 'max' },
  );
}
