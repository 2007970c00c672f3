/** Tasks that were given up, which a person retries or dismisses. */
import { Problem } from '../../contract/errors.ts';
import type {
  dismissFailedTask,
  FailedTask,
  listFailedTasks,
  retryFailedTask,
} from '../../contract/service.ts';
import type { Connection, FailedTaskRow } from '../../storage/database.ts';
import { deleteFailedTask, findFailedTask, listFailedTasks as listRows } from '../../storage/failed-tasks.ts';
import { insertTasks } from '../../storage/tasks.ts';
import type { CallBase, Handler } from '../http/handler.ts';
import { pageRequest, toPage } from '../http/paging.ts';
import { instant } from '../runtime/time.ts';
import { findLane } from '../tasks/lanes.ts';
import { retryMessage } from '../webhooks/delivery/message-outcomes.ts';

export const pageOfFailedTasks: Handler<typeof listFailedTasks> = async ({ service, caller, query }) => {
  const { limit, after_id } = pageRequest(query, 'ftk');
  const page = await service.storage.read((db) => listRows(db, { ...caller.scope, limit, after_id }));
  return toPage(page, viewOf);
};

export const retryTask: Handler<typeof retryFailedTask> = async (call) => {
  const { failed_task_id } = call.params;
  const answer = await call.commit(async (db) => {
    const row = await takeTask(db, call, failed_task_id);
    if (row.is_concluded === 1) {
      const message = `Failed task ${row.id} has nothing to retry: its record already has an outcome. Dismiss the task.`;
      throw new Problem('failed_task_not_retryable', message);
    }
    if (row.kind === 'webhook.send') await retryMessage(db, row, call.now);
    else await insertTasks(db, [{ ...taskOf(row, call.now), lane: findLane(call.service, row) }]);
    return viewOf(row);
  });
  call.service.wakeup.notify();
  return answer;
};

export const dropFailedTask: Handler<typeof dismissFailedTask> = async (call) => {
  const { id } = await call.commit((db) => takeTask(db, call, call.params.failed_task_id));
  return { id, object: 'failed_task', deleted: true };
};

/** Removes the caller's failed task and returns it. Throws `record_not_found`. */
async function takeTask(db: Connection, { caller }: CallBase, id: string): Promise<FailedTaskRow> {
  const row = await findFailedTask(db, caller.scope, id);
  if (row !== undefined && (await deleteFailedTask(db, id))) return row;
  throw new Problem('record_not_found', `There is no failed task ${id}.`);
}

/** The original task, due now and with all its attempts. */
function taskOf(
  { task_id: id, account_id, test_mode, kind, subject, payload }: FailedTaskRow,
  due_at: number,
) {
  return { id, account_id, test_mode, kind, subject, payload, due_at };
}

function viewOf(row: FailedTaskRow): FailedTask {
  const { id, kind, subject, error, attempts, is_concluded, test_mode, due_at, failed_at } = row;
  return {
    id,
    object: 'failed_task',
    kind,
    subject,
    error,
    attempts,
    retryable: is_concluded === 0,
    test_mode: test_mode === 1,
    due_at: instant(due_at),
    failed_at: instant(failed_at),
  };
}
