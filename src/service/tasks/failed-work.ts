/** Tasks that are given up: they are kept with their error, for a person to retry. */
import type { Flag, TaskRow } from '../../storage/database.ts';
import { type Failure, failTask } from '../../storage/failed-tasks.ts';
import { StorageUnavailable } from '../../storage/storage.ts';
import type { ServiceContext } from '../runtime/context.ts';
import { exactPart, newId } from '../runtime/ids.ts';
import type { Clock } from '../runtime/time.ts';

/** The maximum number of characters stored of a task's error. */
const kept_characters = 500;

/** The stored text of a task's error. */
function failureText(fault: unknown): string {
  const text = fault instanceof Error ? fault.message : String(fault);
  return text.slice(0, kept_characters) || 'unknown error';
}

interface GivenUp {
  row: Pick<TaskRow, 'id' | 'due_at' | 'attempts'>;
  fault: unknown;
  /** See `FailedTaskTable`. */
  is_concluded: Flag;
}

/** The context for giving a task up. */
export type FailureParts = Pick<
  ServiceContext,
  'test_mode' | 'storage' | 'clock' | 'chance' | 'onFault' | 'quarantine'
>;

/** The failed-task row of a task that is given up now. */
export async function failedTaskRow(
  service: Pick<FailureParts, 'chance'> & { clock: Clock },
  { row, fault, is_concluded }: GivenUp,
): Promise<Failure> {
  const failed_at = service.clock.now();
  const chance = await service.chance();
  return {
    id: newId(chance, 'ftk', failed_at, exactPart(row.id), String(row.due_at)),
    due_at: row.due_at,
    attempts: row.attempts,
    error: failureText(fault),
    is_concluded,
    failed_at,
  };
}

/**
 * Moves a task that cannot be claimed, read or written to the failed tasks. If that fails too, the task is skipped
 * for a while. Throws `StorageUnavailable`.
 */
export async function expelTask(
  service: FailureParts,
  row: Pick<TaskRow, 'id' | 'due_at' | 'attempts'>,
  fault: unknown,
): Promise<void> {
  if (fault instanceof StorageUnavailable) throw fault;
  service.onFault?.(fault, null);
  try {
    const failure = await failedTaskRow(service, { row, fault, is_concluded: 0 });
    // Read committed: it locks the task.
    await service.storage.transaction((db) => failTask(db, { id: row.id }, failure), 'read committed');
  } catch (other) {
    if (other instanceof StorageUnavailable) throw other;
    service.onFault?.(other, null);
    service.quarantine.add(row.id);
  }
}
