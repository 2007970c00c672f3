/**
 * The check of every row on this machine, before any is sent, which is all that `--validate-only` does: the file as a
 * whole, then the rules of one order.
 */
import { existsSync, statSync } from 'node:fs';
import { minute_ms } from '../../../../domain/durations.ts';
import type { Gazetteer } from '../../../../domain/gazetteer.ts';
import { Failure, Interrupted, UsageError } from '../../../kit/errors/failure.ts';
import { oneLine } from '../../../kit/output/safe-text.ts';
import { type NextStep, phrase, type Text } from '../../../kit/result/message.ts';
import { type Column, type Result, recordResult } from '../../../kit/result/result.ts';
import { checkPlaces } from '../../../nouns/address-checks.ts';
import type { Context } from '../../../session/command.ts';
import { loadGazetteer, readLoadedAddress } from '../../../session/gazetteer.ts';
import { type Account, createAccount } from './account.ts';
import { createOrderCheck, type OrderCheck } from './check-order.ts';
import { createFaultKinds, type FaultKinds } from './fault-kinds.ts';
import { orderIdsIn } from './import-result.ts';
import { countText, createProgressMeter, formatNumber } from './progress.ts';
import type { NumberedRow, Row, RowFault } from './reading/group-rows.ts';
import { defaultExamples } from './reading/missing-columns.ts';
import { type LeftOutOrders, openTable, type Table } from './reading/open-table.ts';
import {
  createdAgainRecord,
  createdAgainTexts,
  createReferenceLookup,
  type FoundReferences,
  similarSteps,
  thereAlreadyText,
} from './references-in-use.ts';
import {
  noteReference,
  noteRepeated,
  type Repeated,
  type RepeatedOrders,
  repeatedColumn,
  repeatedLines,
  repeatedText,
} from './repeated-orders.ts';
import { createFailedRows, removeFile, writeReason } from './result-files.ts';
import { createTally, importLine, type Source } from './source.ts';
import { readOwnImport, resumeStep } from './started-import.ts';

interface ValidatedFile extends Pick<RowChecks, 'hasUniqueRefs' | 'skipInvalid'> {
  /** Orders that were canceled are created again. */
  recreatesCanceled: boolean;
}

/** Checks the file for `--validate-only`, without sending anything. */
export async function validateFile(
  context: Context,
  imported: Source,
  { hasUniqueRefs, skipInvalid, recreatesCanceled }: ValidatedFile,
): Promise<Result> {
  const check = createOrderCheck({ now: null, gazetteer: await gazetteerOf(context) });
  const { files } = imported;
  // The failed rows beside a journal are those of its import.
  const isImported = existsSync(files.journal);
  const failed = isImported ? files.failed.replace(/failed\.csv$/, 'check.failed.csv') : files.failed;
  const source = { ...imported, files: { ...files, failed } };
  const addresses = createPlaceWarnings(context);
  const references = createReferenceLookup();
  const started = await readOwnImport(source);
  const own = started === null ? [] : orderIdsIn(started, 'all');
  const find = async () =>
    hasUniqueRefs && context.has('account') ? await references.find(context, recreatesCanceled, own) : null;
  const valid = await checkFile(context, source, {
    check,
    hasUniqueRefs,
    skipInvalid,
    onRow: (row, isSent) => {
      addresses.onRow(row);
      references.add(row, isSent);
    },
    onBad: async () => {
      const found = await find();
      const texts = createdAgainTexts(found, context.output.json);
      const notes = [...foundReferenceNotes(found), ...texts, ...refusedNotes(found)];
      return { notes, next: similarSteps(found) };
    },
  });
  noteIgnored(context, valid);
  await addresses.warn();
  const found = await find();
  const refused = [...(found?.refused ?? []), ...(found?.canceled ?? [])].sort(
    (left, right) => left.line - right.line,
  );
  const checked = { ...valid, invalid: [...valid.invalid, ...refused] };
  if (checked.invalid.length === 0) removeFile(failed);
  if (refused.length > 0) await writeFailedRows(source, checked.invalid);
  for (const text of createdAgainTexts(found, context.output.json)) context.warn(text);
  const next = started === null ? null : resumeStep(source, started.state);
  const answer = validationResult(source, checked, { references: found, next });
  if (checked.invalid.length === 0) return answer;
  throw someInvalid(source, checked, {
    answer,
    refused,
    next,
    look: next === null ? similarSteps(found) : [],
  });
}

