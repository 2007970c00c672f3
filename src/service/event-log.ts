import { Problem } from '../contract/errors.ts';
import type { Event, getEvent, listEvents } from '../contract/events.ts';
import { findEvent, listEvents as listRows, type ToldEvent } from '../storage/events.ts';
import { viewpointOf } from './delivery-view.ts';
import type { CallBase, Handler } from './endpoint.ts';
import { pageOf, pageRequest } from './pages.ts';
import { instant, parseInstant } from './times.ts';

export const pageOfEvents: Handler<typeof listEvents> = async (call) => {
  const { type, delivery_id, batch_id, since, ...paging } = call.query;
  const { limit, after_id } = pageRequest(paging, 'evt');
  const wanted = { type, delivery_id, batch_id, since: parseInstant(since) };
  const query = { ...call.caller.scope, ...wanted, limit, after_id };
  const page = await call.service.storage.run((db) => listRows(db, query));
  return pageOf(page, eventViewer(call));
};

export const readEvent: Handler<typeof getEvent> = async (call) => {
  const { event_id } = call.params;
  const row = await call.service.storage.run((db) => findEvent(db, call.caller.scope, event_id));
  if (row === undefined) throw new Problem('record_not_found', `There is no event ${event_id}.`);
  return eventViewer(call)(row);
};

/** An event as the interface gives it: the tracking link, which the log does not hold, is put in here. */
function eventViewer(call: CallBase): (row: ToldEvent) => Event {
  const { publicUrl } = viewpointOf(call);
  return (row) => {
    const data = JSON.parse(row.data);
    const isOfDelivery = row.type === 'delivery.created' || row.type === 'delivery.updated';
    const tracking_url = `${publicUrl}/track/${row.tracking_token}`;
    return {
      id: row.id,
      object: 'event',
      type: row.type,
      created_at: instant(row.created_at),
      test_mode: row.test_mode === 1,
      sequence: row.sequence,
      data: isOfDelivery ? { ...data, tracking_url } : data,
    };
  };
}
