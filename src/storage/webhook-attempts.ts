import { type Insertable, sql } from 'kysely';
import type { AttemptStatus, EventType } from '../contract/vocabulary.ts';
import type { Connection, WebhookAttemptRow } from './database.ts';
import type { Page } from './paging.ts';
import { chunks } from './rows.ts';
import type { WebhookAttemptTable } from './webhook-rows.ts';

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
