/** Delivery statuses as sentences, and the lines that `watch` writes when a status changes. */
import type { AnyDelivery, Delivery } from '../../contract/deliveries.ts';
import type { DeliveryStatus } from '../../contract/vocabulary.ts';
import { isEnded } from '../../domain/delivery-states.ts';
import { knownEtaPrecision } from '../../domain/estimates.ts';
import { dollars } from '../../domain/money.ts';
import { max_wrong_pins } from '../../domain/order-rules.ts';
import { statusWord } from '../../domain/status-words.ts';
import { alignedRows, type Cell } from '../kit/output/aligned-rows.ts';
import { statusWidth } from '../kit/output/colour.ts';
import { oneLine } from '../kit/output/safe-text.ts';
import { wrapped } from '../kit/output/terminal-lines.ts';
import type { Formatters, StreamLine } from '../kit/result/result.ts';
import { isSameRecord } from '../waiting/status-records.ts';
import { failureText } from './delivery.ts';
import { etaText, promisedAndNowText } from './delivery-times.ts';
import { entriesOf } from './explanation.ts';
import { storeZone } from './order.ts';

/** Formats a time and a phone number in a sentence. */
type Wording = Pick<Formatters, 'at' | 'clock' | 'phone'>;

/** Formats times for programs. */
const timesOfRecord: Pick<Wording, 'at' | 'clock'> = {
  at: (iso, word = 'at') => `${word} ${iso}`,
  clock: String,
};

interface StatusTexts {
  /** For a delivery that entered this status. */
  entered(delivery: AnyDelivery): string;
  /** For a delivery that is in this status now. */
  now?(delivery: AnyDelivery, wording: Wording): string;
}

/** A short description of each status. */
const statusTexts: Readonly<Record<DeliveryStatus, StatusTexts>> = {
  request: { entered: () => 'stored; not sent to a courier yet' },
  delivery_created: {
    entered: handoverText,
    now: (delivery) => `${providerOf(delivery)} looks for a driver`,
  },
  scheduled: {
    entered: handoverText,
    now: (delivery, wording) => {
      const { pickup_at, pickup_eta } = delivery;
      const when =
        pickup_at === null ? expectedText(delivery, pickup_eta, wording) : ` ${wording.at(pickup_at)}`;
      return `${providerOf(delivery)} comes for it${when}`;
    },
  },
  driver_assigned: {
    entered: () => 'a driver is found',
    now: (delivery, { phone }) => courierText(delivery, phone),
  },
  enroute_pickup: {
    entered: () => 'going to the pickup',
    now: (delivery, wording) =>
      `going to ${pickupOf(delivery)}${arrivalText(delivery, delivery.pickup_eta, wording)}`,
  },
  arrived_at_pickup: { entered: (delivery) => `at ${pickupOf(delivery)}` },
  pickup_complete: { entered: () => 'the parcel is picked up' },
  enroute_dropoff: {
    entered: () => 'going to the dropoff',
    now: (delivery, wording) =>
      `going to ${recipientOf(delivery)}${arrivalText(delivery, etaOf(delivery), wording)}`,
  },
  arrived_at_dropoff: { entered: (delivery) => `at ${recipientOf(delivery)}` },
  dropoff_complete: { entered: () => 'dropped off' },
  driver_not_assigned: {
    entered: () => 'the driver is gone',
    now: () => 'the driver is gone; another is looked for',
  },
  delivered: { entered: proofText },
  disputed: { entered: ({ dispute_reason }) => dispute_reason ?? '' },
  provider_canceled: { entered: ({ cancellation_reason }) => cancellation_reason ?? 'no reason was given' },
  customer_canceled: { entered: ({ cancellation_reason }) => cancellation_reason ?? '' },
  burq_canceled: { entered: ({ cancellation_reason }) => cancellation_reason ?? '' },
  failed: { entered: (delivery) => failureText(delivery) ?? 'no reason was given' },
  enroute_to_return: {
    entered: (delivery) => failureText(delivery) ?? 'the handover could not be made',
  },
  returned: { entered: (delivery) => `back at ${pickupOf(delivery)}` },
};

const noTexts: StatusTexts = { entered: () => '' };

/**
 * Describes a status that a delivery entered. The current status has more detail: the driver and the ETA of the next
 * stop.
 */
export function statusText(status: DeliveryStatus, delivery: AnyDelivery, wording: Wording | null): string {
  // A status from a newer service has no description.
  const { entered, now } = Object.hasOwn(statusTexts, status) ? statusTexts[status] : noTexts;
  return wording === null || now === undefined ? entered(delivery) : now(delivery, wording);
}

