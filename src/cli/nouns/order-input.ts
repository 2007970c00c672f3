import { ifSupported, unlessMissing } from '../../client/errors.ts';
import { assumedOrder } from '../../client/lenient.ts';
import type { AcceptedBatch } from '../../contract/batches.ts';
import type { Order, OrderRequest } from '../../contract/orders.ts';
import { type Fields, isFields } from '../../domain/fields.ts';
import { nearNames } from '../../domain/near-names.ts';
import { withPlus } from '../../domain/phone-digits.ts';
import { flagLabel } from '../kit/args/input.ts';
import { Failure, UsageError } from '../kit/errors/failure.ts';
import { jsonFault } from '../kit/output/json-fault.ts';
import { invocation } from '../kit/result/message.ts';
import type { Context } from '../session/command.ts';

/** The contents of a file or stdin: its orders, and the settings if it was a complete request body. */
export interface OrderFile {
  orders: Fields[];
  /** Null if it was one order or an array of orders. */
  settings: Fields | null;
}

/** Reads one order, an array of orders, or a request body; throws UsageError, which uses `noun` for the records. */
export function readOrderFile(text: string, where: string, noun: Noun = 'orders'): OrderFile {
  const data = parsed(text, where);
  if (Array.isArray(data)) return { orders: checkedOrders(data, where, noun), settings: null };
  if (!isFields(data)) throw notOrders(where, noun);
  if (!('orders' in data)) return { orders: [data], settings: null };
  const { orders, settings = {}, ...other } = data;
  const [unknown] = Object.keys(other);
  if (unknown !== undefined) throw new UsageError(`${where}: "${unknown}" is not a field of the request.`);
  if (!Array.isArray(orders) || !isFields(settings)) throw notOrders(where, noun);
  return { orders: checkedOrders(orders, where, noun), settings };
}

function parsed(text: string, where: string): unknown {
  // Editors on Windows may write a byte order mark.
  const json = text.replace(/^\ufeff/, '');
  if (json.trim() === '') throw nothingIn(where);
  try {
    return JSON.parse(json);
  } catch (error) {
    const why = jsonFault(json);
    throw new UsageError(`${where} is not valid JSON.`, { cause: error, ...(why === null ? {} : { why }) });
  }
}

function nothingIn(where: string): UsageError {
  return new UsageError(where === 'stdin' ? 'stdin is empty.' : `${where} is empty.`);
}

/** What the file's contents are called in messages. */
export type Noun = 'orders' | 'deliveries';

const singular = { orders: 'order', deliveries: 'delivery' } as const satisfies Record<Noun, string>;

function checkedOrders(orders: readonly unknown[], where: string, noun: Noun): Fields[] {
  if (orders.length === 0) throw new UsageError(`There is no ${singular[noun]} in ${where}.`);
  return orders.map((order) => {
    if (!isFields(order)) throw notOrders(where, noun);
    return order;
  });
}

const taken = {
  orders: 'It takes one order, an array of orders, or { "orders": [...] }.',
  deliveries: 'It takes one delivery, or an array of them.',
} as const satisfies Record<Noun, string>;

function notOrders(where: string, noun: Noun): UsageError {
  return new UsageError(`${where} holds no ${noun}.`, { hint: taken[noun] });
}

const ends = ['address', 'name', 'phone_number'];
const ofDropoff = ends.map((field) => `dropoff_${field}`);
const ofBoth = ends.flatMap((field) => [`pickup_${field}`, `dropoff_${field}`]);

/**
 * Converts the orders to requests. Required fields are checked here, so that all missing ones are listed at once before
 * anything is sent; the service checks the values. `noun` is the plural used in messages.
 */
export function requestsOf(orders: readonly Fields[], where: string, noun: Noun = 'orders'): OrderRequest[] {
  const missing = orders.flatMap((order, index) =>
    missingIn(order).map((field) =>
      orders.length > 1 ? `${noun}[${index}].${field}` : flagLabel(camelCased(field)),
    ),
  );
  const requests = orders.filter(isComplete);
  if (requests.length === orders.length) return requests;
  const near = orders.flatMap(nearMisses);
  throw new UsageError(`Missing in ${where}: ${missing.join(', ')}.`, {
    missing,
    ...(near.length === 0 ? {} : { hint: `Unknown: ${[...new Set(near)].join(', ')}. Check the spelling.` }),
  });
}

/** Lists unknown fields with names similar to missing ones. */
function nearMisses(order: Fields): string[] {
  const missing = missingIn(order);
  return Object.keys(order).filter(
    (field) => !ofBoth.includes(field) && nearNames(field, missing).length > 0,
  );
}

