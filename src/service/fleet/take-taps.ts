/**
 * Applies what a driver taps on the page (`takeTap`): on or off duty, an answer to an offer, or a step at a stop, which
 * becomes a report as a courier sends it (`tap-reports.ts`). A handover may be refused for a wrong PIN or a missing proof
 * (`handover-proofs.ts`). Each tap is stored, so that a repeat of it changes nothing.
 */
import type { Tap } from '../../contract/pages.ts';
import { fleet_provider } from '../../contract/vocabulary.ts';
import { isEnded, isPickedUp } from '../../domain/delivery-states.ts';
import { groupBuildings, type PlannedStop, returnForRest, startTo } from '../../domain/driver-plans.ts';
import { hasErasedEnd } from '../../domain/erasure.ts';
import { isNearStops, type Waypoint } from '../../domain/geography.ts';
import { isPinLocked, max_wrong_pins } from '../../domain/order-rules.ts';
import type { DeliveryRow, DriverAssignmentRow, DriverRow, DriverTapRow } from '../../storage/database.ts';
import { lockDeliveries, updateDelivery } from '../../storage/deliveries.ts';
import {
  assignmentOfRoute,
  findAssignment,
  findTap,
  insertTap,
  loadDriver,
  updateDriver,
} from '../../storage/drivers.ts';
import { hastenAttempts } from '../batches/order-outcomes.ts';
import { saveDelivery, type TransitionContext } from '../deliveries/delivery-transitions.ts';
import { deliveryRecord } from '../deliveries/delivery-view.ts';
import { scheduleLocations } from '../deliveries/publish-locations.ts';
import { receiveReport } from '../deliveries/take-report.ts';
import type { RecordChange } from '../http/audit.ts';
import { giveRoute } from './assignments.ts';
import type { TappedAt } from './driver-contact.ts';
import {
  acceptedDeliveries,
  countFixedStops,
  type DriverLoad,
  lastPosition,
  loadDriverLoad,
  planReturns,
} from './driver-load.ts';
import {
  hasRoomFor,
  missingProof,
  namesPicture,
  noteUnverified,
  type Pictures,
  picturesIn,
  storePictures,
  type TapText,
  tapTexts,
  wrongPinText,
} from './handover-proofs.ts';
import { max_open_orders, passOffer } from './offers.ts';
import { announced_ms, estimatePlan, estimateTimes } from './plan-estimates.ts';
import { noProofs, placeOf, reportOf, type StepKind, type StepTap, type TapProofs } from './tap-reports.ts';

export interface TapResult {
  id: string;
  outcome: 'done' | 'ignored' | 'refused';
  /** Why it has no effect; empty if it has. */
  message: TapText;
}

/** A tap with its service time, and the ids and URLs for its pictures. */
interface ReceivedTap extends TappedAt {
  tap: Tap;
  /** Whether the same request has another tap of the same button, which counts instead. */
  is_superseded: boolean;
  /** An unguessable id for each picture. */
  picture_ids: { photo: string; signature: string };
  urlOf: (picture_id: string) => string;
}

/** The context of a tap, which records what the driver changes. */
interface TapContext extends TransitionContext {
  recordChange: RecordChange;
}

type Effect = Omit<TapResult, 'id'>;

const done: Effect = { outcome: 'done', message: tapTexts.none };
const outdated: Effect = { outcome: 'ignored', message: tapTexts.outdated };

/** Applies a tap once: a repeat has the effect of the first. */
export async function takeTap(
  context: TapContext,
  driver_id: string,
  received: ReceivedTap,
): Promise<TapResult> {
  const { db, now } = context;
  const { tap, occurred_at } = received;
  const before = await findTap(db, driver_id, tap.id);
  if (before !== undefined) {
    return { id: tap.id, outcome: before.outcome, message: messageOfRepeat(before) };
  }
  const driver = await loadDriver(db, driver_id);
  if (driver === undefined) return { id: tap.id, ...outdated };
  const effect = await applyTap(context, driver, received);
  const { outcome } = effect;
  await insertTap(db, { driver_id, id: tap.id, kind: tap.kind, outcome, occurred_at, received_at: now });
  return { id: tap.id, ...effect };
}

/** The message to a tap that was sent before. A wrong PIN is not counted again. */
function messageOfRepeat({ outcome }: Pick<DriverTapRow, 'outcome'>): TapText {
  return { done: tapTexts.none, ignored: tapTexts.outdated, refused: tapTexts.refused_before }[outcome];
}

