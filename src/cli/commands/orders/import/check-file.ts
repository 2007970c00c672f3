import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { Compile } from 'typebox/schema';
import type { Fault } from '../../../../contract/errors.ts';
import { faultsOf } from '../../../../contract/faults.ts';
import { OrderRequest } from '../../../../contract/orders.ts';
import { normalizeAddress } from '../../../../domain/addresses.ts';
import { type Fields, isFields } from '../../../../domain/fields.ts';
import { distanceFault, givenCoordinates } from '../../../../domain/geography.ts';
import { createLocator, type Gazetteer } from '../../../../domain/locate-address.ts';
import { addressRule, conflictsIn, timeFault } from '../../../../domain/order-rules.ts';
import { normalizePhone, phoneFault } from '../../../../domain/phones.ts';
import { DryRun, Interrupted, UsageError } from '../../../kit/errors/failure.ts';
import { document } from '../../../kit/result/result.ts';
import { checkPlaces } from '../../../nouns/place.ts';
import type { Context } from '../../../session/command.ts';
import { type CsvFile, createCsvFile, csvTable, failedCells, failedHeader, wooTable } from './csv.ts';
import type { Header } from './journal.ts';
import { counted, countOf, meterOn } from './progress-text.ts';
import { type Chunk, chunksOf, headersOf, type ImportRow } from './send-chunks.ts';
import {
  createTally,
  type ImportFiles,
  importLine,
  jsonTable,
  ndjsonTable,
  type Row,
  type Source,
  type Table,
  type Tally,
  textsOf,
  writeReason,
} from './source.ts';

/** A file whose rows all passed the local checks. */
export interface CheckedFile {
  sha256: string;
  rows: number;
  columns: readonly string[];
  ignored: readonly string[];
  sums: Sums;
  repeated: readonly Repeated[];
  /** The orders that the file has besides, by the reason why they are not imported. */
  left_out: ReadonlyMap<string, number>;
  /** The stores that it names, each with the first line that names it. */
  stores: ReadonlyMap<string, number>;
}

/** Two lines with the same order, even if their references differ, or with the same reference. */
interface Repeated {
  what: 'order' | 'reference';
  first: number;
  again: number;
}

/** The totals of a file in cents: they reveal amounts in dollars that were read as cents. */
interface Sums {
  tip: number;
  order_value: number;
}

const shown = 20;
/** More stores than any account has; further ones are only checked by the service. */
const max_stores = 1_000;

/** The findings of a check. */
interface Findings {
  rows: number;
  bad: number;
  faultCount: number;
  /** The first faults, up to the limit. */
  faults: { path: string; message: string; flag: null }[];
  stores: Map<string, number>;
  sums: Sums;
  /** The first line of each recipient with their items, and of each reference, by a hash. */
  firstLines: Map<string, number>;
  repeated: Repeated[];
  file: CsvFile | null;
  /** The reason why the file of failed rows cannot be written; null if it can. */
  fileFault: unknown;
}

/**
 * Checks every row before any is sent. `now` is the service's time; null if it was not requested. Throws UsageError
 * with the first faults and their lines; the file of failed rows contains all of them.
 */
export async function checkFile(
  context: Context,
  source: Source,
  {
    files,
    onOrder = () => {},
    ...known
  }: { files: ImportFiles; onOrder?: (row: Row) => void } & Parameters<typeof createOrderCheck>[0],
): Promise<CheckedFile> {
  const tally = createTally();
  const table = await openTable(source, tally);
  const check = createOrderCheck(known);
  const found: Findings = {
    rows: 0,
    bad: 0,
    faultCount: 0,
    faults: [],
    stores: new Map(),
    sums: { tip: 0, order_value: 0 },
    firstLines: new Map(),
    repeated: [],
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
      await look(row, { table, check, found, failed: files.failed });
      onOrder(row);
      if (tally.bytes > seen) meter.step(tally.bytes - seen);
      seen = tally.bytes;
    }
  } finally {
    meter.stop();
  }
  if (found.bad > 0) throw await refusal(found, source, files);
  const { columns, ignored, left_out = new Map<string, number>() } = table;
  if (found.rows === 0) {
    const left = leftOutText(left_out);
    throw new UsageError(`There is no order to import in ${source.name}.${left === null ? '' : ` ${left}`}`);
  }
  const { rows, stores, sums, repeated } = found;
  return { sha256: tally.sha256(), rows, columns, ignored, stores, sums, repeated, left_out };
}

