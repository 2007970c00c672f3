/** The handlers for the quotes of a route. */
import { Problem } from '../../contract/errors.ts';
import type { listQuotes, RouteQuotes, requestQuotes } from '../../contract/routes.ts';
import { fleet_provider } from '../../contract/vocabulary.ts';
import { findDriver } from '../../storage/drivers.ts';
import { findOrders } from '../../storage/orders.ts';
import { declinesOfJob, latestJobs, quotesOfJob } from '../../storage/quotes.ts';
import type { Handler } from '../http/handler.ts';
import { orderRecord } from '../orders/order.ts';
import { findRouteFor, lockRouteFor, notDraft, routeOrderIds } from '../routes/route.ts';
import { completeRound } from './quote.ts';

const pendingQuotes: RouteQuotes = { object: 'route_quotes', status: 'PENDING', data: null };

/** Reads the quotes of a route's latest round; pending until every provider has responded. */
export const readQuotes: Handler<typeof listQuotes> = async ({ service, caller, params }) => {
  const { storage } = service;
  const route = await findRouteFor(storage, caller, params.route_id);
  const job = await storage.first(latestJobs, route.id, 1);
  if (job === undefined) return { ...pendingQuotes, requested: false };
  if (job.status === 'PENDING') return pendingQuotes;
  return completeRound(await storage.all(quotesOfJob, job.id), await storage.all(declinesOfJob, job.id));
};

/** Starts a round of quotes for a draft route. */
export const requestRouteQuotes: Handler<typeof requestQuotes> = async (call) => {
  // Loaded here: a look-up of quotes needs none of it.
  const [{ requireNotPending }, { providersOfStore }, { startQuoteRound }] = await Promise.all([
    import('../batches/order-outcomes.ts'),
    import('../orders/store-terms.ts'),
    import('./quote-rounds.ts'),
  ]);
  const chance = await call.service.chance();
  const job_id = await call.commit(async (db) => {
    const route = await lockRouteFor(db, call.caller, call.params.route_id);
    if (route.status !== 'draft') throw notDraft(route);
    await requireNotPending(db, routeOrderIds(route));
    const context = { db, chance, now: call.now };
    const { driver_id, vehicle_type } = call.body;
    if (driver_id !== undefined && (await findDriver(db, call.caller.scope, driver_id)) === undefined) {
      throw new Problem('record_not_found', `There is no driver ${driver_id}.`);
    }
    const [order] = await findOrders(db, call.caller.scope, routeOrderIds(route).slice(0, 1));
    const preferred = order === undefined ? null : await providersOfStore(db, orderRecord(order));
    const providers = driver_id === undefined ? preferred : [fleet_provider];
    const round = { route, providers, excluded: [], driver_id, vehicle_type };
    const job = await startQuoteRound(context, call, round);
    return { job_id: job.id, object: 'job' as const };
  }, 'read committed');
  call.service.wakeup.notify();
  return job_id;
};
