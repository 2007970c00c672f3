/** Deliveries as version 2 returns them: the version 1 record with its notes, charges and what auto dispatch plans. */
import {
  type DeliveryDetails,
  type DeliveryNote,
  type DetailedDelivery,
  max_detail_notes,
} from '../../contract/deliveries.ts';
import { hasEndedBadly } from '../../domain/delivery-states.ts';
import { findPendingOrders } from '../../storage/batches.ts';
import type {
  BatchOrderRow,
  ChargeRow,
  Connection,
  DeliveryNoteRow,
  DeliveryRow,
} from '../../storage/database.ts';
import {
  chargesOfOne,
  chargesOfSeveral,
  latestOfOrders,
  newestNotes,
  notesOfDelivery,
} from '../../storage/deliveries.ts';
import type { Storage } from '../../storage/storage.ts';
import { deliveryDetails, type StoredDetails } from '../events/event-log.ts';
import { placeFields } from '../orders/order.ts';
import { instant } from '../runtime/time.ts';
import {
  deliveryRecord,
  deliveryView,
  lastReportAt,
  storedDetails,
  type Viewpoint,
} from './delivery-view.ts';

/** The charges that count, and the end of the period after which they are later ones. */
interface ChargePeriods {
  charged?: { after: number | undefined; before: number | undefined } | undefined;
  created_before?: number | undefined;
}

/** Returns the view of version 2 for these deliveries: the version 1 record with its details. */
export async function detailedView(
  storage: Storage,
  rows: readonly DeliveryRow[],
  viewpoint: Viewpoint,
  periods: ChargePeriods = {},
): Promise<(row: DeliveryRow, matched?: (notes: readonly string[]) => string) => DetailedDelivery> {
  const notes = await rowsOfEach(
    storage,
    rows,
    (id) => storage.all(notesOfDelivery, id, max_detail_notes),
    (db, ids) => newestNotes(db, ids, max_detail_notes),
  );
  const charges = await rowsOfEach(storage, rows, (id) => storage.all(chargesOfOne, id), chargesOfSeveral);
  const pending = await pendingAmong(storage, rows);
  const latest = await latestAmong(storage, rows);
  return (row, matched = () => '') => {
    const view = deliveryView(row, viewpoint);
    const kept = (notes.get(row.id) ?? []).map(noteView);
    const record = deliveryRecord(row);
    const stored = currentDetails(storedDetails(row, record), pending.get(row.order_id));
    const known = deliveryDetails({ record: view, stored, promised_at: row.promised_at }, viewpoint.now);
    return {
      ...view,
      details: {
        ...known,
        ...placeFields(record),
        max_cost: record.max_cost ?? null,
        last_report_at: lastReportAt(record, Math.min(viewpoint.now, row.ended_at ?? viewpoint.now)),
        charges: chargedSums(charges.get(row.id) ?? [], periods),
        tried_again: triedAgain(row, latest),
        notes: kept,
        matched: matched(kept.map(({ text }) => text)),
      },
    };
  };
}

type OrderTry = Pick<DeliveryRow, 'id' | 'order_id' | 'status'>;

/** For deliveries that failed or were canceled: the latest delivery of the order of each. */
async function latestAmong(storage: Storage, rows: readonly DeliveryRow[]): Promise<readonly OrderTry[]> {
  const order_ids = rows.flatMap(({ order_id, status }) => (hasEndedBadly(status) ? [order_id] : []));
  return order_ids.length === 0 ? [] : storage.read((db) => latestOfOrders(db, [...new Set(order_ids)]));
}

function triedAgain({ id, order_id, status }: DeliveryRow, latest: readonly OrderTry[]) {
  if (!hasEndedBadly(status)) return null;
  return latest.find((each) => each.order_id === order_id && each.id !== id)?.status ?? null;
}

/** The stored details, with the next attempt only while auto dispatch still tries the order. */
function currentDetails(
  { next_attempt_at, ...rest }: StoredDetails,
  entry: BatchOrderRow | undefined,
): StoredDetails {
  if (next_attempt_at === undefined || entry === undefined) return rest;
  return { ...rest, next_attempt_at: entry.next_attempt_at ?? next_attempt_at };
}

/** The orders that auto dispatch still tries, among those whose delivery failed before another attempt. */
async function pendingAmong(
  storage: Storage,
  rows: readonly DeliveryRow[],
): Promise<ReadonlyMap<string, BatchOrderRow>> {
  const failed = rows.filter(
    (row) => row.status === 'failed' && deliveryRecord(row).next_attempt_at !== undefined,
  );
  if (failed.length === 0) return new Map();
  const order_ids = [...new Set(failed.map(({ order_id }) => order_id))];
  const entries = await storage.read((db) => findPendingOrders(db, order_ids));
  return new Map(entries.map((entry) => [entry.order_id, entry]));
}

/**
 * The rows of each delivery that has any. A database file answers a prepared query for each at once, without the query
 * builder; a database server is asked once for all.
 */
async function rowsOfEach<Row extends { delivery_id: string }>(
  storage: Storage,
  deliveries: readonly DeliveryRow[],
  one: (delivery_id: string) => Promise<readonly Row[]>,
  several: (db: Connection, delivery_ids: readonly string[]) => Promise<readonly Row[]>,
): Promise<ReadonlyMap<string, readonly Row[]>> {
  if (deliveries.length === 0) return new Map();
  const ids = deliveries.map(({ id }) => id);
  const isFile = storage.engine === 'sqlite';
  const found = isFile
    ? (await Promise.all(ids.map(one))).flat()
    : await storage.read((db) => several(db, ids));
  return Map.groupBy(found, ({ delivery_id }) => delivery_id);
}

function chargedSums(
  charges: readonly ChargeRow[],
  { charged, created_before: end }: ChargePeriods,
): DeliveryDetails['charges'] {
  const { after = 0, before = Number.POSITIVE_INFINITY } = charged ?? {};
  const kinds = { delivery: 0, tip: 0, return: 0, refund: 0, cancellation: 0, adjustment: 0 };
  const sums = { ...kinds, total_cost: 0, later_cost: 0 };
  for (const { kind, amount, created_at } of charges) {
    if (created_at < after || created_at >= before) continue;
    sums[kind] += amount;
    sums.total_cost += amount;
    if (end !== undefined && created_at >= end) sums.later_cost += amount;
  }
  return sums;
}

/** A note as returned by the API. */
export function noteView(row: DeliveryNoteRow): DeliveryNote {
  const { id, delivery_id, note: text, test_mode, created_at } = row;
  return {
    id,
    object: 'delivery_note',
    delivery_id,
    text,
    tags: tagsOf(row),
    test_mode: test_mode === 1,
    created_at: instant(created_at),
  };
}

function tagsOf({ tags }: DeliveryNoteRow): string[] {
  const found: unknown = JSON.parse(tags);
  return Array.isArray(found) ? found.map(String) : [];
}
