/**
 * Events on their way to webhook endpoints, in queues: queued with the event, claimed by a sender, ended or due again.
 */
import { sql } from 'kysely';
import type { Connection, EventRow, Flag, WebhookEndpointRow, WebhookMessageRow } from './database.ts';
import { forKeyShare, forUpdate, forUpdateSkipLocked, type LeaseTime } from './locks.ts';
import { chunks, inScope } from './rows.ts';
import { hasEndpoints } from './webhook-endpoints.ts';
import type { WebhookMessageTable } from './webhook-rows.ts';

/** The fields of an event that determine its endpoints. */
type Routed = Queued & Pick<EventRow, 'account_id' | 'test_mode' | 'type' | 'created_at'>;

/** The fields of an event that determine its queue. */
type Queued = Pick<EventRow, 'id' | 'delivery_id' | 'sequence'>;

/** The numbered events of a delivery share a queue per endpoint; every other event has its own. */
function queueOf({ id, delivery_id, sequence }: Queued): string {
  return sequence === null ? id : (delivery_id ?? id);
}

/** The recipients of an event. */
interface Routing {
  /** Subscriptions to any of these types. */
  asked: readonly string[];
  /** How long after it was disabled an endpoint still collects events, in case it is enabled again. */
  kept_ms: number;
}

/**
 * Queues an event for its subscribed endpoints, in the transaction that writes it. Numbered events of a delivery are queued
 * in their order, as the transaction has locked the delivery.
 */
export async function enqueueEvent(db: Connection, event: Routed, routing: Routing): Promise<void> {
  const { id, account_id, test_mode, created_at } = event;
  if (!(await hasEndpoints(db, { account_id, test_mode }))) return;
  const { asked, kept_ms } = routing;
  const queue = queueOf(event);
  await db
    .insertInto('webhook_messages')
    .columns([
      'account_id',
      'test_mode',
      'endpoint_id',
      'event_id',
      'queue',
      'status',
      'attempts',
      'sends',
      'due_at',
      'created_at',
    ])
    .expression((eb) =>
      eb
        .selectFrom('webhook_endpoints')
        .select(({ val, ref, lit }) => [
          val(account_id).as('account_id'),
          sql<0 | 1>`cast(${test_mode} as bigint)`.as('test_mode'),
          ref('webhook_endpoints.id').as('endpoint_id'),
          val(id).as('event_id'),
          val(queue).as('queue'),
          sql<'pending'>`'pending'`.as('status'),
          lit(0).as('attempts'),
          lit(0).as('sends'),
          headDue(db, queue, created_at).as('due_at'),
          sql<number>`cast(${created_at} as bigint)`.as('created_at'),
        ])
        .where(inScope(event))
        .where(({ or, eb: each }) => or(asked.map((word) => each('events', 'like', `%"${word}"%`))))
        .where(({ or, eb: each }) =>
          or([each('status', '=', 'enabled'), each('disabled_at', '>', created_at - kept_ms)]),
        )
        .orderBy('webhook_endpoints.id')
        .modifyEnd(forKeyShare(db)),
    )
    .execute();
}

/**
 * When a new message is due: immediately, unless another one of its queue precedes it. That one is locked: if it were
 * claimed, sent and deleted before this transaction ends, the new one would never become due. Who ends a message is read
 * committed, waits for the lock, and then sees the new message in `promoteNext`.
 */
function headDue(db: Connection, queue: string, now: number) {
  return sql<number | null>`case when exists (
    select 1 from webhook_messages as waiting
    where waiting.queue = ${queue} and waiting.endpoint_id = webhook_endpoints.id and waiting.status = 'pending'
    ${forUpdate(db)}
  ) then null else cast(${now} as bigint) end`;
}

type DueEndpoint = WebhookEndpointRow & { due_at: number };

/** The enabled endpoints of a mode with waiting messages, each with the due time of the first; the earliest first. */
export async function dueEndpoints(db: Connection, test_mode: Flag, latest: number): Promise<DueEndpoint[]> {
  const { rows } = await sql<DueEndpoint>`select * from (
      select webhook_endpoints.*, (
        select min(due_at) from webhook_messages
        where endpoint_id = webhook_endpoints.id and due_at is not null
      ) as due_at
      from webhook_endpoints where status = 'enabled' and test_mode = ${test_mode}
    ) as endpoints where due_at <= ${latest} and coalesce(held_until, 0) <= ${latest} order by due_at, id`.execute(
    db,
  );
  return rows;
}

