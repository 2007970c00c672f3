import { createHash, timingSafeEqual } from 'node:crypto';
import type { CourierPush, CourierPushAnswer } from '../courier.ts';
import { parseFields } from '../json-fields.ts';
import { reportOfEvent } from './reports.ts';

/**
 * Reads a webhook. DoorDash signs nothing: it sends the authorization value that the merchant entered in its portal,
 * which is compared in constant time.
 */
export function receivePush({ headers, body }: CourierPush, authorization: string): CourierPushAnswer {
  if (authorization === '') {
    return { kind: 'refused', reason: 'The settings of doordash-drive have no webhook_authorization.' };
  }
  if (!timingSafeEqual(digest(headers.authorization ?? ''), digest(authorization))) {
    return { kind: 'refused', reason: 'The Authorization header is not the value of the settings.' };
  }
  const report = reportOfEvent(parseFields(Buffer.from(body).toString('utf8')));
  return { kind: 'authentic', reports: report === null ? [] : [report] };
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
