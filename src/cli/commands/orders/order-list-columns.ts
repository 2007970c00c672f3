/** The columns of orders as `orders list` and `orders get` show them. */
import type { Order } from '../../../contract/orders.ts';
import { zipOf } from '../../../domain/address-text.ts';
import type { Column } from '../../kit/result/result.ts';
import { orderColumns } from '../../nouns/order.ts';

/** Columns of orders: people read what became of one that was dispatched, the status of its latest delivery. */
export const shownColumns: readonly Column<Order>[] = orderColumns.flatMap((column): Column<Order>[] =>
  column.field === 'status'
    ? [
        { ...column, field: 'status', only: 'people', value: shownOrderStatus },
        { ...column, only: 'programs' },
      ]
    : [column],
);

function shownOrderStatus({ status, delivery_status, delivery }: Order): string {
  return status === 'dispatched' ? (delivery_status ?? delivery?.status ?? status) : status;
}

/** Only lists show the cost and the number of deliveries of an order. */
export const listColumns: readonly Column<Order>[] = [
  ...shownColumns,
  {
    field: 'dropoff_zip',
    header: 'ZIP',
    kind: 'text',
    wide: true,
    value: ({ dropoff_address }) => zipOf(dropoff_address),
  },
  { field: 'total_cost', header: 'Charged', kind: 'money', unlessEmpty: true, spare: 3 },
  { field: 'delivery_status', header: 'Delivery status', kind: 'status', only: 'programs', wide: true },
  { field: 'delivery_count', header: 'Deliveries', kind: 'count', only: 'programs', wide: true },
  {
    field: 'delivery_count',
    header: 'Deliveries',
    kind: 'count',
    only: 'people',
    unlessEmpty: true,
    spare: 4,
    value: ({ delivery_count: count = 0 }) => (count > 1 ? count : null),
  },
];

export const matchedColumn: Column<Order> = { field: 'matched', header: 'Matched', kind: 'text' };
