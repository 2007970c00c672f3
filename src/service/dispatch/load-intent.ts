/** Loads the intent that a dispatch task executes; the request that wrote it (`write-intent.ts`) keeps it in memory. */
import { isEnded } from '../../domain/delivery-states.ts';
import type { Provider } from '../../providers/port.ts';
import { findAccounts } from '../../storage/accounts.ts';
import type {
  DeliveryRow,
  DispatchRow,
  OrderRow,
  QuoteRow,
  RouteRow,
  TaskRow,
} from '../../storage/database.ts';
import { deliveriesOfRoutes } from '../../storage/deliveries.ts';
import { loadOrders } from '../../storage/orders.ts';
import { loadQuotes } from '../../storage/quotes.ts';
import { findDispatches, loadRoutes } from '../../storage/routes.ts';
import { deliveryRecord } from '../deliveries/delivery-view.ts';
import type { CallBase } from '../http/handler.ts';
import { quoteRecord } from '../quotes/quote.ts';
import { routeOrderIds } from '../routes/route.ts';
import {
  type AccountSettings,
  findOutage,
  type Outage,
  readAccountSettings,
} from '../runtime/account-settings.ts';
import { combineCalls } from '../runtime/combine-calls.ts';
import type { ServiceContext, Task } from '../runtime/context.ts';

/** A dispatch with everything needed to execute it. */
export interface LoadedIntent {
  dispatch: DispatchRow;
  route: RouteRow;
  orders: readonly OrderRow[];
  provider: Provider;
  outage: Outage | null;
  /** The tip of each order's delivery. */
  tips: ReadonlyMap<string, number | null>;
  /** See `CreateRequest`. */
  quote_references: readonly string[];
  /** Whether every delivery of the route ended here before the provider was called. */
  hasEnded: boolean;
}

export interface IntentTask {
  row: TaskRow;
  /** Null if the provider does not exist anymore. */
  loaded: LoadedIntent | null;
}

/** The intents of tasks that have just been written: their execution does not load them. */
const kept = new WeakMap<TaskRow, IntentTask>();

export function keepIntent(task: IntentTask): void {
  kept.set(task.row, task);
}

/** The intent of a task; null if its dispatch, route or provider does not exist anymore. */
export async function loadIntent(
  service: ServiceContext,
  task: Task<'dispatch.ask'>,
): Promise<LoadedIntent | null> {
  const written = kept.get(task.row);
  return written === undefined ? loadTogether(service, task) : written.loaded;
}

/**
 * Loads the intents of the tasks that start together, with one statement for each table. Null for a task whose
 * dispatch, route or provider does not exist anymore.
 */
const loadTogether = combineCalls(
  async ({ storage, providers, test_mode }: ServiceContext, tasks: readonly Task<'dispatch.ask'>[]) =>
    storage.run(async (db) => {
      const dispatch_ids = tasks.map(({ payload }) => payload.dispatch_id);
      const dispatches = await findDispatches(db, dispatch_ids);
      const subjects = tasks.map(({ row }) => row.subject);
      const routes = await loadRoutes(db, subjects);
      const route_ids = routes.map(({ id }) => id);
      const account_ids = routes.map(({ account_id }) => account_id);
      const accounts = await findAccounts(db, { account_ids, test_mode });
      const deliveries = await deliveriesOfRoutes(db, route_ids);
      const quote_ids = dispatches.map(({ quote_id }) => quote_id);
      const quotes = await loadQuotes(db, quote_ids);
      const orders = await loadOrders(db, routes.flatMap(routeOrderIds));
      return (task: Task<'dispatch.ask'>): LoadedIntent | null => {
        const dispatch = dispatches.find(({ id }) => id === task.payload.dispatch_id);
        const route = routes.find(({ id }) => id === task.row.subject);
        if (dispatch === undefined || route === undefined) return null;
        const account = accounts.find(({ id }) => id === route.account_id);
        return intentOf(providers, {
          dispatch,
          route,
          now: task.now,
          settings: account === undefined ? null : readAccountSettings(account),
          deliveries: deliveries.filter(({ route_id }) => route_id === route.id),
          orders: routeOrderIds(route).flatMap((id) => orders.find((order) => order.id === id) ?? []),
          quote: quotes.find(({ id }) => id === dispatch.quote_id),
        });
      };
    }),
);

interface IntentRecords extends Pick<LoadedIntent, 'dispatch' | 'route' | 'orders'> {
  now: number;
  /** The settings of its account; null if the account does not exist anymore. */
  settings: AccountSettings | null;
  deliveries: readonly DeliveryRow[];
  quote: QuoteRow | undefined;
}

/** Everything needed to execute a dispatch; null if its provider does not exist anymore. */
export function intentOf(providers: readonly Provider[], records: IntentRecords): LoadedIntent | null {
  const { dispatch, route, orders, now, settings, deliveries, quote } = records;
  const provider = providers.find(({ name }) => name === dispatch.provider);
  if (provider === undefined) return null;
  return {
    dispatch,
    route,
    orders,
    provider,
    outage: settings === null ? null : findOutage(settings, provider.name, now),
    hasEnded: !deliveries.some(isCarried),
    tips: new Map(deliveries.map((row) => [row.order_id, deliveryRecord(row).tip])),
    quote_references: quote === undefined ? [] : (quoteRecord(quote).references ?? []),
  };
}

export function dispatchTaskId({ id }: Pick<CallBase, 'id'>): string {
  return id('tsk', 'dispatch');
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
