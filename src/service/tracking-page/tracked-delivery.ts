/** Selects what the tracking page may show of a delivery, so that the page cannot show anything else. */
import {
  type CoarsePrecision,
  type DeliveryStatus,
  fleet_provider,
  type ProofType,
  type StoreKind,
} from '../../contract/vocabulary.ts';
import { findZone } from '../../domain/addresses.ts';
import { hasReached, isEditable, isEnded } from '../../domain/delivery-states.ts';
import {
  type Place,
  type Point,
  positionAt,
  positionOfPlace,
  readPrecision,
} from '../../domain/geography.ts';
import { canBeLate, isLate, lateBy } from '../../domain/lateness.ts';
import type { MapTiles } from '../../domain/operator-settings.ts';
import type { Driver } from '../../providers/port.ts';
import type { DeliveryRow } from '../../storage/database.ts';
import { type DeliveryRecord, deliveryRecord, findEtaPrecision } from '../deliveries/delivery-view.ts';
import type { Language } from '../http/page-language.ts';
import { plain } from '../pages/markup.ts';
import { type Texts, textsByLanguage } from './texts.ts';

/**
 * The data of a tracking page. The page uses nothing else, so prices, reasons, addresses, the recipient's phone number
 * and the shop's notes cannot appear on it. Times in milliseconds.
 */
export interface TrackedDelivery {
  status: DeliveryStatus;
  /** The public name of the sender. */
  merchant: string;
  courier: Courier | null;
  /** Where both ends are; null while only their ZIP codes are known. */
  pickup: Point | null;
  dropoff: Point | null;
  /** The courier's position, while it is relevant for the recipient. */
  position: Point | null;
  history: readonly { status: DeliveryStatus; at: number }[];
  created_at: number;
  /** Null while no courier is asked. */
  pickup_eta: number | null;
  dropoff_eta: number | null;
  /** How coarse the places are that these times rest on; null if they are times to the minute. */
  eta_precision: CoarsePrecision | null;
  /** What was promised at the dispatch; null without a promise. */
  promised_at: number | null;
  /** Whether it is expected later than promised by more than the tolerance. */
  is_late: boolean;
  /** `picture` is an https URL. */
  proof: readonly { type: ProofType; at: number; picture: string | null }[];
  /** The PIN for the handover, until then. */
  pin: string | null;
  /** The shop's number of the order; empty without one. */
  reference: string;
  items: readonly { name: string; quantity: number }[];
  /** The shop, as recipients see it. */
  shop: Shop;
  /** The recipient's notes for the courier while they can be changed; then null. */
  notes: string | null;
  /** Whether its courier has arrived at an address with orders for others there, too. */
  is_among_others: boolean;
  /** Whether the merchant's own fleet carries it. */
  has_own_driver: boolean;
  is_test: boolean;
  is_ended: boolean;
  /** The time zone of the dropoff; null if its address does not say it. */
  zone: string | null;
  /** The time of the request. */
  now: number;
  language: Language;
  texts: Texts;
}

/** The data of a store that recipients see; empty texts are absent. */
export interface Shop {
  /** Digits only. */
  phone: string;
  /** An https URL or a data URL of an image. */
  logo: string;
  kind: StoreKind;
}

/** The content of a page besides the delivery. */
export interface Viewing {
  /** Service time in milliseconds. */
  now: number;
  language: Language;
  shop: Shop;
  /** Whether the delivery failed and auto dispatch tries its order again: the page shows that a courier is looked for. */
  is_retried: boolean;
  /** Whether its courier has arrived at an address with orders for others there, too. */
  is_among_others: boolean;
  /** Whether the provider lets recipients call its drivers. */
  may_call: boolean;
  /** The tile server of the map; null: there is no map. */
  tiles: MapTiles | null;
}

/** The courier, as far as known. */
export interface Courier {
  /** The first name. */
  name: string | null;
  /** Such as `Blue Toyota Prius`. */
  vehicle: string | null;
  /** Digits only; null if recipients may not call. */
  phone: string | null;
}

