import { Problem } from '../../../contract/errors.ts';
import type { resendEvent } from '../../../contract/events.ts';
import type { Connection, Scope, WebhookEndpointRow, WebhookMessageRow } from '../../../storage/database.ts';
import { findEvent, type LoggedEvent } from '../../../storage/events.ts';
import { subscribedEndpoints } from '../../../storage/webhook-endpoints.ts';
import {
  insertResent,
  messagesOf,
  requeueMessage,
  resentQueueOf,
  retryQueueNow,
} from '../../../storage/webhook-queues.ts';
import { subscriptionsTo } from '../../events/publish-event.ts';
import type { Handler } from '../../http/handler.ts';
import { enabledEndpointOf } from './find-endpoint.ts';

/**
 * Resends an event: to the given endpoint, whatever its subscriptions, or to every enabled one that is subscribed to
 * its type. It is queued after earlier resends of the same delivery, separately from the delivery's own queue; an
 * event that is still waiting is sent immediately.
 */
export const resendEventHandler: Handler<typeof resendEvent> = async (call) => {
  const { caller, params, body, now, commit } = call;
  const { event_id } = params;
  return commit(async (db) => {
    const event = await findEvent(db, caller.scope, event_id);
    if (event === undefined) throw new Problem('record_not_found', `There is no event ${event_id}.`);
    const endpoints = await addressees(db, event, body.webhook_endpoint_id);
    const messages = await messagesOf(db, event_id);
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
  const path = 'webhook_endpoint_id';
  const message = 'is required: no endpoint subscribes to webhook.test';
  throw new Problem('invalid_request', 'Resending a test event requires webhook_endpoint_id.', [
    { path, message },
  ]);
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
  const queue = resentQueueOf(event);
  if (message === undefined)
    await insertResent(db, { ...scope, event_id: event.id, endpoint_id, queue, created_at: now });
  else if (message.status === 'exhausted') await requeueMessage(db, message, { queue, now });
  else await retryQueueNow(db, message, now);
}
