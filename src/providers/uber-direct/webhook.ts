import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { CourierPush, CourierPushAnswer, CourierReport } from '../courier.ts';
import { fieldsOf, type JsonFields, parseFields, positionAt, textAt, timeAt } from '../json-fields.ts';
import { positionReport, refundReport, statusReport, timesReport } from './reports.ts';

/**
 * Reads a webhook. Its signature is the HMAC-SHA256 of the body in hexadecimal digits, with a key that each webhook
 * has: https://developer.uber.com/docs/deliveries/webhooks. The second header is the older name of the first.
 */
export function receivePush({ headers, body, now }: CourierPush, signing_key: string): CourierPushAnswer {
  if (signing_key === '') {
    return { kind: 'refused', reason: 'the settings of uber-direct have no webhook_signing_key' };
  }
  const signature = headers['x-uber-signature'] ?? headers['x-postmates-signature'] ?? '';
  const expected = createHmac('sha256', signing_key).update(body).digest('hex');
  if (!timingSafeEqual(digest(signature.toLowerCase()), digest(expected))) {
    return { kind: 'refused', reason: 'the x-uber-signature header is not the signature of the body' };
  }
  const event = parseFields(Buffer.from(body).toString('utf8'));
  const reports = reportsOf(event, body, now).filter((report) => report !== null);
  return { kind: 'authentic', reports };
}

function reportsOf(event: JsonFields, body: Uint8Array, now: number): (CourierReport | null)[] {
  const delivery = fieldsOf(event.data);
  const at = timeAt(event, 'created') ?? now;
  switch (textAt(event, 'kind')) {
    case 'event.delivery_status':
    case 'event.delivery_return':
      return [statusReport(delivery, { id: textAt(event, 'id'), at })];
    case 'event.refund_request':
      return [refundReport(event, { id: textAt(event, 'id'), at })];
    case 'event.courier_update': {
      // It has no ID of its own.
      const id = textAt(event, 'id') ?? createHash('sha256').update(body).digest('hex').slice(0, 32);
      const position = positionAt(event, 'location');
      return [
        position === null ? null : positionReport(delivery, { id, at, position }),
        timesReport(delivery, at),
      ];
    }
    default:
      return [];
  }
}

/** Texts of any length as bytes of one length. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