function isComplete(order: Fields): order is Fields & OrderRequest {
  return missingIn(order).length === 0;
}

/** A store replaces the fields of the pickup. */
function missingIn(order: Fields): string[] {
  const required = isThere(order.pickup_store_id) ? ofDropoff : ofBoth;
  return required.filter((field) => !isThere(order[field]));
}

function isThere(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}

function camelCased(field: string): string {
  return field.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** The fields that a store provides. */
const placeFields: readonly string[] = [
  'pickup_address',
  'pickup_name',
  'pickup_phone_number',
  'pickup_unit',
  'pickup_notes',
];

/** Applies changes to an order. A store and pickup fields exclude each other: a change to one removes the other. */
export function changed(order: Fields, changes: Fields): Fields {
  const merged = { ...order, ...changes };
  const toStore = changes.pickup_store_id !== undefined;
  if (toStore === changesPlace(changes)) return merged;
  const excluded = toStore ? placeFields : ['pickup_store_id'];
  return Object.fromEntries(Object.entries(merged).filter(([field]) => !excluded.includes(field)));
}

function changesPlace(changes: Fields): boolean {
  return placeFields.some((field) => changes[field] !== undefined);
}

/** True if a copy of the order with the changes keeps its store. */
export function keepsStore(order: Order, changes: Fields): boolean {
  return order.pickup_store_id !== null && changes.pickup_store_id === undefined && !changesPlace(changes);
}

/**
 * The request that creates an order again; times before `now` and values that were not given are left out. An order
 * from a store keeps the store, unless the changes are to its pickup: then it has the store's fields.
 */
export function copyOf(order: Order, now: number, changes: Fields = {}): Partial<OrderRequest> {
  const { pickup_at, dropoff_at, tip, vehicle, pickup_store_id } = order;
  return {
    ...(pickup_store_id !== null && !changesPlace(changes) ? { pickup_store_id } : pickupOf(order)),
    dropoff_address: order.dropoff_address,
    dropoff_name: order.dropoff_name,
    dropoff_phone_number: withPlus(order.dropoff_phone_number),
    ...textsOf(order, texts),
    ...(isAhead(pickup_at, now) ? { pickup_at } : {}),
    ...(isAhead(dropoff_at, now) ? { dropoff_at } : {}),
    ...(order.items.length === 0 ? {} : { items: order.items }),
    ...(order.order_value === 0 ? {} : { order_value: order.order_value }),
    ...(tip === 0 ? {} : { tip }),
    ...(vehicle === '' ? {} : { vehicle }),
    request_signature: order.request_signature,
    request_contactless: order.request_contactless,
  };
}

function pickupOf(order: Order): Partial<OrderRequest> {
  return {
    pickup_address: order.pickup_address,
    pickup_name: order.pickup_name,
    pickup_phone_number: withPlus(order.pickup_phone_number),
    ...textsOf(order, ['pickup_unit', 'pickup_notes']),
  };
}

const texts = ['dropoff_email', 'dropoff_unit', 'dropoff_notes', 'items_description', 'external_order_ref'];

function textsOf(order: Order, names: readonly string[]): Fields {
  return Object.fromEntries(
    Object.entries(order).filter(([name, value]) => names.includes(name) && value !== ''),
  );
}

function isAhead(instant: string | null, now: number): instant is string {
  return instant !== null && Date.parse(instant) > now;
}

type Service = Pick<Context, 'client'>;

/** Creates an order for manual dispatch. Sent again with the same key, it is created once. */
export async function createOrder(
  service: Service,
  request: OrderRequest,
  idempotencyKey: string,
  headers: Record<string, string> = {},
): Promise<Order> {
  const client = await service.client();
  const body = { orders: [request] };
  return orderIn((await client.orders.create({ body, headers, idempotencyKey })).data);
}

/** The order in the response to a manual dispatch. */
export function orderIn(answer: Order | AcceptedBatch): Order {
  if (answer.object === 'order') return answer;
  const { batch_id } = answer;
  throw new Failure(7, 'unexpected_answer', `The service accepted the order, but as batch ${batch_id}.`, {
    next: [{ ...invocation('batches get', [batch_id]), when: 'see what becomes of it' }],
  });
}

export async function getOrder(service: Service, order_id: string): Promise<Order> {
  const client = await service.client();
  return (await client.orders.get({ params: { order_id } })).data;
}

/** Gets the current order; null if it no longer exists. If the service cannot look orders up, it counts as open. */
export function fetchOrder(service: Service, order_id: string): Promise<Order | null> {
  return ifSupported(unlessMissing(getOrder(service, order_id)), assumedOrder(order_id));
}
