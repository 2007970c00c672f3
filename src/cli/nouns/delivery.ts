/** A delivery as it is shown: its columns, how it ended, and how its tracking page is opened. */
import type { AnyDelivery, Delivery } from '../../contract/deliveries.ts';
import { type ChargeKind, chargeKinds, statusGroups } from '../../contract/vocabulary.ts';
import { zipOf } from '../../domain/address-text.ts';
import { hasEndedBadly, isEnded, isPickedUp } from '../../domain/delivery-states.ts';
import { minute_ms } from '../../domain/durations.ts';
import { formatEtaWindow, knownEtaPrecision } from '../../domain/estimates.ts';
import { findArrival, isLate, promiseIn } from '../../domain/lateness.ts';
import { dollars } from '../../domain/money.ts';
import { isRescheduled, shownStatus, statusPhrase, statusWithName } from '../../domain/status-words.ts';
import type { TimeStyle } from '../kit/output/times.ts';
import { invocation, phrase, type Text } from '../kit/result/message.ts';
import {
  type CellField,
  type CellValue,
  type Column,
  type ColumnKind,
  isForPeople,
  toCell,
} from '../kit/result/result.ts';
import type { Context } from '../session/command.ts';
import {
  countLateMinutes,
  countStoreMinutes,
  countWaitMinutes,
  dueText,
  isTimeText,
  isWithoutDriver,
  pickupDueAt,
  pickupDueText,
} from './delivery-times.ts';
import { distanceColumns } from './distance.ts';
import { itemText, shownItems, storeZone } from './order.ts';
import { simulatedEndText } from './simulated-end.ts';

type Field = Column<AnyDelivery>;

const identity: readonly Field[] = [
  ownColumn('id', 'ID', 'id'),
  ownColumn('status', 'Status', 'status'),
  {
    ...columnOf('failure_reason', 'Failed because', 'text', (delivery) =>
      withSimulated(delivery, failureText(delivery)),
    ),
    only: 'people',
  },
  { ...ownColumn('failure_reason', 'Failure', 'text'), only: 'programs' },
  { ...ownColumn('failure_message', 'Failed because', 'text'), only: 'programs' },
  {
    ...columnOf('cancellation_reason', 'Canceled because', 'text', (delivery) =>
      withSimulated(delivery, delivery.cancellation_reason),
    ),
    only: 'people',
  },
  { ...ownColumn('cancellation_reason', 'Canceled because', 'text'), only: 'programs' },
  columnOf('canceled_by', 'Canceled by', 'text', cancelerOf),
  ownColumn('dispute_reason', 'Disputed because', 'text'),
  columnOf('dispute_outcome', 'Dispute outcome', 'text', ({ details }) => details?.dispute?.outcome),
  ownColumn('service', 'Provider', 'text'),
  ownColumn('external_order_ref', 'Ref', 'text'),
  ownColumn('delivery_type', 'Type', 'text'),
];

const stops: readonly Field[] = [
  ownColumn('pickup_name', 'Pickup', 'text'),
  ownColumn('pickup_address', 'From', 'text'),
  ownColumn('pickup_unit', 'Pickup unit', 'text'),
  ownColumn('pickup_phone_number', 'Pickup phone', 'phone'),
  ownColumn('pickup_notes', 'Pickup notes', 'text'),
  ownColumn('pickup_at', 'Pickup at', 'time'),
  ownColumn('pickup_eta', 'Pickup ETA', 'time'),
  columnOf('dropoff_name', 'Dropoff', 'text', dropoff('dropoff_name')),
  columnOf('dropoff_address', 'To', 'text', dropoff('dropoff_address')),
  columnOf('dropoff_unit', 'Dropoff unit', 'text', dropoff('dropoff_unit')),
  columnOf('dropoff_phone_number', 'Dropoff phone', 'phone', dropoff('dropoff_phone_number')),
  columnOf('dropoff_email', 'Dropoff e-mail', 'email', ({ details }) => details?.dropoff_email),
  columnOf('dropoff_notes', 'Dropoff notes', 'text', dropoff('dropoff_notes')),
  columnOf('dropoff_at', 'Dropoff at', 'time', dropoff('dropoff_at')),
  columnOf('dropoff_eta', 'Dropoff ETA', 'time', dropoff('dropoff_eta')),
  columnOf('promised_at', 'Promised', 'time', ({ details }) => details?.promised_at),
  ...distanceColumns<AnyDelivery>(({ pickup_address, dropoffs: [to], details: places = {} }) => ({
    ...{ pickup_address, dropoff_address: to?.dropoff_address ?? '', places },
  })),
  { ...columnOf('items', 'Items', 'text', shownItems), only: 'people' },
  { ...columnOf('items', 'Items', 'text', ({ items }) => items.map(itemText)), only: 'programs' },
  { ...ownColumn('items_description', 'Description', 'text'), only: 'programs' },
];

