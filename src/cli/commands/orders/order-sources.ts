import type { OrderRequest } from '../../../contract/orders.ts';
import { text } from '../../kit/args/flags.ts';
import { UsageError } from '../../kit/errors/failure.ts';
import type { Context } from '../../session/context.ts';
import { copyLike } from './copied-orders.ts';
import { changed, type Noun, type OrderFile, readOrderFile } from './order-input.ts';

/** Where an order comes from beside its own flags. */
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

/** The header that chooses the fate of what is made, where one was chosen. */
export function simulationHeaders(simulate: string | undefined): Record<string, string> {
  return simulate === undefined ? {} : { 'x-simulation': simulate };
}

export interface Sources {
  file: string | undefined;
  like: string | undefined;
  stdin: string | undefined;
}

/** Orders with the changes of the flags, and the file they came from, if they did. */
export interface Sourced extends OrderFile {
  file: string | null;
}

/** Brings the orders from the one source given, or none but the changes; throws UsageError. */
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
