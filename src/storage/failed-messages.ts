import { sql } from 'kysely';
import type { Connection } from './database.ts';
import type { Failure } from './failed-tasks.ts';
import { forUpdate } from './row-locks.ts';
import { promoteNext } from './webhook-messages.ts';

/**
 * Moves a webhook message to the failed tasks and unblocks its queue. With a claim, nothing changes if the claim was
 * lost. Only the message's queue is read, so that an unreadable message can be moved too.
 */
export async function failMessage(
  db: Connection,
  message: { sequence: number; claim?: number | undefined },
  { id, due_at, attempts, error, is_concluded, failed_at, now }: Failure & { now: number },
): Promise<void> {
  const { sequence, claim } = message;
  const isIt =
    claim === undefined ? sql`sequence = ${sequence}` : sql`sequence = ${sequence} and claim = ${claim}`;
  const found = sql<{ queue: string }>`select queue from webhook_messages where ${isIt} ${forUpdate(db)}`;
  const { rows } = await found.execute(db);
  await sql`insert into failed_tasks (
      id, task_id, kind, subject, payload, account_id, test_mode, due_at, attempts, error, is_concluded, failed_at
    ) select ${id}, '', 'webhook.send', event_id, '{"endpoint_id":"' || endpoint_id || '"}', account_id, test_mode,
      cast(${due_at} as bigint), cast(${attempts} as bigint), ${error}, cast(${is_concluded} as bigint),
      cast(${failed_at} as bigint)
    from webhook_messages where ${isIt}`.execute(db);
  await sql`delete from webhook_messages where ${isIt}`.execute(db);
  const queues = rows.map(({ queue }) => queue);
  await promoteNext(db, queues, now);
}
