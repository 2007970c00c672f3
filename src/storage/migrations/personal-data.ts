import type { ColumnTypes } from './first-schema.ts';

/** Adds what finds the personal data of an order, and the orders whose personal data is still to be erased. */
export function personalData({ text, integer, json_text }: ColumnTypes): string[] {
  return [
    `alter table events add column order_id ${text}`,
    `update events set order_id = ${json_text('data', ['id'])}
      where delivery_id is null and type in ('order.unfulfilled', 'order.failed', 'order.canceled')`,
    'create index events_order on events (order_id) where order_id is not null',
    `alter table orders add column erased_at ${integer}`,
    `alter table deliveries add column erased_at ${integer}`,
    `create index orders_ended on orders (test_mode, updated_at, id)
      where status in ('unfulfilled', 'failed', 'canceled') and delivery_id is null and erased_at is null`,
    `create index deliveries_ended on deliveries (test_mode, ended_at, id)
      where ended_at is not null and erased_at is null`,
  ];
}