/**
 * The due time of the first message to an enabled endpoint of a mode, without the excluded ones; null if there is
 * none.
 */
export async function nextMessageDue(
  db: Connection,
  test_mode: Flag,
  except: readonly string[] = [],
): Promise<number | null> {
  const others = except.length === 0 ? sql`` : sql`and id not in (${sql.join(except)})`;
  const { rows } = await sql<{ due_at: number | null }>`select min(
      case when held_until > due_at then held_until else due_at end
    ) as due_at from (
      select held_until, (
        select min(due_at) from webhook_messages
        where endpoint_id = webhook_endpoints.id and due_at is not null
      ) as due_at
      from webhook_endpoints where status = 'enabled' and test_mode = ${test_mode} ${others}
    ) as endpoints where due_at is not null`.execute(db);
  return rows[0]?.due_at ?? null;
}

export interface DueAt {
  endpoint_id: string;
  /** Whether to read retries or first attempts. */
  isRetry: boolean;
  now: number;
  limit: number;
  wall_now?: LeaseTime | undefined;
}

/** An endpoint's due messages, the earliest first, without those that other workers have claimed. */
export async function dueMessages(db: Connection, due: DueAt): Promise<WebhookMessageRow[]> {
  return dueTo(db, due).selectAll().execute();
}

/** The sequences of `dueMessages`. */
export async function dueSequences(db: Connection, due: DueAt): Promise<number[]> {
  const rows = await dueTo(db, due).select('sequence').execute();
  return rows.map(({ sequence }) => sequence);
}

export async function findMessage(db: Connection, sequence: number): Promise<WebhookMessageRow | undefined> {
  return db.selectFrom('webhook_messages').selectAll().where('sequence', '=', sequence).executeTakeFirst();
}

function dueTo(db: Connection, { endpoint_id, isRetry, now, limit, wall_now }: DueAt) {
  let messages = db
    .selectFrom('webhook_messages')
    .where('endpoint_id', '=', endpoint_id)
    .where('due_at', '<=', now)
    .where('attempts', isRetry ? '>' : '=', 0);
  if (wall_now !== undefined) {
    messages = messages.where(({ eb, or }) =>
      or([eb('claimed_until', 'is', null), eb('claimed_until', '<=', wall_now)]),
    );
  }
  return messages.orderBy('due_at').orderBy('sequence').limit(limit);
}

/** Claims a message as it was read; null if another worker was faster or the message is gone. */
export async function claimMessage(
  db: Connection,
  { sequence, claim }: Pick<WebhookMessageRow, 'sequence' | 'claim'>,
  until: LeaseTime,
): Promise<number | null> {
  const row = await db
    .updateTable('webhook_messages')
    .set({ claim: claim + 1, claimed_until: until })
    .where('sequence', '=', sequence)
    .where('claim', '=', claim)
    .returning('claim')
    .executeTakeFirst();
  return row?.claim ?? null;
}

/** Extends claims; messages locked by a transaction are left for the next renewal. */
export async function renewMessages(
  db: Connection,
  sequences: readonly number[],
  until: LeaseTime,
): Promise<void> {
  for (const some of chunks(sequences)) {
    await db
      .updateTable('webhook_messages')
      .set({ claimed_until: until })
      .where(({ eb, selectFrom }) =>
        eb(
          'sequence',
          'in',
          selectFrom('webhook_messages')
            .select('sequence')
            .where('sequence', 'in', some)
            .where('claimed_until', 'is not', null)
            .modifyEnd(forUpdateSkipLocked(db)),
        ),
      )
      .execute();
  }
}

/** Releases a claimed message unchanged. */
export async function releaseMessage(
  db: Connection,
  { sequence, claim }: Pick<WebhookMessageRow, 'sequence' | 'claim'>,
): Promise<void> {
  await db
    .updateTable('webhook_messages')
    .set({ claimed_until: null })
    .where('sequence', '=', sequence)
    .where('claim', '=', claim)
    .execute();
}

