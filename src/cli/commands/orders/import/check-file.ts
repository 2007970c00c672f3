import { statSync } from 'node:fs';
import { Interrupted, UsageError } from '../../../kit/errors/failure.ts';
import type { Context } from '../../../session/context.ts';
import { type Chunk, chunksOf, type ImportRow } from './chunks.ts';
import { type CsvFile, createCsvFile, failedCells, failedHeader } from './csv-files.ts';
import { writeReason } from './file-faults.ts';
import type { Header } from './journal-entries.ts';
import { createOrderCheck, type OrderCheck } from './order-check.ts';
import { counted, meterOn } from './progress-text.ts';
import type { Row, Table } from './rows.ts';
import { createTally, importLine, type Places, type Source, type Tally } from './source.ts';
import { openTable } from './tables.ts';

/** A file whose every row can be sent, as far as can be known here. */
export interface CheckedFile {
  sha256: string;
  rows: number;
  columns: readonly string[];
  ignored: readonly string[];
  sums: Sums;
  /** The saved places that it names, each with the line that names it first. */
  stores: ReadonlyMap<string, number>;
}

/** All of a file together, in cents: what was written in dollars is a hundredth of what was meant. */
export interface Sums {
  tip: number;
  order_value: number;
}

const shown = 20;
/** More saved places than anybody has: those after them the service looks at. */
const mostStores = 1_000;

/** What is found while a file is looked at. */
interface Findings {
  rows: number;
  bad: number;
  faultCount: number;
  /** The first of them. */
  faults: { path: string; message: string; flag: null }[];
  stores: Map<string, number>;
  sums: Sums;
  file: CsvFile | null;
  /** Why the file of what failed cannot be written; null where it can. */
  fileFault: unknown;
}

/**
 * Looks at every row before any is sent. `now` is the service's time, null where it was not asked. Throws UsageError
 * with the first faults, each with its line; all of them are in the file of what failed.
 */
export async function checkFile(
  context: Context,
  source: Source,
  { places, now }: { places: Places; now: number | null },
): Promise<CheckedFile> {
  const tally = createTally();
  const table = await openTable(source, tally);
  const check = createOrderCheck(now);
  const found: Findings = {
    rows: 0,
    bad: 0,
    faultCount: 0,
    faults: [],
    stores: new Map(),
    sums: { tip: 0, order_value: 0 },
    file: null,
    fileFault: null,
  };
  const total = Math.max(1, sizeOf(source));
  const text = (done: number) => `Checking ${source.name}: ${Math.floor((done * 100) / total)}%`;
  const meter = await meterOn(context, { total, before: 0, text });
  let seen = 0;
  try {
    for await (const row of table.rows) {
      if (context.signal.aborted) throw new Interrupted();
      await look(row, { table, check, found, failed: places.failed });
      if (tally.bytes > seen) meter.step(tally.bytes - seen);
      seen = tally.bytes;
    }
  } finally {
    meter.stop();
  }
  if (found.bad > 0) throw await refusal(found, source, places);
  if (found.rows === 0) throw new UsageError(`There is no order in ${source.name}.`);
  const { columns, ignored } = table;
  const { rows, stores, sums } = found;
  return { sha256: tally.sha256(), rows, columns, ignored, stores, sums };
}

function sizeOf({ path }: Source): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

interface Looking {
  table: Table;
  check: OrderCheck;
  found: Findings;
  failed: string;
}

async function look(row: Row, { table, check, found, failed }: Looking): Promise<void> {
  found.rows += 1;
  const faults = faultsOf(row, table, check);
  const { pickup_store_id: store, tip, order_value } = row.fields;
  found.sums.tip += typeof tip === 'number' ? tip : 0;
  found.sums.order_value += typeof order_value === 'number' ? order_value : 0;
  if (typeof store === 'string' && found.stores.size < mostStores && !found.stores.has(store))
    found.stores.set(store, row.line);
  if (faults.length === 0) return;
  found.bad += 1;
  found.faultCount += faults.length;
  const told = faults.slice(0, shown - found.faults.length);
  for (const { path, message } of told)
    found.faults.push({ path: `line ${row.line}, ${path}`, message, flag: null });
  const error = faults.map(({ path, message }) => `${path}: ${message}`).join('; ');
  await tryToWrite(found, async () => {
    found.file ??= createCsvFile(failed, failedHeader(table.columns));
    await found.file.write(failedCells(table.columns, { ...row, error }));
  });
}

/** The faults are told even where their file cannot be written. */
async function tryToWrite(found: Findings, write: () => Promise<void>): Promise<void> {
  if (found.fileFault !== null) return;
  try {
    await write();
  } catch (error) {
    found.fileFault = error;
  }
}

/** What could not be read, and what of the rest breaks a rule. */
function faultsOf(row: Row, table: Table, check: OrderCheck) {
  const unread = new Set(row.faults.map(({ path }) => path));
  // Where the whole row could not be read, everything would be missing.
  const isWhole = !unread.has('row') && !unread.has('order');
  const broken = isWhole ? check.faultsIn(row.fields) : [];
  const named = broken.map(({ path, message }) => ({ path: table.label(path), message }));
  return [...row.faults, ...named.filter(({ path }) => !unread.has(path))];
}

async function refusal(found: Findings, source: Source, places: Places): Promise<UsageError> {
  const { rows, bad, faults } = found;
  await tryToWrite(found, async () => found.file?.keep());
  const what = bad === 1 ? 'One row' : `${counted(bad)} rows`;
  const line = importLine(source, { validateOnly: true });
  return new UsageError(`${what} of ${counted(rows)} in ${source.name} cannot be sent; nothing was.`, {
    code: 'bad_rows',
    faults,
    hint: placeOfAll(found, places),
    next: [{ ...line, when: 'once the rows are corrected: look again' }],
  });
}

function placeOfAll({ faultCount, fileFault }: Findings, { failed }: Places): string {
  const left = faultCount > shown ? `And ${counted(faultCount - shown)} more` : '';
  if (fileFault === null) return `${left === '' ? 'All' : `${left}: all`} of them are in ${failed}.`;
  const why = `${failed} cannot be written: ${writeReason(causeOf(fileFault))}.`;
  return left === '' ? why : `${left}; ${why}`;
}

function causeOf(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? error.cause : error;
}

/** The rows of a file that was checked, as orders. */
async function* ordersIn(table: Table): AsyncGenerator<ImportRow> {
  const check = createOrderCheck(null);
  for await (const { fields, line, cells, faults } of table.rows) {
    if (faults.length > 0 || !check.isOrder(fields)) throw changedFile(`line ${line} is another`);
    yield { line, order: fields, cells };
  }
}

/** The file is not the one that was checked. */
export function changedFile(what: string): UsageError {
  return new UsageError(`The file was changed while it was imported: ${what}.`, {
    hint: 'What was sent is as it stood before. Put that file back and resume.',
  });
}

/** The chunks of a file that was checked; what was read of it is added up in `tally`. */
export async function* chunksIn(source: Source, { limits }: Header, tally: Tally): AsyncGenerator<Chunk> {
  const table = await openTable(source, tally);
  yield* chunksOf(ordersIn(table), limits);
}
