import { sql } from 'kysely';
import type { Connection, WebhookMessageRow } from './database.ts';
import { forUpdate } from './row-locks.ts';
import { type Queued, queueOf } from './webhook-messages.ts';
import type { WebhookMessageTable } from './webhook-rows.ts';

// Changes of queues by merchants: resending events, and enabling an endpoint again.

/** An event's messages: one for each endpoint to which it is waiting or was given up. */
export async function messagesOf(db: Connection, event_id: string): Promise<WebhookMessageRow[]> {
  return db.selectFrom('webhook_messages').selectAll().where('event_id', '=', event_id).execute();
}

export type Resent = Pick<
  WebhookMessageTable,
  'account_id' | 'test_mode' | 'endpoint_id' | 'event_id' | 'queue' | 'created_at'
>;

/** Resent events of one delivery share a queue, in the order of the requests, beside the queue of its new events. */
export function resentQueueOf(event: Queued): string {
  const queue = queueOf(event);
  return queue === event.id ? queue : `${queue} resent`;
}

/** Queues an event again that an endpoint already received, at the end of its queue. */
export async function insertResent(db: Connection, resent: Resent): Promise<void> {
  const { endpoint_id, event_id } = resent;
  const { sends } = await db
    .selectFrom('webhook_attempts')
    .select(({ fn }) => fn.countAll<number>().as('sends'))
    .where('event_id', '=', event_id)
    .where('endpoint_id', '=', endpoint_id)
    .executeTakeFirstOrThrow();
  await insertLast(db, { ...resent, sends: Number(sends) });
}

/** Queues a message again that was given up, at the end of another queue. */
export async function requeueMessage(
  db: Connection,
  message: WebhookMessageRow,
  { queue, now }: { queue: string; now: number },
): Promise<void> {
  const { account_id, test_mode, endpoint_id, event_id, sequence, sends } = message;
  await db.deleteFrom('webhook_messages').where('sequence', '=', sequence).execute();
  await insertLast(db, { account_id, test_mode, endpoint_id, event_id, queue, sends, created_at: now });
}

/** Due immediately, unless others precede it in its queue; then the first of them is sent immediately. */
async function insertLast(db: Connection, message: Resent & { sends: number }): Promise<void> {
  const { queue, endpoint_id, created_at } = message;
  const before = await db
    .selectFrom('webhook_messages')
    .select('sequence')
    .where('queue', '=', queue)
    .where('endpoint_id', '=', endpoint_id)
    .where('status', '=', 'pending')
    .orderBy('sequence')
    .limit(1)
    .modifyEnd(forUpdate(db))
    .executeTakeFirst();
  const due_at = before === undefined ? created_at : null;
  await db
    .insertInto('webhook_messages')
    .values({ ...message, status: 'pending', attempts: 0, due_at })
    .execute();
  // A message that is already due may be in progress.
  await db
    .updateTable('webhook_messages')
    .set(anew(created_at))
    .where('queue', '=', queue)
    .where('endpoint_id', '=', endpoint_id)
    .where('due_at', '>', created_at)
    .execute();
}

/**
 * Makes the first message of a queue due now and resets its attempts. The result of an attempt in progress is then
 * ignored.
 */
export async function retryQueueNow(
  db: Connection,
  { queue, endpoint_id }: Pick<WebhookMessageRow, 'queue' | 'endpoint_id'>,
  now: number,
): Promise<void> {
  await db
    .updateTable('webhook_messages')
    .set(({ eb }) => ({ ...anew(now), claim: eb('claim', '+', 1) }))
    .where('queue', '=', queue)
    .where('endpoint_id', '=', endpoint_id)
    .where('status', '=', 'pending')
    .where('due_at', 'is not', null)
    .execute();
}

/** A message that was given up without a recorded failed attempt. */
export type UnsentMessage = Pick<WebhookMessageRow, 'event_id' | 'sends'>;

/**
 * Gives up the messages of an endpoint that have been waiting since before a time; they can be resent. Workers lose
 * their claims; the attempt of one that is just being recorded counts. Returns those without a recorded attempt, in insertion order.
 */
export async function giveUpOldMessages(
  db: Connection,
  endpoint_id: string,
  before: number,
): Promise<UnsentMessage[]> {
  const untried = await db
    .selectFrom('webhook_messages')
    .select(['event_id', 'sends'])
    .where('endpoint_id', '=', endpoint_id)
    .where('status', '=', 'pending')
    .where('created_at', '<', before)
    .where(sql<boolean>`coalesce((
      select status from webhook_attempts
      where webhook_attempts.event_id = webhook_messages.event_id
        and webhook_attempts.endpoint_id = webhook_messages.endpoint_id
      order by webhook_attempts.sequence desc limit 1
    ), '') <> 'failed'`)
    .orderBy('sequence')
    .modifyEnd(forUpdate(db))
    .execute();
  await db
    .updateTable('webhook_messages')
    .set(({ eb }) => ({
      status: 'exhausted',
      due_at: null,
      claim: eb('claim', '+', 1),
      claimed_until: null,
    }))
    .where('endpoint_id', '=', endpoint_id)
    .where('status', '=', 'pending')
    .where('created_at', '<', before)
    .execute();
  return untried;
}

function anew(now: number) {
  return { due_at: now, attempts: 0, created_at: now, claimed_until: null } as const;
}

/** Makes the first message of each queue of an endpoint due now and resets their attempts. */
export async function resumeQueues(db: Connection, endpoint_id: string, now: number): Promise<void> {
  await db
    .updateTable('webhook_messages')
    .set(({ eb }) => ({ ...anew(now), claim: eb('claim', '+', 1) }))
    .where('endpoint_id', '=', endpoint_id)
    .where('due_at', 'is not', null)
    .execute();
  await sql`update webhook_messages set due_at = ${now} where sequence in (
    select min(sequence) from webhook_messages
    where endpoint_id = ${endpoint_id} and status = 'pending'
    group by queue having max(due_at) is null
  )`.execute(db);
}
