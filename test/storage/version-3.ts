import { autoDispatch } from '../../src/storage/migrations/auto-dispatch.ts';
import { deliveryLife } from '../../src/storage/migrations/delivery-life.ts';
import { type ColumnTypes, firstSchema } from '../../src/storage/migrations/first-schema.ts';
import { noon } from './records.ts';

/** The statements with which version 3 created a database and two events of a delivery, evt_1 and evt_2. */
export function version3Statements(types: ColumnTypes): string[] {
  return [
    ...[firstSchema, deliveryLife, autoDispatch].flatMap((migration) => migration(types)),
    `insert into accounts (id, name, settings, created_at) values ('acct_a', 'Corner Shop', '{}', ${noon})`,
    ...[1, 2].map(
      (number) => `insert into events (id, account_id, test_mode, type, delivery_id, batch_id, sequence, data,
        created_at) values ('evt_${number}', 'acct_a', 1, 'delivery.${number === 1 ? 'created' : 'updated'}', 'dlv_1',
        null, ${number}, '{"dropoff_name":"Zoë"}', ${noon})`,
    ),
  ];
}
