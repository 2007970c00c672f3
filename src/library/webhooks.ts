/**
 * The exports of 'waybill/webhooks': `verifyWebhook` checks a webhook and reads its event, and `signWebhook` signs one for a
 * test. They run wherever JavaScript does, as they need no module of Node.
 */
import { Webhook } from 'standardwebhooks';
import type { Event } from './api.ts';
import { newIdempotencyKey, now } from './ports.ts';

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

/** How strictly a webhook is checked. */
export interface VerifyOptions {
  /** How far the time of the webhook may be from the present; 300,000 without it. */
  tolerance_ms?: number | undefined;
}

/**
 * The event in a webhook, whose signature is checked as Standard Webhooks describes. `body` is the body as it was
 * received, before it is parsed. With several secrets, one of them must have signed it, as while a secret is replaced.
 * Throws `WebhookRefused`: answer it with 400.
 */
export function verifyWebhook(
  body: string | Uint8Array | ArrayBuffer,
  headers: WebhookHeaders,
  secret: string | readonly string[],
  { tolerance_ms = 300_000 }: VerifyOptions = {},
): Event {
  // A comparison with NaN is always false, so the check of the time would never refuse.
  if (!(tolerance_ms >= 0))
    throw new TypeError(`tolerance_ms must be a number of milliseconds, not ${tolerance_ms}.`);
  // Other bodies and no secret are faults of the program, which is not always checked by types.
  if (typeof body !== 'string' && !ArrayBuffer.isView(body) && !(body instanceof ArrayBuffer))
    throw new TypeError('body must be the text or the bytes as they were received, before they are parsed.');
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  const id = headerIn(headers, 'webhook-id');
  const seconds = headerIn(headers, 'webhook-timestamp');
  const signatures = headerIn(headers, 'webhook-signature').split(' ');
  if (id === '' || !/^\d{1,12}$/.test(seconds) || signatures[0] === '')
    throw new WebhookRefused('The webhook is refused: its headers are missing or not valid.');
  const sentAt = new Date(Number(seconds) * 1_000);
  const secrets = Array.isArray(secret) ? secret : [secret];
  const expected = secrets.map((each) => signerOf(each).sign(id, sentAt, text));
  if (!expected.some((signature) => signatures.some((each) => isSame(each, signature))))
    throw new WebhookRefused('The webhook is refused: none of its signatures was made with this secret.');
  if (Math.abs(now() - sentAt.getTime()) > tolerance_ms)
    throw new WebhookRefused(`The webhook is refused: it was sent at ${sentAt.toISOString()}.`);
  return JSON.parse(text);
}

/** The ID and the time with which a webhook for a test is signed. */
export interface SignOptions {
  /** The `webhook-id`; a fresh one without it. */
  id?: string | undefined;
  /** When it was sent; the present without it. */
  at?: Date | undefined;
}

/** The headers with which the service sends a body, so that a test can post it. */
export function signWebhook(body: string, secret: string, options: SignOptions = {}): Record<string, string> {
  const { id = `msg_${newIdempotencyKey()}`, at = new Date(now()) } = options;
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': signerOf(secret).sign(id, at, body),
  };
}

/** The signer with a secret. The line break at the end of a secret that was read from a file is removed. */
function signerOf(secret: string): Webhook {
  try {
    return new Webhook(secret.trim());
  } catch {
    throw new TypeError('secret must be the secret of a webhook endpoint, such as whsec_….');
  }
}

/** Compares in constant time whichever character differs, so that the time tells nothing about the signature. */
function isSame(left: string, right: string): boolean {
  if (left.length !== right.length) return false;
  let difference = 0;
  for (let index = 0; index < left.length; index += 1) {
    difference |= left.charCodeAt(index) ^ right.charCodeAt(index);
  }
  return difference === 0;
}

function headerIn(headers: WebhookHeaders, name: string): string {
  if (isWebHeaders(headers)) return headers.get(name) ?? '';
  const value = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return typeof value === 'string' ? value : (value?.[0] ?? '');
}

function isWebHeaders(headers: WebhookHeaders): headers is WebHeaders {
  return 'get' in headers && typeof headers.get === 'function';
}
