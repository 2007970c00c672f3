/** The chunks of a file: up to 300 orders each, read in order, sent in one request, and settled in the journal. */
import { createHash } from 'node:crypto';
import type { Client } from '../../../../client/client.ts';
import { ApiError } from '../../../../client/errors.ts';
import { isPastKey } from '../../../../client/retries.ts';
import type { OrderRequest } from '../../../../contract/orders.ts';
import { max_request_orders } from '../../../../contract/vocabulary.ts';
import { Failure, UsageError } from '../../../kit/errors/failure.ts';
import { settingsToSend } from '../auto-dispatch.ts';
import { isOrder } from './check-order.ts';
import { type ChunkState, type FailedRow, type Header, type Journal, openChunk } from './journal.ts';
import { openTable, type Table } from './reading/open-table.ts';
import { type RefusedRows, rowsInUse } from './references-in-use.ts';
import type { Source, Tally } from './source.ts';

/** Rows that are sent in one request. */
interface Chunk {
  /** Its place among the chunks of the file, from 0. */
  number: number;
  rows: readonly ImportRow[];
  /** Rows between the others that are not sent, as the check refused them. */
  invalid: readonly InvalidRow[];
  /** The fingerprint covers the orders as they are sent. */
  sha256: string;
}

/** An order to create, and its row. */
export interface ImportRow {
  line: number;
  order: OrderRequest;
  cells: readonly string[];
  /** The cells of further rows of the order. */
  more?: readonly (readonly string[])[];
}

type InvalidRow = Omit<ImportRow, 'order'> & { error: string };

/** The limits of a chunk. The journal stores them, as the same file must be split into the same chunks. */
type ChunkLimits = Header['limits'];

/** Repeating a body of more than 4 MiB takes long. */
export const chunkLimits: ChunkLimits = { rows: max_request_orders, bytes: 4 * 1024 * 1024 };

/** The size of a request without its orders. */
const envelope_bytes = 16 * 1024;

/** Rows with their indexes in the chunk. */
type IndexedRows = readonly (readonly [number, ImportRow])[];

/** The IDs of created orders by their index in the chunk. */
type OrderIds = ReadonlyMap<number, string>;

/** The dependencies of sending, besides the chunks. */
export interface Sending {
  client: Pick<Client, 'orders' | 'batches'>;
  journal: Journal;
  /** The limit of concurrent requests. */
  concurrency: number;
  /** Wall time, milliseconds since the epoch. */
  now(): number;
  /** Yields to the event loop, which a service in this process may otherwise block. */
  yieldToEventLoop(): Promise<void>;
  /** Aborted to stop sending. */
  signal: AbortSignal;
  /** Called for every row that was created, accepted or failed, or whose ID is known. */
  settled(rows: number): void;
}

interface Tools extends Sending {
  /** Sends a request; null if sending was stopped or has failed. */
  request<T>(send: () => Promise<T>): Promise<T | null>;
}

/** Reads a checked file as chunks and adds up its contents in `tally`. */
export async function* chunksIn(
  source: Source,
  { limits, invalid = [] }: Header,
  tally: Tally,
): AsyncGenerator<Chunk> {
  const table = await openTable(source, tally);
  const errors = new Map(invalid.map(({ line, number, error }) => [number ?? `line ${line}`, error]));
  yield* chunksOf(ordersIn(table, errors), limits);
}

/** Reads the rows of a checked file as orders, but for those that the check refused. */
async function* ordersIn(
  table: Table,
  invalid: ReadonlyMap<number | string, string>,
): AsyncGenerator<ImportRow | InvalidRow> {
  for await (const { fields, line, number, cells, more, faults } of table.rows) {
    const error = invalid.get(number) ?? invalid.get(`line ${line}`);
    if (error !== undefined) {
      yield { line, error, cells, ...(more === undefined ? {} : { more }) };
      continue;
    }
    if (faults.length > 0 || !isOrder(fields)) throw changedFile(`line ${line} is another`);
    yield { line, order: fields, cells, ...(more === undefined ? {} : { more }) };
  }
}

/** The file has changed since it was checked. */
export function changedFile(what: string): UsageError {
  return new UsageError(`The file was changed while it was imported: ${what}.`, {
    hint: 'The orders sent so far are from the earlier version. Restore that file and resume.',
  });
}