async function applyTap(context: TapContext, driver: DriverRow, received: ReceivedTap): Promise<Effect> {
  const { tap } = received;
  const { kind } = tap;
  if (kind === 'duty') {
    if (tap.on === undefined) return { outcome: 'ignored', message: tapTexts.unclear_duty };
    return received.is_superseded ? done : setDuty(context, driver, tap.on);
  }
  if (kind === 'accept' || kind === 'decline') return answerOffer(context, driver, received);
  return takeStep(context, driver, { ...received, tap: { ...tap, kind } });
}

/** Sets whether a driver takes deliveries; one who goes off duty passes the open offers on. */
async function setDuty(context: TapContext, driver: DriverRow, isOn: boolean): Promise<Effect> {
  const { db, now } = context;
  const isChange = (driver.on_duty === 1) !== isOn;
  await updateDriver(db, { id: driver.id, on_duty: isOn ? 1 : 0, updated_at: now });
  const detail = isOn ? 'on_duty' : 'off_duty';
  if (isChange) await context.recordChange(db, { scope: driver, record_id: driver.id, detail });
  if (isOn) {
    await offerWaitingOrders(context, driver.id);
    return done;
  }
  const { offered } = await loadDriverLoad(db, driver);
  for (const assignment of offered) await passOffer(context, assignment);
  return done;
}

/** Tries the orders that wait in auto dispatch at once, as many as a driver on duty has room for. */
export async function offerWaitingOrders(context: TransitionContext, driver_id: string): Promise<void> {
  const driver = await loadDriver(context.db, driver_id);
  if (driver?.on_duty !== 1) return;
  const { deliveries } = await loadDriverLoad(context.db, driver);
  const room = max_open_orders - deliveries.length;
  if (room > 0) await hastenAttempts(context, driver, { provider: fleet_provider, room });
}

async function answerOffer(
  context: TapContext,
  driver: DriverRow,
  { tap, occurred_at }: ReceivedTap,
): Promise<Effect> {
  const [dispatch_id = ''] = (tap.offer_id ?? '').split('.');
  const assignment = await findAssignment(context.db, dispatch_id);
  const isOpen = assignment?.state === 'offered' && assignment.driver_id === driver.id;
  if (!isOpen || offerId(assignment) !== tap.offer_id) {
    return { outcome: 'ignored', message: tapTexts.offer_ended };
  }
  if (tap.kind === 'accept') {
    await giveRoute(context, assignment, driver, occurred_at);
    if (tap.goes_on === true) await startNext(context, driver.id, { tap, occurred_at });
  } else await passOffer(context, assignment);
  const { route_id: record_id } = assignment;
  await context.recordChange(context.db, { scope: assignment, record_id, detail: tap.kind });
  return done;
}

/** The id of an offer on the page: it is no longer valid once the offer has passed to another driver. */
export function offerId({ dispatch_id, offer }: DriverAssignmentRow): string {
  return `${dispatch_id}.${offer}`;
}

type ReceivedStep = ReceivedTap & { tap: StepTap };

/** Reports a step of the deliveries of a stop. */
async function takeStep(context: TapContext, driver: DriverRow, received: ReceivedStep): Promise<Effect> {
  const { db, now } = context;
  const { tap, occurred_at: at } = received;
  const { kind } = tap;
  if (kind === 'deliver' && tap.delivery_ids?.length !== 1)
    return { outcome: 'refused', message: tapTexts.one_by_one };
  const load = await loadDriverLoad(db, driver);
  const rows = await lockTapped(context, load, tap);
  const [first] = rows;
  const proofs = first === undefined ? noProofs : proofsOf(first, received);
  if (kind === 'deliver') {
    if (first === undefined) return addLateProof(context, driver, received);
    const message = await refusalOf(context, first, tap, proofs);
    if (message !== null) return { outcome: 'refused', message };
  }
  const moved = await reportStepOf(context, rows, { driver, received, proofs });
  if (moved.length === 0) return outdated;
  if (kind === 'fail') await planReturns(context, driver);
  const plan = planAfter(kind, load.stops, rows);
  if (plan !== null) await updateDriver(db, { id: driver.id, plan: JSON.stringify(plan), updated_at: now });
  await estimatePlan(context, driver.id, placeOf(tap, first, { driver, at }));
  if (tap.goes_on === true) await startNext(context, driver.id, received);
  if (moved.some(({ status }) => isEnded(status))) await offerWaitingOrders(context, driver.id);
  return done;
}

