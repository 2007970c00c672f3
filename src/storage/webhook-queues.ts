import { sql } from 'kysely';
import type { Connection, WebhookMessageRow } from './database.ts';
import { forUpdate } from './row-locks.ts';
import { type Queued, queueOf } from './webhook-messages.ts';
import type { WebhookMessageTable } from './webhook-rows.ts';

// What merchants do to the queues: they resend, and they enable an endpoint again.

/** An event's messages: one for each endpoint that has yet to get it, or was given up on. */
export async function messagesOf(db: Connection, event_id: string): Promise<WebhookMessageRow[]> {
  return db.selectFrom('webhook_messages').selectAll().where('event_id', '=', event_id).execute();
}

export type Resent = Pick<
  WebhookMessageTable,
  'account_id' | 'test_mode' | 'endpoint_id' | 'event_id' | 'queue' | 'created_at'
>;

/** What is resent of one delivery goes in the order in which it was asked for, beside what is told of it meanwhile. */
export function resentQueueOf(event: Queued): string {
  const queue = queueOf(event);
  return queue === event.id ? queue : `${queue} resent`;
}

/** Puts an event that an endpoint has had on its way once more, behind all of its queue. */
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

/** Puts a message that was given up on its way again, behind all of another queue. */
export async function reviveMessage(
  db: Connection,
  message: WebhookMessageRow,
  { queue, now }: { queue: string; now: number },
): Promise<void> {
  const { account_id, test_mode, endpoint_id, event_id, sequence, sends } = message;
  await db.deleteFrom('webhook_messages').where('sequence', '=', sequence).execute();
  await insertLast(db, { account_id, test_mode, endpoint_id, event_id, queue, sends, created_at: now });
}

/** Due at once, unless others of its queue come before it; then the first of them is tried at once. */
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
  // One that is due already may be under way.
  await db
    .updateTable('webhook_messages')
    .set(anew(created_at))
    .where('queue', '=', queue)
    .where('endpoint_id', '=', endpoint_id)
    .where('due_at', '>', created_at)
    .execute();
}

/**
 * Makes the first of a message's queue due now; its attempts begin anew. An attempt that is under way then settles
 * nothing, whatever comes of it.
 */
export async function hastenQueue(
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

/** What was given up of which no failed attempt tells. */
export type Untried = Pick<WebhookMessageRow, 'event_id' | 'sends'>;

/**
 * Gives up what has been on its way to an endpoint since before an instant; it can be resent. Who has one in hand
 * loses the claim to it. Tells what of it no attempt tells, in order of writing.
 */
export async function exhaustOld(db: Connection, endpoint_id: string, before: number): Promise<Untried[]> {
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

/** Makes the first of each queue of an endpoint due now; their attempts begin anew. */
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
