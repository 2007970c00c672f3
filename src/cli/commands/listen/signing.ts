import { Webhook } from 'standardwebhooks';
import type { Event } from '../../../contract/events.ts';
import type { WireRequest } from '../../../contract/operation.ts';

/** Creates the request for an event, signed at the current time, like a webhook of the service. */
export function signedRequest(
  event: Event,
  url: string,
  { webhook, now }: { webhook: Webhook; now: number },
): WireRequest {
  const { pathname, search } = new URL(url);
  const body = JSON.stringify(event);
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'waybill',
    'webhook-id': event.id,
    'webhook-timestamp': String(Math.floor(now / 1000)),
    'webhook-signature': webhook.sign(event.id, new Date(now), body),
  };
  return { method: 'POST', path: pathname + search, headers, body };
}

/** Creates the signer of a secret. */
export function signerOf(secret: string): Webhook {
  return new Webhook(secret);
}
