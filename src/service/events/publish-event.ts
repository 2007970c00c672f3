import { type EventType, namedEventTypes } from '../../contract/vocabulary.ts';
import { max_retry_period_ms } from '../../domain/retries.ts';
import { insertEvent, type NewEvent } from '../../storage/events.ts';
import { enqueueEvent } from '../../storage/webhook-messages.ts';
import type { WriteContext } from '../runtime/context.ts';
import { newId } from '../runtime/ids.ts';
import { eventData } from './event-data.ts';

/** An event to publish. Fields that are not set are null. */
interface Publication
  extends Pick<NewEvent, 'account_id' | 'test_mode' | 'type'>,
    Partial<Pick<NewEvent, 'delivery_id' | 'batch_id' | 'order_id' | 'sequence'>> {
  /** Identifies the event among those of the same time: the same parts give the same id. */
  id_parts: readonly string[];
  data: object;
}

/** Writes an event to the log and queues it for the subscribed webhook endpoints, in the caller's transaction. */
export async function publishEvent(
  { db, chance, now }: WriteContext,
  {
    id_parts,
    data,
    delivery_id = null,
    batch_id = null,
    order_id = null,
    sequence = null,
    ...rest
  }: Publication,
): Promise<void> {
  const { account_id, test_mode, type } = rest;
  const event: NewEvent = {
    id: newId(chance, 'evt', now, ...id_parts),
    account_id,
    test_mode,
    type,
    delivery_id,
    batch_id,
    order_id,
    sequence,
    data: eventData(data),
    created_at: now,
  };
  await insertEvent(db, event);
  await enqueueEvent(db, event, { asked: subscriptionsTo(event.type), kept_ms: max_retry_period_ms });
}

/** Whether a type is only sent to subscribers that name it. */
export function isSubscribedByNameOnly(type: EventType): boolean {
  return namedEventTypes.some((each) => each === type);
}

/** The subscription values of a webhook endpoint that include a type. */
export function subscriptionsTo(type: EventType): readonly string[] {
  return isSubscribedByNameOnly(type) ? [type] : [type, '*'];
}