/** Exit 10: some rows cannot be sent. `refused` are those whose references are in use. */
function someInvalid(
  source: Source,
  { rows, invalid }: CheckedFile,
  {
    answer,
    refused,
    next,
    look,
  }: { answer: Result; refused: CheckedFile['invalid']; next: NextStep | null; look: NextStep[] },
): Failure {
  const message = `${rowsText(invalid.length)} of ${formatNumber(rows)} cannot be sent.`;
  const faults = createFaultKinds();
  for (const { line, error } of refused) faults.add(line, '', error);
  return new Failure(10, 'rows_failed', message, {
    answer,
    hint: `All of them are in ${source.files.failed}.`,
    faults: faults.list(),
    next:
      invalid.length === rows ? [] : [...look, next ?? { ...importLine(source), when: 'send the others' }],
  });
}

/** Writes the file of failed rows once more, with those whose references are in use. */
async function writeFailedRows(source: Source, invalid: CheckedFile['invalid']): Promise<void> {
  const errors = new Map(invalid.map(({ number, error }) => [number, error]));
  const table = await openTable(source, createTally());
  const failedRows = createFailedRows(source.files.failed, table.columns);
  for await (const row of table.rows) {
    const error = errors.get(row.number);
    if (error !== undefined) await failedRows.add({ ...row, error });
  }
  await failedRows.keep();
}

function rowsText(count: number): string {
  return count === 1 ? 'One row' : `${formatNumber(count)} rows`;
}

/**
 * The tables of ZIP codes and cities by which a waybill service checks addresses. Null for another service, recognized by
 * its missing account information: it has rules of its own.
 */
export async function gazetteerOf(context: Context): Promise<Gazetteer | null> {
  if (!context.has('account')) return null;
  return loadGazetteer();
}

/** A validation looks up at most this many addresses, and waits this long for them. */
const max_looked_up = 300;
const lookup_limit_ms = minute_ms;

/** Warns of addresses in which something may be wrong, or that the geocoder of the service does not find: they can be sent. */
function createPlaceWarnings(context: Context): { onRow: (row: Row) => void; warn: () => Promise<void> } {
  const isOwn = context.has('account');
  /** The first line of each address that has no coordinates. */
  const lines = new Map<string, string>();
  const doubtful = new Map<string, { where: string; why: string }>();
  let isCut = false;
  return {
    onRow: ({ fields, line }) => {
      for (const end of ['pickup', 'dropoff']) {
        const { [`${end}_address`]: address, [`${end}_latitude`]: latitude } = fields;
        const read = isOwn && typeof address === 'string' ? readLoadedAddress(address) : null;
        if (typeof address === 'string' && read !== null && 'warnings' in read && read.warnings.length > 0)
          doubtful.set(address, { where: `line ${line}, ${end}_address`, why: read.warnings.join(', and ') });
        if (typeof address !== 'string' || latitude !== undefined || lines.has(address)) continue;
        if (lines.size === max_looked_up) isCut = true;
        else lines.set(address, `line ${line}, ${end}_address`);
      }
    },
    warn: async () => {
      const shown = [...doubtful].slice(0, max_warnings);
      for (const [address, { where, why }] of shown) context.warn(`${where}: "${oneLine(address)}" ${why}.`);
      if (doubtful.size > shown.length)
        context.note(`${doubtful.size - shown.length} more addresses may be wrong.`);
      const checked = await checkPlaces(context, [...lines.keys()], lookup_limit_ms);
      if (checked === null) return;
      for (const [address, warning] of checked.warnings) {
        context.warn(`${lines.get(address)}: "${address}" ${warning}.`);
      }
      if (checked.unchecked > 0) context.note(`${checked.unchecked} addresses were not looked up in time.`);
      if (isCut) context.note(`Only the first ${max_looked_up} addresses were looked up.`);
    },
  };
}

/** An order that is not sent: where it is in the file, and why. */
type InvalidOrder = Pick<NumberedRow, 'line' | 'number'> & { error: string };

/** A file whose rows all passed the local checks, but for those that `--skip-invalid` leaves out. */
export interface CheckedFile {
  sha256: string;
  /** How many there are, the rows that are left out included. */
  rows: number;
  /** The rows that are left out, and why. */
  invalid: readonly InvalidOrder[];
  account: Account;
  /** The parts of the file that are not read. */
  remarks: readonly string[];
  columns: readonly string[];
  ignored: readonly string[];
  sums: Sums;
  repeated: readonly Repeated[];
  /** The orders that the file has besides, by the reason why they are not imported. */
  left_out: LeftOutOrders;
  /** The stores that it names, each with the first line that names it. */
  stores: ReadonlyMap<string, number>;
}

