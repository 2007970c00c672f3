/** Attempts of sending events to webhook endpoints: lists them, sends a test, and resends an event. */
import { Problem } from '../../../contract/errors.ts';
import type { listAttempts, resendEvent, testEndpoint, WebhookAttempt } from '../../../contract/events.ts';
import type { Connection, Scope, WebhookEndpointRow, WebhookMessageRow } from '../../../storage/database.ts';
import { findEvent, insertEvent, type LoggedEvent } from '../../../storage/events.ts';
import {
  type AttemptWithEvent,
  attemptedEndpointIds,
  insertWebhookAttempts,
  listAttempts as listRows,
  subscribedEndpoints,
} from '../../../storage/webhook-endpoints.ts';
import {
  findEventMessages,
  insertResent,
  nameResentQueue,
  requeueMessage,
  retryQueueNow,
} from '../../../storage/webhook-messages.ts';
import { subscriptionsTo } from '../../events/publish-event.ts';
import { invalidField } from '../../http/answers.ts';
import { type CallBase, type Handler, readPublicUrl } from '../../http/handler.ts';
import { pageRequest, toPage } from '../../http/paging.ts';
import type { WebhookResult } from '../../runtime/service-ports.ts';
import { instant, instantOrNull } from '../../runtime/time.ts';
import { sendEvent } from '../delivery/attempt.ts';
import { disableGone, status_gone } from '../delivery/message-outcomes.ts';
import { enabledEndpointOf, findOwnWebhookEndpoint } from './endpoint.ts';

export const pageOfWebhookAttempts: Handler<typeof listAttempts> = async (call) => {
  const { service, caller, params, query } = call;
  const { status, event_id, last: isLast, ...paging } = query;
  const { limit, after_id } = pageRequest(paging, 'att');
  return service.storage.read(async (db) => {
    const { id } = await findOwnWebhookEndpoint(db, caller.scope, params.webhook_endpoint_id);
    const wanted = { endpoint_id: id, limit, after_id, status, event_id, isLast };
    return toPage(await listRows(db, wanted), webhookAttemptView);
  });
};

/** Sends a test event immediately and once, whatever the subscriptions; responds with the attempt. */
export const testWebhookEndpoint: Handler<typeof testEndpoint> = async (call) => {
  const { service, caller, params, commit } = call;
  const { scope } = caller;
  const { endpoint, event } = await service.storage.transaction(async (db) => ({
    endpoint: await enabledEndpointOf(db, scope, params.webhook_endpoint_id),
    event: await writeEvent(db, call),
  }));
  const result = await sendEvent(service, endpoint, { event, publicUrl: readPublicUrl(call) });
  const row = attemptRow(call, { endpoint, event, result });
  return commit(async (db) => {
    // The endpoint may have been deleted meanwhile, with its attempts.
    await findOwnWebhookEndpoint(db, scope, endpoint.id);
    await insertWebhookAttempts(db, [row]);
    if (result.status_code === status_gone) await disableGone(db, endpoint, service.clock.now());
    const { type, delivery_id, sequence } = event;
    return webhookAttemptView({
      ...row,
      event_type: type,
      delivery_id,
      external_order_ref: null,
      event_sequence: sequence,
      followed_at: null,
    });
  });
};

/** The event of this request; a retry after an interruption finds the existing one. */
async function writeEvent(db: Connection, { caller, now, id }: CallBase): Promise<LoggedEvent> {
  const event_id = id('evt');
  const find = () => findEvent(db, caller.scope, event_id);
  const before = await find();
  if (before !== undefined) return before;
  await insertEvent(db, {
    id: event_id,
    ...caller.scope,
    type: 'webhook.test',
    delivery_id: null,
    batch_id: null,
    order_id: null,
    sequence: null,
    data: '{}',
    created_at: now,
  });
  const written = await find();
  if (written === undefined)
    throw new Problem('internal_error', 'The event that was just written is missing.');
  return written;
}

