/**
 * What an import shows at its end: its summary, the outcome of its batches if they are waited for, and what became of the
 * orders that existed before.
 */
import { createReadStream } from 'node:fs';
import type { Batch, BatchCounts } from '../../../../contract/batches.ts';
import type { OrderSettings } from '../../../../contract/orders.ts';
import { max_route_orders } from '../../../../contract/vocabulary.ts';
import { dollars } from '../../../../domain/money.ts';
import { moneyText } from '../../../kit/args/flags.ts';
import { BadOutcome, Failure } from '../../../kit/errors/failure.ts';
import { type Invocation, invocation, type NextStep, phrase } from '../../../kit/result/message.ts';
import { type Column, documentResult, type Result, recordResult } from '../../../kit/result/result.ts';
import { getBatch, outcomeCountsText } from '../../../nouns/batch.ts';
import { type BatchesWait, waitForBatches } from '../../../nouns/batch-waiting.ts';
import { shipWithin } from '../../../nouns/retry-steps.ts';
import type { Context } from '../../../session/command.ts';
import type { AccountRecord } from './account.ts';
import { createFaultKinds } from './fault-kinds.ts';
import { countSettledRows, type Journal, type JournalState, settledChunks } from './journal.ts';
import { formatNumber } from './progress.ts';
import { recordsIn } from './reading/csv-records.ts';
import { type createdAgainRecord, fetchOrders, thereAlreadyText } from './references-in-use.ts';
import { type RepeatedLine, repeatedColumn } from './repeated-orders.ts';
import { importLine, type Source } from './source.ts';

/** The result of an import in JSON. */
interface Summary {
  object: 'import';
  file: string;
  rows: number;
  made: number;
  /** Orders that were not created, as their references are in use for the same recipients. */
  there_already: number;
  failed: number;
  mode: 'test' | 'live';
  batch_ids: string[];
  /** The outcomes in the batches, if they were waited for. */
  counts?: BatchCounts;
  /**
   * The orders that were not dispatched, with what their last attempt said: of those made if they were waited for, and
   * with auto dispatch of those there already.
   */
  undispatched?: Undispatched[];
  /** Lines that seem to repeat an earlier order; absent if the import was resumed. */
  repeated?: RepeatedLine[];
  /** How many references are those of orders that ended badly, and rows like recent orders; absent if it was resumed. */
  created_again?: number | null;
  similar_count?: number | null;
  similar?: ReturnType<typeof createdAgainRecord>['similar'];
  /** The values that were changed; absent if the import was resumed. */
  read?: AccountRecord;
  ok_file: string;
  /** Null if no row failed. */
  failed_file: string | null;
  journal_file: string;
}

const summaryColumns: readonly Column<Summary>[] = [
  { field: 'file', header: 'File', kind: 'text' },
  { field: 'rows', header: 'Rows', kind: 'count' },
  { field: 'made', header: 'Created', kind: 'count' },
  { field: 'there_already', header: 'There already', kind: 'count' },
  { field: 'failed', header: 'Failed', kind: 'count' },
  repeatedColumn,
  {
    field: 'batches',
    header: 'Batches',
    kind: 'count',
    value: ({ batch_ids }) => (batch_ids.length === 0 ? null : batch_ids.length),
  },
  {
    field: 'counts',
    header: 'Result',
    kind: 'text',
    value: ({ counts }) => (counts === undefined ? null : outcomeCountsText(counts)),
  },
  { field: 'mode', header: 'Mode', kind: 'text' },
  { field: 'ok_file', header: 'Created orders', kind: 'text' },
  { field: 'failed_file', header: 'Failed rows', kind: 'text' },
  { field: 'journal_file', header: 'Journal', kind: 'text' },
];

/** The result of an import, and its source. */
export interface Imported {
  summary: Summary;
  source: Source;
  /** Null: manual dispatch. */
  settings: OrderSettings | null;
  /** The orders that were there already, and what became of them with auto dispatch. */
  ids_there: readonly string[];
  there: OrdersThere;
  isAwaited: boolean;
  /** Says which orders were there already; empty if none was. */
  notes: string[];
}