/** Groups rows in order; keeps at most one chunk in memory. */
export async function* chunksOf(
  rows: AsyncIterable<ImportRow | InvalidRow>,
  limits: ChunkLimits,
): AsyncGenerator<Chunk> {
  let number = 0;
  let held: ImportRow[] = [];
  let invalid: InvalidRow[] = [];
  let bytes = envelope_bytes;
  let hash = createHash('sha256');
  for await (const row of rows) {
    const text = 'order' in row ? `${JSON.stringify(row.order)},` : '';
    const size = Buffer.byteLength(text);
    const isFull = held.length + invalid.length === limits.rows;
    if (isFull || (held.length > 0 && bytes + size > limits.bytes)) {
      yield { number, rows: held, invalid, sha256: hash.digest('hex') };
      number += 1;
      held = [];
      invalid = [];
      bytes = envelope_bytes;
      hash = createHash('sha256');
    }
    if ('order' in row) held.push(row);
    else invalid.push(row);
    bytes += size;
    hash.update(text);
  }
  if (held.length + invalid.length > 0) yield { number, rows: held, invalid, sha256: hash.digest('hex') };
}

/**
 * Sends the unsettled chunks concurrently, each in one request, and journals every step. With auto dispatch an accepted
 * chunk stays open until `collectIds` settles it. Stops and rejects like `eachChunk`.
 */
export async function sendChunks(chunks: AsyncIterable<Chunk>, sending: Sending): Promise<void> {
  await eachChunk(chunks, sending, settleChunk);
}

/** Settles a chunk; if it stops before, the journal contains its progress. */
async function settleChunk(chunk: Chunk, tools: Tools): Promise<void> {
  const { journal, settled } = tools;
  const state = openChunk(journal.state, chunk.number);
  checkReadAlike(chunk, state);
  const order_ids = await sendChunk(chunk, state, tools);
  if (order_ids === null) return;
  journalOutcomes(chunk, state, order_ids, journal);
  settled(order_ids.size + chunk.invalid.length);
}

/** The chunk must be the same as in the earlier run: an order that is read differently would be created again. */
function checkReadAlike(chunk: Chunk, { sha256 }: ChunkState): void {
  if (sha256 === null || sha256 === chunk.sha256) return;
  throw new Error(
    `the orders from line ${chunk.rows[0]?.line} on are read differently than when they were sent`,
  );
}

/** Journals the outcome of every row of a chunk, unless some outcomes are unknown. */
function journalOutcomes(chunk: Chunk, state: ChunkState, order_ids: OrderIds, journal: Journal): void {
  const ordersOf = (ids: OrderIds) =>
    chunk.rows.flatMap(({ line, order }, row) => {
      const order_id = ids.get(row);
      return order_id === undefined ? [] : [{ line, ref: order.external_order_ref ?? '', order_id }];
    });
  const [made, there] = [ordersOf(order_ids), ordersOf(state.there)];
  const failed = chunk.rows.flatMap(({ line, cells, more }, row) => {
    const error = state.failed.get(row);
    return error === undefined ? [] : [failedRow({ line, error, cells }, more)];
  });
  if (made.length + failed.length + there.length !== chunk.rows.length) return;
  const invalid = chunk.invalid.map(({ more, ...row }) => failedRow(row, more));
  const all = [...failed, ...invalid].sort((left, right) => left.line - right.line);
  journal.append({ type: 'done', chunk: chunk.number, batch_id: state.batch_id, made, there, failed: all });
}

function failedRow({ line, error, cells }: Omit<InvalidRow, 'more'>, more: InvalidRow['more']) {
  const others = more === undefined ? {} : { more: more.map((each) => [...each]) };
  return { line, error, cells: [...cells], ...others };
}

/** The rows of a chunk without an outcome. */
export function remainingRows({ rows }: Chunk, { failed, there }: ChunkState): IndexedRows {
  return [...rows.entries()].filter(([row]) => !failed.has(row) && !there.has(row));
}

/**
 * Journals the rows and their key before they are sent. False if they were sent too long ago to be repeated: it is
 * unknown whether those orders were created, and they are reported as failed.
 */
