import { isEnded } from '../../domain/delivery-states.ts';
import type { Provider } from '../../providers/port.ts';
import { findAccounts } from '../../storage/accounts.ts';
import type { DeliveryRow, DispatchRow, OrderRow, RouteRow } from '../../storage/database.ts';
import { deliveriesOfRoutes } from '../../storage/deliveries.ts';
import { findDispatches } from '../../storage/dispatches.ts';
import { loadOrders } from '../../storage/orders.ts';
import { loadQuotes } from '../../storage/quotes.ts';
import { loadRoutes } from '../../storage/routes.ts';
import { deliveryRecord } from '../deliveries/delivery-view.ts';
import { type Outage, outageOf } from '../quotes/provider-outages.ts';
import { quoteRecord } from '../quotes/quote-handlers.ts';
import { routeOrderIds } from '../routes/route-view.ts';
import { settingsOf } from '../runtime/account-settings.ts';
import type { ServiceContext, Task } from '../runtime/context.ts';
import { together } from '../runtime/together.ts';

/** A dispatch with everything needed to execute it. */
export interface LoadedIntent {
  dispatch: DispatchRow;
  route: RouteRow;
  orders: OrderRow[];
  provider: Provider;
  outage: Outage | null;
  /** The tip of each order's delivery. */
  tips: ReadonlyMap<string, number | null>;
  /** See `CreateRequest`. */
  quote_references: readonly string[];
  /** Whether every delivery of the route ended here before the provider was called. */
  hasEnded: boolean;
}

/**
 * Loads the intents of the tasks that start together, with one statement for each table. Null for a task whose
 * dispatch, route or provider does not exist anymore.
 */
export const loadIntent = together(
  async ({ storage, providers, test_mode }: ServiceContext, tasks: readonly Task[]) =>
    storage.run(async (db) => {
      const dispatches = await findDispatches(db, tasks.map(dispatchIdOf));
      const routes = await loadRoutes(
        db,
        tasks.map(({ row }) => row.subject),
      );
      const route_ids = routes.map(({ id }) => id);
      const account_ids = routes.map(({ account_id }) => account_id);
      const accounts = await findAccounts(db, { account_ids, test_mode });
      const deliveries = await deliveriesOfRoutes(db, route_ids);
      const quotes = await loadQuotes(
        db,
        dispatches.map(({ quote_id }) => quote_id),
      );
      const orders = await loadOrders(db, routes.flatMap(routeOrderIds));
      return (task: Task): LoadedIntent | null => {
        const dispatch = dispatches.find(({ id }) => id === dispatchIdOf(task));
        const route = routes.find(({ id }) => id === task.row.subject);
        const provider = providers.find(({ name }) => name === dispatch?.provider);
        if (dispatch === undefined || route === undefined || provider === undefined) return null;
        const account = accounts.find(({ id }) => id === route.account_id);
        const own = deliveries.filter(({ route_id }) => route_id === route.id);
        const quote = quotes.find(({ id }) => id === dispatch.quote_id);
        return {
          ...{ dispatch, route, provider },
          outage: account === undefined ? null : outageOf(settingsOf(account), provider.name, task.now),
          hasEnded: !own.some(isCarried),
          orders: routeOrderIds(route).flatMap((id) => orders.find((order) => order.id === id) ?? []),
          tips: new Map(own.map((row) => [row.order_id, deliveryRecord(row).tip])),
          quote_references: quote === undefined ? [] : (quoteRecord(quote).references ?? []),
        };
      };
    }),
);

export function dispatchIdOf({ row }: Task): string {
  const { dispatch_id }: { dispatch_id: string } = JSON.parse(row.payload);
  return dispatch_id;
}

/**
 * Whether a delivery has not ended, or ended at the provider: a courier may report the end of a delivery before its
 * response to the dispatch is recorded.
 */
export function isCarried(row: DeliveryRow): boolean {
  if (!isEnded(row.status)) return true;
  const isCanceledHere = row.status === 'customer_canceled' || row.status === 'burq_canceled';
  return !isCanceledHere && deliveryRecord(row).reported_at > 0;
}
