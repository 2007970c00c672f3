/** Webhook endpoints, and the attempts to send events to them. */
import { type Insertable, sql } from 'kysely';
import type { AttemptStatus, EndpointStatus, EventType } from '../contract/vocabulary.ts';
import type { Connection, Flag, Scope, WebhookAttemptRow, WebhookEndpointRow } from './database.ts';
import { keptAnswer } from './kept-rows.ts';
import { forNoKeyUpdate, forUpdate } from './locks.ts';
import type { Page, PageQuery } from './paging.ts';
import { chunks, inScope, type OneOrMore, statuses } from './rows.ts';
import type { WebhookAttemptTable } from './webhook-rows.ts';

/** Whether a scope, which is given without other fields, has endpoints, enabled or not. */
export const hasEndpoints = keptAnswer(['webhook_endpoints'], async (db, scope: Scope) => {
  const row = await db
    .selectFrom('webhook_endpoints')
    .select('id')
    .where(inScope(scope))
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
});

export async function insertWebhookEndpoint(db: Connection, endpoint: WebhookEndpointRow): Promise<void> {
  await db.insertInto('webhook_endpoints').values(endpoint).execute();
}

export async function findWebhookEndpoint(
  db: Connection,
  scope: Scope,
  id: string,
): Promise<WebhookEndpointRow | undefined> {
  return endpointQuery(db, scope, id).executeTakeFirst();
}

function endpointQuery(db: Connection, scope: Scope, id: string) {
  return db.selectFrom('webhook_endpoints').selectAll().where('id', '=', id).where(inScope(scope));
}

/** An endpoint, locked: nobody else changes it before the transaction ends. */
export async function lockWebhookEndpoint(
  db: Connection,
  scope: Scope,
  id: string,
): Promise<WebhookEndpointRow | undefined> {
  return endpointQuery(db, scope, id).modifyEnd(forNoKeyUpdate(db)).executeTakeFirst();
}

/** The endpoints of a scope, newest first. */
export async function listWebhookEndpoints(
  db: Connection,
  query: PageQuery & { status?: OneOrMore<EndpointStatus> | undefined },
): Promise<Page<WebhookEndpointRow>> {
  const { pageBounds, readPage } = await import('./paging.ts');
  const rows = db.selectFrom('webhook_endpoints').selectAll().where(pageBounds(query, 'whe_'));
  const { status } = query;
  return readPage(db, query.limit, [
    status === undefined ? rows : rows.where('status', 'in', statuses(status)),
  ]);
}

export type EndpointChange = Partial<Omit<WebhookEndpointRow, 'id' | 'created_at' | keyof Scope>>;

export async function updateWebhookEndpoint(
  db: Connection,
  id: string,
  change: EndpointChange,
): Promise<void> {
  await db.updateTable('webhook_endpoints').set(change).where('id', '=', id).execute();
}

type EndpointSecrets = Pick<WebhookEndpointRow, 'id' | 'secret' | 'previous_secrets'>;

