/** Reads the event log: events as the API returns them, and the details of the deliveries in them. */
import type { Delivery, DeliveryEventDetails } from '../../contract/deliveries.ts';
import { invalidRequest, Problem } from '../../contract/errors.ts';
import type { Event, getEvent, listEvents } from '../../contract/events.ts';
import {
  type CoarsePrecision,
  type DisputeOutcome,
  type EventType,
  eventTypes,
  namedEventTypes,
} from '../../contract/vocabulary.ts';
import { isErasedDelivery } from '../../domain/erasure.ts';
import { isLate, measureLateness } from '../../domain/lateness.ts';
import { nearNames } from '../../domain/near-names.ts';
import { findEvent, type LoggedEvent, listEvents as listRows } from '../../storage/events.ts';
import { type Handler, readPublicUrl } from '../http/handler.ts';
import { pageRequest, toPage } from '../http/paging.ts';
import { instant, instantOrNull, parseInstant } from '../runtime/time.ts';

export const pageOfEvents: Handler<typeof listEvents> = async (call) => {
  const { type, delivery_id, batch_id, since, ...paging } = call.query;
  const { limit, after_id } = pageRequest(paging, 'evt');
  const types = type === undefined ? undefined : eventTypesIn(type, 'type');
  const wanted = { types, delivery_id, batch_id, since: parseInstant(since) };
  const query = { ...call.caller.scope, ...wanted, left_out: namedEventTypes, limit, after_id };
  const page = await call.service.storage.read((db) => listRows(db, query));
  const publicUrl = readPublicUrl(call);
  return toPage(page, (row) => eventView(row, publicUrl));
};

export const readEvent: Handler<typeof getEvent> = async (call) => {
  const { event_id } = call.params;
  const row = await call.service.storage.read((db) => findEvent(db, call.caller.scope, event_id));
  if (row === undefined) throw new Problem('record_not_found', `There is no event ${event_id}.`);
  return eventView(row, readPublicUrl(call));
};

/** Parses comma-separated event types in a query field; throws a `Problem` for an unknown one. */
export function eventTypesIn(text: string, path: string): readonly EventType[] {
  const names = text.split(',');
  const unknown = names.filter((name) => !eventTypes.some((type) => type === name));
  if (unknown.length > 0) {
    throw invalidRequest(unknown.map((name) => ({ path, message: unknownTypeText(name) })));
  }
  return eventTypes.filter((type) => names.includes(type));
}

function unknownTypeText(name: string): string {
  const near = nearNames(name, eventTypes);
  return `${name} is not an event type; expected ${(near.length > 0 ? near : eventTypes).join(', ')}`;
}

/** An event as returned by the API, including the tracking link, which the log does not contain. */
export function eventView(row: LoggedEvent, publicUrl: string): Event {
  const { details: stored = {}, ...data } = JSON.parse(row.data);
  const link = `${publicUrl}/track/${row.tracking_token}`;
  const isOfDelivery = row.type === 'delivery.created' || row.type === 'delivery.updated';
  return {
    id: row.id,
    object: 'event',
    type: row.type,
    created_at: instant(row.created_at),
    test_mode: row.test_mode === 1,
    sequence: row.sequence,
    data: isOfDelivery ? { ...data, tracking_url: isErasedDelivery(data) ? '' : link } : data,
    ...(isOfDelivery && {
      details: deliveryDetails({ record: data, stored, promised_at: row.promised_at }, row.created_at),
    }),
  };
}

/**
 * The details of a delivery in the event log: only what its version 1 record does not have, without empty fields.
 */
export interface StoredDetails {
  eta_precision?: CoarsePrecision;
  dropoff_email?: string;
  dispute_outcome?: DisputeOutcome;
  /** Milliseconds since the epoch. */
  next_attempt_at?: number;
  closes_order?: boolean;
  pin_locked?: boolean;
  pin_unverified?: boolean;
  no_photo_reason?: string;
}

/** The version 1 record of a delivery, and what is known besides. */
interface KnownDelivery {
  record: Pick<Delivery, 'status' | 'dropoffs' | 'status_history' | 'dispute_reason'>;
  stored: StoredDetails;
  /** Milliseconds since the epoch; null before the first dispatch of the order. */
  promised_at: number | null;
}

export function deliveryDetails(
  { record, stored, promised_at: at }: KnownDelivery,
  now: number,
): DeliveryEventDetails {
  const { dropoff_email = '', dispute_outcome = null, next_attempt_at = null } = stored;
  const {
    eta_precision = null,
    closes_order = false,
    pin_locked = false,
    pin_unverified = false,
    no_photo_reason = '',
  } = stored;
  const { status, dispute_reason: reason } = record;
  const promised_at = status === 'request' ? null : instantOrNull(at);
  const late_ms = measureLateness(record, { promised_at, eta_precision }, now);
  return {
    promised_at,
    late_seconds: late_ms === null ? null : Math.floor(late_ms / 1000),
    is_late: isLate(late_ms),
    eta_precision,
    dropoff_email,
    dispute: reason === null ? null : { reason, outcome: dispute_outcome },
    next_attempt_at: instantOrNull(next_attempt_at),
    closes_order,
    pin_locked,
    pin_unverified,
    no_photo_reason,
  };
}
