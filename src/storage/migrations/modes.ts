import type { ColumnTypes } from './first-schema.ts';

/** Gives each mode of an account its own settings, initialized with the shared ones. */
export function accountModes({ text }: ColumnTypes): string[] {
  return [
    'alter table accounts rename column settings to live_settings',
    `alter table accounts add column test_settings ${text} not null default '{}'`,
    'update accounts set test_settings = live_settings',
  ];
}

/** Gives each mode its own background work and seed. */
export function workModes({ integer }: ColumnTypes): string[] {
  const subjects = ['orders', 'routes', 'deliveries', 'batches'];
  const modes = subjects.map((table) => `(select test_mode from ${table} where id = tasks.subject)`);
  return [
    `alter table tasks add column test_mode ${integer} not null default 1 check (test_mode in (0, 1))`,
    `update tasks set test_mode = coalesce(${modes.join(', ')}, 1)`,
    'drop index tasks_due',
    'create index tasks_due on tasks (test_mode, due_at, sequence)',
    "insert into settings (key, value) select 'live_seed', value from settings where key = 'seed'",
    "update settings set key = 'test_seed' where key = 'seed'",
  ];
}