async function journalIntent(
  chunk: Chunk,
  state: ChunkState,
  remaining: IndexedRows,
  tools: Tools,
): Promise<boolean> {
  const { journal, now } = tools;
  const { number, rows, sha256 } = chunk;
  if (state.sent_at !== null && isPastKey(state.sent_at, now())) {
    const error = unknownOutcomeText(state.sent_at);
    const failed = remaining.map(([row]) => ({ row, error }));
    journalRefusals(chunk, failed, tools);
    return false;
  }
  if (state.sent_at !== null) return true;
  const lines = [rows[0]?.line ?? 0, rows.at(-1)?.line ?? 0];
  const key = chunkKey(journal.state.header, number, state.attempt);
  journal.append({ type: 'sending', chunk: number, attempt: state.attempt, lines, key, sha256, at: now() });
  await journal.sync();
  return true;
}

function unknownOutcomeText(sent_at: number): string {
  const at = new Date(sent_at).toISOString();
  return `whether it was made is not known: it was sent at ${at} and no answer was kept; look before you send it again`;
}

function journalRefusals({ number }: Chunk, failed: FailedRow[], { journal, settled }: Tools): void {
  journal.append({ type: 'refused', chunk: number, failed });
  settled(failed.length);
}

/** The orders were refused, or auto dispatch has accepted them, and `collectIds` requests their IDs later. */
const noIds: OrderIds = new Map();

/**
 * Sends the rest of the chunk in one request; if some orders are refused, repeats it without them. Null if the IDs have
 * to be requested later.
 */
async function sendChunk(chunk: Chunk, state: ChunkState, tools: Tools): Promise<OrderIds | null> {
  while (state.batch_id === null) {
    const remaining = remainingRows(chunk, state);
    if (remaining.length === 0) return noIds;
    const made = await tools.request(() => sendRemaining(chunk, state, remaining, tools));
    if (made === null || made.size > 0) return made;
  }
  return null;
}

async function sendRemaining(
  chunk: Chunk,
  state: ChunkState,
  remaining: IndexedRows,
  tools: Tools,
): Promise<OrderIds> {
  if (!(await journalIntent(chunk, state, remaining, tools))) return noIds;
  try {
    return await createOrders(chunk, state, remaining, tools);
  } catch (error) {
    const rows = remaining.map(([, row]) => row);
    const refused = (await rowsInUse(error, rows, tools.client)) ?? refusedRows(error, remaining.length);
    if (refused === null) throw error;
    const failed = [...refused].map(([index, reason]) => ({
      row: remaining[index]?.[0] ?? index,
      ...reason,
    }));
    journalRefusals(chunk, failed, tools);
    return noIds;
  }
}

async function createOrders(
  { number, rows }: Chunk,
  { attempt }: ChunkState,
  remaining: IndexedRows,
  { client, journal, settled }: Tools,
): Promise<OrderIds> {
  const { header } = journal.state;
  const { settings } = header;
  const request = { headers: headersOf(header), idempotencyKey: chunkKey(header, number, attempt) };
  const body = bodyOf(
    header,
    remaining.map(([, row]) => row),
  );
  if (settings === null) {
    const { data } = await client.orders.createMany({ body, ...request });
    return idsByRow(remaining, data.order_ids);
  }
  // The rows that were refused count too, so that a repeat is the same request.
  const sent = settingsToSend(
    settings,
    rows.map(({ order }) => order),
  );
  const { data } = await client.orders.create({ body: { ...body, settings: sent }, ...request });
  if (data.object !== 'batch')
    throw new Failure(7, 'unexpected_answer', `The service accepted the orders, but as order ${data.id}.`);
  journal.append({ type: 'accepted', chunk: number, batch_id: data.batch_id, rows: remaining.length });
  settled(remaining.length);
  return noIds;
}

/** The service lists the orders of a request in its sequence. */
function idsByRow(remaining: IndexedRows, order_ids: readonly string[]): OrderIds {
  if (order_ids.length !== remaining.length)
    throw new Error(`${remaining.length} orders were sent, and the service has created ${order_ids.length}`);
  return new Map(remaining.map(([row], index) => [row, order_ids[index] ?? '']));
}

/** The orders of a request; the service checks their references in the transaction that creates them. */
export function bodyOf({ unique_ref }: Header, rows: readonly ImportRow[]) {
  const orders = rows.map(({ order }) => order);
  return unique_ref === true ? { orders, unique_ref } : { orders };
}

/** The headers of every request: the scenario. */
export function headersOf({ simulation }: Header): Record<string, string> {
  return simulation === null ? {} : { 'x-simulation': simulation };
}

/**
 * Processes the unsettled chunks concurrently. Stops early if the signal aborts. Rejects after all work under way has
 * ended, with a refusal of the whole import only if there was no other error.
 */
