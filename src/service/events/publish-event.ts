import type { BatchSummary } from '../../contract/batches.ts';
import type { CourierLocation } from '../../contract/events.ts';
import type { RouteQuotes } from '../../contract/quotes.ts';
import { type EventType, namedEventTypes, type OrderStatus } from '../../contract/vocabulary.ts';
import type { Point } from '../../domain/geography.ts';
import { longestRetrying_ms } from '../../domain/webhook-retries.ts';
import type { BatchRow, Connection, DeliveryRow, OrderRow, Scope } from '../../storage/database.ts';
import { insertEvent, type NewEvent } from '../../storage/events.ts';
import { enqueueEvent } from '../../storage/webhook-messages.ts';
import { deliveryRecord, deliveryView } from '../deliveries/delivery-view.ts';
import { orderView } from '../orders/order-view.ts';
import { newId } from '../runtime/ids.ts';
import type { Chance } from '../runtime/random.ts';
import { instant } from '../runtime/timestamps.ts';
import { eventData } from './event-size.ts';

/** What telling of a change needs. */
export interface Telling {
  db: Connection;
  chance: Chance;
  now: number;
}

/** Whether only those get it who ask for it by its name (interface, events and webhooks). */
export function isToldByNameOnly(type: EventType): boolean {
  return namedEventTypes.some((each) => each === type);
}

/** What endpoints ask for that get events of a type: one of these words. */
export function askedBy(type: EventType): readonly string[] {
  return isToldByNameOnly(type) ? [type] : [type, '*'];
}

/** Writes an event, and puts it on its way to all who ask for it. */
async function tell(db: Connection, told: Omit<NewEvent, 'data'> & { data: object }): Promise<void> {
  const event = { ...told, data: eventData(told.data) };
  await insertEvent(db, event);
  await enqueueEvent(db, event, { asked: askedBy(event.type), kept_ms: longestRetrying_ms });
}

/**
 * Tells of a delivery as it is now, in the transaction that made it so; its record counts the event already. The
 * tracking link is a secret and stands in no event: it is put in when the event is given out.
 */
export async function tellDelivery({ db, chance, now }: Telling, row: DeliveryRow): Promise<void> {
  const sequence = deliveryRecord(row).event_count;
  const type = sequence === 1 ? 'delivery.created' : 'delivery.updated';
  const data = { ...deliveryView(row, { publicUrl: '', now }), tracking_url: '' };
  await tell(db, {
    id: newId(chance, 'evt', now, row.id, String(sequence)),
    account_id: row.account_id,
    test_mode: row.test_mode,
    type,
    delivery_id: row.id,
    batch_id: null,
    sequence,
    data,
    created_at: now,
  });
}

/** Tells where the courier of a delivery is; `number` is the position's own among those of the delivery. */
export async function tellPosition(
  telling: Telling,
  row: DeliveryRow,
  { lat, lng, number }: Point & { number: string },
): Promise<void> {
  const { db, chance, now } = telling;
  const data: CourierLocation = {
    delivery_id: row.id,
    external_order_ref: row.external_order_ref,
    courier_location_lat: lat,
    courier_location_lng: lng,
    recorded_at: instant(now),
  };
  await tell(db, {
    id: newId(chance, 'evt', now, row.id, 'location', number),
    account_id: row.account_id,
    test_mode: row.test_mode,
    type: 'delivery.location_updated',
    delivery_id: row.id,
    batch_id: null,
    sequence: null,
    data,
    created_at: now,
  });
}

/** What of an order is told. */
export type ToldStatus = Extract<OrderStatus, 'dispatched' | 'unfulfilled' | 'failed' | 'canceled'>;

/** Tells what became of an order. */
export async function tellOrder(telling: Telling, type: `order.${ToldStatus}`, row: OrderRow): Promise<void> {
  const { db, chance, now } = telling;
  await tell(db, {
    id: newId(chance, 'evt', now, row.id, type, row.delivery_id ?? ''),
    account_id: row.account_id,
    test_mode: row.test_mode,
    type,
    delivery_id: row.delivery_id,
    batch_id: row.batch_id,
    sequence: null,
    data: orderView(row),
    created_at: now,
  });
}

/** Tells that no order of a batch is pending any more. */
export async function tellBatch(
  { db, chance, now }: Telling,
  row: BatchRow,
  data: BatchSummary,
): Promise<void> {
  await tell(db, {
    id: newId(chance, 'evt', now, row.id),
    account_id: row.account_id,
    test_mode: row.test_mode,
    type: 'batch.completed',
    delivery_id: null,
    batch_id: row.id,
    sequence: null,
    data,
    created_at: now,
  });
}

/** Tells that the quotes of a round are there (seed 6), and of which route: where nobody quotes, no quote says it. */
export async function tellQuotes(
  { db, chance, now }: Telling,
  round: Scope & { job_id: string; route_id: string; quotes: RouteQuotes },
): Promise<void> {
  await tell(db, {
    id: newId(chance, 'evt', now, round.job_id),
    account_id: round.account_id,
    test_mode: round.test_mode,
    type: 'route_quotes.completed',
    delivery_id: null,
    batch_id: null,
    sequence: null,
    data: { ...round.quotes, route_id: round.route_id },
    created_at: now,
  });
}
