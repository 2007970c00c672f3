import type { DeliveryRow } from '../../storage/database.ts';
import { publishEvent } from '../events/publish-event.ts';
import type { WriteContext } from '../runtime/context.ts';
import { deliveryRecord, deliveryView, storedDetails } from './delivery-view.ts';

/**
 * Publishes the current delivery, in the transaction that changed it; its record already counts the event. The
 * tracking link is a secret that the log does not contain: `eventView` adds it for each reader.
 */
export async function publishDelivery(context: WriteContext, row: DeliveryRow): Promise<void> {
  const { account_id, test_mode } = row;
  const record = deliveryRecord(row);
  const sequence = record.event_count;
  const type = sequence === 1 ? 'delivery.created' : 'delivery.updated';
  const details = storedDetails(record);
  const data = {
    ...deliveryView(row, { publicUrl: '', now: context.now }),
    tracking_url: '',
    ...(Object.keys(details).length > 0 && { details }),
  };
  const id_parts = [row.id, String(sequence)];
  await publishEvent(context, { account_id, test_mode, type, id_parts, delivery_id: row.id, sequence, data });
}
