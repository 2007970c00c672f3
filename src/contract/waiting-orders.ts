import { operation } from './operation.ts';
import { Order } from './orders.ts';
import type { Static } from './schema.ts';
import { Count, Exact, Instant, ListOf, Nullable, paging, Type } from './schema.ts';

/** An order without an outcome yet in auto dispatch. */
export const WaitingOrder = Type.Object(
  {
    object: Type.Literal('waiting_order'),
    order: Order,
    attempts: Count({ description: 'Number of attempts started' }),
    waiting_since: Instant('When auto dispatch accepted the order'),
    next_attempt_at: Nullable(Instant('When the next attempt starts; null during an attempt')),
    retry_until: Instant('No attempt starts after this time'),
    reason: Type.String({ description: 'Why the last attempt failed; empty if none has' }),
  },
  { title: 'WaitingOrder' },
);
export type WaitingOrder = Static<typeof WaitingOrder>;

export const listWaitingOrders = operation({
  id: 'ListWaitingOrders',
  method: 'GET',
  path: '/v2/waiting_orders',
  summary: 'List the orders that auto dispatch has found no courier for yet, newest first',
  tag: 'Batches',
  permission: 'read',
  query: Exact(paging),
  answer: ListOf(WaitingOrder),
  errors: [],
});
