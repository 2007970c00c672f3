import { createHmac } from 'node:crypto';

/** The signed parts of a request. */
export interface Message {
  /** The event's id, by which receivers recognize duplicates. */
  id: string;
  body: string;
  /** Wall time in milliseconds: receivers reject a difference of more than five minutes. */
  now: number;
}

/**
 * The headers of Standard Webhooks (https://www.standardwebhooks.com), with one signature for each secret. Receivers
 * verify them with the specification's own library, whose hash in JavaScript takes five times longer than Node's.
 */
export function signatureHeaders(
  { id, body, now }: Message,
  secrets: readonly string[],
): Record<string, string> {
  const timestamp = String(Math.floor(now / 1000));
  const signed = `${id}.${timestamp}.${body}`;
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map((secret) => signatureOf(signed, secret)).join(' '),
  };
}

/** Throws for a secret without a key. */
function signatureOf(signed: string, secret: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  if (key.length === 0) throw new Error('the signing secret is empty');
  return `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
}
