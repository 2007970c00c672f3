import type { Order, OrderRequest } from '../../contract/orders.ts';
import { withPlus } from '../../domain/phone-digits.ts';
import { UsageError } from '../failures/failure.ts';
import { flagLabel } from '../line/input.ts';

type Fields = Record<string, unknown>;

/** What a file or stdin held: the orders in it, and the settings where it was a whole request body. */
export interface OrderFile {
  orders: Fields[];
  /** Null where it was one order or an array of them. */
  settings: Fields | null;
}

/** Reads one order, an array of orders, or the request body of the interface; throws UsageError. */
export function readOrderFile(text: string, where: string): OrderFile {
  const data = parsed(text, where);
  if (Array.isArray(data)) return { orders: checkedOrders(data, where), settings: null };
  if (!isFields(data)) throw notOrders(where);
  if (!('orders' in data)) return { orders: [data], settings: null };
  const { orders, settings = {}, ...other } = data;
  const [unknown] = Object.keys(other);
  if (unknown !== undefined) throw new UsageError(`${where}: "${unknown}" is not a field of the request.`);
  if (!Array.isArray(orders) || !isFields(settings)) throw notOrders(where);
  return { orders: checkedOrders(orders, where), settings };
}

function parsed(text: string, where: string): unknown {
  // Editors on Windows put a mark of the byte order in front.
  const json = text.replace(/^\ufeff/, '');
  if (json.trim() === '') throw nothingIn(where);
  try {
    return JSON.parse(json);
  } catch (error) {
    const why = error instanceof Error ? error.message : undefined;
    throw new UsageError(`${where} is not JSON.`, { cause: error, ...(why === undefined ? {} : { why }) });
  }
}

function nothingIn(where: string): UsageError {
  return new UsageError(where === 'stdin' ? 'Nothing came on stdin.' : `There is nothing in ${where}.`);
}

function checkedOrders(orders: readonly unknown[], where: string): Fields[] {
  if (orders.length === 0) throw new UsageError(`There is no order in ${where}.`);
  return orders.map((order) => {
    if (!isFields(order)) throw notOrders(where);
    return order;
  });
}

function notOrders(where: string): UsageError {
  return new UsageError(`${where} holds no orders.`, {
    hint: 'It takes one order, an array of orders, or { "orders": [...] }.',
  });
}

const required = ['address', 'name', 'phone_number'].flatMap((field) => [
  `pickup_${field}`,
  `dropoff_${field}`,
]);

/**
 * The orders as requests. Whether every needed field is there is looked at here, so that all that is missing
 * is named at once and before anything is sent; whether its values are good is for the service to say.
 */
export function requestsOf(orders: readonly Fields[], where: string): OrderRequest[] {
  const missing = orders.flatMap((order, index) =>
    required.filter((field) => !isThere(order[field])).map((field) => placeOf(field, index, orders.length)),
  );
  const requests = orders.filter(isComplete);
  if (requests.length === orders.length) return requests;
  throw new UsageError(`Missing in ${where}: ${missing.join(', ')}.`, { missing });
}

function isComplete(order: Fields): order is Fields & OrderRequest {
  return required.every((field) => isThere(order[field]));
}

function isThere(value: unknown): boolean {
  return typeof value === 'string' && value !== '';
}

function placeOf(field: string, index: number, count: number): string {
  if (count > 1) return `orders[${index}].${field}`;
  return flagLabel(field.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()));
}

/** What another order was made from; times that have passed by `now`, and what nobody gave, are left out. */
export function copyOf(order: Order, now: number): Partial<OrderRequest> {
  const { pickup_at, dropoff_at, tip, vehicle } = order;
  return {
    pickup_address: order.pickup_address,
    pickup_name: order.pickup_name,
    pickup_phone_number: withPlus(order.pickup_phone_number),
    dropoff_address: order.dropoff_address,
    dropoff_name: order.dropoff_name,
    dropoff_phone_number: withPlus(order.dropoff_phone_number),
    ...textsOf(order),
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

const texts: readonly string[] = [
  'pickup_unit',
  'pickup_notes',
  'dropoff_unit',
  'dropoff_notes',
  'items_description',
  'external_order_ref',
];

function textsOf(order: Order): Fields {
  return Object.fromEntries(
    Object.entries(order).filter(([name, value]) => texts.includes(name) && value !== ''),
  );
}

function isAhead(instant: string | null, now: number): instant is string {
  return instant !== null && Date.parse(instant) > now;
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
