/** `admin failed`: lists, retries and dismisses background work that has failed for good. */
import type { Client } from '../../../client/client.ts';
import { allRecords } from '../../../client/pages.ts';
import type { FailedTask } from '../../../contract/service.ts';
import { UsageError } from '../../kit/errors/failure.ts';
import { invocation } from '../../kit/result/message.ts';
import { type Column, deletedFields, listResult, type Result } from '../../kit/result/result.ts';
import { partlyDone } from '../../nouns/order-sending.ts';
import {
  type Context,
  choicePositional,
  defineCommand,
  type FlagValues,
  positionals,
} from '../../session/command.ts';
import { bindFilter } from '../../session/list-view.ts';
import { listing, pagingFlags } from '../../session/listing.ts';

const failedTaskColumns: readonly Column<FailedTask>[] = [
  { field: 'id', header: 'Failed task', kind: 'id' },
  { field: 'kind', header: 'Kind', kind: 'text' },
  { field: 'subject', header: 'About', kind: 'text' },
  { field: 'error', header: 'Error', kind: 'text' },
  { field: 'attempts', header: 'Tries', kind: 'count', spare: 1 },
  {
    field: 'retryable',
    header: 'Can be retried',
    kind: 'text',
    spare: 2,
    value: ({ retryable }) => (retryable ? 'yes' : 'no'),
  },
  { field: 'failed_at', header: 'Failed', kind: 'time' },
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
    action: choicePositional({ choices: ['list', 'retry', 'dismiss'], summary: 'Action', optional: true }),
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
  calls: ['failedTasks.list', 'failedTasks.retry', 'failedTasks.dismiss'],
  answers: ({ each, answerOf }) => [
    each('failedTasks.list'),
    each(answerOf('failedTasks.dismiss'), 'with dismiss'),
  ],
  related: ['doctor'],
  async run(context, { flags, positionals: { action = 'list', task } }) {
    if (action !== 'list') {
      const ids = await selectTasks(context, action, { ...flags, task });
      return action === 'retry' ? retryTasks(context, ids) : dismissTasks(context, ids);
    }
    if (task.length > 0) throw new UsageError('`waybill admin failed list` takes no arguments.');
    const client = await context.client({ reads: true });
    return listing(context, {
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
  { task, all, filter }: Pick<FlagValues<typeof pagingFlags>, 'all' | 'filter'> & { task: readonly string[] },
): Promise<readonly string[]> {
  if (filter !== undefined && !all) throw new UsageError(`--filter goes with --all to ${action} tasks.`);
  if (all === task.length > 0) throw new UsageError(`Specify the tasks to ${action}, or use --all.`);
  if (!all) return task;
  const client = await context.client({ reads: true });
  const bound = await bindFilter(context, filter, failedTaskColumns);
  const tasks = await allRecords(client.failedTasks.list, { limit: 100 });
  const found = tasks.filter((each) => bound?.keep(each) !== false);
  return found.filter(({ retryable }) => retryable || action === 'dismiss').map(({ id }) => id);
}

async function retryTasks(context: Context, ids: readonly string[]): Promise<Result> {
  const work = { done: 'retried', columns: failedTaskColumns };
  const data = await actOnEach(context, ids, work, async (client, failed_task_id) => {
    const key = ids.length === 1 ? { idempotencyKey: context.idempotencyKey() } : {};
    return (await client.failedTasks.retry({ params: { failed_task_id }, ...key })).data;
  });
  return listResult({ data, columns: failedTaskColumns, empty: 'No failed task can be retried.' });
}

async function dismissTasks(context: Context, ids: readonly string[]): Promise<Result> {
  const work = { done: 'dismissed', columns: deletedFields };
  const data = await actOnEach(context, ids, work, async (client, failed_task_id) => {
    return (await client.failedTasks.dismiss({ params: { failed_task_id } })).data;
  });
  return listResult({ data, columns: deletedFields, empty: 'No background work has failed.' });
}

/**
 * Runs the action on one task after another and stops at the first error: exit 10 with what was done before, or the error
 * itself if that is nothing.
 */
async function actOnEach<T>(
  context: Context,
  ids: readonly string[],
  { done: verb, columns }: { done: string; columns: readonly Column<T>[] },
  act: (client: Client, id: string) => Promise<T>,
): Promise<T[]> {
  const client = await context.client();
  const done: T[] = [];
  for (const id of ids) {
    const result = act(client, id).catch((error: unknown) => {
      if (done.length === 0) throw error;
      const { length } = done;
      throw partlyDone(
        error,
        `${length} of ${ids.length} tasks ${length === 1 ? 'was' : 'were'} ${verb}. ${id} was not.`,
        {
          answer: listResult({ data: done, columns }),
        },
      );
    });
    done.push(await result);
  }
  return done;
}
