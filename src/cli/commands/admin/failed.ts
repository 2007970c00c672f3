import type { Client } from '../../../client/client.ts';
import { records } from '../../../client/pages.ts';
import type { FailedTask } from '../../../contract/failed-tasks.ts';
import { deletedFields } from '../../columns/deleted.ts';
import { failedTaskColumns } from '../../columns/failed-tasks.ts';
import { type Context, defineCommand, positionals, word } from '../../command.ts';
import { UsageError } from '../../failures/failure.ts';
import { invocation } from '../../kit/output/invocation.ts';
import { listing, pagingFlags } from '../../line/listing.ts';
import { list, type Result } from '../../result.ts';

export const failed = defineCommand({
  name: 'failed',
  summary: 'List the background work that was given up, retry it, or dismiss it',
  description: [
    'The service gives up background work that fails four times because of a fault of its own. What is retried is tried',
    'again at once, with all its tries. Work that cannot be retried has left its record with an outcome: dismiss it once',
    'you have seen it. With --all, retry takes all that can be retried, and dismiss takes everything.',
  ].join('\n'),
  positionals: {
    action: word({ choices: ['list', 'retry', 'dismiss'], summary: 'What to do', optional: true }),
    task: positionals('text', { summary: 'The failed tasks: ftk_…', optional: true }),
  },
  flags: pagingFlags,
  examples: [
    { command: 'waybill admin failed list', summary: 'What was given up, and why' },
    { command: 'waybill admin failed retry TASK', summary: 'Try one again now' },
    { command: 'waybill admin failed retry --all', summary: 'Try all of it again' },
    { command: 'waybill admin failed dismiss TASK', summary: 'Drop one for good' },
  ],
  effect: 'write',
  async run(context, { flags, positionals: { action = 'list', task } }) {
    if (action === 'retry') return retried(context, await chosen(context, action, { task, all: flags.all }));
    if (action === 'dismiss')
      return dismissed(context, await chosen(context, action, { task, all: flags.all }));
    if (task.length > 0) throw new UsageError('`waybill admin failed list` takes no task.');
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

/** The ids that are named, or those of all that the action can take. */
async function chosen(
  context: Context,
  action: 'retry' | 'dismiss',
  { task, all }: { task: readonly string[]; all: boolean },
): Promise<readonly string[]> {
  if (all === task.length > 0) throw new UsageError(`Name the tasks to ${action}, or give --all.`);
  if (!all) return task;
  const client = await context.client({ reads: true });
  const found: FailedTask[] = [];
  for await (const each of records(client.failedTasks.list, { limit: 100 })) found.push(each);
  return found.filter(({ retryable }) => retryable || action === 'dismiss').map(({ id }) => id);
}

async function retried(context: Context, ids: readonly string[]): Promise<Result> {
  const data = await each(context, ids, async (client, failed_task_id) => {
    const idempotencyKey = ids.length === 1 ? context.idempotencyKey() : undefined;
    const asked = { params: { failed_task_id }, ...(idempotencyKey === undefined ? {} : { idempotencyKey }) };
    return (await client.failedTasks.retry(asked)).data;
  });
  return list({ data, columns: failedTaskColumns, empty: 'Nothing can be retried.' });
}

async function dismissed(context: Context, ids: readonly string[]): Promise<Result> {
  const data = await each(context, ids, async (client, failed_task_id) => {
    return (await client.failedTasks.dismiss({ params: { failed_task_id } })).data;
  });
  return list({ data, columns: deletedFields, empty: 'No background work has failed.' });
}

/** One after the other: what is refused ends it, and what came before is done. */
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
