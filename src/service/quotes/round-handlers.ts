/** Requests quotes for a route. Apart from reading them (`quote-handlers.ts`): a look-up loads none of this. */
import { Problem } from '../../contract/errors.ts';
import type { requestQuotes } from '../../contract/routes.ts';
import { fleet_provider } from '../../contract/vocabulary.ts';
import { findDriver } from '../../storage/drivers.ts';
import { findOrders } from '../../storage/orders.ts';
import { requireNotPending } from '../batches/order-outcomes.ts';
import type { Handler } from '../http/handler.ts';
import { orderRecord } from '../orders/order-view.ts';
import { providersOfStore } from '../orders/store-terms.ts';
import { lockRouteFor, notDraft, routeOrderIds } from '../routes/route.ts';
import { startQuoteRound } from './quote-rounds.ts';

/** Starts a round of quotes for a draft route. */
export const requestRouteQuotes: Handler<typeof requestQuotes> = async (call) => {
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
    const job = await startQuoteRound(context, call, {
      route,
      providers,
      excluded: [],
      driver_id,
      vehicle_type,
    });
    return { job_id: job.id, object: 'job' as const };
  }, 'read committed');
  call.service.wakeup.notify();
  return job_id;
};
