import type { ItemSize } from '../../contract/vocabulary.ts';
import { normalizeAddress } from '../../domain/addresses.ts';
import type { CourierChanges, CourierCreateRequest, CourierOrder, CourierStop } from '../courier.ts';

const max_notes = 280;
const MINUTE = 60_000;
/** How long before and after an agreed time the courier may arrive; its shortest window has 20 minutes. */
const window_ms = 15 * MINUTE;

const sizes: Readonly<Record<ItemSize, string>> = {
  small: 'small',
  medium: 'medium',
  large: 'large',
  extra_large: 'xlarge',
};

/** The body of a quote request: https://developer.uber.com/docs/deliveries/direct/api. */
export function quoteBody(order: CourierOrder, now: number): object {
  return { ...placesOf(order), ...windowsOf(order, now), ...orderValue(order) };
}

/** How deliveries are to be made on a connection. */
interface DeliveryOptions {
  /** Whether recipients are asked for a PIN where nothing excludes it. */
  asks_pin: boolean;
  /** Whether a robo courier carries it: the only one that moves in Uber's test mode. */
  test_mode: boolean;
}

/**
 * The body of a create request. The key is sent twice: an idempotency key holds for an hour, but the external ID with
 * the manifest reference is unique forever.
 */
export function deliveryBody(
  { key, quote_reference, order, now }: CourierCreateRequest,
  { asks_pin, test_mode }: DeliveryOptions,
): object {
  return {
    ...placesOf(order),
    ...windowsOf(order, now),
    ...orderValue(order),
    ...(quote_reference !== null && { quote_id: quote_reference }),
    pickup_name: order.pickup.name,
    dropoff_name: order.dropoff.name,
    ...notesBody({ pickup_notes: order.pickup.notes, dropoff_notes: order.dropoff.notes }),
    manifest_items: itemsOf(order),
    manifest_reference: order.external_order_ref || order.order_id,
    external_id: key,
    idempotency_key: key,
    ...(order.tip > 0 && { tip: order.tip }),
    ...handoverOf(order, asks_pin),
    undeliverable_action: order.undeliverable_action,
    ...(test_mode && { test_specifications: { robo_courier_specification: { mode: 'auto' } } }),
  };
}

/** The body of an update request. */
export function updateBody({ pickup_notes, dropoff_notes, tip }: CourierChanges): object {
  return {
    ...(pickup_notes !== undefined && { pickup_notes: notesOf(pickup_notes) }),
    ...(dropoff_notes !== undefined && { dropoff_notes: notesOf(dropoff_notes) }),
    ...(tip !== undefined && { tip_by_customer: tip }),
  };
}

/** A quote and the delivery booked by it must name the same places. */
function placesOf({ pickup, dropoff }: CourierOrder): object {
  return {
    pickup_address: addressOf(pickup),
    ...(pickup.latitude !== undefined && {
      pickup_latitude: pickup.latitude,
      pickup_longitude: pickup.longitude,
    }),
    pickup_phone_number: pickup.phone,
    dropoff_address: addressOf(dropoff),
    ...(dropoff.latitude !== undefined && {
      dropoff_latitude: dropoff.latitude,
      dropoff_longitude: dropoff.longitude,
    }),
    dropoff_phone_number: dropoff.phone,
  };
}

/** An address as a JSON text of its parts; as it is, if its parts are not known. */
function addressOf({ address, unit }: CourierStop): string {
  const parts = normalizeAddress(address);
  const city = parts?.place.at(-1);
  if (parts === null || city === undefined || parts.place.length < 2) {
    return unit === '' ? address : `${address}, ${unit}`;
  }
  return JSON.stringify({
    street_address: [parts.place.slice(0, -1).join(', '), ...(unit === '' ? [] : [unit])],
    city,
    ...(parts.state !== null && { state: parts.state }),
    ...(parts.zip !== null && { zip_code: parts.zip }),
    country: 'US',
  });
}

/** A pickup time is when the parcel is ready; a dropoff time is the middle of a window. */
function windowsOf({ pickup_at, dropoff_at }: CourierOrder, now: number): object {
  if (dropoff_at !== null) {
    return {
      dropoff_ready_dt: isoTime(dropoff_at - window_ms),
      dropoff_deadline_dt: isoTime(dropoff_at + window_ms),
    };
  }
  // A time in the past is refused.
  return pickup_at !== null && pickup_at > now ? { pickup_ready_dt: isoTime(pickup_at) } : {};
}

function isoTime(at: number): string {
  return new Date(at).toISOString();
}

function orderValue({ order_value }: CourierOrder): object {
  return order_value > 0 ? { manifest_total_value: order_value } : {};
}

function itemsOf({ items, items_description }: CourierOrder): object[] {
  if (items.length === 0) return [{ name: items_description || 'Parcel', quantity: 1, size: 'small' }];
  return items.map(({ name, quantity, size }) => ({ name, quantity, size: sizes[size] }));
}

function notesBody(notes: Pick<CourierChanges, 'pickup_notes' | 'dropoff_notes'>): object {
  const written = Object.entries(notes).filter(([, text]) => text !== '');
  return Object.fromEntries(written.map(([name, text]) => [name, notesOf(text)]));
}

/** Notes cut to the length that is accepted. */
function notesOf(text: string): string {
  return text.length > max_notes ? `${text.slice(0, max_notes - 1)}…` : text;
}

/**
 * How the parcel is handed over. A parcel that needs a signature or a PIN cannot be left at the door: a signature has
 * precedence over a handover without contact, and that over a PIN.
 */
function handoverOf({ request_signature, request_contactless }: CourierOrder, asks_pin: boolean): object {
  const met = { deliverable_action: 'deliverable_action_meet_at_door' };
  if (request_signature) {
    const signature_requirement = {
      enabled: true,
      collect_signer_name: true,
      collect_signer_relationship: false,
    };
    return { ...met, dropoff_verification: { signature_requirement } };
  }
  if (request_contactless) {
    return {
      deliverable_action: 'deliverable_action_leave_at_door',
      dropoff_verification: { picture: true },
    };
  }
  return asks_pin ? { ...met, dropoff_verification: { pincode: { enabled: true } } } : met;
}