/** Locks the messages and returns those that still exist, with their claims. */
export async function lockMessages(
  db: Connection,
  sequences: readonly number[],
): Promise<Pick<WebhookMessageRow, 'sequence' | 'claim'>[]> {
  const held: Pick<WebhookMessageRow, 'sequence' | 'claim'>[] = [];
  for (const some of chunks(sequences)) {
    const rows = await db
      .selectFrom('webhook_messages')
      .select(['sequence', 'claim'])
      .where('sequence', 'in', some)
      .orderBy('sequence')
      .modifyEnd(forUpdate(db))
      .execute();
    held.push(...rows);
  }
  return held;
}

export async function deleteMessages(db: Connection, sequences: readonly number[]): Promise<void> {
  for (const some of chunks(sequences)) {
    await db.deleteFrom('webhook_messages').where('sequence', 'in', some).execute();
  }
}

type MessageChange = Partial<Pick<WebhookMessageRow, 'status' | 'attempts' | 'sends' | 'due_at' | 'queue'>>;

/** Records the result of an attempt and releases the message. */
export async function updateMessage(db: Connection, sequence: number, change: MessageChange): Promise<void> {
  await db
    .updateTable('webhook_messages')
    .set({ ...change, claimed_until: null })
    .where('sequence', '=', sequence)
    .execute();
}

/**
 * Makes the next message of each queue due if none of it is; returns how many. In a read committed transaction that has
 * locked what it ends: see `headDue`.
 */
export async function promoteNext(db: Connection, queues: readonly string[], now: number): Promise<number> {
  let promoted = 0;
  for (const some of chunks([...new Set(queues)])) {
    const { numAffectedRows } = await sql`update webhook_messages set due_at = ${now} where sequence in (
      select min(sequence) from webhook_messages
      where status = 'pending' and queue in (${sql.join(some)})
      group by queue, endpoint_id having max(due_at) is null
    )`.execute(db);
    promoted += Number(numAffectedRows ?? 0);
  }
  return promoted;
}

/** Queues of a mode with pending messages of which none is due: they would never be sent. */
export async function stoppedQueues(db: Connection, test_mode: Flag, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('webhook_messages')
    .select('queue')
    .where('status', '=', 'pending')
    .where('test_mode', '=', test_mode)
    .groupBy(['queue', 'endpoint_id'])
    .having(({ fn, eb }) => eb(fn.max('due_at'), 'is', null))
    .limit(limit)
    .execute();
  return rows.map(({ queue }) => queue);
}

// Changes of queues by merchants: resending events, and enabling an endpoint again.

/** An event's messages: one for each endpoint to which it is waiting or was given up. */
export async function findEventMessages(db: Connection, event_id: string): Promise<WebhookMessageRow[]> {
  return db.selectFrom('webhook_messages').selectAll().where('event_id', '=', event_id).execute();
}

type Resent = Pick<
  WebhookMessageTable,
  'account_id' | 'test_mode' | 'endpoint_id' | 'event_id' | 'queue' | 'created_at'
>;

/** Resent events of one delivery share a queue, in the order of the requests, beside the queue of its new events. */
export function nameResentQueue(event: Queued): string {
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

/** Adds a message to its queue: due immediately, unless others precede it; then the first of them is sent immediately. */
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

/** A message that is given up although its last recorded attempt, if any, did not fail. */
type UnsentMessage = Pick<WebhookMessageRow, 'event_id' | 'sends'>;

/**
 * Gives up the messages of an endpoint that have been waiting since before a time; they can be resent. Workers lose
 * their claims; the attempt of one that is just being recorded counts. Returns those without a recorded attempt, in
 * insertion order.
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
    .set(({ eb }) => ({ status: 'exhausted', due_at: null, claim: eb('claim', '+', 1), claimed_until: null }))
    .where('endpoint_id', '=', endpoint_id)
    .where('status', '=', 'pending')
    .where('created_at', '<', before)
    .execute();
  return untried;
}

/** The changes with which a message is sent as if it were new. */
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
