import type { listQuotes, RouteQuotes } from '../../contract/routes.ts';
import { declinesOfJob, latestJobs, quotesOfJob } from '../../storage/quotes.ts';
import type { Handler } from '../http/handler.ts';
import { findRouteFor } from '../routes/route.ts';
import { completeRound } from './quote.ts';

/** Reads the quotes of a route's latest round; pending until every provider has responded. */
export const readQuotes: Handler<typeof listQuotes> = async ({ service, caller, params }) => {
  const { storage } = service;
  const route = await findRouteFor(storage, caller, params.route_id);
  const job = await storage.first(latestJobs, route.id, 1);
  if (job === undefined || job.status === 'PENDING') return pendingQuotes;
  return completeRound(await storage.all(quotesOfJob, job.id), await storage.all(declinesOfJob, job.id));
};

const pendingQuotes: RouteQuotes = { object: 'route_quotes', status: 'PENDING', data: null };
