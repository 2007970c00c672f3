/**
 * The forms in which programs for the public platform write orders, quotes and their answers: read into own fields
 * before anything else, so that nothing behind this file knows them. The fields are in `contract/platform-fields.ts`.
 *
 *     { store_id: 'str_1', dropoff: { name: 'Ann', address_details: { latitude: '41.88' } } }
 *     { pickup_store_id: 'str_1', dropoff_name: 'Ann', dropoff_latitude: 41.88 }
 *
 * A fault of `dropoff_name` is told of `dropoff.name` then, as the caller wrote it.
 */
import type { Delivery } from '../../contract/deliveries.ts';
import type { createDelivery, quoteDelivery } from '../../contract/delivery-changes.ts';
import { type Fault, invalidRequest, Problem } from '../../contract/errors.ts';
import type { BodyOf } from '../../contract/operation.ts';
import { type createOrder, type Order, OrderRequest } from '../../contract/orders.ts';
import type { ItemSize } from '../../contract/vocabulary.ts';
import { withoutAbsent } from '../../domain/fields.ts';
import { exclusive } from '../../domain/order-rules.ts';
import { type Parcel, sizeOfParcel } from '../../domain/parcel.ts';
import { findStore } from '../../storage/places.ts';
import type { CallBase } from '../http/handler.ts';
import { storeRecord } from '../stores/store-record.ts';

type SingleOrder = Omit<BodyOf<typeof createOrder>, 'unique_ref'>;
type DeliveryOrder = Omit<BodyOf<typeof createDelivery>, 'initiate' | 'quote_id' | 'max_cost' | 'unique_ref'>;
type QuoteBody = BodyOf<typeof quoteDelivery>;
type Stop = NonNullable<SingleOrder['dropoff']>;
type End = 'pickup' | 'dropoff';

/** An order in own fields. */
export interface OwnOrder {
  request: OrderRequest;
  /** Whether a photo of the handover is wanted. */
  photo_wanted: boolean;
}

/** The caller's names of own fields. */
type Naming = Map<string, string>;

/**
 * Reads one order, and works with it. What is refused meanwhile is named as the caller named it. Throws
 * `invalid_request`, and `record_not_found` for an unknown store.
 */
export async function withOwnOrder<T>(
  call: CallBase,
  given: SingleOrder | DeliveryOrder,
  work: (own: OwnOrder) => Promise<T>,
): Promise<T> {
  const naming: Naming = new Map();
  return inCallersWords(naming, async () => {
    const own = await readOrderFields(call, given, naming);
    // Loaded when it is needed, with the schema library: most reads go without.
    const { validate } = await import('../http/validation.ts');
    return work({ ...own, request: validate(OrderRequest, own.request, 'body') });
  });
}

/** What is read so far: each `take...` adds own fields, and remembers the caller's names of them. */
interface OwnFields {
  fields: Record<string, unknown>;
  naming: Naming;
}

/** Reads the parcel of a version 1 quote, and works with it; see `withOwnOrder`. */
export async function withOwnQuote<T>(
  call: CallBase,
  given: QuoteBody,
  work: (own: QuoteBody & { dropoff_address: string }) => Promise<T>,
): Promise<T> {
  const naming: Naming = new Map();
  return inCallersWords(naming, async () => {
    const { store_id, dropoff_store_id, pickup_address_details, dropoff_address_details, ...rest } = given;
    refuse(placeFaults(given));
    const own: OwnFields = { fields: { ...rest }, naming };
    takeStore(own, store_id);
    takeDetails(own, 'pickup', 'pickup_address_details', pickup_address_details);
    takeDetails(own, 'dropoff', 'dropoff_address_details', dropoff_address_details);
    const store = await dropoffStore(call, dropoff_store_id);
    const dropoff_address = store?.dropoff_address ?? given.dropoff_address;
    if (dropoff_address === undefined) throw invalidRequest([missing('dropoff_address')]);
    return work({ ...own.fields, ...store, dropoff_address });
  });
}

