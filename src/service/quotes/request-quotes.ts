import type { requestQuotes } from '../../contract/quotes.ts';
import { requireNotPending } from '../batches/order-outcomes.ts';
import type { Handler } from '../http/handler.ts';
import { lockRouteFor } from '../routes/read-routes.ts';
import { notDraft } from '../routes/route-handlers.ts';
import { routeOrderIds } from '../routes/route-view.ts';
import { startQuoteRound } from './quote-rounds.ts';

/** Starts a round of quotes for a draft route. */
export const requestRouteQuotes: Handler<typeof requestQuotes> = async (call) => {
  const chance = await call.service.chance();
  const job_id = await call.commit(async (db) => {
    const route = await lockRouteFor(db, call.caller, call.params.route_id);
    if (route.status !== 'draft') throw notDraft(route);
    await requireNotPending(db, routeOrderIds(route));
    const context = { db, chance, now: call.now };
    const job = await startQuoteRound(context, call, { route, providers: null, without: [] });
    return { job_id: job.id, object: 'job' as const };
  }, 'read committed');
  call.service.wake();
  return job_id;
};
