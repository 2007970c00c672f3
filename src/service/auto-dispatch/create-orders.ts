/** Creates orders: one for manual dispatch, or a batch for auto dispatch with the first attempt of each of its orders. */
import type { AcceptedBatch, BatchSettings } from '../../contract/batches.ts';
import { type Fault, Problem } from '../../contract/errors.ts';
import type { createOrder, createOrders, OrderSettings } from '../../contract/orders.ts';
import { countPendingOrders, insertBatch, insertBatchOrders } from '../../storage/batches.ts';
import type { BatchOrderRow, BatchRow, Connection, OrderRow } from '../../storage/database.ts';
import { insertTasks } from '../../storage/tasks.ts';
import { invalidField } from '../http/answers.ts';
import type { Call, Handler } from '../http/handler.ts';
import { newOrder, orderView } from '../orders/order.ts';
import { placeTasks } from '../orders/order-places.ts';
import { readOrder, readOrders } from '../orders/order-request.ts';
import { withOwnOrder } from '../orders/platform-forms.ts';
import { insertSearchableOrders } from '../orders/search.ts';
import { requireUniqueRefs } from '../orders/unique-refs.ts';
import { availableProviders, unknownProviderText } from '../runtime/courier-connections.ts';
import { newTask } from '../runtime/task-kinds.ts';

/** Manual dispatch accepts one order per request; auto dispatch accepts a batch. */
export const addOrders: Handler<typeof createOrders> = async (call) => {
  const { body, id, commit } = call;
  const settings = body.settings ?? {};
  if (settings.mechanism === 'auto') return acceptBatch(call, settings);
  requireManual(settings);
  const [request] = body.orders;
  if (request === undefined || body.orders.length !== 1) throw onlyOne(body.orders.length);
  const record = await readOrder(call, request, 'orders[0]');
  const row = newOrder(call, { id: id('ord', '0'), ref: request.external_order_ref ?? '', record });
  return commit(async (transaction) => {
    if (body.unique_ref === true) await requireUniqueRefs(transaction, call, [row]);
    await insertSearchableOrders(transaction, [row]);
    return orderView(row);
  }, 'read committed');
};

/** Creates one order for manual dispatch, in own fields or in those of the public platform. */
export const addOneOrder: Handler<typeof createOrder> = async (call) => {
  const { unique_ref, ...given } = call.body;
  return withOwnOrder(call, given, async ({ request, photo_wanted }) => {
    const read = await readOrder(call, request, '');
    const record = { ...read, ...(photo_wanted && { photo_wanted }) };
    const row = newOrder(call, { id: call.id('ord', '0'), ref: request.external_order_ref ?? '', record });
    return call.commit(async (transaction) => {
      if (unique_ref === true) await requireUniqueRefs(transaction, call, [row], () => '');
      await insertSearchableOrders(transaction, [row]);
      return { ...orderView(row), latest_delivery: null };
    }, 'read committed');
  });
};

function onlyOne(count: number): Problem {
  const message = `Manual dispatch takes one order per request; this request has ${count}.`;
  return invalidField('orders', 'must have exactly one order', message);
}

type Request = Call<typeof createOrders>;

/**
 * Auto dispatch accepts 1 to 300 orders per request: all are validated first, then all are stored in one transaction,
 * each with its first attempt. The outcomes are published as events.
 */
