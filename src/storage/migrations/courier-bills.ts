import type { ColumnTypes } from './first-schema.ts';

/** Adds what couriers charge for their deliveries, and the reasons of the adjustments that follow from it. */
export function courierBills({ text, integer }: ColumnTypes): string[] {
  return [
    `alter table courier_bookings add column bill ${text}`,
    `alter table courier_bookings add column cancellation_fee ${integer}`,
    `alter table charges add column reason ${text}`,
  ];
}
