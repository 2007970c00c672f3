/**
 * The orders of a command: those of `--file`, stdin or `--like`, or one of flags alone. `sourcedOrders` applies the flags
 * to each and reads its times and phone numbers; `toOrderRequests` then checks that no field is missing.
 */
import type { OrderRequest } from '../../contract/orders.ts';
import { type Fields, isFields } from '../../domain/fields.ts';
import { nearNames } from '../../domain/near-names.ts';
import { pickupFields } from '../../domain/order-rules.ts';
import { readOrderPhones } from '../../domain/phone-notes.ts';
import { normalizeReference } from '../../domain/references.ts';
import { flagLabel } from '../kit/args/command-input.ts';
import { BadValue, type GivenInput, textFlag } from '../kit/args/flags.ts';
import { UsageError } from '../kit/errors/failure.ts';
import { invocation } from '../kit/result/message.ts';
import { jsonFault } from '../kit/system/json-fault.ts';
import { type Context, isOwnService } from '../session/command.ts';
import { readScheduledInstant } from '../session/service-times.ts';
import { type Moment, readMoment } from '../session/time-arguments.ts';
import { noteAddresses } from './address-checks.ts';
import { findStoreId } from './find-by-name.ts';
import { changesPlace, copyLike } from './order-copy.ts';
import { type OrderValues, readOrderFields } from './order-flags.ts';

/** Flags for other sources of an order than its own flags. */
export const sourceFlags = {
  file: textFlag({
    summary: 'JSON file with one order, an array, or a request body',
    short: 'f',
    placeholder: 'FILE',
  }),
  like: textFlag({
    summary: 'Copy an order (by order ID, delivery ID or your reference); flags override its fields',
    placeholder: 'ORDER',
  }),
};

export const simulateFlag = textFlag({
  summary: 'Sandbox scenario; "; provider=flaky_co" adds a provider that quotes only when named',
  placeholder: 'SCENARIO',
  aliases: ['x-simulation'],
});

/** The header that selects a scenario, if one was given. */
export function simulationHeaders(simulate: string | undefined): Record<string, string> {
  return simulate === undefined ? {} : { 'x-simulation': simulate };
}

interface Sources {
  file: string | undefined;
  like: string | undefined;
  stdin: string | undefined;
}

/** Orders with the changes of the flags applied, their file, if any, and the fields that come from flags. */
export interface Sourced extends OrderFile {
  file: string | null;
  flagged: string[];
}

/**
 * Reads the orders from the given source, or only from flags; throws UsageError. In this order:
 * 1. The fields of the flags replace those of each order.
 * 2. Times are read in the zone of the address that the order then has.
 * 3. Items get their sizes, at waybill's own service.
 * 4. Phone numbers are taken out of what stands beside them, which is added to the notes.
 * 5. Remarks on the addresses are printed.
 */
export async function sourcedOrders(
  context: Context,
  flags: OrderValues & Sources,
  given: GivenInput,
  noun: Noun = 'orders',
): Promise<Sourced> {
  const store = flags.store && (await findStoreId(context, flags.store));
  const changes = readOrderFields({ ...flags, store }, given);
  const { orders, settings } = await readSource(context, flags, changes, noun);
  const file = fileOf(flags.file ?? flags.stdin);
  if (orders.length > 1 && changes.external_order_ref !== undefined)
    throw new UsageError(`--ref names a single order, but ${file} has ${orders.length} ${noun}.`, {
      hint: 'Write the reference of each into its external_order_ref.',
    });
  const scheduled = await scheduledOrders(
    context,
    orders.map((order) => withChanges(order, changes)),
    flags,
    noun,
  );
  const sized = await sizedOrders(context, scheduled);
  const readPhones = sized.map((order) => notedPhones(context, order));
  for (const order of orders.length > max_noted ? [] : sized) await noteAddresses(context, order);
  const times = [...(flags.pickupAt ? ['pickup_at'] : []), ...(flags.dropoffAt ? ['dropoff_at'] : [])];
  return { orders: readPhones, settings, file, flagged: [...Object.keys(changes), ...times] };
}

/** Up to this number of orders the changes are listed; nobody reads more. */
const max_noted = 20;

/** The fields with phone numbers as services take them; what stood beside them is in the notes, of which the user is told. */
export function notedPhones<T extends Fields>(context: Context, fields: T): T {
  const { fields: read, moved } = readOrderPhones(fields);
  for (const text of moved) if (!context.output.json && !context.output.quiet) context.note(text);
  return read;
}

