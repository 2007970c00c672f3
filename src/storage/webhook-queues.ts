import { type Insertable, sql } from 'kysely';
import type { AttemptStatus, EventType } from '../contract/vocabulary.ts';
import type { Connection, WebhookAttemptRow, WebhookMessageRow } from './database.ts';
import type { Page } from './paging.ts';
import { forUpdate } from './row-locks.ts';
import { chunks } from './rows.ts';
import { type Queued, queueOf } from './webhook-messages.ts';
import type { WebhookAttemptTable, WebhookMessageTable } from './webhook-rows.ts';

// Changes of queues by merchants: resending events, and enabling an endpoint again.

/** An event's messages: one for each endpoint to which it is waiting or was given up. */
export async function messagesOf(db: Connection, event_id: string): Promise<WebhookMessageRow[]> {
  return db.selectFrom('webhook_messages').selectAll().where('event_id', '=', event_id).execute();
}

type Resent = Pick<
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
type UnsentMessage = Pick<WebhookMessageRow, 'event_id' | 'sends'>;

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

export type NewAttempt = Omit<Insertable<WebhookAttemptTable>, 'sequence'>;

/** Inserts attempts; those that exist with the same id are kept. */
export async function insertAttempts(db: Connection, attempts: readonly NewAttempt[]): Promise<void> {
  for (const chunk of chunks(attempts)) {
    await db
      .insertInto('webhook_attempts')
      .values(chunk)
      .onConflict((conflict) => conflict.column('id').doNothing())
      .execute();
  }
}

/** An attempt with its event. */
export type AttemptWithEvent = WebhookAttemptRow & {
  event_type: EventType;
  delivery_id: string | null;
  external_order_ref: string | null;
  event_sequence: number | null;
  /** The time for which the next attempt for the event is scheduled; null if there is none. */
  followed_at: number | null;
};

export interface AttemptQuery {
  endpoint_id: string;
  limit: number;
  /** The attempt after which the page starts. */
  after_id?: string | undefined;
  status?: AttemptStatus | undefined;
  event_id?: string | undefined;
  /** Only final attempts; failed ones without tests, because tests are never given up. */
  isLast?: boolean | undefined;
}

/** One page of an endpoint's attempts, newest first. */
export async function listAttempts(db: Connection, query: AttemptQuery): Promise<Page<AttemptWithEvent>> {
  const { endpoint_id, limit, after_id, status, event_id, isLast } = query;
  let attempts = db
    .selectFrom('webhook_attempts')
    .innerJoin('events', 'events.id', 'webhook_attempts.event_id')
    .leftJoin('deliveries', 'deliveries.id', 'events.delivery_id')
    .selectAll('webhook_attempts')
    .select('deliveries.external_order_ref')
    .select(['events.type as event_type', 'events.delivery_id', 'events.sequence as event_sequence'])
    .select(followedAt.as('followed_at'))
    .where('webhook_attempts.endpoint_id', '=', endpoint_id)
    .orderBy('webhook_attempts.sequence', 'desc')
    .limit(limit + 1);
  // Inlined in the statement, so that the index of failed attempts is used.
  if (status !== undefined) attempts = attempts.where('webhook_attempts.status', '=', sql.lit(status));
  if (event_id !== undefined) attempts = attempts.where('webhook_attempts.event_id', '=', event_id);
  if (isLast === true) attempts = attempts.where(({ not }) => not(isFollowed));
  if (isLast === true && status === 'failed') attempts = attempts.where('events.type', '!=', 'webhook.test');
  if (after_id !== undefined) {
    const place = db.selectFrom('webhook_attempts').select('sequence').where('id', '=', after_id);
    attempts = attempts.where('webhook_attempts.sequence', '<', place);
  }
  const rows = await attempts.execute();
  return { rows: rows.slice(0, limit), has_more: rows.length > limit };
}

/** Whether a later attempt for the same event and endpoint took place or is scheduled. */
const isFollowed = sql<boolean>`(exists (
  select 1 from webhook_attempts as later
  where later.event_id = webhook_attempts.event_id
    and later.endpoint_id = webhook_attempts.endpoint_id
    and later.sequence > webhook_attempts.sequence
) or exists (
  select 1 from webhook_messages
  where webhook_messages.event_id = webhook_attempts.event_id
    and webhook_messages.endpoint_id = webhook_attempts.endpoint_id
    and webhook_messages.status = 'pending'
))`;

/** If the event was given up since, the scheduled attempt does not take place. */
const followedAt = sql<number | null>`case when ${isFollowed} then webhook_attempts.next_attempt_at end`;
