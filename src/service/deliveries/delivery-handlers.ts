/** Reads deliveries, and orders with their deliveries; adds and lists notes. */
import type {
  createDeliveryNote,
  getDelivery,
  getDetailedDelivery,
  listDeliveries,
  listDeliveryNotes,
  listDetailedDeliveries,
  listNotes,
} from '../../contract/deliveries.ts';
import type { getOrder } from '../../contract/orders.ts';
import { expandStatusNames } from '../../contract/vocabulary.ts';
import { storedPhoneForms } from '../../domain/phone-text.ts';
import { referenceFilter } from '../../domain/references.ts';
import { phoneDigits, wordsInSearch } from '../../domain/search-text.ts';
import type { DeliveryNoteRow, DeliveryRow } from '../../storage/database.ts';
import {
  addSearchWords,
  deliveryById,
  insertDeliveryNote,
  listDeliveries as listRows,
  loadDeliveries,
  newestDeliveries,
  listDeliveryNotes as noteRows,
} from '../../storage/deliveries.ts';
import { markErased, orderById } from '../../storage/orders.ts';
import { firstPage } from '../../storage/storage.ts';
import type { Call, Handler } from '../http/handler.ts';
import { pageRequest, readListPeriods, toPage } from '../http/paging.ts';
import { orderNotFound, orderView } from '../orders/order.ts';
import { parseInstant } from '../runtime/time.ts';
import { requireAsSeen } from './as-seen.ts';
import { deliveryFor, noDelivery } from './delivery.ts';
import { createViewpoint, deliveryView, namesOf } from './delivery-view.ts';
import { detailedView, noteView } from './detailed-view.ts';
import type { FoundPage } from './search-deliveries.ts';

export const pageOfDeliveries: Handler<typeof listDeliveries> = async (call) => {
  const { page } = await findPage(call);
  return toPage(page, (row) => deliveryView(row, createViewpoint(call)));
};

export const pageOfDetailedDeliveries: Handler<typeof listDetailedDeliveries> = async (call) => {
  const { page, matched } = await findPage(call);
  const { charged } = readListPeriods(call.query, call.now);
  const created_before = parseInstant(call.query.created_before);
  const periods = { charged, created_before };
  const view = await detailedView(call.service.storage, page.rows, createViewpoint(call), periods);
  return toPage(page, (row) => view(row, (notes) => matched(row, notes)));
};

async function findPage({
  service: { storage },
  caller,
  query,
  now,
}: Call<typeof listDeliveries>): Promise<FoundPage> {
  const { service: provider, store_id, q, driver_name: driver } = query;
  const wanted = {
    ...caller.scope,
    ...pageRequest(query, 'dlv'),
    status: query.status === undefined ? undefined : expandStatusNames(query.status),
    external_order_ref: referenceFilter(query),
    service: provider,
    store_id,
    phone: query.phone === undefined ? undefined : phoneForms(query.phone),
    late_at: query.late === true ? now : undefined,
    was_late_at: query.was_late === true ? now : undefined,
    report_due_by: query.overdue === undefined ? undefined : now - query.overdue * 1000,
    unchanged_since: parseInstant(query.unchanged_since),
    ...readListPeriods(query, now),
  };
  if (driver) {
    const { deliveriesByDriverName } = await import('./search-deliveries.ts');
    return deliveriesByDriverName(storage, wanted, { driver, q });
  }
  if (q !== undefined && q !== '') {
    const { searchDeliveries } = await import('./search-deliveries.ts');
    return searchDeliveries(storage, wanted, q);
  }
  const first = await firstPage(storage, newestDeliveries, wanted);
  const page = first ?? (await storage.read((db) => listRows(db, wanted)));
  return { page, matched: () => '' };
}

/** The forms in which a searched phone number may be stored; of a text that is no phone number, its digits. */
function phoneForms(text: string): string[] {
  const forms = storedPhoneForms(text);
  return forms.length > 0 ? forms : [phoneDigits(text)];
}

export const readDelivery: Handler<typeof getDelivery> = async (call) =>
  deliveryView(await findDelivery(call), createViewpoint(call));

export const readDetailedDelivery: Handler<typeof getDetailedDelivery> = async (call) => {
  const row = await findDelivery(call);
  const view = await detailedView(call.service.storage, [row], createViewpoint(call));
  return view(row);
};

/** The delivery of the path. Throws `record_not_found`. */
async function findDelivery({ service, caller, params }: Call<typeof getDelivery>): Promise<DeliveryRow> {
  const { account_id, test_mode } = caller.scope;
  const row = await service.storage.first(deliveryById, params.deliveryid, account_id, test_mode);
  if (row === undefined) throw noDelivery(params.deliveryid);
  return row;
}

/** Reads an order, with its latest delivery if requested. */
export const readOneOrder: Handler<typeof getOrder> = async (call) => {
  const { service, caller, params, query } = call;
  const { account_id, test_mode } = caller.scope;
  const { storage } = service;
  const row = await storage.first(orderById, params.order_id, account_id, test_mode);
  if (row === undefined) throw orderNotFound(params.order_id);
  const { expand } = query;
  if (expand === undefined) return orderView(row);
  if (row.delivery_id === null) return { ...orderView(row), [expand]: null };
  const found = await storage.first(deliveryById, row.delivery_id, account_id, test_mode);
  const delivery = found === undefined ? null : deliveryView(found, createViewpoint(call));
  if (expand === 'delivery' || delivery === null) return { ...orderView(row), [expand]: delivery };
  const { latestDelivery } = await import('../orders/platform-forms.ts');
  return { ...orderView(row), latest_delivery: latestDelivery(delivery) };
};

/** Adds a note. The delivery itself does not change, so that no event is published. */
export const addDeliveryNote: Handler<typeof createDeliveryNote> = async (call) => {
  const { caller, params, body, now } = call;
  return call.commit(async (db) => {
    const delivery = await deliveryFor(db, call, params.deliveryid);
    await requireAsSeen(db, delivery, body);
    const { id: delivery_id } = delivery;
    const { text: note, tags = [] } = body;
    const row = {
      id: call.id('nte'),
      ...caller.scope,
      delivery_id,
      note,
      tags: JSON.stringify([...new Set(tags)]),
      created_at: now,
    };
    await insertDeliveryNote(db, row);
    await addSearchWords(db, delivery.order_id, wordsInSearch(note));
    // If the people of the order were erased by age, they are erased again, with the new note.
    if (delivery.erased_at !== null) await markErased(db, { order_id: delivery.order_id, now: null });
    return noteView(row);
  });
};

export const pageOfDeliveryNotes: Handler<typeof listDeliveryNotes> = async (call) => {
  const { service, caller, params, query } = call;
  const page = await service.storage.read(async (db) => {
    const { id: delivery_id } = await deliveryFor(db, call, params.deliveryid);
    return noteRows(db, { ...caller.scope, ...pageRequest(query, 'nte'), delivery_id });
  });
  return toPage(page, noteView);
};

export const pageOfNotes: Handler<typeof listNotes> = async ({ service, caller, query }) => {
  const { tag, store_id } = query;
  const wanted = { ...caller.scope, ...pageRequest(query, 'nte'), tag, store_id };
  return service.storage.read(async (db) => {
    const page = await noteRows(db, wanted);
    const deliveries = await loadDeliveries(db, [
      ...new Set(page.rows.map(({ delivery_id }) => delivery_id)),
    ]);
    const deliveryOf = (row: DeliveryNoteRow) => deliveries.find(({ id }) => id === row.delivery_id);
    return toPage(page, (row) => ({ ...noteView(row), ...namesOf(deliveryOf(row)) }));
  });
};
