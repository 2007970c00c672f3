import { ApiError } from '../../client/errors.ts';
import type { Order, OrderRequest } from '../../contract/orders.ts';
import { BadValue, type Given, text } from '../kit/args/flags.ts';
import { type Moment, readMoment } from '../kit/args/time-arguments.ts';
import { UsageError } from '../kit/errors/failure.ts';
import type { Context } from '../session/command.ts';
import { scheduledInstantOf } from '../session/service-instants.ts';
import { findOrderId } from './order.ts';
import { type OrderValues, orderFieldsOf } from './order-flags.ts';
import { changed, copyOf, keepsStore, type Noun, type OrderFile, readOrderFile } from './order-input.ts';

/** Flags for other sources of an order than its own flags. */
export const sourceFlags = {
  file: text({
    summary: 'JSON file with one order, an array, or a request body',
    short: 'f',
    placeholder: 'FILE',
  }),
  like: text({
    summary: 'Copy an order (by order ID, delivery ID or your reference); flags override its fields',
    placeholder: 'ORDER',
  }),
};

export const simulateFlag = text({
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

/** Reads the orders from the given source, or only from flags; throws UsageError. */
export async function sourcedOrders(
  context: Context,
  flags: OrderValues & Sources,
  given: Given,
  noun: Noun = 'orders',
): Promise<Sourced> {
  const changes = orderFieldsOf(flags, given);
  const { orders, settings } = await broughtOrders(context, flags, changes, noun);
  const file = fileOf(flags.file ?? flags.stdin);
  const scheduled = await scheduledOrders(
    context,
    orders.map((order) => changed(order, changes)),
    flags,
    noun,
  );
  const times = [...(flags.pickupAt ? ['pickup_at'] : []), ...(flags.dropoffAt ? ['dropoff_at'] : [])];
  return { orders: scheduled, settings, file, flagged: [...Object.keys(changes), ...times] };
}

type Fields = OrderFile['orders'][number];

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
    const from = { address: textOf(order.pickup_address), store: textOf(order.pickup_store_id) };
    const to = { address: textOf(order.dropoff_address) };
    scheduled.push({
      ...order,
      ...(pickup && {
        pickup_at: await scheduledInstantOf(context, pickup, { name: 'pickup', ...from }, noted),
      }),
      ...(dropoff && {
        dropoff_at: await scheduledInstantOf(context, dropoff, { name: 'dropoff', ...to }, noted),
      }),
    });
  }
  return scheduled;
}

/** The time in a field of a file. Throws UsageError. */
function momentIn(value: unknown, field: string): Moment | undefined {
  const typed = textOf(value);
  if (typed === undefined) return undefined;
  try {
    return readMoment(typed, 'ahead');
  } catch (error) {
    throw error instanceof BadValue ? new UsageError(`${field} ${error.message}.`) : error;
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

async function broughtOrders(
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

type Changes = Partial<OrderRequest>;

/**
 * Copies an order for `--like`, found by its ID, its delivery's ID or its reference, as a request. If its store no
 * longer exists, the copy has the store's fields. Fails with exit 5 if there is no such order, and with exit 2 if
 * several have the reference.
 */
async function copyLike(context: Context, like: string, changes: Changes): Promise<Changes> {
  const { order, now } = await originalOf(context, like);
  const { pickup_store_id: store_id } = order;
  const isGone = store_id !== null && keepsStore(order, changes) && (await isStoreGone(context, store_id));
  if (!isGone) return copyOf(order, now, changes);
  context.note(`The store of ${order.id} is gone: its pickup fields are copied instead.`);
  return copyOf({ ...order, pickup_store_id: null }, now, changes);
}

interface Original {
  order: Order;
  /** The service's time in milliseconds since the epoch. */
  now: number;
}

async function originalOf(context: Context, like: string): Promise<Original> {
  const client = await context.client();
  const order_id = await findOrderId(context, like);
  const { data, service_time } = await client.orders.get({ params: { order_id } });
  return { order: data, now: service_time ?? context.now() };
}

/** True if the service responds that the store does not exist; after any other error the copy is attempted. */
async function isStoreGone(context: Context, store_id: string): Promise<boolean> {
  const client = await context.client();
  try {
    await client.stores.get({ params: { store_id } });
    return false;
  } catch (error) {
    if (error instanceof ApiError) return error.status === 404;
    throw error;
  }
}