/** A delivery that failed without a driver may never have been accepted; an unpaid one is not even sent. */
function handoverText(delivery: Delivery): string {
  const { failure_reason } = delivery;
  const service = providerOf(delivery);
  if (!hasFailedBeforeDriver(delivery)) return `${service} has it`;
  const isSent = failure_reason !== 'payment_declined' && failure_reason !== 'no_provider_available';
  return isSent ? `meant for ${service}` : `meant for ${service}, and never sent`;
}

/** True if it failed before a driver was assigned: it is unknown whether the provider ever accepted it. */
export function hasFailedBeforeDriver({ status, status_history }: Delivery): boolean {
  return status === 'failed' && status_history.every((entry) => statusesBeforeDriver.has(entry.status));
}

const statusesBeforeDriver: ReadonlySet<DeliveryStatus> = new Set([
  'request',
  'delivery_created',
  'scheduled',
  'failed',
]);

/** The PIN that the recipient gives the driver, and whether wrong ones have locked the handover. */
export function pinText({ handover_pin, details }: AnyDelivery): string {
  if (!handover_pin) return '';
  const lock = details?.pin_locked === true ? `; locked after ${max_wrong_pins} wrong ones` : '';
  return `${handover_pin}, on the tracking page, for the recipient to tell the driver${lock}`;
}

/** The driver, as far as the provider reports: `Ana P., car, +1 312 *** **99`. */
export function courierText(delivery: Delivery, phone: Formatters['phone']): string {
  const { courier_name, courier_vehicle_type, courier_phone_number } = delivery;
  const number = courier_phone_number ? phone(courier_phone_number) : null;
  const parts = [courier_name, courier_vehicle_type, number];
  const reported_parts = parts.filter((part) => part !== null && part !== '');
  return reported_parts.length === 0 ? 'a driver is found' : reported_parts.join(', ');
}

/** `proof: photo, signature; PIN not verified`; empty without a proof. */
function proofText({ proof_of_delivery, details }: AnyDelivery): string {
  const types = [...new Set(proof_of_delivery.map(({ type }) => type))];
  const missing = details?.no_photo_reason ?? '';
  return [
    ...(types.length === 0 ? [] : [`proof: ${types.join(', ')}`]),
    ...(details?.pin_unverified === true ? ['PIN not verified'] : []),
    ...(missing === '' ? [] : [`no photo: ${missing}`]),
  ].join('; ');
}

function recipientOf({ dropoffs }: Delivery): string {
  return dropoffs[0]?.dropoff_name || 'the dropoff';
}

function pickupOf({ pickup_name }: Delivery): string {
  return pickup_name || 'the pickup';
}

function providerOf({ service }: Delivery): string {
  return service || 'the provider';
}

/** A service may not report a time. */
function arrivalText(delivery: AnyDelivery, eta: string, wording: Wording): string {
  return eta === '' ? '' : `, there${expectedText(delivery, eta, wording, 'about')}`;
}

/** An expected time after a blank; empty without one. */
function expectedText(
  delivery: AnyDelivery,
  eta: string,
  { at, clock }: Wording,
  word: 'at' | 'about' = 'at',
): string {
  if (eta === '') return '';
  return ` ${knownEtaPrecision(delivery) === null ? at(eta, word) : etaText(delivery, eta, clock)}`;
}

function etaOf({ dropoffs, pickup_eta }: Delivery): string {
  return dropoffs[0]?.dropoff_eta ?? pickup_eta;
}

interface Change {
  at: string;
  status: AnyDelivery['status'];
  what: string;
}

/**
 * Lists the changes between two polls in order: each status entered, or else the other fields that changed. `before` is
 * null on the first poll.
 */
export function changesBetween(before: AnyDelivery | null, after: AnyDelivery, wording: Wording): Change[] {
  const entries = entriesOf(after);
  const count_before = before === null ? 0 : entriesOf(before).length;
  const changes = entries.slice(count_before).map(({ status, at }, index): Change => {
    const isLast = count_before + index === entries.length - 1;
    return { at: at ?? after.updated_at, status, what: statusText(status, after, isLast ? wording : null) };
  });
  if (before === null || changes.length > 0) return changes;
  // A service may keep no status history.
  if (before.status !== after.status) {
    const { status, updated_at: at } = after;
    return [{ at, status, what: statusText(status, after, wording) }];
  }
  const news = changedFields(before, after, wording);
  return news.length === 0 ? [] : [{ at: after.updated_at, status: after.status, what: news.join('; ') }];
}