const courier: readonly Field[] = [
  ownColumn('courier_name', 'Driver', 'text'),
  ownColumn('courier_phone_number', 'Driver phone', 'phone'),
  ownColumn('courier_vehicle_type', 'Vehicle type', 'text'),
  columnOf('vehicle', 'Vehicle', 'text', vehicleText),
  { ...columnOf('courier_location', 'Courier location', 'text', locationText), only: 'programs' },
  columnOf('last_report_at', 'Last heard', 'time', ({ details }) => details?.last_report_at),
  ownColumn('courier_img', 'Courier image', 'text'),
  ownColumn('handover_pin', 'PIN', 'text'),
  columnOf('proof_of_delivery', 'Proof', 'text', ({ proof_of_delivery }) =>
    proof_of_delivery.map(({ type, url }) => `${type} ${url}`),
  ),
  columnOf('no_photo_reason', 'No photo', 'text', ({ details }) => details?.no_photo_reason),
  columnOf('pin_unverified', 'PIN unverified', 'text', ({ details }) => details?.pin_unverified || null),
  columnOf('signature', 'Signed by', 'text', ({ signature }) => signature?.name),
  columnOf('signature_url', 'Signature image', 'text', ({ signature }) => signature?.image_url),
];

const chargeHeaders: Readonly<Record<ChargeKind, string>> = {
  delivery: 'Charged price',
  tip: 'Charged tip',
  return: 'Return fee',
  refund: 'Refunds',
  cancellation: 'Cancellation fee',
  adjustment: 'Adjustments',
};

const money: readonly Field[] = [
  // The price is what was agreed; what it costs, with refunds and the fees of a return or cancellation, are the charges.
  columnOf('total_cost', 'Charged', 'money', chargedTotal),
  {
    ...columnOf(
      'later_cost',
      'Charged later',
      'money',
      ({ details }) => details?.charges?.later_cost || null,
    ),
    wide: true,
    unlessEmpty: true,
  },
  ...chargeKinds.map(
    (kind): Field => ({
      ...columnOf(
        `charges.${kind}`,
        chargeHeaders[kind],
        'money',
        ({ details }) => details?.charges?.[kind] || null,
      ),
      wide: true,
      unlessEmpty: true,
    }),
  ),
  { ...ownColumn('payment_amount', 'Agreed price', 'money'), rawCsvField: 'agreed_price' },
  { ...ownColumn('tip', 'Agreed tip', 'money'), rawCsvField: 'agreed_tip' },
  ownColumn('fee', 'Fee shown', 'money'),
  ownColumn('upsell', 'Upsell', 'money'),
  ownColumn('subsidized', 'Subsidized', 'money'),
  columnOf('refunded_amount', 'Refunded', 'money', ({ refunded_amount }) => refunded_amount || null),
  ownColumn('order_value', 'Order value', 'money'),
];