/** The totals of a file in cents: they reveal amounts in dollars that were read as cents. */
interface Sums {
  tip: number;
  order_value: number;
}

const max_warnings = 20;

/** More stores than any account has; further ones are only checked by the service. */
const max_stores = 1_000;

/** What a check has found so far. */
interface Findings extends RepeatedOrders {
  rows: number;
  bad: number;
  /** With `--skip-invalid`: the rows with faults. */
  invalid: InvalidOrder[];
  /** The required fields that rows have no value for, with the number of rows. */
  empty: Map<string, number>;
  faults: FaultKinds;
  account: Account;
  stores: Map<string, number>;
  sums: Sums;
}

function newFindings(): Findings {
  return {
    rows: 0,
    bad: 0,
    invalid: [],
    empty: new Map(),
    faults: createFaultKinds(),
    account: createAccount(),
    stores: new Map(),
    sums: { tip: 0, order_value: 0 },
    firstLines: new Map(),
    references: new Map(),
    repeated: [],
  };
}

interface RowChecks {
  check: OrderCheck;
  /** Two orders with one reference are a fault. */
  hasUniqueRefs: boolean;
  /** Rows with faults are left out, if others have none. */
  skipInvalid: boolean;
  onRow?: (row: NumberedRow, isSent: boolean) => void;
  /** The file of the rows with faults, by default that beside the source; null: none is written. */
  failed?: string | null;
  /** Called once if a row is invalid; returns further sentences for the report, and what to look at first. */
  onBad?: () => Promise<{ notes: readonly string[]; next: readonly NextStep[] }>;
}

/**
 * Checks every row before any is sent. Throws UsageError with each kind of fault and its lines; the file of failed rows
 * contains all of them.
 */
export async function checkFile(
  context: Context,
  source: Source,
  { onBad = async () => ({ notes: [], next: [] }), failed = source.files.failed, ...rules }: RowChecks,
): Promise<CheckedFile> {
  const tally = createTally();
  const table = await openTable(source, tally);
  const found = newFindings();
  const failedRows = createFailedRows(failed, table.columns);
  const total = Math.max(1, sizeOf(source));
  const text = (done: number) => `Checking ${source.name}: ${Math.floor((done * 100) / total)}%`;
  const meter = await createProgressMeter(context, { total, before: 0, text });
  let seen = 0;
  try {
    for await (const row of table.rows) {
      if (context.signal.aborted) throw new Interrupted();
      const error = checkRow(context, row, { table, found, rules });
      if (error !== null) await failedRows.add({ ...row, error });
      if (tally.bytes > seen) meter.step(tally.bytes - seen);
      seen = tally.bytes;
    }
  } finally {
    meter.stop();
  }
  const { rows, bad, invalid, account, stores, sums, repeated } = found;
  if (bad > 0) await failedRows.keep();
  if (bad > 0 && (!rules.skipInvalid || bad === rows))
    throw badRows(found, source, {
      where: failed === null ? null : whereAllAre(found.faults.unlisted(), failed, failedRows.fault()),
      ...(await onBad()),
    });
  if (rows === 0) throw noOrders(source, table);
  const counted = { rows, invalid, account, stores, sums, repeated };
  const { columns, ignored, left_out, remarks } = table;
  return { ...counted, sha256: tally.sha256(), columns, ignored, left_out, remarks: remarks.texts() };
}

/** Checks a row and notes what it has. Returns its faults in words; null without any. */
function checkRow(
  context: Context,
  row: NumberedRow,
  { table, found, rules }: { table: Table; found: Findings; rules: Omit<RowChecks, 'onBad' | 'failed'> },
): string | null {
  const { check, hasUniqueRefs, skipInvalid, onRow } = rules;
  const broken = [...row.faults, ...noteReference(row, found, hasUniqueRefs)];
  const faults = faultsOfRow({ ...row, faults: broken }, table, { check, empty: found.empty });
  noteContents(row, found);
  onRow?.(row, faults.length === 0);
  if (faults.length > 0) {
    const error = noteFaults(row, faults, found);
    if (skipInvalid) found.invalid.push({ line: row.line, number: row.number, error });
    return error;
  }
  found.account.add(row);
  // Another service reads addresses by rules of its own.
  if (context.has('account')) noteAddresses(row, found.account);
  noteRepeated(row, found);
  return null;
}

function noOrders({ name }: Source, { left_out }: Table): UsageError {
  const left = leftOutText(left_out);
  return new UsageError(`There is no order to import in ${name}.${left === null ? '' : ` ${left}`}`);
}