/** A validation looks up at most this many addresses, and waits this long for them. */
const max_looked_up = 300;
const lookup_limit_ms = 60_000;

/** Warns of addresses that the geocoder of the service does not find; the rows can be sent nevertheless. */
export function createPlaceWarnings(context: Context): {
  onOrder: (row: Row) => void;
  warn: () => Promise<void>;
} {
  /** The first line of each address that has no coordinates. */
  const lines = new Map<string, string>();
  return {
    onOrder: ({ fields, line }) => {
      for (const end of ['pickup', 'dropoff']) {
        const { [`${end}_address`]: address, [`${end}_latitude`]: latitude } = fields;
        if (typeof address !== 'string' || latitude !== undefined || lines.has(address)) continue;
        if (lines.size < max_looked_up) lines.set(address, `line ${line}, ${end}_address`);
      }
    },
    warn: async () => {
      const checked = await checkPlaces(context, [...lines.keys()], lookup_limit_ms);
      if (checked === null) return;
      for (const [address, warning] of checked.warnings) {
        context.warn(`${lines.get(address)}: "${address}" ${warning}.`);
      }
      if (checked.unchecked > 0) context.note(`${checked.unchecked} addresses were not looked up in time.`);
      if (lines.size === max_looked_up)
        context.note(`Only the first ${max_looked_up} addresses were looked up.`);
    },
  };
}

/** Says which orders and columns of a file are not imported, and which orders seem to be there twice. */
export function noteIgnored(context: Context, { ignored, left_out, repeated }: CheckedFile): void {
  const twice = [repeatedText(repeated, 'order'), repeatedText(repeated, 'reference')];
  if (context.output.json) {
    for (const text of twice) if (text !== null) context.warn(text);
    return;
  }
  for (const text of [leftOutText(left_out), ...twice]) if (text !== null) context.note(text);
  if (ignored.length === 0) return;
  context.note(`Ignored: ${ignored.join(', ')} (no order has ${ignored.length === 1 ? 'it' : 'them'}).`);
}

/** `Left out: 12 orders (picked up), 1 order (canceled).`; null without any. */
function leftOutText(left_out: ReadonlyMap<string, number>): string | null {
  if (left_out.size === 0) return null;
  const parts = [...left_out].map(([reason, count]) => `${countOf(count, 'order')} (${reason})`);
  return `Left out: ${parts.join(', ')}.`;
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
  const faults = faultsOfRow(row, table, check);
  const { pickup_store_id: store, tip, order_value } = row.fields;
  found.sums.tip += typeof tip === 'number' ? tip : 0;
  found.sums.order_value += typeof order_value === 'number' ? order_value : 0;
  if (typeof store === 'string' && found.stores.size < max_stores && !found.stores.has(store))
    found.stores.set(store, row.line);
  if (faults.length === 0) {
    noteRepeated(row, found);
    return;
  }
  found.bad += 1;
  found.faultCount += faults.length;
  const listed = faults.slice(0, shown - found.faults.length);
  for (const { path, message } of listed)
    found.faults.push({ path: `line ${row.line}, ${path}`, message, flag: null });
  const error = faults.map(({ path, message }) => `${path}: ${message}`).join('; ');
  await tryToWrite(found, async () => {
    found.file ??= createCsvFile(failed, failedHeader(table.columns));
    await found.file.write(failedCells(table.columns, { ...row, error }));
  });
}

