import type { Tap } from '../../contract/pages.ts';
import type { DeliveryStatus, TapKind } from '../../contract/vocabulary.ts';
import { failureMessages, isPickedUp } from '../../domain/delivery-states.ts';
import type { Report } from '../../providers/port.ts';
import type { DeliveryRow, DriverRow } from '../../storage/database.ts';
import { deliveryRecord } from '../deliveries/delivery-view.ts';
import { reportedDriver, wayOf } from './give-route.ts';

/** The buttons that report a status. */
export type StepKind = Exclude<TapKind, 'duty' | 'accept' | 'decline'>;

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

/** The URLs under which the pictures of a tap were stored. */
export interface PictureUrls {
  photo: string | null;
  signature: string | null;
}

const noPictures: PictureUrls = { photo: null, signature: null };

/** The facts beside a tap that its report takes. */
interface Known {
  row: DeliveryRow;
  driver: DriverRow;
  at: number;
  /** Absent: none. */
  pictures?: PictureUrls;
  /** Whether the PIN is wrong and could not be checked at the door; absent: no. */
  pin_unverified?: boolean;
}

/** The report of a tap about a delivery. Before the pickup, `fail` ends the delivery; later, the parcel goes back. */
export function reportOf(tap: Tap & { kind: StepKind }, { row, driver, at, ...known }: Known): Report {
  const isLost = tap.kind === 'fail' && !isPickedUp(row.status);
  return {
    id: `${driver.id} ${tap.id} ${row.order_id}`,
    order_id: row.order_id,
    status: isLost ? 'failed' : statuses[tap.kind],
    // The queue of a phone is in order, even if its clock was set back.
    occurred_at: Math.max(at, deliveryRecord(row).reported_at),
    driver: reportedDriver(driver),
    ...(driver.position === null ? {} : { way: wayOf(driver) }),
    ...proofIn(tap, known),
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
  { pictures = noPictures, pin_unverified = false }: Pick<Known, 'pictures' | 'pin_unverified'>,
): Partial<Report> {
  if (kind !== 'deliver') return {};
  const { photo, signature } = pictures;
  const proof = [
    ...(photo === null ? [] : [{ type: 'photo' as const, url: photo }]),
    ...(pin === undefined || pin_unverified ? [] : [{ type: 'pin' as const, url: '' }]),
  ];
  return {
    ...(proof.length > 0 && { proof }),
    ...(pin_unverified && { pin_unverified }),
    ...(photo === null && no_photo_reason.trim() !== '' && { no_photo_reason: no_photo_reason.trim() }),
    ...(signature !== null && { signature: { name: signed_by.trim(), image_url: signature } }),
  };
}
