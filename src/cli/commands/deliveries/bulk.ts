import { records } from '../../../client/pages.ts';
import type { DeliveryStatus, StatusGroup } from '../../../contract/vocabulary.ts';
import { stuck_after_ms } from '../../../domain/lateness.ts';
import { reportOf } from '../../errors/error-report.ts';
import { choicesFlag, type Flag, textFlag } from '../../kit/args/flags.ts';
import { DryRun, type ExitCode, Failure, UsageError } from '../../kit/errors/failure.ts';
import { type Invocation, invocation, phrase, plainText } from '../../kit/result/message.ts';
import {
  type AnswerBuilder,
  type Column,
  type ListResult,
  listResult,
  type Shape,
} from '../../kit/result/result.ts';
import { deliveryWord, findDeliveryId } from '../../nouns/find-delivery.ts';
import { partlyDone } from '../../nouns/order-sending.ts';
import { type Context, positional } from '../../session/command.ts';

/** Several deliveries in one command: how they are selected, priced together, and done one after the other. */

/** The deliveries of a bulk command: a file with their ids, or those that match. */
interface Selection {
  from: string | undefined;
  where: readonly DeliveryFilter[] | undefined;
}

/** The selection of `--where`: late or stuck deliveries, or those with a status. */
type DeliveryFilter = 'late' | 'stuck' | 'initial' | 'in_transit' | DeliveryStatus | StatusGroup;

/** One delivery, unless several are selected by a flag. */
export const oneOrSelection = positional('delivery', {
  summary: deliveryWord,
  optional: (given) => given.has('from') || given.has('where'),
});

/** The flags that select several deliveries. */
export function selectionFlags<const C extends DeliveryFilter>(
  where: readonly C[],
): { from: Flag<string | undefined>; where: Flag<C[] | undefined> } {
  const group = 'Several deliveries';
  return {
    from: textFlag({
      summary: 'File with an ID or reference on each line; - reads stdin',
      placeholder: 'FILE',
      group,
    }),
    where: choicesFlag({ summary: 'All deliveries that match (comma-separated)', choices: where, group }),
  };
}

/** Added to the description of commands that take several deliveries. */
export const bulkText = [
  'With --from or --where several deliveries are done in sequence, after the total price is confirmed; --max-fee and',
  '--max-cost limit the total. The exit code is 10 if some are refused. After an interruption run the same command',
  'again: what was done before is refused, nothing is done twice.',
].join('\n');

/** True if the deliveries are selected by a flag. */
export function isBulk({ from, where }: Selection): boolean {
  return from !== undefined || where !== undefined;
}

/** Exit 2 if the deliveries are given in two ways, or with flags for one delivery only. */
export function checkSelection({ from, where }: Selection, others: Readonly<Record<string, boolean>>): void {
  if (from !== undefined && where !== undefined) throw new UsageError('Use only one of --from and --where.');
  const [name] = Object.entries(others).find(([, isGiven]) => isGiven) ?? [];
  if (name !== undefined)
    throw new UsageError(`${name} cannot be combined with ${from === undefined ? '--where' : '--from'}.`);
}

/** The outcome of one delivery of a bulk command. Amounts are in cents. */
interface BulkRow {
  object: 'bulk_result';
  delivery_id: string;
  result: 'canceled' | 'retried' | 'refused' | 'failed';
  new_delivery_id: string | null;
  cost: number | null;
  refund: number | null;
  code: string | null;
  reason: string | null;
}

export function bulkShape({ object, orNull }: AnswerBuilder): Shape {
  return object({
    object: '"bulk_result"',
    delivery_id: 'string',
    result: 'canceled | retried | refused | failed',
    new_delivery_id: orNull('string'),
    cost: orNull('integer'),
    refund: orNull('integer'),
    code: orNull('string'),
    reason: orNull('string'),
  });
}

/** A delivery whose command is possible, with its price in cents; null if unknown. */
interface Priced {
  delivery_id: string;
  cost: number | null;
  refund: number;
  tip?: number;
}

/** The steps of a bulk command for each delivery. */
export interface BulkAction {
  command: 'deliveries cancel' | 'deliveries retry';
  done: 'canceled' | 'retried';
  /** The flags besides the selection, for the command that continues once so many cents of the limit are spent. */
  flags(spent: number): Readonly<Record<string, string | undefined>>;
  /** The price; a row if it is refused; null, or `closed` for the reason that its order is, if it is left out. */
  price(delivery_id: string): Promise<Priced | BulkRow | 'closed' | null>;
  /** Prints the total and has it confirmed; fails if it is above the limit. `left` counts those that are refused. */
  agree(priced: readonly Priced[], left: number): Promise<void>;
  act(priced: Priced, idempotencyKey: string): Promise<BulkRow>;
}