/** Notes addresses that are read in another way than they are written. */
function noteAddresses(row: NumberedRow, account: Account): void {
  for (const end of ['pickup', 'dropoff']) {
    const field = `${end}_address`;
    const { [field]: text } = row.fields;
    const read = typeof text === 'string' ? readLoadedAddress(text) : null;
    if (typeof text !== 'string' || read === null || 'fault' in read) continue;
    if (read.warnings.length > 0) account.guessed(row, field, text, read.address);
    else if (read.changes.length > 0) account.changed(row, field, text, read.address);
  }
}

/** The size of the file in bytes; 0 if it does not exist. */
function sizeOf({ path }: Source): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

/** Counts the row and its amounts, and notes its store. */
function noteContents({ fields, line }: Row, found: Findings): void {
  const { pickup_store_id: store, tip, order_value } = fields;
  found.rows += 1;
  found.sums.tip += typeof tip === 'number' ? tip : 0;
  found.sums.order_value += typeof order_value === 'number' ? order_value : 0;
  if (typeof store === 'string' && found.stores.size < max_stores && !found.stores.has(store))
    found.stores.set(store, line);
}

/** Notes the faults with their lines. Returns those of this row in words. */
function noteFaults(row: Row, faults: readonly RowFault[], found: Findings): string {
  found.bad += 1;
  for (const { path, message, line = row.line } of faults) found.faults.add(line, path, message);
  return faults.map(({ path, message }) => `${path}: ${message}`).join('; ');
}

/** Lists the values that could not be read, and the broken rules of the rest. */
function faultsOfRow(
  row: Row,
  table: Table,
  { check, empty }: { check: OrderCheck; empty: Findings['empty'] },
): RowFault[] {
  const unread = new Set(row.faults.map(({ path }) => path));
  // If the row could not be read at all, every field would be missing.
  const isWhole = !unread.has('row') && !unread.has('order');
  const broken = isWhole ? check(row.fields) : [];
  const faults: RowFault[] = [...row.faults, ...broken.filter(({ path }) => !unread.has(path))];
  for (const field of Object.keys(defaultExamples))
    if (row.fields[field] === undefined && broken.some(({ path }) => path === field))
      empty.set(field, (empty.get(field) ?? 0) + 1);
  return faults.map((fault) => ({ ...fault, path: table.label(fault.path) }));
}

/** `where`: which file has all of the rows; null if it was not written. */
function badRows(
  found: Findings,
  source: Source,
  { where, notes, next }: { where: string | null; notes: readonly string[]; next: readonly NextStep[] },
): UsageError {
  const { rows, bad, faults, empty, repeated } = found;
  const twice = repeatedText(repeated, 'order');
  const line = importLine(source, { validateOnly: true });
  const others = importLine(source, { skipInvalid: true });
  return new UsageError(
    `${rowsText(bad)} of ${formatNumber(rows)} in ${source.name} cannot be sent; nothing was.`,
    {
      code: 'bad_rows',
      faults: faults.list(),
      hint: [where, twice, ...emptyTexts(empty), ...notes].filter((text) => text !== null).join(' '),
      next: [
        { ...line, when: 'once the rows are corrected: look again' },
        ...(bad < rows ? [...next, { ...others, when: 'send the other rows only' }] : []),
      ],
    },
  );
}

/** `36 rows have no dropoff_phone_number: --set dropoff_phone_number=+13125550100 gives them one.` */
function emptyTexts(empty: Findings['empty']): string[] {
  return [...empty].map(([field, count]) => {
    const what = count === 1 ? 'One row has' : `${formatNumber(count)} rows have`;
    const set = `--set ${field}=${defaultExamples[field]}`;
    return `${what} no ${field}: ${set} gives ${count === 1 ? 'it' : 'each'} one.`;
  });
}

/** `And 12 more: all of them are in orders.csv.failed.csv.` */
function whereAllAre(unlisted: number, file: string, fileFault: unknown): string {
  const left = unlisted > 0 ? `And ${formatNumber(unlisted)} more` : '';
  if (fileFault === null) return `${left === '' ? 'All' : `${left}: all`} of them are in ${file}.`;
  const why = `${file} cannot be written: ${writeReason(causeOf(fileFault))}.`;
  return left === '' ? why : `${left}; ${why}`;
}

function causeOf(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? error.cause : error;
}

/** Says which orders and columns of a file are not imported, and which orders seem to be there twice. */
export function noteIgnored(context: Context, { ignored, left_out, repeated, remarks }: CheckedFile): void {
  const twice = [repeatedText(repeated, 'order'), repeatedText(repeated, 'reference')];
  if (context.output.json) {
    for (const text of [...twice, ...remarks]) if (text !== null) context.warn(text);
    return;
  }
  for (const text of [leftOutText(left_out), ...twice, ...remarks]) if (text !== null) context.note(text);
  if (ignored.length === 0) return;
  context.note(`Ignored: ${ignored.join(', ')} (no order has ${ignored.length === 1 ? 'it' : 'them'}).`);
}

