import { Webhook } from 'standardwebhooks';

/** The signed parts of a request. */
export interface Message {
  /** The event's id, by which receivers recognize duplicates. */
  id: string;
  body: string;
  /** Wall time in milliseconds: receivers reject a difference of more than five minutes. */
  now: number;
}

/** The headers of Standard Webhooks: one signature for each secret, made by the specification's own library. */
export function signatureHeaders(
  { id, body, now }: Message,
  secrets: readonly string[],
): Record<string, string> {
  const at = new Date(now);
  return {
    'webhook-id': id,
    'webhook-timestamp': String(Math.floor(now / 1000)),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, at, body)).join(' '),
  };
}
