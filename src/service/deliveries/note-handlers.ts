import type { createDeliveryNote, listDeliveryNotes, listNotes } from '../../contract/delivery-details.ts';
import { insertDeliveryNote, listDeliveryNotes as listRows } from '../../storage/delivery-records.ts';
import type { Handler } from '../http/handler.ts';
import { pageOf, pageRequest } from '../http/paging.ts';
import { deliveryFor } from './delivery-handlers.ts';
import { noteView } from './delivery-view.ts';

/** Adds a note. The delivery itself does not change, so that no event is published. */
export const addDeliveryNote: Handler<typeof createDeliveryNote> = async (call) => {
  const { caller, params, body, now } = call;
  return call.commit(async (db) => {
    const { id: delivery_id } = await deliveryFor(db, call, params.deliveryid);
    const { text: note, tags = [] } = body;
    const row = {
      ...{ id: call.id('nte'), ...caller.scope, delivery_id, note },
      ...{ tags: JSON.stringify([...new Set(tags)]), created_at: now },
    };
    await insertDeliveryNote(db, row);
    return noteView(row);
  });
};

export const pageOfDeliveryNotes: Handler<typeof listDeliveryNotes> = async (call) => {
  const { service, caller, params, query } = call;
  const page = await service.storage.read(async (db) => {
    const { id: delivery_id } = await deliveryFor(db, call, params.deliveryid);
    return listRows(db, { ...caller.scope, ...pageRequest(query, 'nte'), delivery_id });
  });
  return pageOf(page, noteView);
};

export const pageOfNotes: Handler<typeof listNotes> = async ({ service, caller, query }) => {
  const wanted = { ...caller.scope, ...pageRequest(query, 'nte'), tag: query.tag };
  return pageOf(await service.storage.read((db) => listRows(db, wanted)), noteView);
};
