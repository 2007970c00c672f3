import { Problem } from '../../../contract/errors.ts';
import type { WebhookEndpointRow } from '../../../storage/database.ts';
import type { LoggedEvent } from '../../../storage/events.ts';
import { eventView } from '../../events/event-view.ts';
import type { ServiceConfig, ServiceContext } from '../../runtime/context.ts';
import type { WebhookRequest, WebhookResult } from '../../runtime/webhook-ports.ts';
import { signatureHeaders } from './signatures.ts';
import { secretsInForce } from './signing-secrets.ts';

type Parts = Pick<ServiceConfig, 'clock' | 'wall' | 'sealing' | 'onFault'> &
  Pick<ServiceContext, 'webhook_client'>;

/** An event, with the account's public URL: the base of tracking links. */
export interface Sendable {
  event: LoggedEvent;
  publicUrl: string;
  /** The JSON that is sent, once it is made: the same for all endpoints. */
  body?: string;
}

/** Sends an event to an endpoint once, signed with its current secrets. Never rejects. */
export async function sendEvent(
  service: Parts,
  endpoint: WebhookEndpointRow,
  event: Sendable,
): Promise<WebhookResult> {
  try {
    return await service.webhook_client.post(await signedPost(service, endpoint, event));
  } catch (fault) {
    if (fault instanceof Problem && fault.code === 'secret_key_missing') {
      return { ...unsent, reason: `the service cannot sign it: ${fault.message}` };
    }
    // An internal error; other endpoints are not affected.
    service.onFault?.(fault, null);
    return unsent;
  }
}

async function signedPost(
  service: Parts,
  endpoint: WebhookEndpointRow,
  sendable: Sendable,
): Promise<WebhookRequest> {
  const { event, publicUrl } = sendable;
  sendable.body ??= JSON.stringify(eventView(event, publicUrl));
  const { body } = sendable;
  const secrets = await secretsInForce(service.sealing, endpoint, service.clock.now());
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'waybill',
    ...signatureHeaders({ id: event.id, body, now: service.wall.now() }, secrets),
  };
  return { url: endpoint.url, headers, body };
}

const unsent: WebhookResult = {
  status_code: null,
  reason: 'the service failed to send it',
  response: '',
  retry_after_ms: undefined,
  duration_ms: 0,
};
