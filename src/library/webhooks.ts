import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import type { Event } from './api.ts';

/** A webhook that is not signed with the secret, too old, or not complete. */
export class WebhookRefused extends Error {
  override name = 'WebhookRefused';
  readonly code = 'webhook_refused';
}

/** The headers of a request, of Node or of the web. */
export type WebhookHeaders = Readonly<Record<string, string | readonly string[] | undefined>> | WebHeaders;

interface WebHeaders {
  get(name: string): string | null;
}

/**
 * The event in a webhook, whose signature is checked as Standard Webhooks describes. `body` is the body as it was
 * received, before it is parsed. Throws `WebhookRefused`: answer it with 400.
 */
export function verifyWebhook(body: string | Uint8Array, headers: WebhookHeaders, secret: string): Event {
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const signed = Object.fromEntries(
    ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) => [name, headerIn(headers, name)]),
  );
  try {
    new Webhook(secret).verify(text, signed);
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    throw new WebhookRefused(`The webhook is refused: ${error.message}.`, { cause: error });
  }
  return JSON.parse(text);
}

function headerIn(headers: WebhookHeaders, name: string): string {
  if (isWebHeaders(headers)) return headers.get(name) ?? '';
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return typeof found === 'string' ? found : (found?.[0] ?? '');
}

function isWebHeaders(headers: WebhookHeaders): headers is WebHeaders {
  return 'get' in headers && typeof headers.get === 'function';
}