async function readOrderFields(
  call: CallBase,
  given: SingleOrder | DeliveryOrder,
  naming: Naming,
): Promise<{ request: object; photo_wanted: boolean }> {
  const stops = stopsIn(given);
  const {
    store_id,
    dropoff_store_id,
    pickup_contact_email: _,
    dropoff_contact_email,
    pickup_address_details,
    dropoff_address_details,
    length,
    width,
    height,
    dimension_unit,
    weight,
    weight_unit,
    preferred_provider_settings,
    ...flat
  } = given;
  // Both are objects, and taken apart below.
  const { pickup: __, dropoff: ___, ...unchanged } = { ...stops, ...flat };
  refuse([...placeFaults(given), ...stopFaults(given, stops), ...sizeFaults(given)]);
  const own: OwnFields = { fields: { ...unchanged }, naming };
  takeStore(own, store_id);
  take(own, 'dropoff_email', 'dropoff_contact_email', dropoff_contact_email);
  takeDetails(own, 'pickup', 'pickup_address_details', pickup_address_details);
  takeDetails(own, 'dropoff', 'dropoff_address_details', dropoff_address_details);
  takeStop(own, 'pickup', stops.pickup);
  takeStop(own, 'dropoff', stops.dropoff);
  // What the order says wins over what is saved at the store.
  Object.assign(own.fields, { ...(await dropoffStore(call, dropoff_store_id)), ...withoutAbsent(unchanged) });
  takeItems(own, given, sizeOfParcel({ length, width, height, dimension_unit, weight, weight_unit }));
  return { request: own.fields, photo_wanted: preferred_provider_settings?.require_dropoff_photo === true };
}

function stopsIn(given: SingleOrder | DeliveryOrder): Partial<Record<End, Stop>> {
  return {
    ...('pickup' in given && given.pickup !== undefined && { pickup: given.pickup }),
    ...('dropoff' in given && given.dropoff !== undefined && { dropoff: given.dropoff }),
  };
}

async function inCallersWords<T>(naming: Naming, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (fault) {
    if (!(fault instanceof Problem) || naming.size === 0) throw fault;
    const { code, message, choices, related_ids } = fault;
    const details = fault.details.map((each) => ({ ...each, path: naming.get(each.path) ?? each.path }));
    const [own, named] = [fault.details[0]?.path ?? '', details[0]?.path ?? ''];
    const text = message.startsWith(`${own} `) ? message.replace(own, named) : message;
    throw new Problem(code, text, details, { choices, related_ids });
  }
}

function refuse(faults: readonly Fault[]): void {
  if (faults.length > 0) throw invalidRequest(faults);
}

const missing = (path: string): Fault => ({ path, message: 'is required' });

function take({ fields, naming }: OwnFields, name: string, callers_name: string, value: unknown): void {
  if (value === undefined) return;
  fields[name] = value;
  naming.set(name, callers_name);
}

function takeStore(own: OwnFields, store_id: string | undefined): void {
  take(own, 'pickup_store_id', 'store_id', store_id);
}

/** Coordinates may be text; the line of the address says the rest. */
function takeDetails(
  own: OwnFields,
  end: End,
  callers_name: string,
  details: DeliveryOrder['pickup_address_details'],
): void {
  for (const name of ['latitude', 'longitude'] as const) {
    const value = details?.[name];
    const number = typeof value === 'string' ? Number(value) : value;
    take(own, `${end}_${name}`, `${callers_name}.${name}`, number);
  }
}

const stopFields = ['address', 'unit', 'name', 'phone_number', 'notes', 'at'] as const;

function takeStop(own: OwnFields, end: End, stop: Stop | undefined): void {
  if (stop === undefined) return;
  for (const field of stopFields) take(own, `${end}_${field}`, `${end}.${field}`, stop[field]);
  takeDetails(own, end, `${end}.address_details`, stop.address_details);
  if (end === 'dropoff') take(own, 'dropoff_email', 'dropoff.contact_email', stop.contact_email);
}

/** The own fields that a place has. */
const placeNames = [
  'address',
  'latitude',
  'longitude',
  'name',
  'phone_number',
  'unit',
  'notes',
  'at',
] as const;

const ends = ['pickup', 'dropoff'] as const satisfies readonly End[];

/** An end is either an object or fields of its own. */
function stopFaults(given: object, stops: Partial<Record<End, Stop>>): Fault[] {
  return ends.flatMap((end) => {
    if (stops[end] === undefined) return [];
    const others = [...placeNames, 'store_id', 'address_details', 'contact_email', 'email'];
    return excludedBy(given, end, [...namesAt(end, others), ...(end === 'pickup' ? ['store_id'] : [])]);
  });
}

/** The fields of a place that its store has. */
const storedFields = ['address', 'unit', 'latitude', 'longitude', 'address_details'];

/** The fields of places that exclude each other. */
function placeFaults(given: QuoteBody | SingleOrder | DeliveryOrder): Fault[] {
  const { store_id, pickup_store_id, dropoff_store_id } = given;
  const areBothGiven = store_id !== undefined && pickup_store_id !== undefined;
  const isOwnName = store_id === undefined && pickup_store_id !== undefined;
  return [
    ...(areBothGiven ? [exclusive('pickup_store_id', 'store_id')] : []),
    ...(store_id === undefined ? [] : excludedBy(given, 'store_id', namesAt('pickup', storedFields))),
    // The rules of orders report the other fields that `pickup_store_id` excludes, so that all are listed together.
    ...(isOwnName ? excludedBy(given, 'pickup_store_id', ['pickup_address_details']) : []),
    ...(dropoff_store_id === undefined
      ? []
      : excludedBy(given, 'dropoff_store_id', namesAt('dropoff', storedFields))),
    ...ends.flatMap((end) => detailFaults(given, end)),
  ];
}