async function eachChunk(
  chunks: AsyncIterable<Chunk>,
  sending: Sending,
  work: (chunk: Chunk, tools: Tools) => Promise<void>,
): Promise<void> {
  const { journal, concurrency } = sending;
  const failures: unknown[] = [];
  const isStopped = () => failures.length > 0 || sending.signal.aborted;
  const request = async <T>(send: () => Promise<T>): Promise<T | null> => {
    await sending.yieldToEventLoop();
    return isStopped() ? null : await send();
  };
  const open = new Set<Promise<void>>();
  try {
    for await (const chunk of chunks) {
      if (journal.state.settled.has(chunk.number)) continue;
      while (open.size >= concurrency) await Promise.race(open);
      if (isStopped()) break;
      const done = work(chunk, { ...sending, request }).catch((error: unknown) => void failures.push(error));
      open.add(done);
      void done.then(() => open.delete(done));
    }
  } catch (error) {
    failures.push(error);
  }
  await Promise.all(open);
  if (failures.length > 0) throw failures.find((error) => !isWholeRefusal(error)) ?? failures[0];
}

/** Gets the order IDs of every accepted batch and journals the outcome of its chunk. */
export async function collectIds(chunks: AsyncIterable<Chunk>, sending: Sending): Promise<void> {
  await eachChunk(chunks, sending, collectChunkIds);
}

async function collectChunkIds(chunk: Chunk, tools: Tools): Promise<void> {
  const { journal, settled } = tools;
  const state = openChunk(journal.state, chunk.number);
  checkReadAlike(chunk, state);
  const { batch_id } = state;
  if (batch_id === null) return;
  const ids = await tools.request(() => fetchIds(chunk, state, { ...tools, batch_id }));
  if (ids === null) return;
  journalOutcomes(chunk, state, ids, journal);
  settled(chunk.rows.length + chunk.invalid.length);
}

async function fetchIds(
  chunk: Chunk,
  state: ChunkState,
  { client, batch_id }: Tools & { batch_id: string },
): Promise<ReadonlyMap<number, string>> {
  const { data } = await client.batches.get({ params: { batch_id } });
  const order_ids = data.orders.map(({ order_id }) => order_id);
  return idsByRow(remainingRows(chunk, state), order_ids);
}

/** Error codes about an order of the request, rather than the request, the key or the service. */
const orderErrorCodes: readonly string[] = ['invalid_request', 'address_not_geocodable', 'record_not_found'];

/**
 * The orders that a refusal is about, by their index, each with the reason; all orders if it names none. Null if no
 * order is at fault, so that sending others is pointless.
 */
export function refusedRows(error: unknown, count: number): RefusedRows | null {
  const reasons = refusalReasons(error, count);
  return reasons && new Map([...reasons].map(([index, reason]) => [index, { error: reason }]));
}

function refusalReasons(error: unknown, count: number): Map<number, string> | null {
  if (!(error instanceof ApiError) || !orderErrorCodes.includes(error.code)) return null;
  const reasons = new Map<number, string>();
  for (const { path, message } of error.details) {
    const found = /^orders\[(\d+)\]\.?(.*)$/.exec(path);
    if (found === null) return null;
    const [, index = '', field = ''] = found;
    const reason = field === '' ? message : `${field}: ${message}`;
    const before = reasons.get(Number(index));
    reasons.set(Number(index), before === undefined ? reason : `${before}; ${reason}`);
  }
  if (reasons.size > 0) return [...reasons.keys()].every((index) => index < count) ? reasons : null;
  if (error.code === 'invalid_request') return count === 1 ? new Map([[0, error.message]]) : null;
  return new Map(Array.from({ length: count }, (_, index) => [index, error.message]));
}

/** True if the settings or the scenario are refused, which applies to every order. */
export function isWholeRefusal(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  if (error.code.startsWith('simulation_')) return true;
  return (
    error.code === 'invalid_request' &&
    error.details.some(({ path }) => /^settings\b/.test(path) || path === uniqueRefPath)
  );
}

/** A service of an earlier version does not know this field. */
export const uniqueRefPath = 'unique_ref';

/**
 * Returns the idempotency key of a chunk: the same import of the same file always has the same one; the rest of a chunk
 * after a refusal has another.
 */
export function chunkKey({ id, file }: Header, number: number, attempt: number): string {
  const text = [id, file.sha256, number, attempt].join('\n');
  return `import-${createHash('sha256').update(text).digest('hex').slice(0, 40)}`;
}
