import { Webhook } from 'standardwebhooks';
import type { CourierPush, CourierPushAnswer } from '../courier.ts';
import { fieldsOf } from '../json-fields.ts';
import { reportsOf } from './reports.ts';

/** Reads an event, signed as Standard Webhooks; the specification's own library verifies signature and age. */
export function receivePush({ headers, body }: CourierPush, secret: string): CourierPushAnswer {
  if (secret === '') return { kind: 'refused', reason: 'The settings of http have no webhook_secret.' };
  try {
    const delivery = new Webhook(secret).verify(Buffer.from(body), { ...headers });
    return { kind: 'authentic', reports: reportsOf(fieldsOf(delivery)) };
  } catch (error) {
    return {
      kind: 'refused',
      reason: error instanceof Error ? error.message : 'The signature is not valid.',
    };
  }
}

/** Whether a text is a secret of Standard Webhooks. */
export function isSecret(text: string): boolean {
  return /^whsec_[A-Za-z0-9+/]{32,}={0,2}$/.test(text);
}
