/** The handlers of webhook endpoints: the URLs to which a merchant wants events sent, and the secrets that sign them. */
import { Problem } from '../../../contract/errors.ts';
import type {
  createEndpoint,
  deleteEndpoint,
  getEndpoint,
  listEndpoints,
  rotateSecret,
  updateEndpoint,
  WebhookEndpoint,
} from '../../../contract/events.ts';
import type { SubscribableType } from '../../../contract/vocabulary.ts';
import { day_ms } from '../../../domain/durations.ts';
import { max_retry_period_ms } from '../../../domain/retries.ts';
import type { Connection, WebhookEndpointRow } from '../../../storage/database.ts';
import { lockAccount } from '../../../storage/locks.ts';
import {
  deleteWebhookEndpoint,
  type EndpointChange,
  insertWebhookAttempts,
  insertWebhookEndpoint,
  listWebhookEndpoints,
  lockWebhookEndpoint,
  type MessageCount,
  messageCounts,
  type NewAttempt,
  updateWebhookEndpoint,
  webhookUrls,
} from '../../../storage/webhook-endpoints.ts';
import { giveUpOldMessages, resumeQueues } from '../../../storage/webhook-messages.ts';
import { isSubscribedByNameOnly } from '../../events/publish-event.ts';
import type { Call, CallBase, Handler } from '../../http/handler.ts';
import { pageRequest, toPage } from '../../http/paging.ts';
import type { Secrets } from '../../runtime/random.ts';
import { instant, instantOrNull } from '../../runtime/time.ts';
import { type PreviousSecret, stillSigning } from '../delivery/attempt.ts';
import { findOwnWebhookEndpoint, requireEndpoint, urlFault } from './endpoint.ts';

/** The maximum number of endpoints of an account in one mode. */
const max_endpoints = 100;
/** The maximum number of them at one host, where the service is not a sandbox. */
const max_at_host = 25;

export const addWebhookEndpoint: Handler<typeof createEndpoint> = async (call) => {
  const { service, caller, body, now, id, commit } = call;
  const { events = ['*'], description = '' } = body;
  const url = await requireUrl(call, body.url);
  const secret = await newWebhookSecret(service.secrets);
  const endpoint_id = id('whe');
  const row: WebhookEndpointRow = {
    id: endpoint_id,
    ...caller.scope,
    url,
    events: JSON.stringify(subscriptionOf(events)),
    description,
    ...enabled,
    held_until: null,
    secret: await service.sealing.seal(endpoint_id, secret),
    previous_secrets: '[]',
    created_at: now,
    updated_at: now,
  };
  return commit(async (db) => {
    await requireRoom(db, call, url);
    await insertWebhookEndpoint(db, row);
    return { ...webhookEndpointView(row, undefined, now), secret };
  }, 'read committed');
};

export const pageOfWebhookEndpoints: Handler<typeof listEndpoints> = async (call) => {
  const { service, caller, query, now } = call;
  const wanted = { ...caller.scope, ...pageRequest(query, 'whe'), status: query.status };
  return service.storage.read(async (db) => {
    const page = await listWebhookEndpoints(db, wanted);
    const ids = page.rows.map(({ id }) => id);
    const counts = await messageCounts(db, ids);
    return toPage(page, (row) => webhookEndpointView(row, counts.get(row.id), now));
  });
};

export const readWebhookEndpoint: Handler<typeof getEndpoint> = async (call) => {
  const { service, caller, params } = call;
  return service.storage.read(async (db) =>
    viewWithCounts(db, call, await findOwnWebhookEndpoint(db, caller.scope, params.webhook_endpoint_id)),
  );
};

const enabled = { status: 'enabled', disabled_reason: '', disabled_at: null } as const;

/**
 * Changes only the given fields. When the endpoint is enabled, messages older than the retry period are given up;
 * then, and when its URL changes, the others are sent immediately.
 */
