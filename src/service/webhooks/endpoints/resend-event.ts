import { Problem } from '../../../contract/errors.ts';
import type { resendEvent } from '../../../contract/events.ts';
import type { Connection, Scope, WebhookEndpointRow, WebhookMessageRow } from '../../../storage/database.ts';
import { findEvent, type LoggedEvent } from '../../../storage/events.ts';
import { endpointsAsking } from '../../../storage/webhook-endpoints.ts';
import {
  hastenQueue,
  insertResent,
  messagesOf,
  resentQueueOf,
  reviveMessage,
} from '../../../storage/webhook-queues.ts';
import { subscriptionsTo } from '../../events/publish-event.ts';
import type { Handler } from '../../http/handler.ts';
import { enabledEndpointOf } from './find-endpoint.ts';

/**
 * Sends an event once more: to the endpoint that is named, whatever it asks for, or to every enabled one that asks
 * for its type. It goes behind what is resent of the same delivery, beside the delivery's own queue; where it is still
 * on its way, it goes on at once.
 */
export const sendAgain: Handler<typeof resendEvent> = async (call) => {
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
  if (event.type !== 'webhook.test') return endpointsAsking(db, event, subscriptionsTo(event.type));
  const path = 'webhook_endpoint_id';
  const message = 'must name an endpoint, as no endpoint asks for a test';
  throw new Problem('invalid_request', 'A test event goes to an endpoint that is named.', [
    { path, message },
  ]);
}

interface Sending {
  scope: Scope;
  event: LoggedEvent;
  endpoint_id: string;
  /** The event's way to the endpoint, where it has not arrived. */
  message: WebhookMessageRow | undefined;
  now: number;
}

async function sendTo(db: Connection, { scope, event, endpoint_id, message, now }: Sending): Promise<void> {
  const queue = resentQueueOf(event);
  if (message === undefined)
    await insertResent(db, { ...scope, event_id: event.id, endpoint_id, queue, created_at: now });
  else if (message.status === 'exhausted') await reviveMessage(db, message, { queue, now });
  else await hastenQueue(db, message, now);
}
