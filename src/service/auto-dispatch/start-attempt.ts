import { findAccount } from '../../storage/accounts.ts';
import { insertAttempt } from '../../storage/attempts.ts';
import { changePending } from '../../storage/batch-orders.ts';
import type { OrderRow, RouteRow } from '../../storage/database.ts';
import { addToRoute, lockFreeOrders, lockOrders } from '../../storage/orders.ts';
import { insertRoute, loadRoute } from '../../storage/routes.ts';
import {
  type PendingOrder,
  pendingOrder,
  planNextAttempt,
  preloadPendingOrders,
} from '../batches/order-outcomes.ts';
import type { CallBase } from '../http/handler.ts';
import { startQuoteRound } from '../quotes/quote-rounds.ts';
import { draftRow } from '../routes/route-handlers.ts';
import type { ServiceContext, Task, TaskKind, WriteContext } from '../runtime/context.ts';
import { availableProviders } from '../runtime/courier-connections.ts';
import { newId } from '../runtime/ids.ts';
import { backgroundCall } from './background-call.ts';
import { excludedProviders } from './excluded-providers.ts';

export const attemptTask: TaskKind = {
  run: startAttempt,
  abandon: abandonAttempt,
  lockSubjects: lockFreeOrders,
  preload: preloadPendingOrders,
};

/** Starts an attempt of auto dispatch: puts the order on its own draft route and requests quotes. */
async function startAttempt(service: ServiceContext, task: Task): Promise<void> {
  const chance = await service.chance();
  await service.storage.transaction(async (db) => {
    // Who cancels an order locks it before its tasks.
    await lockOrders(db, [task.row.subject]);
    await task.finish(db);
    const pending = await pendingOrder(db, task.row.subject);
    if (pending === null) return;
    const { order, batch, entry } = pending;
    const now = order.test_mode === 1 ? task.now : Math.max(task.now, service.clock.now());
    const context: WriteContext = { db, chance, now };
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
    await insertAttempt(db, {
      id: newId(chance, 'try', now, order.id, String(number)),
      account_id: order.account_id,
      test_mode: order.test_mode,
      order_id: order.id,
      batch_id: batch.id,
      number,
      status: 'quoting',
      route_id: route.id,
      ...{ provider: null, quote_id: null, delivery_id: null, reason: '', left_out: '[]' },
      created_at: now,
      ended_at: null,
    });
    const { providers } = pending.settings;
    const without = excludedProviders(pending, await availableProviders(service, db, order));
    await startQuoteRound(context, call, { route, providers, without });
  }, 'read committed');
}

/** Schedules the next attempt if one could not start, so that an internal error does not lose the order. */
async function abandonAttempt(service: ServiceContext, task: Task): Promise<void> {
  const chance = await service.chance();
  await service.storage.transaction(async (db) => {
    await lockOrders(db, [task.row.subject]);
    await task.finish(db);
    const pending = await pendingOrder(db, task.row.subject);
    const context = { db, chance, now: task.now };
    const planned = { last: task.now, reason: 'the service failed to start an attempt' };
    if (pending !== null) await planNextAttempt(context, pending, planned);
  }, 'read committed');
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
