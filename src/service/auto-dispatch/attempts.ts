/** The start of an attempt of auto dispatch: a draft route and its quotes. `quote-selection.ts` goes on with them. */
import type { listTries, Try } from '../../contract/batches.ts';
import { type Account, findAccount } from '../../storage/accounts.ts';
import { changePending } from '../../storage/batches.ts';
import type { AttemptRow, Connection, OrderRow, RouteRow, Scope } from '../../storage/database.ts';
import { insertAttempt, listOrderAttempts as listRows } from '../../storage/order-attempts.ts';
import { addToRoute, findOrder, lockFreeOrders } from '../../storage/orders.ts';
import { insertRoute, loadRoute } from '../../storage/routes.ts';
import {
  finishWithPending,
  type PendingOrder,
  planNextAttempt,
  preloadPendingOrders,
  readRefusals,
  waitForStore,
} from '../batches/order-outcomes.ts';
import type { CallBase, Handler } from '../http/handler.ts';
import { pageRequest, toPage } from '../http/paging.ts';
import { orderNotFound, orderRecord } from '../orders/order.ts';
import { askableProviders, startQuoteRound } from '../quotes/quote-rounds.ts';
import { draftRow } from '../routes/route.ts';
import { readAccountSettings } from '../runtime/account-settings.ts';
import type { ServiceContext, Task, TaskHandler, WriteContext } from '../runtime/context.ts';
import { availableProviders } from '../runtime/courier-connections.ts';
import { createIds, newId, takeRandomPart } from '../runtime/ids.ts';
import type { Chance } from '../runtime/random.ts';
import { instant, instantOrNull, timeOfPeople } from '../runtime/time.ts';

/** Lists the attempts of an order; a manually dispatched order has none. */
export const pageOfAttempts: Handler<typeof listTries> = async ({ service, caller, params, query }) =>
  service.storage.read(async (db) => {
    const order = await findOrder(db, caller.scope, params.order_id);
    if (order === undefined) throw orderNotFound(params.order_id);
    const page = { ...caller.scope, ...pageRequest(query, 'try'), order_id: order.id };
    return toPage(await listRows(db, page), attemptView);
  });

function attemptView(row: AttemptRow): Try {
  const { id, order_id, batch_id, number, status, route_id, provider, quote_id, delivery_id, reason } = row;
  return {
    id,
    object: 'try',
    order_id,
    batch_id,
    number,
    status,
    route_id,
    provider,
    quote_id,
    delivery_id,
    reason,
    left_out: JSON.parse(row.left_out),
    created_at: instant(row.created_at),
    ended_at: instantOrNull(row.ended_at),
    repeats: row.repeats,
    last_at: instantOrNull(row.last_at),
  };
}

export const attemptTask: TaskHandler<'order.try'> = {
  run: startAttempt,
  abandon: abandonAttempt,
  lockSubjects: lockFreeOrders,
  preload: preloadPendingOrders,
};

/** Starts an attempt of auto dispatch: puts the order on its own draft route and requests quotes. */
async function startAttempt(service: ServiceContext, task: Task<'order.try'>): Promise<void> {
  await finishWithPending(service, task, async ({ db, chance }, pending) => {
    const { order, entry } = pending;
    const now = timeOfPeople(service, task);
    const context: WriteContext = { db, chance, now };
    if (await waitForStore(context, pending)) return;
    if (await isMissed(context, pending, task.now)) return;
    const account = await findAccount(db, order);
    if (account === undefined) return;
    const number = entry.attempts + 1;
    const parts = ['try', order.id, String(number)];
    const call = backgroundCall(service, chance, { account, scope: order, now, parts });
    const route = await draftOf(context, call, order);
    await changePending(db, {
      order_id: order.id,
      to: { attempts: number, next_attempt_at: null },
      now,
    });
    await insertAttempt(db, newAttempt(context, pending, route));
    const { providers } = pending.settings;
    const excluded = await excludedProviders(service, db, pending);
    await startQuoteRound(context, call, { route, providers, excluded });
  });
}