export function importedOf(journal: Pick<Journal, 'state' | 'read'>, source: Source): Imported {
  const { state } = journal;
  const notes = thereAlreadyNotes(journal);
  const { settings } = state.header;
  const none = { ids_there: orderIdsIn(journal, 'there'), there: noneThere, isAwaited: false };
  return { summary: summaryOf(state, source), source, settings, ...none, notes };
}

/** `6 orders are there already, such as #1001 (ord_1).` */
function thereAlreadyNotes(journal: Pick<Journal, 'state' | 'read'>): string[] {
  const count = countSettledRows(journal.state).there;
  const span = settledChunks(journal.state).find(({ there }) => there > 0)?.span;
  const [first] = span === undefined ? [] : (journal.read(span).there ?? []);
  return first === undefined ? [] : [thereAlreadyText(count, first)];
}

function summaryOf(state: JournalState, { name, files }: Source): Summary {
  const { made, failed, there: there_already } = countSettledRows(state);
  return {
    object: 'import',
    file: name,
    rows: state.header.file.rows,
    made,
    there_already,
    failed,
    mode: state.header.place.mode,
    batch_ids: settledChunks(state).flatMap(({ batch_id }) => batch_id ?? []),
    ok_file: files.ok,
    failed_file: failed === 0 ? null : files.failed,
    journal_file: files.journal,
  };
}

function showSummary({ output }: Pick<Context, 'output'>, summary: Summary): Result {
  return output.json ? documentResult(summary) : recordResult(summary, summaryColumns);
}

/** Waits until every batch is complete, if requested, and reads what became of the orders that were there already. */
export async function waitForDispatches(
  context: Context,
  imported: Imported,
  wait: BatchesWait | null,
): Promise<Imported> {
  const awaited = await waitForOwn(context, imported, wait);
  const { settings, ids_there, source } = awaited;
  if (settings === null || ids_there.length === 0) return awaited;
  let there = await readOrdersThere(context, ids_there);
  const withThere = (): Summary => {
    const all = [...(awaited.summary.undispatched ?? []), ...there.undispatched];
    return { ...awaited.summary, undispatched: all.slice(0, max_undispatched) };
  };
  const [first, ...others] = there.batch_ids;
  if (wait !== null && first !== undefined) {
    // Those batches may have orders that are not in this file: they do not fail the import.
    const target = { ...wait, fail_on: [] };
    await waitForBatches(context, [first, ...others], target, {
      again: importLine(source, { resume: true }),
      answer: () => showSummary(context, withThere()),
    });
    there = await readOrdersThere(context, ids_there);
  }
  return { ...awaited, there, summary: withThere() };
}

/** Waits until every batch of the import is complete, if requested. */
async function waitForOwn(context: Context, given: Imported, wait: BatchesWait | null): Promise<Imported> {
  const imported = { ...given, isAwaited: wait !== null };
  const { summary, source } = imported;
  const [first, ...others] = summary.batch_ids;
  if (wait === null || first === undefined) return imported;
  let counts: BatchCounts | undefined;
  const withOutcome = async (): Promise<Summary> => ({
    ...summary,
    ...(counts === undefined ? {} : { counts }),
    undispatched: await undispatchedIn(context, [first, ...others]),
  });
  try {
    counts = await waitForBatches(context, [first, ...others], wait, {
      again: importLine(source, { resume: true }),
      answer: (so_far) => {
        counts = so_far;
        return showSummary(context, { ...summary, counts: so_far });
      },
    });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const outcome = await withOutcome();
    const answer =
      context.output.json && counts !== undefined ? { answer: showSummary(context, outcome) } : {};
    const text = phrase`${error.text}${pendingText(outcome.undispatched ?? [])}`;
    throw new Failure(error.exit, error.code, text, { ...error.details, ...answer });
  }
  return { ...imported, summary: context.output.json ? await withOutcome() : { ...summary, counts } };
}

/** The most orders that a result lists, and the most batches that are read for it. */
const max_undispatched = 100;
const max_batches = 20;

/** ` 1042: no provider offered a quote; 1043: ...`: the first orders that are still tried, and why. */
function pendingText(undispatched: readonly Undispatched[]): string {
  const pending = undispatched.filter(({ status }) => status === 'pending');
  const texts = pending
    .slice(0, max_shown)
    .map(
      ({ order_id, external_order_ref, reason }) =>
        `${external_order_ref || order_id}: ${reason || 'no answer yet'}`,
    );
  return texts.length === 0 ? '' : ` Still tried, such as ${texts.join('; ')}.`;
}