/** The same items for the same person at the same address, or another order with the same reference. */
function noteRepeated({ fields, line }: Row, { firstLines, repeated }: Findings): void {
  const { dropoff_name, dropoff_phone_number, dropoff_address, items, items_description } = fields;
  const content = [dropoff_name, dropoff_phone_number, dropoff_address, items ?? items_description];
  const sameOrder = firstLineOf(JSON.stringify(content).toLowerCase(), line, firstLines);
  const { external_order_ref: ref } = fields;
  const sameRef = ref === undefined ? null : firstLineOf(JSON.stringify(ref), line, firstLines);
  if (sameOrder !== null) repeated.push({ what: 'order', first: sameOrder, again: line });
  if (sameRef !== null) repeated.push({ what: 'reference', first: sameRef, again: line });
}

/** The line that had the text before; null if this is the first. */
function firstLineOf(text: string, line: number, firstLines: Map<string, number>): number | null {
  const hash = createHash('sha1').update(text).digest('base64');
  const first = firstLines.get(hash);
  if (first === undefined) firstLines.set(hash, line);
  return first ?? null;
}

/** The number of lines that a note names. */
const max_named = 5;

/** `Lines 5 and 9 have the same reference. Is that order there twice?`; null if no line repeats another. */
function repeatedText(repeated: readonly Repeated[], what: Repeated['what']): string | null {
  const [pair, ...others] = repeated.filter((each) => each.what === what);
  if (pair === undefined) return null;
  const same = what === 'order' ? 'recipient, address and items' : 'reference';
  return `Lines ${pair.first} and ${pair.again} have the same ${same}${othersText(others)}. Is that order there twice?`;
}

/** `; lines 7, 9 and 12 more also repeat an earlier one`; empty without others. */
function othersText(others: readonly Repeated[]): string {
  if (others.length === 0) return '';
  const named = others.slice(0, max_named).map(({ again }) => again);
  const rest = others.length > max_named ? ` and ${counted(others.length - max_named)} more` : '';
  const isOne = others.length === 1;
  return `; line${isOne ? '' : 's'} ${named.join(', ')}${rest} also repeat${isOne ? 's' : ''} an earlier one`;
}

/** Faults are reported even if their file cannot be written. */
async function tryToWrite(found: Findings, write: () => Promise<void>): Promise<void> {
  if (found.fileFault !== null) return;
  try {
    await write();
  } catch (error) {
    found.fileFault = error;
  }
}

/** Lists the values that could not be read, and the broken rules of the rest. */
function faultsOfRow(row: Row, table: Table, check: OrderCheck) {
  const unread = new Set(row.faults.map(({ path }) => path));
  // If the row could not be read at all, every field would be missing.
  const isWhole = !unread.has('row') && !unread.has('order');
  const broken = isWhole ? check.faultsIn(row.fields) : [];
  const named = broken.map(({ path, message }) => ({ path: table.label(path), message }));
  return [...row.faults, ...named.filter(({ path }) => !unread.has(path))];
}

async function refusal(found: Findings, source: Source, files: ImportFiles): Promise<UsageError> {
  const { rows, bad, faults } = found;
  await tryToWrite(found, async () => found.file?.keep());
  const what = bad === 1 ? 'One row' : `${counted(bad)} rows`;
  const line = importLine(source, { validateOnly: true });
  return new UsageError(`${what} of ${counted(rows)} in ${source.name} cannot be sent; nothing was.`, {
    code: 'bad_rows',
    faults,
    hint: whereAllAre(found, files),
    next: [{ ...line, when: 'once the rows are corrected: look again' }],
  });
}

function whereAllAre({ faultCount, fileFault }: Findings, { failed }: ImportFiles): string {
  const left = faultCount > shown ? `And ${counted(faultCount - shown)} more` : '';
  if (fileFault === null) return `${left === '' ? 'All' : `${left}: all`} of them are in ${failed}.`;
  const why = `${failed} cannot be written: ${writeReason(causeOf(fileFault))}.`;
  return left === '' ? why : `${left}; ${why}`;
}

function causeOf(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? error.cause : error;
}