/** A delivery as its recipient may see it. */
export function trackingDataOf(
  row: DeliveryRow,
  { now, language, shop, may_call, is_retried, is_among_others }: Viewing,
): TrackedDelivery {
  const texts = textsByLanguage[language];
  const record = deliveryRecord(row);
  const { pickup, dropoff, driver } = record;
  const eta_precision = findEtaPrecision(row, record);
  const status = is_retried ? 'delivery_created' : row.status;
  const isDone = isEnded(row.status) || isOverForRecipient(row.status);
  return {
    status,
    merchant: shortened(plain(pickup.name), 80) || texts.sender,
    courier:
      driver === null || isOverForRecipient(row.status)
        ? null
        : { ...courierOf(driver, texts), phone: may_call && !isDone ? driver.phone : null },
    pickup: knownPosition(pickup),
    dropoff: knownPosition(dropoff),
    position: driver === null || isDone ? null : positionAt(record.way, now),
    history: record.status_history.filter((entry) => !is_retried || entry.status !== 'failed'),
    created_at: row.created_at,
    pickup_eta: is_retried ? null : pickup.eta,
    dropoff_eta: is_retried ? null : dropoff.eta,
    eta_precision,
    promised_at: is_retried ? null : row.promised_at,
    is_late:
      !is_retried &&
      canBeLate(row.status) &&
      row.promised_at !== null &&
      isLate(lateBy({ promised_at: row.promised_at, dropoff_eta: dropoff.eta, eta_precision }, now)),
    proof: proofOf(record),
    pin: isDone || !isAssigned(row.status) ? null : (record.pin ?? null),
    reference: shortened(plain(row.external_order_ref), 155),
    items: itemsOf(record),
    shop,
    notes: isEditable(row) ? dropoff.notes : null,
    is_among_others,
    has_own_driver: row.service === fleet_provider,
    is_test: row.test_mode === 1,
    is_ended: isEnded(status),
    zone: findZone(dropoff.address),
    now,
    language,
    texts,
  };
}

const overStatuses = [
  'failed',
  'enroute_to_return',
  'returned',
  'provider_canceled',
  'customer_canceled',
  'burq_canceled',
] as const;

/** Whether the delivery no longer goes to the recipient. */
export function isOverForRecipient(status: DeliveryStatus): boolean {
  return overStatuses.some((over) => over === status);
}

function knownPosition(place: Place): Point | null {
  return readPrecision(place) === 'zip' ? null : positionOfPlace(place);
}

/** Whether a courier is on the way, so that the PIN is of use. */
function isAssigned(status: DeliveryStatus): boolean {
  return hasReached(status, 'driver_assigned') && !hasReached(status, 'dropoff_complete');
}

function proofOf({ signature, proof }: DeliveryRecord): TrackedDelivery['proof'] {
  const reported = proof.map(({ type, at, url }) => ({ type, at, picture: pictureOf(url) }));
  const isSigned = reported.some(({ type }) => type === 'signature');
  if (signature === null || isSigned) return reported;
  return [...reported, { type: 'signature', at: signature.at, picture: pictureOf(signature.image_url) }];
}

/** The URL of a picture, if a page can load it securely. */
function pictureOf(url: string): string | null {
  const parsed = URL.parse(url);
  return parsed?.protocol === 'https:' && parsed.username === '' ? parsed.href : null;
}

/** A description alone is stored without items or as an item of that name. */
function itemsOf({ items, items_description }: DeliveryRecord): TrackedDelivery['items'] {
  const named = items.map(({ name, quantity }) => ({ name: plain(name), quantity }));
  const description = plain(items_description);
  return named.length > 0 || description === '' ? named : [{ name: description, quantity: 1 }];
}

function courierOf(
  { name, vehicle, vehicle_type }: Driver,
  { vehicles }: Texts,
): Pick<Courier, 'name' | 'vehicle'> {
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