const origin: readonly Field[] = [
  ownColumn('tracking_url', 'Tracking', 'text'),
  ownColumn('order_id', 'Order', 'id'),
  ownColumn('route_id', 'Route', 'id'),
  ownColumn('quote_id', 'Quote', 'id'),
  ownColumn('store_id', 'Store ID', 'id'),
  columnOf('store_name', 'Store', 'text', ({ store_id, pickup_name }) => store_id && pickup_name),
  ownColumn('test_mode', 'Test mode', 'text'),
  ownColumn('created_at', 'Created', 'time'),
  ownColumn('updated_at', 'Updated', 'time'),
];

/** Columns of lists only: a single record shows its status history instead. */
const listed: readonly Field[] = [
  columnOf('dropoff_zip', 'ZIP', 'text', ({ dropoffs }) => zipOf(dropoffs[0]?.dropoff_address ?? '')),
  columnOf(
    'picked_up_at',
    'Picked up',
    'time',
    ({ status_history: history }) => history.find(({ status }) => isPickedUp(status))?.created_at,
  ),
  {
    ...columnOf('reason', 'Reason', 'text', (delivery) =>
      withSimulated(delivery, endReason(delivery, failureText(delivery))),
    ),
    only: 'people',
  },
  {
    ...columnOf('reason', 'Reason', 'text', (delivery) => endReason(delivery, delivery.failure_reason)),
    only: 'programs',
  },
  columnOf('delivered_at', 'Delivered', 'time', findArrival),
  columnOf('ended_at', 'Ended', 'time', (delivery) =>
    isEnded(delivery.status) ? (findArrival(delivery) ?? enteredStatusAt(delivery)) : null,
  ),
  columnOf('status_since', 'In status since', 'time', enteredStatusAt),
  minutesColumn('minutes', 'Minutes', Math.round, (delivery) => {
    const arrival = delivery.delivery_type === 'scheduled' ? null : findArrival(delivery);
    return arrival === null ? null : (Date.parse(arrival) - Date.parse(delivery.created_at)) / minute_ms;
  }),
  minutesColumn('late_minutes', 'Minutes late', shownLateMinutes, ({ details }) => {
    const seconds = details?.late_seconds ?? null;
    if (seconds === null) return null;
    return isLate(seconds * 1000) ? seconds / 60 : 0;
  }),
  columnOf('notes', 'Notes', 'text', ({ dropoffs, details }) =>
    [dropoffs[0]?.dropoff_notes, ...(details?.notes ?? []).map(({ text }) => text)]
      .filter(Boolean)
      .join('; '),
  ),
];

/** A column of minutes, which are shown whole and compared exactly. */
function minutesColumn(
  field: string,
  header: string,
  rounded: (minutes: number, delivery: AnyDelivery) => number,
  exact: (delivery: AnyDelivery) => number | null,
): Field {
  const value = (delivery: AnyDelivery) => {
    const minutes = exact(delivery);
    return minutes === null ? null : rounded(minutes, delivery);
  };
  return { ...columnOf(field, header, 'count', value), exact };
}

function shownLateMinutes(minutes: number, delivery: AnyDelivery): number {
  return minutes === 0 ? 0 : countLateMinutes(delivery, Math.round(minutes * minute_ms));
}

const all: readonly Field[] = [...identity, ...stops, ...courier, ...money, ...origin];

/** The columns of a table, in order. If the table is too wide, numbered columns are dropped, 1 first. */
const tableColumns: Readonly<Record<string, Pick<Field, 'spare' | 'isName' | 'isFoundByEnd' | 'askedBy'>>> = {
  id: { isFoundByEnd: true },
  status: {},
  service: { spare: 3, askedBy: ['service'] },
  external_order_ref: {},
  dropoff_name: { spare: 4, isName: true },
  dropoff_eta: { spare: 5 },
  total_cost: { spare: 2, askedBy: ['charged'] },
  created_at: { spare: 1 },
};
const tableOrder = Object.keys(tableColumns);

