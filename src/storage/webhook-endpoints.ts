import type { EndpointStatus } from '../contract/vocabulary.ts';
import type { Connection, Flag, Scope, WebhookEndpointRow } from './database.ts';
import type { Page, PageQuery } from './paging.ts';
import { forNoKeyUpdate, forUpdate } from './row-locks.ts';
import { inScope } from './scope.ts';
import { keptAnswer } from './transaction-rows.ts';

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

/** The same endpoint, locked: nobody else changes it before the transaction ends. */
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
  query: PageQuery & { status?: EndpointStatus | undefined },
): Promise<Page<WebhookEndpointRow>> {
  const { pageBounds, readPage } = await import('./paging.ts');
  const rows = db.selectFrom('webhook_endpoints').selectAll().where(pageBounds(query, 'whe_'));
  const { status } = query;
  return readPage(db, query.limit, [status === undefined ? rows : rows.where('status', '=', status)]);
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

/** The number of endpoints of a scope. */
export async function countWebhookEndpoints(db: Connection, scope: Scope): Promise<number> {
  const { count } = await db
    .selectFrom('webhook_endpoints')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where(inScope(scope))
    .executeTakeFirstOrThrow();
  return Number(count);
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
