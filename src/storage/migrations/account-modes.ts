import type { ColumnTypes } from './first-schema.ts';

/** Gives each mode of an account settings of its own; both begin with those that the modes shared. */
export function accountModes({ text }: ColumnTypes): string[] {
  return [
    'alter table accounts rename column settings to live_settings',
    `alter table accounts add column test_settings ${text} not null default '{}'`,
    'update accounts set test_settings = live_settings',
  ];
}
