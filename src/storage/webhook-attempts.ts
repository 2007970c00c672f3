import { type Insertable, sql } from 'kysely';
import type { AttemptStatus, EventType } from '../contract/vocabulary.ts';
import type { Connection, WebhookAttemptRow } from './database.ts';
import type { Page } from './paging.ts';
import { chunks } from './rows.ts';
import type { WebhookAttemptTable } from './webhook-rows.ts';

export type NewAttempt = Omit<Insertable<WebhookAttemptTable>, 'sequence'>;

/** Writes attempts down. One that is written already, which has the same id, stays as it is. */
export async function insertAttempts(db: Connection, attempts: readonly NewAttempt[]): Promise<void> {
  for (const some of chunks(attempts)) {
    await db
      .insertInto('webhook_attempts')
      .values(some)
      .onConflict((conflict) => conflict.column('id').doNothing())
      .execute();
  }
}

/** An attempt with what it was about. */
export type ToldAttempt = WebhookAttemptRow & {
  event_type: EventType;
  delivery_id: string | null;
  event_sequence: number | null;
  /** When the next attempt at the event was planned, where one follows. */
  followed_at: number | null;
};

export interface AttemptQuery {
  endpoint_id: string;
  limit: number;
  /** The attempt after which the page begins. */
  after_id?: string | undefined;
  status?: AttemptStatus | undefined;
  event_id?: string | undefined;
  /** Only those that no other follows; of the failed ones, without tests: nothing of those is given up. */
  isLast?: boolean | undefined;
}

/** One page of the attempts at an endpoint, the last first. */
export async function listAttempts(db: Connection, query: AttemptQuery): Promise<Page<ToldAttempt>> {
  const { endpoint_id, limit, after_id, status, event_id, isLast } = query;
  let attempts = db
    .selectFrom('webhook_attempts')
    .innerJoin('events', 'events.id', 'webhook_attempts.event_id')
    .selectAll('webhook_attempts')
    .select(['events.type as event_type', 'events.delivery_id', 'events.sequence as event_sequence'])
    .select(followedAt.as('followed_at'))
    .where('webhook_attempts.endpoint_id', '=', endpoint_id)
    .orderBy('webhook_attempts.sequence', 'desc')
    .limit(limit + 1);
  // As text of the statement, so that the index of the failed ones is used.
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

/** Whether another attempt at the same event, for the same endpoint, came after one or is still to come. */
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

/** Where the event was given up meanwhile, what was planned does not follow. */
const followedAt = sql<number | null>`case when ${isFollowed} then webhook_attempts.next_attempt_at end`;