function newAttempt({ chance, now }: WriteContext, { order, batch, entry }: PendingOrder, route: RouteRow) {
  const number = entry.attempts + 1;
  return {
    id: newId(chance, 'try', now, order.id, String(number)),
    account_id: order.account_id,
    test_mode: order.test_mode,
    order_id: order.id,
    batch_id: batch.id,
    number,
    status: 'quoting' as const,
    route_id: route.id,
    provider: null,
    quote_id: null,
    delivery_id: null,
    reason: '',
    left_out: '[]',
    created_at: now,
    ended_at: null,
    repeats: 0,
    last_at: null,
  };
}

/** Schedules the next attempt if one could not start, so that an internal error does not lose the order. */
async function abandonAttempt(service: ServiceContext, task: Task<'order.try'>): Promise<void> {
  const planned = { last: task.now, reason: 'the service failed to start an attempt' };
  await finishWithPending(service, task, (context, pending) => planNextAttempt(context, pending, planned));
}

/**
 * Live attempts are never made in the past: if the service was down for more than an interval, the order waits for
 * its next scheduled attempt.
 */
async function isMissed(context: WriteContext, pending: PendingOrder, due_at: number): Promise<boolean> {
  const { settings, entry } = pending;
  const isLate = context.now - due_at >= settings.retry_interval * 1000;
  // The first attempt is made however late it is.
  if (!isLate || entry.attempts === 0) return false;
  await planNextAttempt(context, pending, { last: due_at, reason: 'the scheduled attempt was missed' });
  return true;
}

/** The order's draft route; a new one if it has none, or if the last one was refused. */
async function draftOf({ db, now }: WriteContext, call: CallBase, order: OrderRow): Promise<RouteRow> {
  const current = order.route_id === null ? undefined : await loadRoute(db, order.route_id);
  if (current?.status === 'draft') return current;
  const { scope } = call.caller;
  const route = draftRow(call, [order], { optimize: true });
  await insertRoute(db, route);
  const joined = await addToRoute(db, { ...scope, ids: [order.id], route_id: route.id, now });
  if (joined !== 1) throw new Error(`order ${order.id} is ${order.status} and cannot join a route`);
  return route;
}

interface Origin {
  account: Account;
  scope: Scope;
  /** Service time of the task. */
  now: number;
  /** Identifies the task: the same parts give the same ids. */
  parts: readonly string[];
}

/** A call made by a background task on behalf of a merchant. */
export function backgroundCall(service: ServiceContext, chance: Chance, origin: Origin): CallBase {
  const { account, now } = origin;
  const { account_id, test_mode } = origin.scope;
  const parts = origin.parts.map(takeRandomPart);
  return {
    service,
    actIn: service.inMode,
    accept_language: null,
    remarks: new Set(),
    client_address: null,
    caller: {
      scope: { account_id, test_mode },
      test_mode: test_mode === 1,
      permission: 'write',
      key_id: '',
      key_last_four: '',
      key_last_used_at: null,
      settings: readAccountSettings(account),
    },
    now,
    request_key: parts.join(' '),
    simulation: null,
    last_event_id: null,
    isAllowed: async () => true,
    ...createIds(chance, { at: now }, parts),
    commit: service.storage.transaction,
  };
}

/** The providers to exclude from a round: those that refused, unless no other is left. */
export async function excludedProviders(
  service: ServiceContext,
  db: Connection,
  { entry, order, settings }: PendingOrder,
): Promise<string[]> {
  const refusals = readRefusals(entry).filter(({ isExcluded }) => isExcluded);
  const excluded = refusals.flatMap(({ provider }) => provider ?? []);
  if (excluded.length === 0) return [];
  const { simulation } = orderRecord(order);
  const askable = askableProviders(await availableProviders(service, db, order), {
    providers: settings.providers,
    simulated: simulation.provider,
  });
  return askable.every(({ name }) => excluded.includes(name)) ? [] : excluded;
}