async function acceptBatch(call: Request, settings: OrderSettings): Promise<AcceptedBatch> {
  const { service, body, now, commit } = call;
  const { scope } = call.caller;
  const providers = await service.storage.read((db) => availableProviders(service, db, scope));
  const known = providers.map(({ name }) => name);
  const chosen = autoSettings(settings, known);
  const { records, missing } = await readOrders(call, body.orders, { before: chosen.faults });
  const batch: BatchRow = {
    id: call.id('bat'),
    ...scope,
    status: 'processing',
    order_count: body.orders.length,
    settings: JSON.stringify(chosen.settings),
    created_at: now,
    updated_at: now,
    completed_at: null,
  };
  const orders = records.map((record, index): OrderRow => {
    const ref = body.orders[index]?.external_order_ref ?? '';
    const id = call.rankedId('ord', index, String(index));
    return { ...newOrder(call, { id, ref, record }), batch_id: batch.id };
  });
  const firstAttempt = ({ id: subject }: OrderRow) => {
    const task = { id: call.id('tsk', 'try', subject), ...scope, subject, due_at: now };
    return newTask('order.try', task, {});
  };
  const accepted = await commit(async (db) => {
    if (body.unique_ref === true) await requireUniqueRefs(db, call, orders);
    await requireRoom(db, batch);
    await insertBatch(db, batch);
    await insertSearchableOrders(db, orders);
    const entries = orders.map((order, position) => pendingEntry(batch, order, position));
    await insertBatchOrders(db, entries);
    await insertTasks(db, placeTasks(call, orders, missing, firstAttempt));
    service.crash('batch.before_commit');
    const test_mode = batch.test_mode === 1;
    const { id: batch_id, status, order_count } = batch;
    return { object: 'batch', batch_id, status, order_count, test_mode } as const;
  }, 'read committed');
  service.crash('batch.after_commit');
  service.wakeup.notify();
  return accepted;
}

/** The maximum number of orders of an account and mode that wait in auto dispatch: each is tried again and again. */
const max_waiting = 20_000;

/** Throws `limit_reached` if too many orders would wait. */
async function requireRoom(db: Connection, { account_id, test_mode, order_count }: BatchRow): Promise<void> {
  const waiting = await countPendingOrders(db, { account_id, test_mode, limit: max_waiting });
  if (waiting + order_count <= max_waiting) return;
  const limit = `At most ${max_waiting.toLocaleString('en-US')} orders of an account wait in auto dispatch`;
  const room = `${waiting.toLocaleString('en-US')} wait now, and this request has ${order_count}`;
  const advice = 'Send it again when some of them are dispatched, or cancel a batch.';
  throw new Problem('limit_reached', `${limit}: ${room}. ${advice}`);
}

function pendingEntry(
  { id: batch_id, created_at }: BatchRow,
  { id: order_id, external_order_ref }: OrderRow,
  position: number,
): BatchOrderRow {
  return {
    order_id,
    batch_id,
    position,
    external_order_ref,
    status: 'pending',
    attempts: 0,
    next_attempt_at: created_at,
    refusals: '[]',
    delivery_id: null,
    reason: '',
    paused_ms: 0,
    updated_at: created_at,
  };
}

const defaults: Omit<BatchSettings, 'mechanism'> = {
  quote_preference: 'cheapest',
  providers: null,
  max_cost: null,
  retry_window: 1800,
  retry_interval: 300,
};

/** Rejects settings of auto dispatch for manual dispatch. Throws `invalid_request`. */
function requireManual(settings: OrderSettings): void {
  const { mechanism: _, ...rest } = settings;
  const given = Object.entries(rest).filter(([, value]) => value !== undefined);
  if (given.length === 0) return;
  const message = 'applies to auto dispatch only: set "mechanism": "auto" or remove it';
  const faults = given.map(([name]) => ({ path: `settings.${name}`, message }));
  throw new Problem('invalid_request', 'The settings are invalid.', faults);
}

/** The settings of a batch with defaults filled in, and their errors. */
function autoSettings(
  given: OrderSettings,
  names: readonly string[],
): { settings: BatchSettings; faults: Fault[] } {
  const faults = (given.providers ?? []).flatMap((name, index, all) => {
    const path = `settings.providers[${index}]`;
    if (!names.includes(name)) return [{ path, message: unknownProviderText(name, names) }];
    return all.indexOf(name) < index ? [{ path, message: `lists ${name} twice` }] : [];
  });
  if (given.quote_preference === 'preferred' && given.providers === undefined) {
    const message = 'is required with quote_preference "preferred", in order of preference';
    faults.push({ path: 'settings.providers', message });
  }
  return { settings: { ...defaults, ...given, mechanism: 'auto' }, faults };
}