interface TestResult {
  endpoint: WebhookEndpointRow;
  event: LoggedEvent;
  result: WebhookResult;
}

function attemptRow({ caller, id, now }: CallBase, { endpoint, event, result }: TestResult) {
  const { status_code, reason, response, duration_ms } = result;
  return {
    id: id('att'),
    ...caller.scope,
    endpoint_id: endpoint.id,
    event_id: event.id,
    number: 1,
    status: reason === '' ? ('succeeded' as const) : ('failed' as const),
    status_code,
    reason,
    response,
    duration_ms,
    next_attempt_at: null,
    created_at: now,
  };
}

/**
 * Resends an event: to the given endpoint, whatever its subscriptions, or to every enabled one that is subscribed to
 * its type; a test event to the tested one. It is queued after earlier resends of the same delivery, separately from the
 * delivery's own queue; an event that is still waiting is sent immediately.
 */
export const resendEventHandler: Handler<typeof resendEvent> = async (call) => {
  const { caller, params, body, now, commit } = call;
  const { event_id } = params;
  return commit(async (db) => {
    const event = await findEvent(db, caller.scope, event_id);
    if (event === undefined) throw new Problem('record_not_found', `There is no event ${event_id}.`);
    const endpoints = await addressees(db, event, body.webhook_endpoint_id);
    const messages = await findEventMessages(db, event_id);
    for (const { id } of endpoints) {
      const message = messages.find(({ endpoint_id }) => endpoint_id === id);
      await sendTo(db, { scope: caller.scope, event, endpoint_id: id, message, now });
    }
    return { object: 'event_resend', event_id, webhook_endpoint_ids: endpoints.map(({ id }) => id) };
  });
};

async function addressees(
  db: Connection,
  event: LoggedEvent,
  endpoint_id: string | undefined,
): Promise<WebhookEndpointRow[]> {
  if (endpoint_id !== undefined) return [await enabledEndpointOf(db, event, endpoint_id)];
  if (event.type !== 'webhook.test') return subscribedEndpoints(db, event, subscriptionsTo(event.type));
  const [tested] = await attemptedEndpointIds(db, event.id);
  if (tested !== undefined) return [await enabledEndpointOf(db, event, tested)];
  const fault = 'is required: no endpoint subscribes to webhook.test, and the tested one is deleted';
  const message = 'Resending a test event requires webhook_endpoint_id.';
  throw invalidField('webhook_endpoint_id', fault, message);
}

interface Sending {
  scope: Scope;
  event: LoggedEvent;
  endpoint_id: string;
  /** The message to the endpoint, unless it was delivered. */
  message: WebhookMessageRow | undefined;
  now: number;
}

async function sendTo(db: Connection, { scope, event, endpoint_id, message, now }: Sending): Promise<void> {
  const queue = nameResentQueue(event);
  if (message === undefined)
    await insertResent(db, { ...scope, event_id: event.id, endpoint_id, queue, created_at: now });
  else if (message.status === 'exhausted') await requeueMessage(db, message, { queue, now });
  else await retryQueueNow(db, message, now);
}

function webhookAttemptView(row: Omit<AttemptWithEvent, 'sequence' | 'next_attempt_at'>): WebhookAttempt {
  return {
    id: row.id,
    object: 'webhook_attempt',
    webhook_endpoint_id: row.endpoint_id,
    event_id: row.event_id,
    event_type: row.event_type,
    delivery_id: row.delivery_id,
    external_order_ref: row.external_order_ref,
    sequence: row.event_sequence,
    number: row.number,
    status: row.status,
    status_code: row.status_code,
    reason: row.reason,
    response: row.response,
    duration_ms: row.duration_ms,
    test_mode: row.test_mode === 1,
    next_attempt_at: instantOrNull(row.followed_at),
    created_at: instant(row.created_at),
  };
}