/** The deliveries that a tap names and the driver has, locked. After the pickup each recipient fails alone. */
async function lockTapped(
  { db }: TapContext,
  load: DriverLoad,
  { kind, delivery_ids = [] }: StepTap,
): Promise<DeliveryRow[]> {
  const ids = acceptedDeliveries(load).flatMap(({ id }) => (delivery_ids.includes(id) ? id : []));
  const isOfOne = delivery_ids.length === 1;
  const rows = await lockDeliveries(db, ids);
  return rows.filter(({ status }) => kind !== 'fail' || isOfOne || !isPickedUp(status));
}

function proofsOf(row: DeliveryRow, { tap, was_silent }: ReceivedStep): TapProofs {
  if (tap.kind !== 'deliver') return noProofs;
  const pictures = picturesIn(tap);
  const isOffline = tap.was_offline === true && was_silent && pictures.photo !== null;
  return { pictures, pin_unverified: isOffline && isUnverified(row, tap.pin) };
}

/** Why a handover is refused; null if it is not. */
async function refusalOf(
  context: TapContext,
  row: DeliveryRow,
  tap: StepTap,
  { pictures, pin_unverified }: TapProofs,
): Promise<TapText | null> {
  const message = await missingProof(context.db, row, { tap, pictures });
  if (message !== null) return message;
  if (!(await hasRoomFor(context.db, row, pictures))) return tapTexts.no_room;
  if (pin_unverified) return null;
  return refusalOfPin(context, row, tap.pin);
}

/** Reports a step of each delivery, and returns the deliveries whose status it has changed. */
async function reportStepOf(
  context: TapContext,
  rows: readonly DeliveryRow[],
  { driver, received, proofs }: { driver: DriverRow; received: ReceivedStep; proofs: TapProofs },
): Promise<DeliveryRow[]> {
  const { tap, occurred_at: at } = received;
  const { pictures, pin_unverified } = proofs;
  const urls = urlsOf(pictures, received);
  const moved: DeliveryRow[] = [];
  for (const row of rows) {
    const report = reportOf(tap, { row, driver, at, pictures: urls, pin_unverified });
    const changed = await receiveReport(context, row, report);
    if (changed.status === row.status) continue;
    await keepPictures(context, changed, { pictures, received });
    if (tap.kind === 'deliver') await noteUnverified(context, changed, { tap, pictures, pin_unverified });
    await context.recordChange(context.db, { scope: row, record_id: row.id, detail: tap.kind });
    moved.push(changed);
  }
  return moved;
}

/** The plan after a step that changes the order of the stops; null after any other. */
function planAfter(
  kind: StepKind,
  stops: readonly PlannedStop[],
  rows: readonly DeliveryRow[],
): PlannedStop[] | null {
  const order_ids = rows.map(({ order_id }) => order_id);
  if (kind === 'start_pickup') return startTo(stops, 'pickup', order_ids);
  if (kind === 'start_dropoff') return startTo(stops, 'dropoff', order_ids);
  return kind === 'pick_up' ? returnForRest(stops, order_ids) : null;
}

/**
 * Why a handover with this PIN is refused; null if it is not. A wrong PIN is counted in the same transaction, so that
 * no more are tried at the same time. The one that locks the handover is published.
 */
async function refusalOfPin(
  context: TapContext,
  row: DeliveryRow,
  tapped_pin: string | undefined,
): Promise<TapText | null> {
  const { db, now } = context;
  const record = deliveryRecord(row);
  const { pin, wrong_pins = 0 } = record;
  if (pin === undefined) return null;
  if (isPinLocked(record)) return tapTexts.locked;
  if (tapped_pin === pin) return null;
  const counted = { ...record, wrong_pins: wrong_pins + 1 };
  if (isPinLocked(counted)) {
    await saveDelivery(context, row, counted);
    await context.recordChange(db, { scope: row, record_id: row.id, detail: 'pin_locked' });
    return tapTexts.locked;
  }
  const change = { record: JSON.stringify(counted) };
  await updateDelivery(db, { id: row.id, from: row.status, change, now: Math.max(now, row.updated_at) });
  return wrongPinText(max_wrong_pins - counted.wrong_pins);
}

/** Whether a PIN that could not be checked at the door is wrong. A locked handover stays locked. */
function isUnverified(row: DeliveryRow, tapped_pin: string | undefined): boolean {
  const record = deliveryRecord(row);
  return record.pin !== undefined && tapped_pin !== record.pin && !isPinLocked(record);
}