/** Columns of deliveries: those of a table, then all others. */
export const deliveryColumns: readonly Field[] = [
  ...all
    .filter(({ field }) => tableOrder.includes(field))
    .sort((left, right) => tableOrder.indexOf(left.field) - tableOrder.indexOf(right.field))
    .map((column) => ({ ...column, ...tableColumns[column.field] })),
  ...[...all, ...listed]
    .filter(({ field }) => !tableOrder.includes(field))
    .map((column): Field => ({ ...column, wide: true, ...askedBy(column.field) })),
];

/** Columns of a table only where a flag filters by them. */
function askedBy(field: string): Pick<Field, 'askedBy' | 'unlessEmpty'> {
  const flags: Readonly<Record<string, readonly string[]>> = {
    courier_name: ['driver'],
    delivered_at: ['delivered'],
    ended_at: ['ended'],
    dropoff_phone_number: ['phone'],
    updated_at: ['stuck', 'unchangedSince'],
  };
  // A pre-order has one of the two.
  if (field === 'pickup_at' || field === 'dropoff_at') return { askedBy: ['scheduled'], unlessEmpty: true };
  return flags[field] === undefined ? {} : { askedBy: flags[field] };
}

/**
 * Columns of a list at `now`, the service's time: people see which deliveries are late, programs see the ETA. In a file a
 * cell is a plain time: when it is due is what was promised, and the arrival has its own column.
 */
export function deliveryListColumns(
  now: () => number,
  style: TimeStyle,
  { isSearched = false, isStoreList = false, isOfBadEnds = false, isFile = true } = {},
): Field[] {
  const columns = deliveryColumns.flatMap((column): Field[] => {
    if (column.field === 'status') return listedStatus(column);
    if (isOfBadEnds && column.only !== 'programs' && shownOfBadEnds.has(column.field))
      return shownColumns(column);
    // People see both where it is due.
    if (column.field === 'promised_at' || column.field === 'late_minutes')
      return [
        { ...column, only: 'people' },
        { ...column, only: 'programs', askedBy: ['late', 'sort=late'] },
      ];
    if (column.field === 'pickup_eta')
      return [
        { ...column, only: 'people', value: driverEtaOf(column) },
        { ...column, only: 'programs' },
      ];
    if (column.field !== 'dropoff_eta') return [column];
    const timing = (delivery: AnyDelivery) => {
      return { now: now(), times: style, zone: isFile ? null : storeZone(delivery) };
    };
    const pickupDue = isFile
      ? columnOf('pickup_due', 'Pickup due', 'time', pickupDueAt)
      : columnOf('pickup_due', 'Pickup due', 'text', (delivery) => pickupDueText(delivery, timing(delivery)));
    const due = isFile
      ? columnOf('due', 'Due', 'time', promiseIn)
      : columnOf('due', 'Due', 'due', (delivery) => dueText(delivery, timing(delivery)));
    const { spare: _, ...eta } = column;
    const fullEta = { ...eta, value: etaOf(eta) };
    const shownEta = isFile ? fullEta : roughColumn(fullEta);
    return [
      { ...pickupDue, only: 'people', askedBy: ['sort=pickup'], ...(isStoreList ? {} : { wide: true }) },
      { ...due, spare: 5, only: 'people', askedBy: ['late', 'due', 'sort=due', 'sort=eta', 'sort=late'] },
      { ...eta, only: 'programs' },
      { ...shownEta, only: 'people', wide: true },
    ];
  });
  // As `11 min ago` counts.
  const wait = minutesColumn('wait_minutes', 'Minutes without driver', Math.floor, (delivery) =>
    countWaitMinutes(delivery, now()),
  );
  const atStore = minutesColumn('at_store_minutes', 'Minutes at store', Math.floor, (delivery) =>
    countStoreMinutes(delivery, now()),
  );
  const matched = columnOf('matched', 'Matched', 'text', ({ details }) => details?.matched);
  return [
    ...columns,
    ...[wait, atStore].map((column): Field => ({ ...column, wide: true })),
    ...(isSearched ? [matched] : []),
  ];
}

