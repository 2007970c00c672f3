import { Problem } from '../../contract/errors.ts';
import type { getEvent, listEvents } from '../../contract/events.ts';
import { namedEventTypes } from '../../contract/vocabulary.ts';
import { findEvent, listEvents as listRows } from '../../storage/events.ts';
import { type Handler, publicUrlOf } from '../http/handler.ts';
import { pageOf, pageRequest } from '../http/paging.ts';
import { parseInstant } from '../runtime/timestamps.ts';
import { eventTypesIn } from './event-types.ts';
import { eventView } from './event-view.ts';

export const pageOfEvents: Handler<typeof listEvents> = async (call) => {
  const { type, delivery_id, batch_id, since, ...paging } = call.query;
  const { limit, after_id } = pageRequest(paging, 'evt');
  const types = type === undefined ? undefined : eventTypesIn(type, 'type');
  const wanted = { types, delivery_id, batch_id, since: parseInstant(since) };
  const query = { ...call.caller.scope, ...wanted, unasked: namedEventTypes, limit, after_id };
  const page = await call.service.storage.read((db) => listRows(db, query));
  const publicUrl = publicUrlOf(call);
  return pageOf(page, (row) => eventView(row, publicUrl));
};

export const readEvent: Handler<typeof getEvent> = async (call) => {
  const { event_id } = call.params;
  const row = await call.service.storage.read((db) => findEvent(db, call.caller.scope, event_id));
  if (row === undefined) throw new Problem('record_not_found', `There is no event ${event_id}.`);
  return eventView(row, publicUrlOf(call));
};