/** The secrets of all endpoints, whatever their account, after the one with this id. */
export async function readEndpointSecrets(
  db: Connection,
  after: string | null,
  limit: number,
): Promise<EndpointSecrets[]> {
  return db
    .selectFrom('webhook_endpoints')
    .select(['id', 'secret', 'previous_secrets'])
    .where('id', '>', after ?? '')
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Replaces the secrets of an endpoint, unless they have changed since they were read. */
export async function replaceEndpointSecrets(
  db: Connection,
  before: EndpointSecrets,
  change: Omit<EndpointSecrets, 'id'>,
): Promise<void> {
  await db
    .updateTable('webhook_endpoints')
    .set(change)
    .where('id', '=', before.id)
    .where('secret', '=', before.secret)
    .where('previous_secrets', '=', before.previous_secrets)
    .execute();
}

/** Deletes an endpoint with its messages and attempts. The lock keeps others from queueing messages for it. */
export async function deleteWebhookEndpoint(db: Connection, id: string): Promise<void> {
  const own = db.selectFrom('webhook_endpoints').select('id').where('id', '=', id);
  await own.modifyEnd(forUpdate(db)).execute();
  await db.deleteFrom('webhook_messages').where('endpoint_id', '=', id).execute();
  await db.deleteFrom('webhook_attempts').where('endpoint_id', '=', id).execute();
  await db.deleteFrom('webhook_endpoints').where('id', '=', id).execute();
}

/** The number of waiting events of an endpoint, and of those given up. */
export interface MessageCount {
  pending: number;
  exhausted: number;
}

/** The counts of those endpoints that have any. */
export async function messageCounts(
  db: Connection,
  endpoint_ids: readonly string[],
): Promise<Map<string, MessageCount>> {
  if (endpoint_ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('webhook_messages')
    .select(['endpoint_id', 'status'])
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('endpoint_id', 'in', endpoint_ids)
    .groupBy(['endpoint_id', 'status'])
    .execute();
  const counts = new Map<string, MessageCount>();
  for (const { endpoint_id, status, count } of rows) {
    const known = counts.get(endpoint_id) ?? { pending: 0, exhausted: 0 };
    counts.set(endpoint_id, { ...known, [status]: Number(count) });
  }
  return counts;
}

/** Lets nothing be sent to an endpoint before a time; an earlier one than before changes nothing. */
export async function holdWebhookEndpoint(db: Connection, id: string, until: number): Promise<void> {
  await db
    .updateTable('webhook_endpoints')
    .set({ held_until: until })
    .where('id', '=', id)
    .where(sql<boolean>`coalesce(held_until, 0) < ${until}`)
    .execute();
}

/** The URLs of the endpoints of a scope. */
export async function webhookUrls(db: Connection, scope: Scope): Promise<string[]> {
  const rows = await db.selectFrom('webhook_endpoints').select('url').where(inScope(scope)).execute();
  return rows.map(({ url }) => url);
}

/** The enabled endpoints of a scope that subscribe to one of these types. */
export async function subscribedEndpoints(
  db: Connection,
  scope: Scope,
  asked: readonly string[],
): Promise<WebhookEndpointRow[]> {
  return db
    .selectFrom('webhook_endpoints')
    .selectAll()
    .where(inScope(scope))
    .where('status', '=', 'enabled')
    .where(({ or, eb }) => or(asked.map((word) => eb('events', 'like', `%"${word}"%`))))
    .orderBy('id')
    .execute();
}

/** The endpoints to which an event was sent. */
export async function attemptedEndpointIds(db: Connection, event_id: string): Promise<string[]> {
  const rows = await db
    .selectFrom('webhook_attempts')
    .select('endpoint_id')
    .distinct()
    .where('event_id', '=', event_id)
    .execute();
  return rows.map((row) => row.endpoint_id);
}

/** Disables an enabled endpoint; one whose URL has changed since is left unchanged. */
export async function disableWebhookEndpoint(
  db: Connection,
  { id, url }: Pick<WebhookEndpointRow, 'id' | 'url'>,
  { reason, now }: { reason: string; now: number },
): Promise<void> {
  await db
    .updateTable('webhook_endpoints')
    .set({ status: 'disabled', disabled_reason: reason, disabled_at: now, updated_at: now })
    .where('id', '=', id)
    .where('url', '=', url)
    .where('status', '=', 'enabled')
    .execute();
}

/** Whether a mode has an endpoint that events are sent to. */
export async function hasEnabledEndpoints(db: Connection, test_mode: Flag): Promise<boolean> {
  const row = await db
    .selectFrom('webhook_endpoints')
    .select('id')
    .where('test_mode', '=', test_mode)
    .where('status', '=', 'enabled')
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

export type NewAttempt = Omit<Insertable<WebhookAttemptTable>, 'sequence'>;

/** Inserts attempts; those that exist with the same id are kept. */
export async function insertWebhookAttempts(db: Connection, attempts: readonly NewAttempt[]): Promise<void> {
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