/** waybill's own service reads the sizes of items. */
async function sizedOrders(context: Context, orders: readonly Fields[]): Promise<readonly Fields[]> {
  if (!orders.some((order) => 'dimension_unit' in order || 'weight_unit' in order)) return orders;
  await context.client();
  if (!isOwnService(context)) return orders;
  const { withItemSizes } = await import('./parcel.ts');
  return orders.map(withItemSizes);
}

async function readSource(
  context: Context,
  { file, like, stdin }: Sources,
  changes: Partial<OrderRequest>,
  noun: Noun,
): Promise<OrderFile> {
  if (stdin !== undefined && stdin !== '-') {
    throw new UsageError(`Unexpected argument "${stdin}". Pass JSON with --file, or - for stdin.`);
  }
  const given = [file, like, stdin].filter((each) => each !== undefined);
  if (given.length > 1) throw new UsageError('Give one of --file, --like and - (stdin).');
  if (like !== undefined) return { orders: [await copyLike(context, like, changes)], settings: null };
  const path = file ?? stdin;
  if (path === undefined) return { orders: [{}], settings: null };
  return readOrderFile(await context.readFile(path), fileOf(path), noun);
}

function fileOf(path: string): string;
function fileOf(path: string | undefined): string | null;
function fileOf(path: string | undefined): string | null {
  return path === '-' ? 'stdin' : (path ?? null);
}

/** The contents of a file or stdin: its orders, and the settings if it was a complete request body. */
interface OrderFile {
  orders: Fields[];
  /** Null if it was one order or an array of orders. */
  settings: Fields | null;
}

/** Reads one order, an array of orders, or a request body; throws UsageError, which uses `noun` for the records. */
export function readOrderFile(content: string, where: string, noun: Noun = 'orders'): OrderFile {
  const data = parsed(content, where);
  if (Array.isArray(data)) return { orders: checkedOrders(data, where, noun), settings: null };
  if (!isFields(data)) throw notOrders(where, noun);
  if (!('orders' in data)) return { orders: [data], settings: null };
  const { orders, settings = {}, ...other } = data;
  const [unknown] = Object.keys(other);
  if (unknown !== undefined) throw new UsageError(`${where}: "${unknown}" is not a field of the request.`);
  if (!Array.isArray(orders) || !isFields(settings)) throw notOrders(where, noun);
  return { orders: checkedOrders(orders, where, noun), settings };
}

function parsed(content: string, where: string): unknown {
  // Editors on Windows may write a byte order mark.
  const json = content.replace(/^\ufeff/, '');
  if (json.trim() === '') throw new UsageError(`${where} is empty.`);
  try {
    return JSON.parse(json);
  } catch (error) {
    const why = jsonFault(json);
    const isTable = /\.(?:csv|tsv|ndjson)$/i.test(where);
    const next = [{ ...invocation('orders import', [where]), when: 'create the orders of such a file' }];
    throw new UsageError(`${where} is not valid JSON.`, {
      cause: error,
      ...(why === null ? {} : { why }),
      ...(isTable ? { next } : {}),
    });
  }
}

/** The name of the file's contents in messages. */
type Noun = 'orders' | 'deliveries';

const singular = { orders: 'order', deliveries: 'delivery' } as const satisfies Record<Noun, string>;

function checkedOrders(orders: readonly unknown[], where: string, noun: Noun): Fields[] {
  if (orders.length === 0) throw new UsageError(`There is no ${singular[noun]} in ${where}.`);
  return orders.map((order) => {
    if (!isFields(order)) throw notOrders(where, noun);
    return order;
  });
}

const acceptedForms = {
  orders: 'It takes one order, an array of orders, or { "orders": [...] }.',
  deliveries: 'It takes one delivery, or an array of them.',
} as const satisfies Record<Noun, string>;

function notOrders(where: string, noun: Noun): UsageError {
  return new UsageError(`${where} holds no ${noun}.`, { hint: acceptedForms[noun] });
}

/**
 * Converts the orders to requests. Required fields are checked here, so that all missing ones are listed at once before
 * anything is sent; the service checks the values. `noun` is the plural used in messages.
 */