/** What people see in a list of failures or cancellations, where there is room: why, and what was given back. */
const shownOfBadEnds: ReadonlyMap<string, Pick<Field, 'spare' | 'prose'>> = new Map([
  ['canceled_by', { spare: 1 }],
  ['reason', { prose: true }],
  ['refunded_amount', { spare: 2 }],
]);

function shownColumns(column: Field): Field[] {
  const { wide: _, ...shown } = column;
  const others: Field[] = column.only === undefined ? [{ ...column, only: 'programs' }] : [];
  return [{ ...shown, ...shownOfBadEnds.get(column.field), unlessEmpty: true, only: 'people' }, ...others];
}

const triedAgain = columnOf('tried_again', 'Tried again', 'status', ({ details }) => details?.tried_again);

/** `no` for one that failed or was canceled, and was not tried again. */
function triedAgainWord({ status, details }: AnyDelivery): string | false | null {
  return details?.tried_again ?? (details !== undefined && hasEndedBadly(status) ? false : null);
}

/**
 * The status column: people see `rescheduled` for a delivery that was canceled to be sent at another time, and the status
 * of the later delivery of its order.
 */
function listedStatus(column: Field): Field[] {
  return [
    { ...column, only: 'people', value: shownStatus },
    { ...triedAgain, only: 'people', unlessEmpty: true, value: triedAgainWord },
    { ...column, only: 'programs' },
    { ...triedAgain, only: 'programs', wide: true },
  ];
}

/**
 * What a delivery costs in cents, by its charges. A service that does not list them charges the price, and refunds that
 * of one that failed or was canceled.
 */
export function chargedTotal({ status, payment_amount, tip, details }: AnyDelivery): number | null {
  if (details?.charges !== undefined) return details.charges.total_cost;
  return hasEndedBadly(status) ? null : (payment_amount ?? null) && payment_amount + (tip ?? 0);
}

/** Fields of one delivery, with a line for each status it entered, and further lines for people. */
export function deliveryFields(
  delivery: AnyDelivery,
  more: readonly (readonly [string, string])[] = [],
): Field[] {
  const history = delivery.status_history.flatMap(({ status, created_at }, index): Field[] => [
    { ...columnOf(`status_history.${index}.status`, 'Status', 'text', () => status), only: 'programs' },
    columnOf(`status_history.${index}.created_at`, status, 'time', () => created_at),
  ]);
  const shown = more.map(
    ([header, text], index): Field => ({
      ...columnOf(`more.${index}`, header, 'text', () => text),
      only: 'people',
    }),
  );
  const why = listed.filter(({ field, only }) => field === 'reason' && only === 'programs');
  return [...all.flatMap(recordColumns), ...why, ...history, ...shown];
}

const summaryFields: readonly string[] = [
  ...tableOrder,
  ...['failure_reason', 'cancellation_reason', 'dispute_reason', 'tip', 'payment_amount', 'refunded_amount'],
];

/** A short form of one delivery, with the fields that a command just changed. */
export function deliverySummary(changed: readonly string[] = []): Field[] {
  return all
    .filter(({ field }) => summaryFields.includes(field) || changed.includes(field))
    .flatMap(recordColumns);
}

/**
 * Shows the times of an ended delivery to people as plain ones, and no ETA of one that never came; programs always get
 * the same values.
 */
function recordColumns(column: Field): Field[] {
  if (column.field === 'status')
    return [
      { ...column, only: 'people', value: ({ status }) => statusWithName(status) },
      { ...column, only: 'programs' },
    ];
  const isEta = column.field === 'pickup_eta' || column.field === 'dropoff_eta';
  if (!isEta && column.field !== 'promised_at') return [column];
  const where = (shown: Field, ended: boolean) => (delivery: AnyDelivery) => {
    const { status } = delivery;
    return isEnded(status) === ended ? toCell(shown, delivery) : null;
  };
  const shown = isEta ? { ...column, value: etaOf(column) } : column;
  const rough = isEta ? roughColumn(shown) : column;
  return [
    { ...rough, only: 'people', value: where(rough, false) },
    { ...column, only: 'people', kind: 'clock', value: where(shown, true) },
    { ...column, only: 'programs' },
  ];
}