/** The orders of the batches that have no delivery. */
async function undispatchedIn(context: Context, ids: readonly string[]): Promise<Undispatched[]> {
  const found: Undispatched[] = [];
  for (const id of ids.slice(0, max_batches)) {
    if (found.length >= max_undispatched) break;
    const { orders } = await getBatch(context, id);
    for (const { order_id, external_order_ref, status, attempts, reason } of orders)
      if (status !== 'dispatched') found.push({ order_id, external_order_ref, status, attempts, reason });
  }
  return found.slice(0, max_undispatched);
}

/**
 * The result of a finished import; Failure with exit 10 if some rows failed or some orders were not dispatched, and
 * with exit 9 if none was.
 */
export async function importResult(context: Context, imported: Imported): Promise<Result> {
  const { summary, source, settings, notes, there } = imported;
  if (!context.output.json) for (const note of [...notes, ...thereNotes(there)]) context.note(note);
  const list =
    settings === null ? invocation('orders list', [], { status: 'open' }) : batchesCommand(summary.batch_ids);
  const next = { ...list, when: 'see the created orders' };
  const shown = showSummary(context, summary);
  if (summary.failed === 0) {
    const undispatched = undispatchedOf(imported, shown);
    if (undispatched !== null) throw undispatched;
    const [step = list] = shipSteps(there.undispatched, settings);
    return { ...shown, notes: [phrase`Next: ${step}`] };
  }
  const what =
    summary.failed === 1
      ? 'One order was'
      : `${formatNumber(summary.failed)} of ${formatNumber(summary.rows)} orders were`;
  throw new Failure(10, 'rows_failed', `${what} not created.`, {
    answer: shown,
    why: (await firstReasons(summary.failed_file ?? '')).join('\n'),
    hint: `Correct ${summary.failed_file}, which has the reason of each row, and import that file.`,
    next: [{ ...importFailedRows(source), when: 'once it is corrected' }, next],
  });
}

/** `2 of those there already are not dispatched: 2 open.` */
function thereNotes({ undispatched }: OrdersThere): string[] {
  const count = undispatched.length;
  if (count === 0) return [];
  const what = `${formatNumber(count)} of those there already ${count === 1 ? 'is' : 'are'} not dispatched`;
  return [`${what}: ${statusCounts(undispatched)}.`];
}

/** The failure after a wait for the batches; null if all orders were dispatched, or if there was no wait. */
function undispatchedOf({ summary, settings, there, isAwaited }: Imported, answer: Result): Failure | null {
  const { counts, batch_ids } = summary;
  const own = counts === undefined ? '' : outcomeCountsText({ ...counts, dispatched: 0, pending: 0 });
  const lost = [own, statusCounts(there.undispatched)].filter((part) => part !== '').join(', ');
  if (!isAwaited || lost === '') return null;
  const outcome = own === '' ? [] : [{ ...batchesCommand(batch_ids), when: 'see their outcome' }];
  const details = { answer, next: [...shipSteps(there.undispatched, settings), ...outcome] };
  if ((counts?.dispatched ?? 0) + there.dispatched > 0)
    return new Failure(10, 'batch_partly_dispatched', `Some orders were not dispatched: ${lost}.`, details);
  return new BadOutcome(`None of the orders was dispatched: ${lost}.`, {
    code: 'batch_not_dispatched',
    ...details,
  });
}

/** The command that shows the batches. */
function batchesCommand(ids: readonly string[]): Invocation {
  return ids.length === 1 ? invocation('batches get', ids) : invocation('batches list');
}

/** The command that imports the failed rows. Their file is CSV for every source format. */
function importFailedRows({ name, typed }: Source): Invocation {
  const { format: _, skipInvalid: __, ...others } = typed;
  return importLine({ name: `${name}.failed.csv`, typed: others });
}

/** So many reasons of failed rows are shown. */
const max_shown = 3;

