import type { Event } from '../../contract/events.ts';
import { isErasedDelivery } from '../../domain/erasure.ts';
import type { LoggedEvent } from '../../storage/events.ts';
import { instant } from '../runtime/timestamps.ts';
import { deliveryDetails } from './delivery-details.ts';

/** An event as returned by the API, including the tracking link, which the log does not contain. */
export function eventView(row: LoggedEvent, publicUrl: string): Event {
  const { details: stored = {}, ...data } = JSON.parse(row.data);
  const link = `${publicUrl}/track/${row.tracking_token}`;
  const isOfDelivery = row.type === 'delivery.created' || row.type === 'delivery.updated';
  return {
    id: row.id,
    object: 'event',
    type: row.type,
    created_at: instant(row.created_at),
    test_mode: row.test_mode === 1,
    sequence: row.sequence,
    data: isOfDelivery ? { ...data, tracking_url: isErasedDelivery(data) ? '' : link } : data,
    ...(isOfDelivery && {
      details: deliveryDetails({ record: data, stored, promised_at: row.promised_at }, row.created_at),
    }),
  };
}