/** An ETA for people: one that failed or was canceled never came. */
function etaOf(column: Field) {
  return (delivery: AnyDelivery) => (hasEndedBadly(delivery.status) ? null : toCell(column, delivery));
}

/** The ETA of a driver at the pickup, for people in a list: without a driver nobody is coming yet. */
function driverEtaOf(column: Field) {
  const eta = etaOf(column);
  return (delivery: AnyDelivery) => (isWithoutDriver(delivery) ? null : eta(delivery));
}

/** An ETA for people: a window if it rests on places that are known coarsely. */
function roughColumn(column: Field): Field {
  const value = (delivery: AnyDelivery) => {
    const eta = toCell(column, delivery);
    const isPast = column.field === 'pickup_eta' && isPickedUp(delivery.status);
    return isTimeText(eta) && !isPast && knownEtaPrecision(delivery) !== null ? formatEtaWindow(eta) : eta;
  };
  return { ...column, kind: 'interval', value };
}

/** A column with the value of the field that it is named after. */
function ownColumn(field: CellField<AnyDelivery>, header: string, kind: ColumnKind): Field {
  return { field, header, kind, zone: storeZone };
}

function columnOf(
  field: string,
  header: string,
  kind: ColumnKind,
  value: (row: AnyDelivery) => CellValue,
): Field {
  return { field, header, kind, value, zone: storeZone };
}

function dropoff(field: keyof Delivery['dropoffs'][number]): (delivery: Delivery) => CellValue {
  return ({ dropoffs }) => dropoffs[0]?.[field];
}

/** `silver Toyota Prius, IL ABC 123` */
export function vehicleText({ vehicle }: Delivery): string | null {
  if (!vehicle) return null;
  const appearance = [vehicle.color, vehicle.make, vehicle.model].filter((part) => part !== '').join(' ');
  return [appearance || vehicle.type, vehicle.license_plate].filter((part) => part !== '').join(', ');
}

function locationText({ courier_location_lat: lat, courier_location_lng: lng }: Delivery): string | null {
  return typeof lat === 'number' && typeof lng === 'number' ? `${lat}, ${lng}` : null;
}

/** The default address of `track` and `serve`, which tracking links of the embedded service point to. */
export const trackingHost = { host: '127.0.0.1', port: 4010 } as const;

/** True if a tracking link points to this machine, where nothing serves it between two commands. */
export function isLocalLink(tracking_url: string): boolean {
  return tracking_url.startsWith(`http://${trackingHost.host}:${trackingHost.port}/`);
}

/** Adds the command that serves the tracking page of an embedded delivery. */
export function trackingNotes(
  { settings, output }: Pick<Context, 'settings' | 'output'>,
  { id, tracking_url }: Delivery,
): Text[] {
  if (!isForPeople(output.format) || settings.target.kind !== 'embedded' || !isLocalLink(tracking_url))
    return [];
  return [phrase`The tracking link works while ${invocation('track', [id])} runs.`];
}

/** Names the line that shows masked phone numbers, in a terminal. */
export function maskedNotes(
  { output, host }: Pick<Context, 'output' | 'host'>,
  command: string,
  id: string,
): Text[] {
  if (!isForPeople(output.format) || output.showPii || !host.stdout.isTerminal) return [];
  return [phrase`Phone numbers are masked. Show them: ${invocation(command, [id, '--show-pii'])}`];
}

/** Describes how a delivery ended that did not arrive: `was canceled by swiftly: no driver`. */
export function endingText(delivery: AnyDelivery): string {
  const simulated = simulatedEndText(delivery);
  const text = plainEndingText(delivery);
  return simulated === null ? text : `${text.replace(/\.+$/, '')} (${simulated}).`;
}