const columns: readonly Column<BulkRow>[] = [
  { field: 'delivery_id', header: 'Delivery', kind: 'id' },
  { field: 'result', header: 'Result', kind: 'text' },
  { field: 'new_delivery_id', header: 'New delivery', kind: 'id', unlessEmpty: true },
  { field: 'cost', header: 'Cost', kind: 'money' },
  { field: 'refund', header: 'Refunded', kind: 'money', unlessEmpty: true },
  { field: 'reason', header: 'Reason', kind: 'text', unlessEmpty: true, prose: true },
  { field: 'code', header: 'Code', kind: 'text', only: 'programs' },
];

/** A bulk command and its progress. */
interface Bulk {
  selection: Selection;
  action: BulkAction;
  /** The deliveries to act on, and the rows of those that are refused. */
  known: readonly (Priced | BulkRow)[];
  rows: BulkRow[];
  /** The error that ended it before its end; null without one. */
  stopped: unknown;
}

/**
 * Acts on several deliveries in sequence, after their total price is confirmed. Exit 10 if some were refused or failed;
 * if all were refused for the same reason, the exit code of that reason. The service refuses what was done before, so
 * that the same command continues an interrupted run.
 */
export async function runBulk(
  context: Context,
  { from, where }: Selection,
  action: BulkAction,
): Promise<ListResult> {
  const selection = { from, where };
  const { known, closed } = await pricesOf(context, await selectedWords(context, selection), action);
  if (closed > 0) noteClosed(context, closed);
  const priced = known.filter((each): each is Priced => !('result' in each));
  if (priced.length > 0) await action.agree(priced, known.length - priced.length);
  const bulk: Bulk = { selection, action, known, rows: [], stopped: null };
  return listResult({
    data: rowsOf(context, bulk),
    columns,
    empty: 'No deliveries found: nothing was changed.',
    notes: () => (known.length === 0 || failureOf(bulk) !== null ? [] : [doneText(bulk)]),
    exit: () => {
      const failure = failureOf(bulk);
      if (failure !== null) throw failure;
      return 0;
    },
  });
}

/** The IDs or references of the selected deliveries. */
async function selectedWords(context: Context, { from, where = [] }: Selection): Promise<string[]> {
  return from === undefined ? matchingIds(context, where) : readIds(context, from);
}

/** Reads the ids or references of a file or of stdin, one on each line. */
async function readIds(context: Context, path: string): Promise<string[]> {
  const lines = (await context.readFile(path)).split('\n').map((line) => line.trim());
  return [...new Set(lines.filter((line) => line !== ''))];
}

/** Lists the ids of the deliveries that match at least one of the names, oldest first. */
async function matchingIds(context: Context, where: readonly DeliveryFilter[]): Promise<string[]> {
  const client = await context.client();
  const found = new Set<string>();
  for (const name of where) {
    const query =
      name === 'late'
        ? { late: true }
        : name === 'stuck'
          ? { overdue: stuck_after_ms / 1000 }
          : { status: [name] };
    for await (const { id } of records(client.deliveries.list, { ...query, limit: 100 })) found.add(id);
  }
  return [...found].sort();
}

/** The prices of the deliveries, the rows of those that are refused, and how many are left out as their orders are closed. */
async function pricesOf(
  context: Context,
  typed: readonly string[],
  action: BulkAction,
): Promise<{ known: (Priced | BulkRow)[]; closed: number }> {
  const progress = await context.progress(`Asking for the prices of ${typed.length} deliveries`);
  const found = new Map<string, Priced | BulkRow>();
  const closed = new Set<string>();
  try {
    for (const each of typed) {
      const id = await findId(context, each);
      const row = typeof id === 'string' ? await priceOf(id, action) : id;
      if (row === 'closed') closed.add(String(id));
      else if (row !== null) found.set(row.delivery_id, row);
    }
  } finally {
    progress.stop();
  }
  return { known: [...found.values()], closed: closed.size };
}

/** `2 deliveries were left out: their orders are closed.` */
function noteClosed(context: Context, left_out: number): void {
  const [were, orders] =
    left_out === 1 ? ['1 delivery was', 'its order is'] : [`${left_out} deliveries were`, 'their orders are'];
  const message = `${were} left out: ${orders} closed.`;
  const object = { type: 'note', code: 'order_not_open', message, left_out };
  context.note(context.output.json ? JSON.stringify(object) : message);
}

