import type { DeliveryStatus, ProofType } from '../../contract/vocabulary.ts';
import { isEnded } from '../../domain/delivery-states.ts';
import { greatCircleMiles, type Point } from '../../domain/geography.ts';
import { positionAt } from '../../domain/positions.ts';
import { zoneOf } from '../../domain/time-zones.ts';
import type { DeliveryRow } from '../../storage/database.ts';
import { type DeliveryDriver, type DeliveryRecord, deliveryRecord } from '../deliveries/delivery-view.ts';
import { plain } from './markup.ts';
import type { Texts } from './texts/page-texts.ts';
import { type Language, texts } from './texts/texts.ts';

/**
 * The data of a tracking page. The page uses nothing else, so phone numbers, prices, notes, references and reasons
 * cannot appear on it. Times in milliseconds.
 */
export interface Journey {
  status: DeliveryStatus;
  /** The public name of the sender. */
  merchant: string;
  courier: Courier | null;
  pickup: Point;
  dropoff: Point;
  /** The courier's position, while it is relevant for the recipient. */
  position: Point | null;
  history: readonly { status: DeliveryStatus; at: number }[];
  created_at: number;
  pickup_eta: number;
  dropoff_eta: number;
  proof: readonly { type: ProofType; at: number }[];
  is_test: boolean;
  /** Whether the delivery has ended. */
  is_ended: boolean;
  /** The time zone of the dropoff. */
  zone: string;
  /** The time of the request. */
  now: number;
  language: Language;
  /** The texts in that language. */
  texts: Texts;
}

/** The request for a page: service time in milliseconds, and the language of the reader. */
export interface Viewing {
  now: number;
  language: Language;
}

/** The courier, as far as known. */
export interface Courier {
  /** The first name. */
  name: string | null;
  /** Such as `Blue Toyota Prius`. */
  vehicle: string | null;
}

/** A delivery as its recipient may see it. */
export function trackingDataOf(row: DeliveryRow, { now, language }: Viewing): Journey {
  const own = texts[language];
  const record = deliveryRecord(row);
  const { pickup, dropoff, driver, proof } = record;
  return {
    status: row.status,
    merchant: shortened(plain(pickup.name), 80) || own.sender,
    courier: driver === null || isOver(row.status) ? null : courierOf(driver, own),
    pickup: pickup.point,
    dropoff: dropoff.point,
    position:
      driver === null || isEnded(row.status) || isOver(row.status) ? null : positionAt(record.way, now),
    history: record.status_history,
    created_at: row.created_at,
    pickup_eta: pickup.eta,
    dropoff_eta: dropoff.eta,
    proof: proofOf(record, proof),
    is_test: row.test_mode === 1,
    is_ended: isEnded(row.status),
    zone: zoneOf(dropoff.address) ?? 'UTC',
    now,
    language,
    texts: own,
  };
}

/** Whether the delivery no longer goes to the recipient. */
export function isOver(status: DeliveryStatus): boolean {
  return overStatuses.some((over) => over === status);
}

const overStatuses = [
  'failed',
  'enroute_to_return',
  'returned',
  'provider_canceled',
  'customer_canceled',
  'burq_canceled',
] as const;

/** Whether both addresses have the same ZIP code, and so the same position. */
export function isSameArea({ pickup, dropoff }: Journey): boolean {
  return greatCircleMiles(pickup, dropoff) < 0.1;
}

function proofOf({ signature }: DeliveryRecord, proof: DeliveryRecord['proof']): Journey['proof'] {
  const told = proof.map(({ type, at }) => ({ type, at }));
  const isSigned = told.some(({ type }) => type === 'signature');
  return signature === null || isSigned ? told : [...told, { type: 'signature', at: signature.at }];
}

function courierOf({ name, vehicle, vehicle_type }: DeliveryDriver, { vehicles }: Texts): Courier {
  const [first = ''] = plain(name ?? '').split(' ');
  const { color = '', make = '', model = '' } = vehicle ?? {};
  const kind = kindOf(vehicle?.type ?? vehicle_type ?? '');
  const described = plain([color, make, model].join(' ')) || (vehicles.get(kind) ?? kind);
  return { name: shortened(first, 30) || null, vehicle: capitalized(shortened(described, 60)) || null };
}

/** Formats `cargo_van` as words. */
function kindOf(type: string): string {
  return plain(type.replaceAll('_', ' '));
}

function capitalized(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

/** Shortens a text to a number of characters, with an ellipsis. */
export function shortened(text: string, length: number): string {
  const signs = [...text];
  return signs.length <= length
    ? text
    : `${signs
        .slice(0, length - 1)
        .join('')
        .trimEnd()}…`;
}