/** The first reasons of failed rows, with their lines: `lines 2-6, dropoff_address: ...`. Empty if they are unreadable. */
async function firstReasons(failed_file: string): Promise<string[]> {
  const found = createFaultKinds();
  try {
    let names: readonly string[] | null = null;
    for await (const { cells } of recordsIn(createReadStream(failed_file, 'utf8'), failed_file)) {
      if (names === null) names = cells;
      else if (cells[names.indexOf('error')] !== '')
        found.add(Number(cells[names.indexOf('line')]), '', cells[names.indexOf('error')] ?? '');
    }
  } catch {
    // The hint names the file.
  }
  return found
    .list()
    .slice(0, max_shown)
    .map(({ path, message }) => `${path}, ${message}`);
}

type BatchOrder = Batch['orders'][number];

/** An order without a delivery; `status` is the outcome in its batch, or else that of the order: `open`. */
export type Undispatched = Pick<BatchOrder, 'order_id' | 'external_order_ref' | 'attempts' | 'reason'> & {
  status: string;
};

/** What became of the orders that existed before the import, or that an earlier import of the file created. */
export interface OrdersThere {
  dispatched: number;
  undispatched: readonly Undispatched[];
  /** The batches that still dispatch some of them. */
  batch_ids: readonly string[];
}

export const noneThere: OrdersThere = { dispatched: 0, undispatched: [], batch_ids: [] };

/** The IDs of the orders that an import found there already, or that it made, too. */
export function orderIdsIn(journal: Pick<Journal, 'state' | 'read'>, which: 'there' | 'all'): string[] {
  return settledChunks(journal.state).flatMap(({ span, there: count }) => {
    if (which === 'there' && count === 0) return [];
    const { made, there = [] } = journal.read(span);
    return (which === 'there' ? there : [...made, ...there]).map(({ order_id }) => order_id);
  });
}

/** Reads orders that exist, and the outcome of those that a batch tries. */
export async function readOrdersThere(context: Context, ids: readonly string[]): Promise<OrdersThere> {
  if (ids.length === 0) return noneThere;
  const found = [...(await fetchOrders((await context.client()).orders, ids)).values()];
  const open = found.filter(({ status }) => status !== 'dispatched');
  const batch_ids = [...new Set(open.flatMap(({ batch_id }) => batch_id ?? []))];
  const batches = await Promise.all(batch_ids.map((id) => getBatch(context, id)));
  const tried = new Map(batches.flatMap(({ orders }) => orders).map((each) => [each.order_id, each]));
  const undispatched = open.map(({ id: order_id, external_order_ref, status }): Undispatched => {
    const { attempts = 0, reason = '', status: outcome } = tried.get(order_id) ?? {};
    return {
      order_id,
      external_order_ref,
      attempts,
      reason,
      status: outcome === 'pending' ? outcome : status,
    };
  });
  const isPending = ({ orders }: Batch) =>
    orders.some(({ order_id, status }) => status === 'pending' && open.some(({ id }) => id === order_id));
  return {
    dispatched: found.length - open.length,
    undispatched,
    batch_ids: batches.filter(isPending).map(({ batch_id }) => batch_id),
  };
}

/** `3 open, 1 pending` */
function statusCounts(orders: readonly Undispatched[]): string {
  const counts = new Map<string, number>();
  for (const { status } of orders) counts.set(status, (counts.get(status) ?? 0) + 1);
  return [...counts].map(([status, count]) => `${formatNumber(count)} ${status}`).join(', ');
}

/** The commands that have couriers come for the open ones: as one route, for the limit of each of them together. */
export function shipSteps(orders: readonly Undispatched[], settings: OrderSettings | null): NextStep[] {
  const ids = orders.filter(({ status }) => status === 'open').map(({ order_id }) => order_id);
  if (ids.length === 0) return [];
  const { max_cost, providers = null } = settings ?? {};
  const total = max_cost === undefined ? undefined : max_cost * ids.length;
  const maxCost = total === undefined ? 'DOLLARS' : moneyText(total);
  const price =
    total === undefined ? '' : `, for at most ${dollars(total)}${ids.length > 1 ? ' together' : ''}`;
  const list = { ...invocation('orders list', [], { status: 'open' }), when: 'see the open orders' };
  if (ids.length > max_route_orders) return [list];
  const what = ids.length === 1 ? 'have a courier come for it' : 'have one courier come for all of them';
  return [{ ...shipWithin(ids, { maxCost, providers }), when: `${what}${price}` }, list];
}