/** Lists the changed fields of a delivery whose status is the same. */
function changedFields(before: AnyDelivery, after: AnyDelivery, wording: Wording): string[] {
  const { phone } = wording;
  const etas = [before, after].map(({ dropoffs }) => dropoffs[0]?.dropoff_eta ?? '');
  const [courierBefore, courier] = [before, after].map((each) => courierText(each, (number) => number));
  const proofs = after.proof_of_delivery.slice(before.proof_of_delivery.length);
  const refund = after.refunded_amount - before.refunded_amount;
  return [
    ...(courier === courierBefore ? [] : [courierText(after, phone)]),
    ...(etas[0] === etas[1] ? [] : [`expected${expectedText(after, etas[1] ?? '', wording)}`]),
    ...proofs.map(({ type, url }) => `proof: ${type} ${url}`),
    ...(before.signature === null && after.signature !== null ? [`signed by ${after.signature.name}`] : []),
    ...(refund === 0 || Number.isNaN(refund) ? [] : [`${dollars(refund)} given back`]),
    ...editedFields(before, after).map((field) => `${field} changed`),
  ];
}

const editableFields = [
  'pickup_name',
  'pickup_phone_number',
  'pickup_unit',
  'pickup_notes',
  'dropoff_name',
  'dropoff_phone_number',
  'dropoff_email',
  'dropoff_unit',
  'dropoff_notes',
];

function editedFields(before: AnyDelivery, after: AnyDelivery): string[] {
  const [was, is] = [before, after].map(
    (each) => new Map(Object.entries({ ...each, ...each.dropoffs[0], ...each.details })),
  );
  return editableFields
    .filter((field) => was?.get(field) !== is?.get(field))
    .map((field) => field.replaceAll('_', ' '));
}

/** Formats a change of a delivery as a line. */
export function deliveryLine(
  before: AnyDelivery | null,
  delivery: AnyDelivery,
  phone: Formatters['phone'],
): readonly StreamLine[] {
  if (isSameRecord(before, delivery)) return [];
  const changes = changesBetween(before, delivery, { ...timesOfRecord, phone });
  const line = (given: Formatters) => {
    const show = given.inZone(storeZone(delivery));
    const cells = changesBetween(before, delivery, show).map((change) => cellsOf(change, [], show));
    const head = before === null ? headLines(delivery, show) : [];
    return cells.length === 0 ? null : [...head, ...linesOf(cells, show)].join('\n');
  };
  return [{ data: dataOf(before, delivery), line, rows: changes.map((change) => rowOf(change, [])) }];
}

/** Renders a change of one delivery in a watched list. Its initial state counts as one change. */
export function listedDeliveryLine(
  before: AnyDelivery | null,
  delivery: AnyDelivery,
  phone: Formatters['phone'],
): StreamLine {
  const names = [delivery.id, delivery.external_order_ref];
  const changesFor = (wording: Wording) =>
    before === null ? [stateOf(delivery, wording)] : changesBetween(before, delivery, wording);
  const changes = changesFor({ ...timesOfRecord, phone }).map((change, index) => ({
    at: change.at,
    row: rowOf(change, names),
    text: (given: Formatters) => {
      const show = given.inZone(storeZone(delivery));
      return linesOf([cellsOf(changesFor(show)[index] ?? change, names, show)], show).join('\n');
    },
  }));
  const line = (show: Formatters) =>
    changes.length === 0 ? null : changes.map(({ text }) => text(show)).join('\n');
  return { data: dataOf(before, delivery), line, rows: changes.map(({ row }) => row), changes };
}

function dataOf(before: AnyDelivery | null, delivery: AnyDelivery) {
  return { type: before === null ? 'delivery.current' : 'delivery.updated', ...delivery };
}

function stateOf(delivery: AnyDelivery, wording: Wording): Change {
  const { status, updated_at } = delivery;
  return { at: updated_at, status, what: statusText(status, delivery, wording) };
}

/** Identifies the delivery and when it is expected: `#1042 · Joe Diner · expected 12:30`. */
function headLines(delivery: AnyDelivery, show: Formatters): string[] {
  const { id, external_order_ref, dropoffs, status } = delivery;
  const [dropoff] = dropoffs;
  const isDue = dropoff !== undefined && !isEnded(status) && status !== 'request';
  const parts = [
    ...[external_order_ref || id, dropoff?.dropoff_name ?? ''],
    isDue
      ? (promisedAndNowText(delivery, show.now, show.clock) ??
        `expected ${etaText(delivery, dropoff.dropoff_eta, show.clock)}`)
      : '',
  ];
  const text = oneLine(parts.filter((part) => part !== '').join(' \u00b7 '));
  return (show.room === null ? text : wrapped(text, show.room)).split('\n').map(show.strong);
}

function cellsOf({ at, status, what }: Change, names: readonly string[], show: Formatters): Cell[] {
  return [
    { text: show.clock(at), paint: show.dim },
    ...names.map((name) => ({ text: oneLine(name) })),
    { text: statusWord(status), paint: show.status, width: statusWidth },
    { text: oneLine(what) },
  ];
}

function linesOf(rows: readonly (readonly Cell[])[], { room }: Formatters): string[] {
  return alignedRows(rows, { room, indent: 0 });
}

function rowOf({ at, status, what }: Change, names: readonly string[]): string[] {
  return [at, ...names, status, what];
}
