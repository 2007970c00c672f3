import type { createDispatch, DispatchedRoute } from '../contract/dispatches.ts';
import { Problem } from '../contract/errors.ts';
import { isExpired } from '../domain/quotes.ts';
import type { Connection, QuoteRow, RouteRow, TaskRow } from '../storage/database.ts';
import { deliveriesOfRoute } from '../storage/deliveries.ts';
import { dispatchesOfRoute, insertDispatch } from '../storage/dispatches.ts';
import { latestJob } from '../storage/jobs.ts';
import { findQuote } from '../storage/quotes.ts';
import { loadRoute, moveRoute } from '../storage/routes.ts';
import { findTask, insertTasks } from '../storage/tasks.ts';
import { deliveryView } from './delivery-view.ts';
import { writeDeliveries } from './delivery-writing.ts';
import type { Call, Handler } from './endpoint.ts';
import { routeOrderIds, routeView } from './route-view.ts';
import { notDraft, routeFor } from './routes.ts';
import { runTask } from './tasks.ts';

type Request = Call<typeof createDispatch>;

/**
 * Hands a route to the provider of a quote. What is intended is written before the provider is asked,
 * outside any transaction; whatever ends this process, the asking is taken up again.
 */
export const dispatchRoute: Handler<typeof createDispatch> = async (call) => {
  const { service } = call;
  const tokens = await service.secrets.base62(22);
  const task = await service.storage.transaction((transaction) => intend(transaction, call, tokens));
  if (task !== undefined) await runTask(service, task);
  service.wake();
  return dispatched(call);
};

/** Moves the route out of draft and writes all that follows from it, or throws and leaves it as it was. */
async function intend(db: Connection, call: Request, token: string): Promise<TaskRow | undefined> {
  const { now, id } = call;
  const route = await routeFor(db, call.caller, call.params.route_id);
  const task_id = id('tsk', 'dispatch');
  if (route.status !== 'draft') return resume(db, call, route);
  const quote = await usableQuote(db, call, route);
  if (!(await moveRoute(db, { id: route.id, from: 'draft', to: 'dispatched', now }))) throw notDraft(route);
  const dispatch_id = id('dsp');
  await insertDispatch(db, {
    id: dispatch_id,
    account_id: route.account_id,
    route_id: route.id,
    quote_id: quote.id,
    provider: quote.provider,
    provider_key: dispatch_id,
    request_key: call.request_key,
    state: 'asking',
    reason: null,
    created_at: now,
    updated_at: now,
  });
  await writeDeliveries(db, { call, route, quote, token });
  const payload = JSON.stringify({ dispatch_id });
  await insertTasks(db, [{ id: task_id, kind: 'dispatch.ask', subject: route.id, due_at: now, payload }]);
  return findTask(db, task_id);
}

/** A repeat of the very request that dispatched the route goes on where that one was cut off. */
async function resume(db: Connection, call: Request, route: RouteRow): Promise<undefined> {
  const dispatches = await dispatchesOfRoute(db, route.id);
  if (dispatches.some(({ request_key }) => request_key === call.request_key)) return undefined;
  throw notDraft(route);
}

/** The chosen quote. Throws `quotes_not_ready`, `quote_not_found` and `quote_expired`. */
async function usableQuote(
  db: Connection,
  { caller, body, now }: Request,
  route: RouteRow,
): Promise<QuoteRow> {
  const job = await latestJob(db, route.id);
  if (job === undefined) throw new Problem('quotes_not_ready', `Route ${route.id} was never quoted.`);
  if (job.status === 'PENDING') {
    throw new Problem('quotes_not_ready', `The quotes of route ${route.id} are still pending.`);
  }
  const quote = await findQuote(db, caller.scope.account_id, body.quote_id);
  if (quote === undefined || quote.job_id !== job.id) {
    throw new Problem('quote_not_found', `Route ${route.id} has no quote ${body.quote_id}.`);
  }
  if (isExpired(quote, now)) throw new Problem('quote_expired', `Quote ${quote.id} has expired.`);
  return quote;
}

async function dispatched({ service, params }: Request): Promise<DispatchedRoute> {
  const [route, rows] = await service.storage.run(async (db) => [
    await loadRoute(db, params.route_id),
    await deliveriesOfRoute(db, params.route_id),
  ]);
  if (route === undefined) throw new Problem('record_not_found', `There is no route ${params.route_id}.`);
  const order_ids = routeOrderIds(route);
  const inOrder = rows.sort(
    (left, right) => order_ids.indexOf(left.order_id) - order_ids.indexOf(right.order_id),
  );
  return { ...routeView(route), deliveries: inOrder.map((row) => deliveryView(row, service.publicUrl)) };
}
