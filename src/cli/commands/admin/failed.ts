import type { Client } from '../../../client/client.ts';
import { records } from '../../../client/pages.ts';
import type { FailedTask } from '../../../contract/failed-tasks.ts';
import { UsageError } from '../../kit/errors/failure.ts';
import { deletedFields } from '../../kit/output/rows.ts';
import { invocation } from '../../kit/result/message.ts';
import { type Column, list, type Result } from '../../kit/result/result.ts';
import { type Context, defineCommand, positionals, word } from '../../session/command.ts';
import { listing, pagingFlags } from '../../session/listing.ts';

/** Columns of background tasks that failed for good. */
const failedTaskColumns: readonly Column<FailedTask>[] = [
  { field: 'id', header: 'Failed task', kind: 'id', value: ({ id }) => id },
  { field: 'kind', header: 'Kind', kind: 'text', value: ({ kind }) => kind },
  { field: 'subject', header: 'About', kind: 'text', value: ({ subject }) => subject },
  { field: 'error', header: 'Error', kind: 'text', value: ({ error }) => error },
  { field: 'attempts', header: 'Tries', kind: 'count', spare: 1, value: ({ attempts }) => attempts },
  {
    field: 'retryable',
    header: 'Can be retried',
    kind: 'text',
    spare: 2,
    value: ({ retryable }) => (retryable ? 'yes' : 'no'),
  },
  { field: 'failed_at', header: 'Failed', kind: 'time', value: ({ failed_at }) => failed_at },
];

export const failed = defineCommand({
  name: 'failed',
  summary: 'List, retry or dismiss failed background work',
  description: [
    'Background work that fails four times because of an internal error is set aside here. `retry` runs it again at',
    'once, with all four attempts. A task that cannot be retried has already left its record with an outcome: dismiss',
    'it once you have seen it. With --all, `retry` applies to every task that can be retried, and `dismiss` to every',
    'task.',
  ].join('\n'),
  positionals: {
    action: word({ choices: ['list', 'retry', 'dismiss'], summary: 'Action', optional: true }),
    task: positionals('text', { summary: 'IDs of failed tasks: ftk_…', optional: true }),
  },
  flags: pagingFlags,
  examples: [
    { command: 'waybill admin failed list', summary: 'List failed tasks with reasons' },
    { command: 'waybill admin failed retry TASK', summary: 'Retry one task' },
    { command: 'waybill admin failed retry --all', summary: 'Retry every task that can be retried' },
    { command: 'waybill admin failed dismiss TASK', summary: 'Dismiss one task permanently' },
  ],
  effect: 'write',
  async run(context, { flags, positionals: { action = 'list', task } }) {
    if (action === 'retry')
      return retryTasks(context, await selectTasks(context, action, { task, all: flags.all }));
    if (action === 'dismiss')
      return dismissTasks(context, await selectTasks(context, action, { task, all: flags.all }));
    if (task.length > 0) throw new UsageError('`waybill admin failed list` takes no arguments.');
    const client = await context.client({ reads: true });
    return listing({
      list: client.failedTasks.list,
      query: {},
      paging: flags,
      columns: failedTaskColumns,
      command: invocation('admin failed', ['list']),
      filters: {},
      empty: 'No background work has failed.',
    });
  },
});

/** Returns the IDs that were given, or with `--all` those of every task the action applies to. */
async function selectTasks(
  context: Context,
  action: 'retry' | 'dismiss',
  { task, all }: { task: readonly string[]; all: boolean },
): Promise<readonly string[]> {
  if (all === task.length > 0) throw new UsageError(`Specify the tasks to ${action}, or use --all.`);
  if (!all) return task;
  const client = await context.client({ reads: true });
  const found: FailedTask[] = [];
  for await (const each of records(client.failedTasks.list, { limit: 100 })) found.push(each);
  return found.filter(({ retryable }) => retryable || action === 'dismiss').map(({ id }) => id);
}

async function retryTasks(context: Context, ids: readonly string[]): Promise<Result> {
  const data = await each(context, ids, async (client, failed_task_id) => {
    const idempotencyKey = ids.length === 1 ? context.idempotencyKey() : undefined;
    const asked = { params: { failed_task_id }, ...(idempotencyKey === undefined ? {} : { idempotencyKey }) };
    return (await client.failedTasks.retry(asked)).data;
  });
  return list({ data, columns: failedTaskColumns, empty: 'No failed task can be retried.' });
}

async function dismissTasks(context: Context, ids: readonly string[]): Promise<Result> {
  const data = await each(context, ids, async (client, failed_task_id) => {
    return (await client.failedTasks.dismiss({ params: { failed_task_id } })).data;
  });
  return list({ data, columns: deletedFields, empty: 'No background work has failed.' });
}

/** Runs the action on one task after another and stops at the first error; earlier results are kept. */
async function each<T>(
  context: Context,
  ids: readonly string[],
  act: (client: Client, id: string) => Promise<T>,
): Promise<T[]> {
  const client = await context.client();
  const done: T[] = [];
  for (const id of ids) done.push(await act(client, id));
  return done;
}
