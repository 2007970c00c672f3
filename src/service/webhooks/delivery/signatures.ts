import { Webhook } from 'standardwebhooks';

/** What is signed. */
export interface Message {
  /** The event's: whoever gets it twice knows it by this. */
  id: string;
  body: string;
  /** Wall time, in milliseconds: receivers refuse what is five minutes off their own clocks. */
  now: number;
}

/** The headers of Standard Webhooks: one signature for each secret, by the specification's own library. */
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