export function toOrderRequests(
  orders: readonly Fields[],
  where: string,
  noun: Noun = 'orders',
): OrderRequest[] {
  const missing = orders.flatMap((order, index) =>
    missingIn(order).map((field) =>
      orders.length > 1 ? `${noun}[${index}].${field}` : flagLabel(camelCased(field)),
    ),
  );
  const requests = orders.filter(isComplete);
  if (requests.length === orders.length) return requests.map(withNormalizedRef);
  const near = orders.flatMap(misspelledFields);
  throw new UsageError(`Missing in ${where}: ${missing.join(', ')}.`, {
    missing,
    ...(near.length === 0 ? {} : { hint: `Unknown: ${[...new Set(near)].join(', ')}. Check the spelling.` }),
  });
}

/** Every service gets a reference in the form in which it is compared. */
function withNormalizedRef(request: OrderRequest): OrderRequest {
  const { external_order_ref: ref }: { external_order_ref?: unknown } = request;
  return typeof ref === 'string' ? { ...request, external_order_ref: normalizeReference(ref) } : request;
}

/** A store replaces the fields of the pickup. */
function missingIn(order: Fields): string[] {
  const required = hasValue(order.pickup_store_id) ? requiredOfDropoff : requiredOfBoth;
  return required.filter((field) => !hasValue(order[field]));
}

function hasValue(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}

function isComplete(order: Fields): order is Fields & OrderRequest {
  return missingIn(order).length === 0;
}

const requiredOfContact = ['address', 'name', 'phone_number'];
const requiredOfDropoff = requiredOfContact.map((field) => `dropoff_${field}`);
const requiredOfBoth = requiredOfContact.flatMap((field) => [`pickup_${field}`, `dropoff_${field}`]);

/** Lists unknown fields with names similar to missing ones. */
function misspelledFields(order: Fields): string[] {
  const missing = missingIn(order);
  return Object.keys(order).filter(
    (field) => !requiredOfBoth.includes(field) && nearNames(field, missing).length > 0,
  );
}

function camelCased(field: string): string {
  return field.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/**
 * Adds the times given by flags, and reads those of the orders in the same way. Times without a zone are read in the
 * zone of the address that each order has.
 */
export async function scheduledOrders<T extends Fields>(
  context: Context,
  orders: readonly T[],
  { pickupAt, dropoffAt }: Pick<OrderValues, 'pickupAt' | 'dropoffAt'>,
  noun: Noun = 'orders',
): Promise<T[]> {
  const noted = new Set<string>();
  const scheduled: T[] = [];
  for (const [index, order] of orders.entries()) {
    const pickup = pickupAt ?? momentIn(order.pickup_at, `${noun}[${index}].pickup_at`);
    const dropoff = dropoffAt ?? momentIn(order.dropoff_at, `${noun}[${index}].dropoff_at`);
    const from = { address: filledText(order.pickup_address), store: filledText(order.pickup_store_id) };
    const to = { address: filledText(order.dropoff_address) };
    scheduled.push({
      ...order,
      ...(pickup && {
        pickup_at: await readScheduledInstant(context, pickup, { name: 'pickup', ...from }, noted),
      }),
      ...(dropoff && {
        dropoff_at: await readScheduledInstant(context, dropoff, { name: 'dropoff', ...to }, noted),
      }),
    });
  }
  return scheduled;
}

/** The time in a field of a file. Throws UsageError. */
function momentIn(value: unknown, field: string): Moment | undefined {
  const typed = filledText(value);
  if (typed === undefined) return undefined;
  try {
    return readMoment(typed, 'visit');
  } catch (error) {
    throw error instanceof BadValue ? new UsageError(`${field} ${error.message}.`) : error;
  }
}

function filledText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/**
 * Applies changes to an order. A store and pickup fields exclude each other: a change to one removes the other. A new
 * address does not keep the coordinates of the old one.
 */
function withChanges(order: Fields, changes: Fields): Fields {
  const moved = ['pickup', 'dropoff'].filter((end) => changes[`${end}_address`] !== undefined);
  const outdated = moved.flatMap((end) => [`${end}_latitude`, `${end}_longitude`]);
  const kept = Object.entries(order).filter(([field]) => !outdated.includes(field));
  const merged = { ...Object.fromEntries(kept), ...changes };
  const toStore = changes.pickup_store_id !== undefined;
  if (toStore === changesPlace(changes)) return merged;
  const excluded: readonly string[] = toStore ? pickupFields : ['pickup_store_id'];
  return Object.fromEntries(Object.entries(merged).filter(([field]) => !excluded.includes(field)));
}
