import type { Client } from '../../client/client.ts';
import type { Order } from '../../contract/orders.ts';
import type { Context } from '../context.ts';
import { invocation } from '../kit/output/invocation.ts';
import type { StreamResult } from '../result.ts';
import { watchList } from '../waiting/list-waitable.ts';
import { recordLine } from '../waiting/status-records.ts';
import type { Waiting } from '../waiting/waiting-flags.ts';
import { movingOrders, toldOfOrders } from './order-waitable.ts';

/** Which orders are followed: the newest. */
export interface ListedOrders {
  query: NonNullable<NonNullable<Parameters<Client['orders']['list']>[0]>['query']>;
  filters: Readonly<Record<string, string | boolean | undefined>>;
}

/** The orders of a list as they change, until each is dispatched or has ended otherwise: exit 8 when time ran out before. */
export function watchOrders(
  context: Context,
  { query, filters }: ListedOrders,
  waiting: Waiting,
): StreamResult {
  const { status } = query;
  const parts = {
    list: async () => {
      const client = await context.client();
      return (await client.orders.list({ query })).data.data;
    },
    look: (id: string) => movingOrders.look(context, id),
    idOf: ({ id }: Order) => id,
    isOpen: (order: Order) => order.status === 'open' || order.status === 'routed',
    isSame: (before: Order, after: Order) => before.updated_at === after.updated_at,
    isKept: (order: Order) => status === undefined || order.status === status,
    lineOf: (before: Order | null, order: Order) =>
      recordLine(movingOrders, before, order, [order.id, order.external_order_ref]),
    ...{ told: toldOfOrders, command: invocation('orders list'), filters, left: 'open or routed' },
  };
  return watchList(context, parts, waiting);
}