function namesAt(end: End, fields: readonly string[]): string[] {
  return fields.map((field) => `${end}_${field}`);
}

/** The faults of the fields among `names` that are given although the field `by` is. */
function excludedBy(given: object, by: string, names: readonly string[]): Fault[] {
  return names.filter((name) => isGiven(given, name)).map((name) => exclusive(name, by));
}

/** Coordinates are given once: as fields of their own, or in the details of the address. */
function detailFaults(given: QuoteBody | SingleOrder | DeliveryOrder, end: End): Fault[] {
  const details = given[`${end}_address_details`];
  return (['latitude', 'longitude'] as const).flatMap((name) =>
    details?.[name] === undefined
      ? []
      : excludedBy(given, `${end}_address_details.${name}`, [`${end}_${name}`]),
  );
}

function isGiven(given: object, name: string): boolean {
  return Object.entries(given).some(([field, value]) => field === name && value !== undefined);
}

/** The dropoff fields of a store; null without one. */
async function dropoffStore({ service, caller }: CallBase, id: string | undefined) {
  if (id === undefined) return null;
  const row = await service.storage.read((db) => findStore(db, caller.scope, id));
  if (row === undefined) {
    const details = [{ path: 'dropoff_store_id', message: `There is no store ${id}` }];
    throw new Problem('record_not_found', `There is no store ${id}.`, details);
  }
  const { address, coordinates, name, phone, unit, notes } = storeRecord(row);
  const place =
    coordinates?.precision === 'exact'
      ? { dropoff_latitude: coordinates.lat, dropoff_longitude: coordinates.lng }
      : {};
  return {
    dropoff_address: address,
    ...place,
    dropoff_name: name,
    dropoff_phone_number: `+${phone}`,
    dropoff_unit: unit,
    dropoff_notes: notes,
  };
}

/** A size without its unit, or only some of the sizes. */
function sizeFaults(given: Parcel): Fault[] {
  const groups = [
    ['length', 'width', 'height', 'dimension_unit'],
    ['weight', 'weight_unit'],
  ];
  return groups.flatMap((group) => {
    const absent = group.filter((name) => !isGiven(given, name));
    if (absent.length === 0 || absent.length === group.length) return [];
    return absent.map((path) => ({
      path,
      message: `is required with ${group.find((name) => !absent.includes(name))}`,
    }));
  });
}

/** Items get the size of the parcel if they have none; prices and descriptions are summed up for the order. */
function takeItems({ fields }: OwnFields, given: SingleOrder, size: ItemSize | undefined): void {
  const { items = [], items_description = '', order_value } = given;
  if (items.length > 0)
    fields.items = items.map(({ unit_price: _, description: __, ...item }) =>
      item.size === undefined && size !== undefined ? { ...item, size } : item,
    );
  const described = items.filter(({ description = '' }) => description.trim() !== '');
  if (items_description === '' && described.length > 0) {
    const text = described.map(({ name, description }) => `${name}: ${description}`).join('; ');
    fields.items_description = text.slice(0, 500).replace(/[\ud800-\udbff]$/, '');
  }
  const priced = items.filter(({ unit_price }) => unit_price !== undefined);
  if (order_value === undefined && priced.length > 0)
    fields.order_value = priced.reduce(
      (sum, { unit_price = 0, quantity = 1 }) => sum + unit_price * quantity,
      0,
    );
}

/** A delivery as the platform's version 2 nests it in its order. */
export function latestDelivery(delivery: Delivery): NonNullable<Order['latest_delivery']> {
  const { courier_name: name, courier_phone_number: phone_number, proof_of_delivery: proofs } = delivery;
  const photos = proofs.filter(({ type }) => type === 'photo');
  return {
    id: delivery.id,
    status: delivery.status,
    tracking_url: delivery.tracking_url,
    courier: name === null ? null : { name, phone_number, phone_number_for_customer: phone_number },
    total_amount_due: delivery.payment_amount,
    fee: delivery.fee,
    currency: delivery.currency,
    provider: delivery.service,
    quote_id: delivery.quote_id === '' ? null : delivery.quote_id,
    proof_of_delivery_image_urls: photos.map(({ url }) => url),
    signature_image_url: delivery.signature?.image_url ?? null,
    created_at: delivery.created_at,
    updated_at: delivery.updated_at,
  };
}