/** Reads the rows of a checked file as orders. */
async function* ordersIn(table: Table): AsyncGenerator<ImportRow> {
  const check = createOrderCheck({ now: null });
  for await (const { fields, line, cells, faults } of table.rows) {
    if (faults.length > 0 || !check.isOrder(fields)) throw changedFile(`line ${line} is another`);
    yield { line, order: fields, cells };
  }
}

/** The file has changed since it was checked. */
export function changedFile(what: string): UsageError {
  return new UsageError(`The file was changed while it was imported: ${what}.`, {
    hint: 'The orders sent so far are from the earlier version. Restore that file and resume.',
  });
}

/** Reads a checked file as chunks and adds up its contents in `tally`. */
export async function* chunksIn(source: Source, { limits }: Header, tally: Tally): AsyncGenerator<Chunk> {
  const table = await openTable(source, tally);
  yield* chunksOf(ordersIn(table), limits);
}

/** The local check of an order. */
interface OrderCheck {
  isOrder(fields: Fields): fields is OrderRequest;
  /**
   * Lists the faults of an order. The service may still refuse one without faults: for an unknown store, and for an
   * address if the tables are absent.
   */
  faultsIn(fields: Fields): Fault[];
}

/** The facts that the service reports. */
interface Known {
  /** The service's time in milliseconds since the epoch; null if it is unknown. */
  now: number | null;
  /** The limit that the account has set, in cents. */
  tip_limit?: number | null;
  /** The tables by which addresses are checked as the service does; absent: their form is checked alone. */
  gazetteer?: Gazetteer | null;
}

export function createOrderCheck({ now, tip_limit, gazetteer = null }: Known): OrderCheck {
  const contract = Compile(OrderRequest);
  const locate = gazetteer === null ? null : createLocator(gazetteer);
  const checks = endChecks(locate === null ? addressFormFault : addressFaultBy(locate));
  const isOrder = (fields: Fields): fields is OrderRequest => contract.Check(fields);
  return {
    isOrder,
    faultsIn: (fields) => {
      const ends = endFaults(fields, checks);
      if (isOrder(fields)) {
        const far = locate === null ? [] : distanceFaults(fields, locate);
        return [...conflictsIn(fields, tip_limit), ...ends, ...far, ...timeFaults(fields, now)];
      }
      const [, errors] = contract.Errors(fields);
      const broken = faultsOf(errors, 'order').map(inUnits);
      return [...broken, ...ends.filter(({ path }) => !broken.some((fault) => fault.path === path))];
    },
  };
}

/** Explains amounts in dollars, as other arguments take them. */
function inUnits({ path, message }: Fault): Fault {
  const isAmount = path === 'order_value' || path === 'tip';
  return { path, message: isAmount ? `${message}; it is whole cents, 1250 for $12.50` : message };
}

/** Checks a text: returns the fault, as the end of a sentence that begins with the field, or null if it is valid. */
type Reader = (text: string) => string | null;

interface EndCheck {
  end: string;
  phone: Reader;
  address: Reader;
}

function addressFormFault(line: string): string | null {
  return normalizeAddress(line) === null ? addressRule : null;
}

function addressFaultBy(locate: ReturnType<typeof createLocator>): Reader {
  return (line) => {
    const located = locate(line);
    return 'fault' in located ? located.fault : null;
  };
}

/** The faults of given coordinates that cannot belong to their address. */
function distanceFaults(order: OrderRequest, locate: ReturnType<typeof createLocator>): Fault[] {
  return (['pickup', 'dropoff'] as const).flatMap((end) => {
    const given = { latitude: order[`${end}_latitude`], longitude: order[`${end}_longitude`] };
    const [point, address] = [givenCoordinates(given), order[`${end}_address`]];
    const located = point === undefined || address === undefined ? null : locate(address);
    if (point === undefined || located === null || 'fault' in located) return [];
    const message = distanceFault(point, located);
    return message === null ? [] : [{ path: `${end}_latitude`, message }];
  });
}

function phoneNumberFault(text: string): string | null {
  return normalizePhone(text) === null ? phoneFault(text) : null;
}

