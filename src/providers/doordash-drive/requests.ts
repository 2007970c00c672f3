/** Requests of DoorDash Drive, by its OpenAPI document of version 2.1.59. */
import type {
  CourierChanges,
  CourierCreateRequest,
  CourierItem,
  CourierOrder,
  CourierStop,
} from '../courier.ts';

const max_item_name = 100;
const max_item_quantity = 100;

/** Everything else of the delivery was given with the quote. */
export function acceptBody({ order }: CourierCreateRequest) {
  return { tip: order.tip, dropoff_phone_number: order.dropoff.phone };
}

export function updateBody({ pickup_notes, dropoff_notes, tip }: CourierChanges) {
  return {
    ...(pickup_notes === undefined ? {} : { pickup_instructions: pickup_notes }),
    ...(dropoff_notes === undefined ? {} : { dropoff_instructions: dropoff_notes }),
    ...(tip === undefined ? {} : { tip }),
  };
}

/** The body of a quote request, and of a create request without a quote. */
export function deliveryBody({ key, order }: { key: string; order: CourierOrder }) {
  const { pickup, dropoff } = order;
  return {
    external_delivery_id: key,
    pickup_address: addressOf(pickup),
    pickup_business_name: pickup.name,
    pickup_phone_number: pickup.phone,
    ...(pickup.notes === '' ? {} : { pickup_instructions: pickup.notes }),
    ...(order.external_order_ref === '' ? {} : { pickup_reference_tag: order.external_order_ref }),
    dropoff_address: addressOf(dropoff),
    // For the Dasher's navigation only; DoorDash takes none of the pickup.
    ...(dropoff.latitude !== undefined && {
      dropoff_location: { lat: dropoff.latitude, lng: dropoff.longitude },
    }),
    dropoff_phone_number: dropoff.phone,
    ...(dropoff.notes === '' ? {} : { dropoff_instructions: dropoff.notes }),
    ...contactOf(dropoff.name),
    order_value: order.order_value,
    items: itemsOf(order),
    tip: order.tip,
    ...timesOf(order),
    ...handoverOf(order),
    ...undeliverableOf(order),
  };
}

/** DoorDash leaves the parcel at the door if nothing is said. */
function undeliverableOf({ undeliverable_action }: CourierOrder) {
  if (undeliverable_action === 'leave_at_door') return {};
  return { action_if_undeliverable: undeliverable_action === 'discard' ? 'dispose' : 'return_to_pickup' };
}

/** The address in one line with the unit behind the street. */
function addressOf({ address, unit }: CourierStop): string {
  if (unit === '') return address;
  const [street = '', ...rest] = address.split(', ');
  return [street, unit, ...rest].join(', ');
}

/** First name and rest, without the characters that DoorDash refuses in names. */
function contactOf(name: string) {
  const [given = '', ...family] = name
    .replace(/[~`@#$%^&*+=?;[\]{}]/g, ' ')
    .trim()
    .split(/\s+/);
  return {
    ...(given === '' ? {} : { dropoff_contact_given_name: given }),
    ...(family.length === 0 ? {} : { dropoff_contact_family_name: family.join(' ') }),
  };
}

function itemsOf({ items, items_description }: CourierOrder) {
  const listed = items.length > 0 ? items : [{ name: items_description, quantity: 1 }];
  return listed.flatMap(linesOf);
}

/** An item in as many lines as its quantity needs. */
function linesOf({ name, quantity }: Pick<CourierItem, 'name' | 'quantity'>) {
  const line = name.replace(/\s+/g, ' ').trim();
  const short = line.slice(0, max_item_name).replace(/[\ud800-\udbff]$/, '') || 'Items';
  const lines = Math.max(1, Math.ceil(quantity / max_item_quantity));
  return Array.from({ length: lines }, (_, line) => ({
    name: short,
    quantity: Math.min(quantity - line * max_item_quantity, max_item_quantity),
  }));
}

function timesOf({ pickup_at, dropoff_at }: CourierOrder) {
  return {
    ...(pickup_at === null ? {} : { pickup_time: new Date(pickup_at).toISOString() }),
    ...(dropoff_at === null ? {} : { dropoff_time: new Date(dropoff_at).toISOString() }),
  };
}

/** A signature needs the recipient, so that it excludes leaving the parcel at the door. */
function handoverOf({ request_signature, request_contactless }: CourierOrder) {
  return {
    contactless_dropoff: request_contactless && !request_signature,
    ...(request_signature ? { dropoff_options: { signature: 'required' } } : {}),
  };
}
