import type { Batch } from '../../../../contract/batches.ts';
import type { OrderSettings } from '../../../../contract/orders.ts';
import { max_route_orders } from '../../../../contract/vocabulary.ts';
import { dollars } from '../../../../domain/money.ts';
import { moneyText } from '../../../kit/args/flags.ts';
import { invocation, type NextStep } from '../../../kit/result/message.ts';
import { getBatch } from '../../../nouns/batch.ts';
import { shipWithin } from '../../../nouns/order-limits.ts';
import type { Context } from '../../../session/command.ts';
import { type Journal, settledChunks } from './journal.ts';
import { formatNumber } from './progress.ts';
import { fetchOrders } from './references-in-use.ts';

/** The status of orders that existed before the import, or that an earlier import of the file created. */

type BatchOrder = Batch['orders'][number];

/** An order without a delivery; `status` is the outcome in its batch, or else that of the order: `open`. */
export type Undispatched = Pick<BatchOrder, 'order_id' | 'external_order_ref' | 'attempts' | 'reason'> & {
  status: string;
};

export interface OrdersThere {
  dispatched: number;
  undispatched: readonly Undispatched[];
  /** The batches that still dispatch some of them. */
  batch_ids: readonly string[];
}

export const noneThere: OrdersThere = { dispatched: 0, undispatched: [], batch_ids: [] };

/** The IDs of the orders that an import found there already, or that it made, too. */
export function orderIdsIn(journal: Pick<Journal, 'state' | 'read'>, which: 'there' | 'all'): string[] {
  return settledChunks(journal.state).flatMap(({ span, there: count }) => {
    if (which === 'there' && count === 0) return [];
    const { made, there = [] } = journal.read(span);
    return (which === 'there' ? there : [...made, ...there]).map(({ order_id }) => order_id);
  });
}

export async function readOrdersThere(context: Context, ids: readonly string[]): Promise<OrdersThere> {
  if (ids.length === 0) return noneThere;
  const found = [...(await fetchOrders((await context.client()).orders, ids)).values()];
  const open = found.filter(({ status }) => status !== 'dispatched');
  const batch_ids = [...new Set(open.flatMap(({ batch_id }) => batch_id ?? []))];
  const batches = await Promise.all(batch_ids.map((id) => getBatch(context, id)));
  const tried = new Map(batches.flatMap(({ orders }) => orders).map((each) => [each.order_id, each]));
  const undispatched = open.map(({ id: order_id, external_order_ref, status }): Undispatched => {
    const { attempts = 0, reason = '', status: outcome } = tried.get(order_id) ?? {};
    return {
      order_id,
      external_order_ref,
      attempts,
      reason,
      status: outcome === 'pending' ? outcome : status,
    };
  });
  const isPending = ({ orders }: Batch) =>
    orders.some(({ order_id, status }) => status === 'pending' && open.some(({ id }) => id === order_id));
  return {
    dispatched: found.length - open.length,
    undispatched,
    batch_ids: batches.filter(isPending).map(({ batch_id }) => batch_id),
  };
}

/** `3 open, 1 pending` */
export function statusCounts(orders: readonly Undispatched[]): string {
  const counts = new Map<string, number>();
  for (const { status } of orders) counts.set(status, (counts.get(status) ?? 0) + 1);
  return [...counts].map(([status, count]) => `${formatNumber(count)} ${status}`).join(', ');
}

/** The commands that have couriers come for the open ones: as one route, for the limit of each of them together. */
export function shipSteps(orders: readonly Undispatched[], settings: OrderSettings | null): NextStep[] {
  const ids = orders.filter(({ status }) => status === 'open').map(({ order_id }) => order_id);
  if (ids.length === 0) return [];
  const { max_cost, providers = null } = settings ?? {};
  const total = max_cost === undefined ? undefined : max_cost * ids.length;
  const maxCost = total === undefined ? 'DOLLARS' : moneyText(total);
  const price =
    total === undefined ? '' : `, for at most ${dollars(total)}${ids.length > 1 ? ' together' : ''}`;
  const list = { ...invocation('orders list', [], { status: 'open' }), when: 'see the open orders' };
  if (ids.length > max_route_orders) return [list];
  const what = ids.length === 1 ? 'have a courier come for it' : 'have one courier come for all of them';
  return [{ ...shipWithin(ids, { maxCost, providers }), when: `${what}${price}` }, list];
}
