import {
  type DeliveryDetails,
  type DeliveryNote,
  type DetailedDelivery,
  max_detail_notes,
} from '../../contract/delivery-details.ts';
import { pendingOf } from '../../storage/batches.ts';
import type { BatchOrderRow, DeliveryNoteRow, DeliveryRow } from '../../storage/database.ts';
import { newestNotes, notesOfDelivery } from '../../storage/delivery-records.ts';
import type { Storage } from '../../storage/storage.ts';
import { deliveryDetails, type StoredDetails } from '../events/event-log.ts';
import { placeFields } from '../orders/order-view.ts';
import { instant } from '../runtime/time.ts';
import { deliveryRecord, deliveryView, storedDetails, type Viewpoint } from './delivery-view.ts';

/** Returns the view of version 2 for these deliveries: the version 1 record with its details. */
export async function detailedView(
  storage: Storage,
  rows: readonly DeliveryRow[],
  viewpoint: Viewpoint,
): Promise<(row: DeliveryRow, matched?: string) => DetailedDelivery> {
  const notes = await notesOf(storage, rows);
  const pending = await pendingAmong(storage, rows);
  return (row, matched = '') => {
    const view = deliveryView(row, viewpoint);
    const record = deliveryRecord(row);
    const stored = currentDetails(storedDetails(record), pending.get(row.order_id));
    const known = deliveryDetails({ record: view, stored, promised_at: row.promised_at }, viewpoint.now);
    return {
      ...view,
      details: { ...known, ...placeFields(record), notes: notes.get(row.id) ?? [], matched },
    };
  };
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
  const entries = await storage.read((db) => pendingOf(db, order_ids));
  return new Map(entries.map((entry) => [entry.order_id, entry]));
}

/**
 * The newest notes of each delivery that has any. A database file answers a prepared query for each at once, without the
 * query builder; a database server is asked once for all.
 */
async function notesOf(
  storage: Storage,
  rows: readonly DeliveryRow[],
): Promise<ReadonlyMap<string, DeliveryDetails['notes']>> {
  if (rows.length === 0) return new Map();
  const ids = rows.map(({ id }) => id);
  const notes =
    storage.engine === 'sqlite'
      ? (await Promise.all(ids.map((id) => storage.all(notesOfDelivery, id, max_detail_notes)))).flat()
      : await storage.read((db) => newestNotes(db, ids, max_detail_notes));
  return Map.groupBy(notes.map(noteView), ({ delivery_id }) => delivery_id);
}

/** A note as returned by the API. */
export function noteView(row: DeliveryNoteRow): DeliveryNote {
  const { id, delivery_id, note: text, test_mode, created_at } = row;
  return {
    ...{ id, object: 'delivery_note', delivery_id, text, tags: tagsOf(row) },
    ...{ test_mode: test_mode === 1, created_at: instant(created_at) },
  };
}

function tagsOf({ tags }: DeliveryNoteRow): string[] {
  const found: unknown = JSON.parse(tags);
  return Array.isArray(found) ? found.map(String) : [];
}
