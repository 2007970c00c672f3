/** Converts a driver's tap to a report, as a courier sends it (`reportOf`), and to the place of the driver (`placeOf`). */
import type { Tap } from '../../contract/pages.ts';
import type { DeliveryStatus, TapKind } from '../../contract/vocabulary.ts';
import { failureMessages, isPickedUp } from '../../domain/delivery-states.ts';
import type { Start } from '../../domain/driver-plans.ts';
import { minute_ms } from '../../domain/durations.ts';
import { positionOfPlace, readPrecision } from '../../domain/geography.ts';
import { isPinLocked } from '../../domain/order-rules.ts';
import type { Report } from '../../providers/port.ts';
import type { DeliveryRow, DriverRow } from '../../storage/database.ts';
import { type DeliveryRecord, deliveryRecord } from '../deliveries/delivery-view.ts';
import { reportedDriver, wayOf } from './assignments.ts';
import { lastPosition } from './driver-load.ts';
import type { Pictures } from './handover-proofs.ts';

/** The buttons that report a status. */
export type StepKind = Exclude<TapKind, 'duty' | 'accept' | 'decline'>;

/** A tap that reports a step. */
export type StepTap = Tap & { kind: StepKind };

/** The proofs of a handover. A tap of another step has none. */
export interface TapProofs {
  pictures: Pictures;
  /** Whether the PIN is wrong and could not be checked at the door. */
  pin_unverified: boolean;
}

const noPictures: Pictures = { photo: null, signature: null };
export const noProofs: TapProofs = { pictures: noPictures, pin_unverified: false };

/** How old a position of the phone may be to say where a driver arrives. */
const position_age_ms = minute_ms;

/**
 * Where the driver is at a step; undefined on the way. A position of the phone since the arrival says more than the
 * centre of a ZIP code.
 */
export function placeOf(
  { kind }: { kind: StepKind },
  row: DeliveryRow | undefined,
  { driver, at }: { driver: DriverRow; at: number },
): Start | undefined {
  if (row === undefined || kind === 'start_pickup' || kind === 'start_dropoff') return undefined;
  const { pickup, dropoff, reported_at } = deliveryRecord(row);
  const isAtPickup =
    kind === 'arrive_pickup' || kind === 'pick_up' || kind === 'return' || !isPickedUp(row.status);
  const place = isAtPickup ? pickup : dropoff;
  const position = lastPosition(driver);
  const arrived_at =
    kind === 'arrive_pickup' || kind === 'arrive_dropoff' ? at - position_age_ms : reported_at;
  const isThere = position !== null && position.at > arrived_at && readPrecision(place) === 'zip';
  return { ...(isThere ? position : positionOfPlace(place)), address: place.address };
}

const statuses: Readonly<Record<StepKind, DeliveryStatus>> = {
  start_pickup: 'enroute_pickup',
  arrive_pickup: 'arrived_at_pickup',
  pick_up: 'pickup_complete',
  start_dropoff: 'enroute_dropoff',
  arrive_dropoff: 'arrived_at_dropoff',
  deliver: 'delivered',
  fail: 'enroute_to_return',
  return: 'returned',
};

/** The facts beside a tap that its report takes; `pictures` are URLs. */
interface ReportFacts extends Partial<TapProofs> {
  row: DeliveryRow;
  driver: DriverRow;
  at: number;
}

/** The report of a tap about a delivery. Before the pickup, `fail` ends the delivery; later, the parcel goes back. */
export function reportOf(tap: StepTap, { row, driver, at, ...proofs }: ReportFacts): Report {
  const isLost = tap.kind === 'fail' && !isPickedUp(row.status);
  return {
    id: `${driver.id} ${tap.id} ${row.order_id}`,
    order_id: row.order_id,
    status: isLost ? 'failed' : statuses[tap.kind],
    // The queue of a phone is in order, even if its clock was set back.
    occurred_at: Math.max(at, deliveryRecord(row).reported_at),
    driver: reportedDriver(driver),
    ...(driver.position === null ? {} : { way: wayOf(driver) }),
    ...proofIn(tap, deliveryRecord(row), proofs),
    ...(tap.kind === 'fail' ? failureIn(tap, isLost) : {}),
  };
}

function failureIn(
  { failure_reason, note = '' }: Tap,
  isLost: boolean,
): Pick<Report, 'failure_reason' | 'reason'> {
  const code = isLost ? 'courier_failed' : (failure_reason ?? 'handover_failed');
  return { failure_reason: code, reason: note.trim() === '' ? failureMessages[code] : note.trim() };
}

function proofIn(
  { kind, pin, signed_by = '', no_photo_reason = '' }: Tap,
  record: DeliveryRecord,
  { pictures = noPictures, pin_unverified = false }: Partial<TapProofs>,
): Partial<Report> {
  if (kind !== 'deliver') return {};
  const { photo, signature } = pictures;
  const isRightPin = pin !== undefined && pin === record.pin && !isPinLocked(record);
  const proof = [
    ...(photo === null ? [] : [{ type: 'photo' as const, url: photo }]),
    ...(isRightPin ? [{ type: 'pin' as const, url: '' }] : []),
  ];
  return {
    ...(proof.length > 0 && { proof }),
    ...(pin_unverified && { pin_unverified }),
    ...(photo === null && no_photo_reason.trim() !== '' && { no_photo_reason: no_photo_reason.trim() }),
    ...(signature !== null && { signature: { name: signed_by.trim(), image_url: signature } }),
  };
}