/** Caches checked contacts: a file has few pickups, and parsing phone numbers takes most of the time. */
function endChecks(address: Reader): EndCheck[] {
  return [
    { end: 'pickup', phone: remembering(phoneNumberFault), address: remembering(address) },
    { end: 'dropoff', phone: phoneNumberFault, address },
  ];
}

const max_cached = 1_000;

function remembering(read: Reader): Reader {
  const known = new Map<string, string | null>();
  return (text) => {
    const found = known.get(text);
    if (found !== undefined) return found;
    if (known.size === max_cached) known.clear();
    const value = read(text);
    known.set(text, value);
    return value;
  };
}

function endFaults(fields: Fields, checks: readonly EndCheck[]): Fault[] {
  const faults: Fault[] = [];
  for (const check of checks) {
    const [phonePath, addressPath] = [`${check.end}_phone_number`, `${check.end}_address`];
    const { [phonePath]: phone, [addressPath]: address } = fields;
    const found = [
      { path: phonePath, message: typeof phone === 'string' ? check.phone(phone) : null },
      { path: addressPath, message: typeof address === 'string' ? check.address(address) : null },
    ];
    faults.push(...found.flatMap(({ path, message }) => (message === null ? [] : [{ path, message }])));
  }
  return faults;
}

function timeFaults({ pickup_at, dropoff_at }: OrderRequest, now: number | null): Fault[] {
  if (now === null) return [];
  return Object.entries({ pickup_at, dropoff_at }).flatMap(([path, text]) => {
    const message = text === undefined ? null : timeFault(Date.parse(text), now);
    return message === null ? [] : [{ path, message }];
  });
}

/** Opens a file as rows and adds up its contents in `tally`. Throws UsageError. */
export async function openTable(source: Source, tally: Tally): Promise<Table> {
  const { layout } = source;
  const table = await tableOf(source, textsOf(source, tally));
  return layout.store === null ? table : { ...table, rows: pickedUpAt(layout.store, table.rows) };
}

async function tableOf(source: Source, texts: AsyncGenerator<string>): Promise<Table> {
  const { format, name, layout } = source;
  if (format === 'csv') return csvTable(texts, source);
  const table = format === 'json' ? await jsonTable(texts, name) : ndjsonTable(texts, name);
  return layout.preset === null ? table : wooTable(table);
}

/** Adds the store to rows that have no pickup of their own. */
async function* pickedUpAt(store: string, rows: AsyncGenerator<Row>): AsyncGenerator<Row> {
  for await (const row of rows) {
    const { pickup_address, pickup_store_id } = row.fields;
    const hasOwn = pickup_address !== undefined || pickup_store_id !== undefined;
    yield hasOwn ? row : { ...row, fields: { ...row.fields, pickup_store_id: store } };
  }
}

/** Shows the first request that would be sent, and how many there would be, and ends the command; nothing is sent. */
export async function showFirst(context: Context, source: Source, header: Header): Promise<never> {
  const client = await context.client();
  const { settings, file } = header;
  const requests = await chunkCount(source, header);
  if (!context.output.json)
    context.note(`The first of ${countOf(requests, 'request')}, for ${countOf(file.rows, 'row')}:`);
  for await (const { rows } of chunksIn(source, header, createTally())) {
    const orders = rows.map(({ order }) => order);
    const headers = headersOf(header);
    const sent =
      settings === null
        ? client.orders.createMany({ body: { orders }, headers })
        : client.orders.create({ body: { orders, settings }, headers });
    await sent.catch((error: unknown) => {
      throw counting(error, { request_count: requests, row_count: file.rows });
    });
  }
  throw new Error('a dry run sent something');
}

async function chunkCount(source: Source, header: Header): Promise<number> {
  let count = 0;
  for await (const _ of chunksIn(source, header, createTally())) count += 1;
  return count;
}

/** Adds the counts to the request, for programs, which read no notes. */
function counting(error: unknown, counts: Record<string, number>): unknown {
  if (!(error instanceof DryRun) || error.answer.kind !== 'document' || !isFields(error.answer.data))
    return error;
  return new DryRun(document({ ...error.answer.data, ...counts }));
}