function plainEndingText(delivery: Delivery): string {
  const { status, cancellation_reason } = delivery;
  const canceled = /^canceled /i.test(cancellation_reason ?? '')
    ? ` ${(cancellation_reason ?? '').replace(/^canceled /i, '').replace(/\.+$/, '')}.`
    : because(cancellation_reason);
  const failed = because(failureText(delivery));
  if (isRescheduled(delivery)) return 'was rescheduled.';
  if (status === 'customer_canceled') return `was canceled${canceled}`;
  if (status === 'provider_canceled')
    return `was canceled by ${delivery.service || 'the provider'}${canceled}`;
  if (status === 'burq_canceled')
    return cancellation_reason ? `was canceled${canceled}` : 'was canceled by the operator of the service.';
  if (status === 'failed') return `failed${failed}`;
  if (status === 'enroute_to_return') return `is on its way back${failed}`;
  if (status === 'returned') return `went back to ${delivery.pickup_name || 'the pickup'}${failed}`;
  return `is ${statusPhrase(status)}.`;
}

/** `endingText` as a sentence, which says of a parcel on its way back that no courier says when it arrives. */
export function outcomeText(delivery: Delivery): string {
  const open = delivery.status === 'enroute_to_return' ? ' Couriers do not say when it will be there.' : '';
  return `It ${endingText(delivery)}${open}`;
}

/** Says what the return cost, which `--max-cost` does not limit; null without a return charge. */
export function returnCostText({ details }: AnyDelivery): string | null {
  const { return: back = 0, total_cost = 0 } = details?.charges ?? {};
  if (!(back > 0)) return null;
  return `The return costs ${dollars(back)} on top of its price: ${dollars(total_cost)} is charged in all.`;
}

/** Why a delivery failed, is returned or was canceled, as reports count it. */
function endReason({ cancellation_reason }: Delivery, failure: string | null): string | null {
  return failure ?? cancellation_reason;
}

/** A reason with what its phone number simulates, for people. */
function withSimulated(delivery: AnyDelivery, reason: string | null): string | null {
  const simulated = reason && simulatedEndText(delivery);
  return simulated ? `${reason} (${simulated})` : reason;
}

/** Why a delivery failed or is returned: the message, or the code if the message is empty. */
export function failureText({ failure_reason, failure_message }: Delivery): string | null {
  return failure_message || failure_reason;
}

function because(reason: string | null): string {
  return !reason ? '.' : `: ${reason.replace(/\.+$/, '')}.`;
}

/** Who canceled it. Which key or driver of ours it was is in the audit log. */
function cancelerOf(delivery: Delivery): string | null {
  const cancelers = {
    customer_canceled: 'us',
    provider_canceled: 'the courier',
    burq_canceled: 'the service',
  };
  const found = Object.entries(cancelers).find(([status]) => status === delivery.status);
  return found === undefined || isRescheduled(delivery) ? null : found[1];
}

/** When it entered its status. */
export function enteredStatusAt({ status, status_history, updated_at }: Delivery): string {
  return status_history.findLast((entry) => entry.status === status)?.created_at ?? updated_at;
}

/** Whether it arrived without a photo, PIN or signature. */
export function isUnproved({ status, proof_of_delivery, signature }: Delivery): boolean {
  const hasArrived = statusGroups.fulfilled.some((each) => each === status);
  return hasArrived && proof_of_delivery.length === 0 && signature === null;
}

/** What was handed over as proof; `by` is who signed. */
interface ShownProof {
  type: string;
  url: string | null;
  by?: string;
}

/** The proofs to show of a delivery, the signature last: `none` if it arrived without any. */
export function shownProofs(delivery: Delivery): readonly ShownProof[] {
  if (isUnproved(delivery)) return [{ type: 'none', url: null }];
  const { proof_of_delivery, signature } = delivery;
  if (signature === null) return proof_of_delivery;
  const others = proof_of_delivery.filter(({ type }) => type !== 'signature');
  return [...others, { type: 'signature', url: signature.image_url, by: signature.name }];
}
