import type { ColumnTypes } from './first-schema.ts';

/** Adds the couriers that accounts have connected, what was booked at them, and the requests that they sent. */
export function couriers({ text, integer, table_end }: ColumnTypes): string[] {
  return [
    `create table couriers (
      account_id ${text} not null,
      test_mode ${integer} not null,
      name ${text} not null,
      state ${text} not null check (state in ('enabled', 'disabled')),
      settings ${text} not null,
      secrets ${text} not null,
      push_token ${text} not null unique,
      created_at ${integer} not null,
      updated_at ${integer} not null,
      checked_at ${integer},
      last_push_at ${integer},
      primary key (account_id, test_mode, name)
    ${table_end}`,
    `create table courier_bookings (
      dispatch_id ${text} not null,
      order_id ${text} not null,
      account_id ${text} not null,
      test_mode ${integer} not null,
      provider ${text} not null,
      key ${text} not null,
      state ${text} not null check (state in ('planned', 'asking', 'booked', 'refused', 'canceled')),
      quote_reference ${text},
      reference ${text},
      tracking_url ${text},
      cost ${integer},
      reason ${text},
      updated_at ${integer} not null,
      primary key (dispatch_id, order_id)
    ${table_end}`,
    'create unique index courier_bookings_key on courier_bookings (provider, key)',
    'create index courier_bookings_reference on courier_bookings (provider, reference)',
    `alter table dispatches add column unsettled ${text}`,
    `alter table reports add column raw ${text}`,
  ];
}