export const changeWebhookEndpoint: Handler<typeof updateEndpoint> = async (call) => {
  const { caller, params, body, now, commit } = call;
  const url = body.url === undefined ? undefined : await requireUrl(call, body.url);
  const id = params.webhook_endpoint_id;
  // Read committed: it makes messages due after it has given others up, and must see those that were queued meanwhile.
  return commit(async (db) => {
    const before = requireEndpoint(await lockWebhookEndpoint(db, caller.scope, id), id);
    const change = changeOf(before, call, url);
    // Before the update, which would count as one of the others.
    if (url !== undefined && new URL(url).hostname !== new URL(before.url).hostname)
      requireRoomAtHost(call, url, await lockUrls(db, call));
    await updateWebhookEndpoint(db, before.id, change);
    if (change.status === 'enabled') await giveUpOld(db, call, before);
    const isAnother = change.url !== undefined && change.url !== before.url;
    if (change.status === 'enabled' || isAnother) await resumeQueues(db, before.id, now);
    return viewWithCounts(db, call, { ...before, ...change });
  }, 'read committed');
};

/**
 * Messages given up without an attempt are listed among the attempts as well, where a merchant looks for missing
 * events.
 */
async function giveUpOld(
  db: Connection,
  { now, id }: Pick<CallBase, 'now' | 'id'>,
  endpoint: WebhookEndpointRow,
): Promise<void> {
  const untried = await giveUpOldMessages(db, endpoint.id, now - max_retry_period_ms);
  const { account_id, test_mode } = endpoint;
  const rows = untried.map(({ event_id, sends }): NewAttempt => {
    const names = [event_id, endpoint.id, String(sends), String(now)];
    return {
      id: id('att', ...names),
      account_id,
      test_mode,
      endpoint_id: endpoint.id,
      event_id,
      number: 0,
      status: 'failed',
      status_code: null,
      response: '',
      duration_ms: 0,
      reason: 'not sent: it waited longer than the retry period',
      next_attempt_at: null,
      created_at: now,
    };
  });
  await insertWebhookAttempts(db, rows);
}

/** Read committed: what is deleted is what others have queued until the endpoint is locked. */
export const dropWebhookEndpoint: Handler<typeof deleteEndpoint> = async ({ caller, params, commit }) =>
  commit(async (db) => {
    const { id } = await findOwnWebhookEndpoint(db, caller.scope, params.webhook_endpoint_id);
    await deleteWebhookEndpoint(db, id);
    return { id, object: 'webhook_endpoint', deleted: true };
  }, 'read committed');

async function viewWithCounts(
  db: Connection,
  { now }: CallBase,
  row: WebhookEndpointRow,
): Promise<WebhookEndpoint> {
  const counts = await messageCounts(db, [row.id]);
  return webhookEndpointView(row, counts.get(row.id), now);
}

function changeOf(
  before: WebhookEndpointRow,
  { body, now }: Call<typeof updateEndpoint>,
  url: string | undefined,
): EndpointChange {
  const { events, description, status } = body;
  const disabled = {
    status: 'disabled',
    disabled_reason: 'disabled by the merchant',
    disabled_at: now,
  } as const;
  return {
    ...(url === undefined ? {} : { url }),
    // What the endpoint asked for is over once somebody has changed or enabled it.
    ...(url === undefined && status !== 'enabled' ? {} : { held_until: null }),
    ...(events === undefined ? {} : { events: JSON.stringify(subscriptionOf(events)) }),
    ...(description === undefined ? {} : { description }),
    ...(status === undefined || status === before.status ? {} : status === 'enabled' ? enabled : disabled),
    updated_at: now,
  };
}

/** Each type once; besides `*` only types that it does not include. */
function subscriptionOf(types: readonly SubscribableType[]): SubscribableType[] {
  const each = [...new Set(types)];
  return each.includes('*') ? each.filter((type) => type === '*' || isSubscribedByNameOnly(type)) : each;
}

/** Checks a URL. Throws `invalid_request` if events cannot be sent to it. */
async function requireUrl({ service }: CallBase, url: string): Promise<string> {
  const fault = await urlFault(service, url);
  if (fault !== null) throw new Problem('invalid_request', 'Events cannot be sent to this URL.', [fault]);
  const { href, pathname, search } = new URL(url);
  return pathname === '/' && search === '' ? href.slice(0, -1) : href;
}

