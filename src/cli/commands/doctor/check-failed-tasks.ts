import { ApiError } from '../../../client/errors.ts';
import { records } from '../../../client/pages.ts';
import type { FailedTask } from '../../../contract/failed-tasks.ts';
import { invocation, phrase } from '../../kit/result/message.ts';
import type { Context } from '../../session/command.ts';
import { type Finding, ok, warn } from './finding.ts';

/** Checks for background tasks of the account that the service gave up on. */
export async function checkFailedTasks(context: Context): Promise<Finding> {
  const client = await context.client({ reads: true, opensUnchanged: true });
  const failed: FailedTask[] = [];
  try {
    for await (const task of records(client.failedTasks.list, { limit: 100 })) failed.push(task);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error;
    return ok('background work', 'not listed by this version of the service');
  }
  const [last] = failed;
  if (last === undefined) return ok('background work', 'none has failed');
  const kinds = [...new Set(failed.map(({ kind }) => kind))].join(', ');
  const count = failed.length === 1 ? '1 piece was' : `${failed.length} pieces were`;
  const found = `${count} given up (${kinds}), the last with: ${last.error}`;
  const isRetryable = failed.some(({ retryable }) => retryable);
  const again = invocation('admin failed', [isRetryable ? 'retry' : 'dismiss', '--all']);
  const seen = invocation('admin failed', ['list']);
  return warn('background work', found, {
    remedy: phrase`See each with \`${seen}\`. ${isRetryable ? 'Once its cause is gone' : 'Its records have their outcomes'}:`,
    command: phrase`${again}`,
  });
}
