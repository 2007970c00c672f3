/** Converts records of the public platform: the names of fields, statuses, and the delivery within an order. */
import type { TSchema } from '../contract/schema.ts';
import { routeStatuses, statusGroups } from '../contract/vocabulary.ts';
import { type Fields, isFields } from '../domain/fields.ts';
import { itemSchema, onlySchema, readProperties } from './incomplete-responses.ts';

/** A difference between a record of the platform and the contract. */
interface Difference {
  /** The title of the record's schema. */
  of: string;
  /** The difference in words, and where it was seen. */
  seen: string;
  /** Fields of the contract, as far as the record has them under other names. */
  fields(record: Fields): Fields;
}

const differences: readonly Difference[] = [
  {
    of: 'RouteQuote',
    seen: 'the fee is named burq_fee: a production response, in the version 2 client of a flower shop',
    fields: feeOf,
  },
  {
    of: 'Order',
    seen: 'stops are the objects pickup and dropoff: the same client, against sandbox and production',
    fields: ({ pickup, dropoff }) => ({ ...stopFields('pickup', pickup), ...stopFields('dropoff', dropoff) }),
  },
  {
    of: 'Order',
    seen: 'no status; the delivery is in latest_delivery, if it is asked for: the same client, and its page getorderv2',
    fields: stateOf,
  },
];

/** The records with statuses of the contract, by the titles of their schemas. */
const statusTitles = ['Delivery', 'Order', 'Route', 'DispatchedRoute', 'Batch', 'BatchSummary'];

/**
 * Adds the fields of the contract that records of a response have under other names, and spells statuses as it does.
 * `outer` is the title of the record around the value.
 */
export function withKnownNames(schema: TSchema, value: unknown, outer = ''): unknown {
  const only = onlySchema(schema);
  if (only === null) return value;
  const items = itemSchema(only);
  if (Array.isArray(value))
    return items === null ? value : value.map((each) => withKnownNames(items, each, outer));
  if (!isFields(value)) return value;
  const ownTitle = 'title' in only && typeof only.title === 'string' ? only.title : null;
  const title = ownTitle ?? outer;
  const named = differences.filter(({ of }) => of === ownTitle).map(({ fields }) => fields(value));
  const inner = Object.entries(readProperties(only)).flatMap(([name, field]) => {
    const given = value[name];
    if (name === 'status' && typeof given === 'string' && statusTitles.includes(title))
      return [[name, title === 'Route' ? routeStatusIn(given) : statusAsInContract(given)]];
    return isFields(given) || Array.isArray(given) ? [[name, withKnownNames(field, given, title)]] : [];
  });
  // A field that the record has under the contract's name is kept.
  return Object.assign({}, ...named, value, Object.fromEntries(inner));
}

/** Spells a status as the contract does: blanks and hyphens, as in `attempting reroute`, become underscores. */
export function statusAsInContract(text: string): string {
  return text
    .trim()
    .replace(/[\s-]+/g, '_')
    .toLowerCase();
}

/** Reads a route with an unknown status as a draft: if it was dispatched, the service refuses a second dispatch. */
function routeStatusIn(text: string): string {
  const status = statusAsInContract(text);
  return routeStatuses.find((each) => each === status) ?? 'draft';
}

/** `burq_fee`, or the only other field of a quote that is named like a fee. */
function feeOf(quote: Fields): Fields {
  if (Number.isInteger(quote.burq_fee)) return { service_fee: quote.burq_fee };
  const fees = Object.entries(quote).filter(([name, fee]) => name.endsWith('_fee') && Number.isInteger(fee));
  const [only, ...others] = fees;
  return only === undefined || others.length > 0 ? {} : { service_fee: only[1] };
}

function stopFields(end: 'pickup' | 'dropoff', stop: unknown): Fields {
  if (!isFields(stop)) return {};
  const { contact_email, ...fields } = stop;
  const named = Object.entries(fields).map(([name, value]) => [`${end}_${name}`, value] as const);
  const email = contact_email === undefined ? {} : { [`${end}_email`]: contact_email };
  return { ...Object.fromEntries(named), ...email };
}

/** The status and the delivery of an order; neither if the service was not asked for the delivery. */
function stateOf({ latest_delivery: latest }: Fields): Fields {
  if (latest === null) return { status: 'open', delivery_id: null };
  if (!isFields(latest)) return {};
  return { status: orderStatusOf(latest), delivery_id: latest.id };
}

function orderStatusOf({ status: text }: Fields): string {
  const status = typeof text === 'string' ? statusAsInContract(text) : '';
  if (status === 'request') return 'open';
  if (statusGroups.canceled.some((each) => each === status)) return 'canceled';
  return status === 'failed' ? 'failed' : 'dispatched';
}

/** True if an order has neither a status nor its delivery, although its service may know them. */
export function lacksState(order: Fields): boolean {
  const { status, latest_delivery: latest } = order;
  return typeof status !== 'string' && latest !== null && !isFields(latest);
}

/** The delivery within an order, as a delivery of version 1; null without one. */
export function deliveryWithin(order: Fields): Fields | null {
  const { latest_delivery: latest, id: order_id, external_order_ref, test_mode, items } = order;
  if (!isFields(latest)) return null;
  const { courier, provider, total_amount_due, proof_of_delivery_image_urls: photos, ...others } = latest;
  const { signature_image_url: signature, ...fields } = others;
  const driver = isFields(courier) ? courier : {};
  const converted = {
    order_id,
    external_order_ref,
    test_mode,
    items,
    service: isFields(provider) ? provider.name : provider,
    payment_amount: total_amount_due ?? undefined,
    courier_name: driver.name,
    courier_phone_number: driver.phone_number_for_customer ?? driver.phone_number,
    proof_of_delivery: Array.isArray(photos) ? photos.map((url) => ({ type: 'photo', url })) : [],
    signature: typeof signature === 'string' ? { image_url: signature } : null,
    dropoffs: [stopFields('dropoff', order.dropoff)],
    ...stopFields('pickup', order.pickup),
  };
  return { ...fields, ...converted };
}

/** An order with its stops as objects, as the platform's version 2 takes it: `pickup_name` becomes `pickup.name`. */
export function withStopObjects(order: Fields): Fields {
  const stops: Record<'pickup' | 'dropoff', Fields> = { pickup: {}, dropoff: {} };
  const others: Fields = {};
  for (const [name, value] of Object.entries(order)) {
    const [, end, field = ''] = /^(pickup|dropoff)_(.+)$/.exec(name) ?? [];
    if (end === 'pickup' || end === 'dropoff')
      stops[end][field === 'email' ? 'contact_email' : field] = value;
    else others[name] = value;
  }
  return { ...others, ...stops };
}