/** The result of --validate-only; `next` resumes the import of the file, or is null if it was not started. */
function validationResult(
  source: Source,
  { rows, invalid, sums, left_out, repeated, account }: CheckedFile,
  { references, next }: { references: FoundReferences | null; next: NextStep | null },
): Result {
  const reasons = [...left_out].map(([reason, { count, example }]) => ({ reason, orders: count, example }));
  const found = {
    ...({ object: 'import_check', file: source.name, rows } as const),
    there_already: references?.count ?? null,
    there: (references?.listed ?? []).map(({ line, ref, order_id }) => ({
      line,
      external_order_ref: ref,
      order_id,
    })),
    ...createdAgainRecord(references),
    ...sums,
    left_out: reasons,
    repeated: repeatedLines(repeated),
    invalid: invalid.length,
    read: account.record(),
  };
  const columns: readonly Column<typeof found>[] = [
    { field: 'file', header: 'File', kind: 'text' },
    { field: 'rows', header: 'Rows', kind: 'count' },
    repeatedColumn,
    { field: 'tip', header: 'Tips in all', kind: 'money' },
    { field: 'order_value', header: 'Value in all', kind: 'money' },
  ];
  const isStarted = existsSync(source.files.journal);
  const isWhole = invalid.length === 0;
  const look = similarSteps(references);
  const others = invalid.length < rows ? 'The other rows can be sent.' : 'No row can be sent.';
  const every =
    look.length === 0
      ? 'Every row can be sent.'
      : 'Every row can be sent, but some are like orders of the last two hours.';
  const all = isWhole ? every : others;
  const checked = `${all} The service still looks at saved places and times.`;
  const nextIfWhole = isStarted || !isWhole ? [] : nextLines(source, look);
  return recordResult(found, columns, {
    notes: [
      ...foundReferenceNotes(references),
      ...accountNotes(account),
      ...(next === null
        ? [checked, ...nextIfWhole]
        : [phrase`Its import was started: no order is made twice. Next: ${next}`]),
    ],
  });
}

/** A look at similar orders; or the import as it was checked, and with auto dispatch, if that was not typed. */
function nextLines(source: Source, [look]: readonly NextStep[]): Text[] {
  if (look !== undefined)
    return [phrase`Next: ${look}`, phrase`Only if none is there already: ${importLine(source)}`];
  const next = phrase`Next: ${importLine(source)}`;
  if (source.typed.auto === true) return [next];
  const auto = importLine(source, { auto: true, maxCost: 'DOLLARS' });
  return [next, phrase`To dispatch them, too: ${auto}`];
}

export function accountNotes(account: Account): string[] {
  const text = account.text();
  return text === null ? [] : [text];
}

const max_named_references = 10;

function foundReferenceNotes(references: FoundReferences | null): string[] {
  if (references === null) return [];
  const { count, first, listed, isCut } = references;
  const names = listed
    .slice(0, max_named_references)
    .map(({ ref, line }) => `${oneLine(ref)} (line ${line})`);
  const found =
    first === null
      ? []
      : [
          `${thereAlreadyText(count, first)} ${count === 1 ? 'It is' : 'They are'} not created again.`,
          ...(count > 1 ? [`There already: ${names.join(', ')}${count > names.length ? ', ...' : '.'}`] : []),
        ];
  return isCut ? [...found, 'Older orders with these references were not looked for.'] : found;
}

function refusedNotes(references: FoundReferences | null): string[] {
  const refused = references?.refused ?? [];
  return refused.slice(0, max_named_references).map(({ line, error }) => `Line ${line}: ${error}.`);
}

/** `Left out: 12 orders (canceled, such as 1002), 1 order (status "On hold": 1003). ...`; null without any. */
function leftOutText(left_out: LeftOutOrders): string | null {
  if (left_out.size === 0) return null;
  const parts = [...left_out].map(([reason, { count, example }]) => {
    const shown = oneLine(count === 1 ? `${reason}: ${example}` : `${reason}, such as ${example}`);
    return `${countText(count, 'order')} (${shown})`;
  });
  const hasStatus = [...left_out.keys()].some((reason) => reason.startsWith('status '));
  return `Left out: ${parts.join(', ')}.${hasStatus ? ' --status NAME imports those of a status.' : ''}`;
}
