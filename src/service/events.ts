import type { BatchSummary } from '../contract/batches.ts';
import type { RouteQuotes } from '../contract/quotes.ts';
import type { OrderStatus } from '../contract/vocabulary.ts';
import type { BatchRow, Connection, DeliveryRow, OrderRow, Scope } from '../storage/database.ts';
import { insertEvent } from '../storage/events.ts';
import { deliveryRecord, deliveryView } from './delivery-view.ts';
import { newId } from './ids.ts';
import { orderView } from './order-view.ts';
import type { Chance } from './ports/chance.ts';

/** What telling of a change needs. */
export interface Telling {
  db: Connection;
  chance: Chance;
  now: number;
}

/**
 * Tells of a delivery as it is now, in the transaction that made it so; its record counts the event already. The
 * tracking link is a secret and stands in no event: it is put in when the event is given out.
 */
export async function tellDelivery({ db, chance, now }: Telling, row: DeliveryRow): Promise<void> {
  const sequence = deliveryRecord(row).event_count;
  const type = sequence === 1 ? 'delivery.created' : 'delivery.updated';
  const data = { ...deliveryView(row, { publicUrl: '', now }), tracking_url: '' };
  await insertEvent(db, {
    id: newId(chance, 'evt', now, row.id, String(sequence)),
    account_id: row.account_id,
    test_mode: row.test_mode,
    type,
    delivery_id: row.id,
    batch_id: null,
    sequence,
    data: JSON.stringify(data),
    created_at: now,
  });
}

/** What of an order is told. */
export type ToldStatus = Extract<OrderStatus, 'dispatched' | 'unfulfilled' | 'failed' | 'canceled'>;

/** Tells what became of an order. */
export async function tellOrder(telling: Telling, type: `order.${ToldStatus}`, row: OrderRow): Promise<void> {
  const { db, chance, now } = telling;
  await insertEvent(db, {
    id: newId(chance, 'evt', now, row.id, type, row.delivery_id ?? ''),
    account_id: row.account_id,
    test_mode: row.test_mode,
    type,
    delivery_id: row.delivery_id,
    batch_id: row.batch_id,
    sequence: null,
    data: JSON.stringify(orderView(row)),
    created_at: now,
  });
}

/** Tells that no order of a batch is pending any more. */
export async function tellBatch(
  { db, chance, now }: Telling,
  row: BatchRow,
  data: BatchSummary,
): Promise<void> {
  await insertEvent(db, {
    id: newId(chance, 'evt', now, row.id),
    account_id: row.account_id,
    test_mode: row.test_mode,
    type: 'batch.completed',
    delivery_id: null,
    batch_id: row.id,
    sequence: null,
    data: JSON.stringify(data),
    created_at: now,
  });
}

/** Tells that the quotes of a round are there (seed 6). */
export async function tellQuotes(
  { db, chance, now }: Telling,
  round: Scope & { job_id: string; quotes: RouteQuotes },
): Promise<void> {
  await insertEvent(db, {
    id: newId(chance, 'evt', now, round.job_id),
    account_id: round.account_id,
    test_mode: round.test_mode,
    type: 'route_quotes.completed',
    delivery_id: null,
    batch_id: null,
    sequence: null,
    data: JSON.stringify(round.quotes),
    created_at: now,
  });
}