/** Finds a delivery without a prompt; a refused row unless exactly one matches. */
async function findId(context: Context, typed: string): Promise<string | BulkRow> {
  const { client, serviceNow, prompts, note, output } = context;
  const asking = { client, serviceNow, prompts, note, output, interactive: false };
  try {
    return await findDeliveryId(asking, typed, { changes: true });
  } catch (error) {
    return refusedRow(typed, error);
  }
}

async function priceOf(id: string, action: BulkAction): ReturnType<BulkAction['price']> {
  try {
    return await action.price(id);
  } catch (error) {
    return refusedRow(id, error);
  }
}

/** Yields the rows as they are done; the first error that would affect every one ends them. */
async function* rowsOf(context: Context, bulk: Bulk): AsyncGenerator<BulkRow> {
  try {
    for (const each of bulk.known) {
      context.setInterruptionText(phrase`${doneText(bulk)} Continue with: ${continueCommand(bulk)}`);
      const row = 'result' in each ? each : await rowOf(context, each, bulk.action);
      bulk.rows.push(row);
      yield row;
    }
  } catch (error) {
    if (error instanceof DryRun) throw error;
    bulk.stopped = error;
  }
}

async function rowOf(context: Context, priced: Priced, action: BulkAction): Promise<BulkRow> {
  const { delivery_id } = priced;
  try {
    return await action.act(priced, context.idempotencyKey(delivery_id));
  } catch (error) {
    return refusedRow(delivery_id, error);
  }
}

/** The refusal of this delivery alone; throws an error that would affect every one. */
function refusedRow(delivery_id: string, error: unknown): BulkRow {
  if (error instanceof DryRun) throw error;
  const { exit, code, message } = reportOf(error);
  if (exit !== 2 && exit !== 5 && exit !== 6) throw error;
  return refusedAs(delivery_id, code, plainText(message));
}

/** The row of a delivery that is not changed. */
export function refusedAs(delivery_id: string, code: string, reason: string): BulkRow {
  const nothing = { new_delivery_id: null, cost: null, refund: null };
  return { object: 'bulk_result', delivery_id, result: 'refused', ...nothing, code, reason };
}

/** The command that continues, with what is left of the limit. */
function continueCommand({ selection: { from, where }, action, rows }: Bulk): Invocation {
  const done = rows.filter(({ result }) => result === action.done);
  const spent = done.reduce((sum, { cost }) => sum + (cost ?? 0), 0);
  const selected = from === undefined ? { where: where?.join(',') } : { from };
  return invocation(action.command, [], { ...selected, ...action.flags(spent) });
}

function doneText({ rows, known, action: { done } }: Bulk): string {
  const went = rows.filter(({ result }) => result === done).length;
  const count = known.length;
  const verb = went === 1 || count === 1 ? 'was' : 'were';
  return `${went} of ${count} ${count === 1 ? 'delivery' : 'deliveries'} ${verb} ${done}.`;
}

const exitByCode: Readonly<Record<string, ExitCode>> = { record_not_found: 5, usage: 2 };

function failureOf(bulk: Bulk): unknown {
  const { action, known, rows, stopped } = bulk;
  if (stopped !== null) {
    if (rows.length === 0) return stopped;
    const again = continueCommand(bulk);
    return partlyDone(stopped, doneText(bulk), {
      hint: phrase`The others were not tried. Continue with: ${again}`,
      next: [{ ...again, when: 'continue, nothing is done twice' }],
    });
  }
  const left = rows.filter(({ result }) => result !== action.done);
  const [first] = left;
  if (first === undefined) return null;
  const isSame = left.length === known.length && left.every(({ code }) => code === first.code);
  const exit = isSame ? (first.result === 'failed' ? 9 : (exitByCode[first.code ?? ''] ?? 6)) : 10;
  const code = isSame && first.code !== null ? first.code : 'some_not_changed';
  return new Failure(exit, code, doneText(bulk), {
    faults: left.map(({ delivery_id, reason }) => ({ path: delivery_id, message: reason ?? '', flag: null })),
  });
}

/** `12 deliveries` */
export function deliveriesText({ length }: readonly unknown[]): string {
  return `${length} ${length === 1 ? 'delivery' : 'deliveries'}`;
}

/** Has the total confirmed; with --yes it is only printed. */
export async function agreeTo(context: Context, question: string, despiteYes = false): Promise<void> {
  if (context.globals.dryRun) return;
  if (context.globals.yes && !despiteYes && !context.output.json) context.note(question);
  await context.confirm(question, { despiteYes });
}
