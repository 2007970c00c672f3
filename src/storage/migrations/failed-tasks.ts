import type { ColumnTypes } from './first-schema.ts';

/** Adds the background work that was given up, until it is retried or dismissed. */
export function failedTasks({ text, integer, counter, table_end }: ColumnTypes): string[] {
  return [
    `create table failed_tasks (
      sequence ${counter},
      id ${text} not null unique,
      task_id ${text} not null,
      account_id ${text} not null,
      test_mode ${integer} not null,
      kind ${text} not null,
      subject ${text} not null,
      payload ${text} not null,
      due_at ${integer} not null,
      attempts ${integer} not null,
      error ${text} not null,
      is_concluded ${integer} not null,
      failed_at ${integer} not null
    ${table_end}`,
    'create index failed_tasks_scope on failed_tasks (account_id, test_mode, sequence)',
  ];
}
