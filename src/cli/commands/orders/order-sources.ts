import type { OrderRequest } from '../../../contract/orders.ts';
import { BadValue, type Given, text } from '../../kit/args/flags.ts';
import { type Moment, readMoment } from '../../kit/args/time-arguments.ts';
import { UsageError } from '../../kit/errors/failure.ts';
import type { Context } from '../../session/command.ts';
import { scheduledInstantOf } from '../../session/service-instants.ts';
import { copyLike } from './copied-orders.ts';
import { type OrderValues, orderFieldsOf } from './order-flags.ts';
import { changed, type Noun, type OrderFile, readOrderFile } from './order-input.ts';

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