/** The URLs of the webhook endpoints, to which no other request adds one before the transaction ends. */
async function lockUrls(db: Connection, { caller }: CallBase): Promise<readonly string[]> {
  await lockAccount(db, caller.scope);
  return webhookUrls(db, caller.scope);
}

async function requireRoom(db: Connection, call: CallBase, url: string): Promise<void> {
  const { caller } = call;
  const urls = await lockUrls(db, call);
  const { length: count } = urls;
  if (count < max_endpoints) return requireRoomAtHost(call, url, urls);
  const mode = caller.test_mode ? 'test' : 'live';
  const message = `The limit of ${count} webhook endpoints in ${mode} mode is reached. Delete one first.`;
  throw new Problem('limit_reached', message);
}

/** A service that others use must not be made to flood a stranger. */
function requireRoomAtHost({ service, caller }: CallBase, url: string, urls: readonly string[]): void {
  const { hostname } = new URL(url);
  if (service.sandbox) return;
  if (urls.filter((other) => new URL(other).hostname === hostname).length < max_at_host) return;
  const mode = caller.test_mode ? 'test' : 'live';
  const message = `The limit of ${max_at_host} webhook endpoints at ${hostname} in ${mode} mode is reached. Delete one first, or receive several event types at one.`;
  throw new Problem('limit_reached', message);
}

/** How long the previous secret signs after a rotation. */
const overlap_ms = day_ms;

/** The maximum number of previous secrets: each adds a signature to the headers of every event. */
const max_previous = 20;

/** A secret in the format of Standard Webhooks (https://www.standardwebhooks.com): base64 of 32 bytes. */
async function newWebhookSecret(secrets: Secrets): Promise<string> {
  return `whsec_${btoa(await secrets.base62(32))}`;
}

/** Each previous secret signs for its time: if there are too many, the oldest must expire first. */
export const rotateWebhookSecret: Handler<typeof rotateSecret> = async (call) => {
  const { service, caller, params, now, commit } = call;
  const { sealing } = service;
  const { webhook_endpoint_id } = params;
  const secret = await newWebhookSecret(service.secrets);
  const sealed = await sealing.seal(webhook_endpoint_id, secret);
  return commit(async (db) => {
    const before = await findOwnWebhookEndpoint(db, caller.scope, webhook_endpoint_id);
    const signing = stillSigning(before, now);
    requireSecretRoom(signing);
    const previous = [{ secret: before.secret, until: now + overlap_ms }, ...signing];
    const change = { secret: sealed, previous_secrets: JSON.stringify(previous), updated_at: now };
    await updateWebhookEndpoint(db, before.id, change);
    const counts = await messageCounts(db, [before.id]);
    return { ...webhookEndpointView({ ...before, ...change }, counts.get(before.id), now), secret };
  });
};

/** The last one expires first. */
function requireSecretRoom(signing: readonly PreviousSecret[]): void {
  const last = signing.at(-1);
  if (last === undefined || signing.length < max_previous) return;
  const message = `The limit of ${signing.length} previous secrets is reached. Rotate again after ${instant(last.until)}.`;
  throw new Problem('invalid_request', message);
}

/** An endpoint as returned by the API, without its secrets. Without a count it has no waiting events. */
function webhookEndpointView(
  row: WebhookEndpointRow,
  count: MessageCount | undefined,
  now: number,
): WebhookEndpoint {
  const [last] = stillSigning(row, now);
  return {
    id: row.id,
    object: 'webhook_endpoint',
    url: row.url,
    events: JSON.parse(row.events),
    description: row.description,
    status: row.status,
    disabled_reason: row.disabled_reason,
    test_mode: row.test_mode === 1,
    waiting: count?.pending ?? 0,
    exhausted: count?.exhausted ?? 0,
    previous_secret_until: instantOrNull(last?.until ?? null),
    created_at: instant(row.created_at),
    updated_at: instant(row.updated_at),
  };
}
