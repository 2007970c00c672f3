import type { OrderRequest } from '../../../contract/orders.ts';
import { text } from '../../kit/args/flags.ts';
import { UsageError } from '../../kit/errors/failure.ts';
import type { Context } from '../../session/context.ts';
import { copyLike } from './copied-orders.ts';
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

export interface Sources {
  file: string | undefined;
  like: string | undefined;
  stdin: string | undefined;
}

/** Orders with the changes of the flags applied, and their file, if any. */
export interface Sourced extends OrderFile {
  file: string | null;
}

/** Reads the orders from the given source, or only from flags; throws UsageError. */
export async function sourcedOrders(
  context: Context,
  sources: Sources,
  changes: Partial<OrderRequest>,
  noun: Noun = 'orders',
): Promise<Sourced> {
  const { orders, settings } = await broughtOrders(context, sources, changes, noun);
  const file = fileOf(sources.file ?? sources.stdin);
  return { orders: orders.map((order) => changed(order, changes)), settings, file };
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
