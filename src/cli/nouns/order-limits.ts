/** What may be charged for an order, or for those of a route, so that a suggested command spends no more. */
import type { Client } from '../../client/client.ts';
import { ifSupported, unlessMissing } from '../../client/errors.ts';
import type { Batch } from '../../contract/batches.ts';
import type { Order } from '../../contract/orders.ts';
import { sumAmounts } from '../../domain/charges.ts';
import { readEachOnce } from '../kit/once.ts';
import { oneLine } from '../kit/output/safe-text.ts';
import { fetchCharges, fetchOrder } from './order.ts';

/** Of an order: its limits, and what became of it in its batch. */
export interface OrderLimits {
  /** The most that may be charged for it, its tip included, in cents; undefined without a maximum. */
  max_cost: number | undefined;
  /** The providers that may be used; null: any. */
  providers: readonly string[] | null;
  /** What is charged for all of its deliveries, in cents. */
  spent: number;
  /** Why its batch did not dispatch it; empty if that is not known. */
  reason: string;
  /** Its batch tried it and does not try it again. */
  isGivenUp: boolean;
}

export const noLimits: OrderLimits = {
  max_cost: undefined,
  spent: 0,
  providers: null,
  reason: '',
  isGivenUp: false,
};

/** Returns a function that reads the limits of orders, and each batch once. */
export function createLimitReader(client: Client): (order: Order) => Promise<OrderLimits> {
  const fetchBatch = readEachOnce((batch_id): Promise<Batch | null> => {
    const call = client.batches.get({ params: { batch_id } }).then(({ data }) => data);
    return unlessMissing(ifSupported(call, null));
  });
  return async ({ id, batch_id, delivery_id, tip }) => {
    const batch = batch_id === null ? null : await fetchBatch(batch_id);
    // Earlier deliveries of an order in a batch may have charges as well.
    const charges =
      delivery_id === null
        ? []
        : await ifSupported(fetchCharges({ client: async () => client }, { order_id: id }), []);
    const spent = sumAmounts(charges);
    if (batch === null) return { ...noLimits, spent };
    const { max_cost: limit, providers } = batch.settings;
    const entry = batch.orders.find(({ order_id }) => order_id === id);
    const { reason = '', status } = entry ?? {};
    // An attempt after the batch had a limit of its own.
    const isLatest = !delivery_id || entry === undefined || entry.delivery_id === delivery_id;
    // The maximum of a batch is without the tip.
    const max_cost = limit === null || !isLatest ? undefined : limit + (tip || 0);
    return { max_cost, spent, providers, reason, isGivenUp: status === 'unfulfilled' };
  };
}

/** The maximum cost that is known for the orders of a draft route, in cents. */
export interface RouteLimit {
  /** The tips of its orders, which are charged with its price. */
  tip: number;
  /** The limits of its orders together, with their tips; undefined if one of them has none. */
  max_cost: number | undefined;
  /** `order C-09 was`: who was sent with that limit before. */
  who: string;
}

export async function readRouteLimit(client: Client, order_ids: readonly string[]): Promise<RouteLimit> {
  const service = { client: async () => client };
  const found = await Promise.all(order_ids.map((id) => fetchOrder(service, id)));
  const orders = found.flatMap((order) => order ?? []);
  const limits = await Promise.all(orders.map(createLimitReader(client)));
  // What was charged before has used a part of a limit: the whole of it again would allow more than was agreed.
  const amounts = limits.flatMap(({ max_cost, spent }) => (spent > 0 ? [] : (max_cost ?? [])));
  const sum = (cents: readonly number[]) => cents.reduce((total, each) => total + each, 0);
  const [first, ...others] = orders;
  return {
    tip: sum(orders.map(({ tip }) => tip || 0)),
    max_cost: amounts.length === 0 || amounts.length < order_ids.length ? undefined : sum(amounts),
    who:
      others.length > 0
        ? 'its orders were'
        : `order ${oneLine(first?.external_order_ref || first?.id || '')} was`,
  };
}
