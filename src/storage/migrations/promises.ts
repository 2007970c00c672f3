import type { ColumnTypes } from './first-schema.ts';

/**
 * Adds the promised time of deliveries. Earlier ones are held to the agreed time, or else to the last ETA. The index is
 * of the time from which a delivery is late: of one that is expected after its tolerance of five minutes, at once.
 */
export function promises({ integer, json_text }: ColumnTypes): string[] {
  return [
    `alter table deliveries add column promised_at ${integer}`,
    `update deliveries
      set promised_at = coalesce(cast(${json_text('record', ['dropoff', 'at'])} as ${integer}), dropoff_eta)
      where status <> 'request'`,
    'drop index deliveries_due',
    `create index deliveries_due on deliveries
      (account_id, test_mode, (case when dropoff_eta > promised_at + 300000 then 0 else promised_at end), id, ended_at)
      where ended_at is null and status <> 'request'`,
  ];
}
