import { Problem } from '../../../contract/errors.ts';
import type { testEndpoint } from '../../../contract/webhook-endpoints.ts';
import type { Connection, WebhookEndpointRow } from '../../../storage/database.ts';
import { findEvent, insertEvent, type LoggedEvent } from '../../../storage/events.ts';
import { insertAttempts } from '../../../storage/webhook-attempts.ts';
import { type CallBase, type Handler, publicUrlOf } from '../../http/handler.ts';
import type { WebhookResult } from '../../runtime/webhook-ports.ts';
import { sendEvent } from '../delivery/attempt.ts';
import { status_gone } from '../delivery/attempt-outcome.ts';
import { disableGone } from '../delivery/disable-endpoint.ts';
import { webhookAttemptView } from './endpoint-view.ts';
import { enabledEndpointOf, webhookEndpointOf } from './find-endpoint.ts';

/** Sends a test event immediately and once, whatever the subscriptions; responds with the attempt. */
export const testWebhookEndpoint: Handler<typeof testEndpoint> = async (call) => {
  const { service, caller, params, commit } = call;
  const { scope } = caller;
  const { endpoint, event } = await service.storage.transaction(async (db) => ({
    endpoint: await enabledEndpointOf(db, scope, params.webhook_endpoint_id),
    event: await writeEvent(db, call),
  }));
  const result = await sendEvent(service, endpoint, { event, publicUrl: publicUrlOf(call) });
  const row = attemptRow(call, { endpoint, event, result });
  return commit(async (db) => {
    // The endpoint may have been deleted meanwhile, with its attempts.
    await webhookEndpointOf(db, scope, endpoint.id);
    await insertAttempts(db, [row]);
    if (result.status_code === status_gone) await disableGone(db, endpoint, service.clock.now());
    const { type, delivery_id, sequence } = event;
    return webhookAttemptView({
      ...row,
      ...{ event_type: type, delivery_id, event_sequence: sequence, followed_at: null },
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
    ...{ status_code, reason, response, duration_ms },
    next_attempt_at: null,
    created_at: now,
  };
}