/** The URLs of the pictures of a tap; null for one that it does not have. */
function urlsOf({ photo, signature }: Pictures, { picture_ids, urlOf }: ReceivedTap): Pictures {
  return {
    photo: photo === null ? null : urlOf(picture_ids.photo),
    signature: signature === null ? null : urlOf(picture_ids.signature),
  };
}

/** Stores the pictures that the record of a delivery names after the report. */
async function keepPictures(
  { db, now }: TransitionContext,
  row: DeliveryRow,
  { pictures, received: { picture_ids, urlOf } }: { pictures: Pictures; received: ReceivedTap },
): Promise<void> {
  const record = deliveryRecord(row);
  const named = (['photo', 'signature'] as const).flatMap((kind) => {
    const [id, data] = [picture_ids[kind], pictures[kind]];
    return data !== null && namesPicture(record, urlOf(id)) ? [{ id, data }] : [];
  });
  await storePictures(db, row, { pictures: named, now });
}

/** Adds the pictures of a handover that a dispatcher has reported before the tap arrived. */
async function addLateProof(context: TapContext, driver: DriverRow, received: ReceivedTap): Promise<Effect> {
  const { db } = context;
  const { tap, occurred_at: at } = received;
  const [row] = await lockDeliveries(db, tap.delivery_ids ?? []);
  if (row?.status !== 'delivered') return outdated;
  if ((await assignmentOfRoute(db, row.route_id))?.driver_id !== driver.id) return outdated;
  const record = deliveryRecord(row);
  if (record.proof.length > 0 || record.signature !== null || hasErasedEnd(record)) return outdated;
  const pictures = picturesIn(tap);
  if (pictures.photo === null && pictures.signature === null) return outdated;
  if (!(await hasRoomFor(db, row, pictures))) return { outcome: 'refused', message: tapTexts.no_room };
  const urls = urlsOf(pictures, received);
  const report = reportOf({ ...tap, kind: 'deliver' }, { row, driver, at, pictures: urls });
  const changed = await receiveReport(context, row, report);
  await keepPictures(context, changed, { pictures, received });
  await context.recordChange(db, { scope: row, record_id: row.id, detail: 'deliver' });
  return done;
}

/** Starts to the first stop that is left, as the driver goes on after the tap. */
async function startNext(
  context: TapContext,
  driver_id: string,
  { tap, occurred_at: at }: Pick<ReceivedTap, 'tap' | 'occurred_at'>,
): Promise<void> {
  const driver = await loadDriver(context.db, driver_id);
  if (driver === undefined) return;
  const load = await loadDriverLoad(context.db, driver);
  const [group = []] = groupBuildings(load.stops);
  const [stop] = group;
  if (stop === undefined || stop.kind === 'return' || countFixedStops(load) > 0) return;
  const kind = stop.kind === 'pickup' ? 'start_pickup' : 'start_dropoff';
  const order_ids = group.flatMap((each) => each.order_ids);
  const isReady = ({ order_id, status }: DeliveryRow) =>
    order_ids.includes(order_id) && (stop.kind === 'pickup' || isPickedUp(status));
  const ids = acceptedDeliveries(load).flatMap((row) => (isReady(row) ? row.id : []));
  const start = { ...tap, id: `${tap.id} next`, kind } as const;
  for (const row of await lockDeliveries(context.db, ids)) {
    await receiveReport(context, row, reportOf(start, { row, driver, at }));
  }
}

/** Keeps where a driver is, and shows it to the recipients that are not too far from it; without an event for each position. */
export async function takePosition(
  context: TransitionContext,
  driver_id: string,
  position: Waypoint,
): Promise<void> {
  const { db, now } = context;
  const driver = await loadDriver(db, driver_id);
  if (driver === undefined || (lastPosition(driver)?.at ?? 0) >= position.at) return;
  await updateDriver(db, { id: driver_id, position: JSON.stringify(position), updated_at: now });
  const load = await loadDriverLoad(db, driver);
  const ids = load.deliveries.map(({ id }) => id);
  for (const row of await lockDeliveries(db, ids)) {
    const record = deliveryRecord(row);
    if (record.driver === null || !isNearStops(position, record)) continue;
    const change = { record: JSON.stringify({ ...record, way: [position] }) };
    await updateDelivery(db, { id: row.id, from: row.status, change, now: row.updated_at });
    await scheduleLocations(context, { ...row, ...change });
  }
  await estimateTimes(context, load, position, announced_ms);
}
