import { Failure } from '../../../kit/errors/failure.ts';
import { eachChunk, type Sending, type Tools } from './chunk-pool.ts';
import type { Chunk, ImportRow } from './chunks.ts';
import { chunkKey, isPastKey } from './idempotency-keys.ts';
import type { Journal } from './journal.ts';
import type { Header } from './journal-entries.ts';
import { type ChunkState, openChunk } from './journal-state.ts';
import { refusedRows } from './refused-rows.ts';

/**
 * Sends the unsettled chunks concurrently, each in one request, and journals every step. With auto dispatch an accepted
 * chunk stays open until `collectIds` settles it. Stops and rejects like `eachChunk`.
 */
export async function sendChunks(chunks: AsyncIterable<Chunk>, sending: Sending): Promise<void> {
  await eachChunk(chunks, sending, settle);
}

/** Settles a chunk; if it stops before, the journal contains its progress. */
async function settle(chunk: Chunk, tools: Tools): Promise<void> {
  const { journal, settled } = tools;
  const state = openChunk(journal.state, chunk.number);
  checkRead(chunk, state);
  const order_ids = await sendChunk(chunk, state, tools);
  if (order_ids === null) return;
  finish(chunk, state, order_ids, journal);
  settled(order_ids.size);
}

/** The chunk must be the same as in the earlier run: an order that is read differently would be created again. */
export function checkRead(chunk: Chunk, { sha256 }: ChunkState): void {
  if (sha256 === null || sha256 === chunk.sha256) return;
  throw new Error(
    `the orders from line ${chunk.rows[0]?.line} on are read differently than when they were sent`,
  );
}

/** Journals the outcome of every row of a chunk, unless some outcomes are unknown. */
export function finish(
  chunk: Chunk,
  state: ChunkState,
  order_ids: ReadonlyMap<number, string>,
  journal: Journal,
): void {
  const made = chunk.rows.flatMap(({ line, order }, row) => {
    const order_id = order_ids.get(row);
    return order_id === undefined ? [] : [{ line, ref: order.external_order_ref ?? '', order_id }];
  });
  const failed = chunk.rows.flatMap(({ line, cells }, row) => {
    const error = state.failed.get(row);
    return error === undefined ? [] : [{ line, error, cells: [...cells] }];
  });
  if (made.length + failed.length !== chunk.rows.length) return;
  journal.append({ type: 'done', chunk: chunk.number, batch_id: state.batch_id, made, failed });
}

/** Rows of a chunk with their indexes. */
type Places = readonly (readonly [number, ImportRow])[];

/** The rows without an outcome. */
export function leftOf({ rows }: Chunk, { failed }: ChunkState): Places {
  return [...rows.entries()].filter(([row]) => !failed.has(row));
}

/**
 * Journals the rows and their key before they are sent. False if they were sent too long ago to be repeated: it is
 * unknown whether those orders were created, and they are reported as failed.
 */
async function intend(chunk: Chunk, state: ChunkState, left: Places, tools: Tools): Promise<boolean> {
  const { journal, now } = tools;
  const { number, rows, sha256 } = chunk;
  if (state.sent_at !== null && isPastKey(state.sent_at, now())) {
    const error = unknownText(state.sent_at);
    refuse(chunk, new Map(left.map(([row]) => [row, error])), tools);
    return false;
  }
  if (state.sent_at !== null) return true;
  const lines = [rows[0]?.line ?? 0, rows.at(-1)?.line ?? 0];
  const key = chunkKey(journal.state.header, number, state.attempt);
  journal.append({ type: 'sending', chunk: number, attempt: state.attempt, lines, key, sha256, at: now() });
  await journal.keep();
  return true;
}

function unknownText(sent_at: number): string {
  const at = new Date(sent_at).toISOString();
  return `whether it was made is not known: it was sent at ${at} and no answer was kept; look before you send it again`;
}

function refuse({ number }: Chunk, reasons: ReadonlyMap<number, string>, { journal, settled }: Tools): void {
  const failed = [...reasons].map(([row, error]) => ({ row, error }));
  journal.append({ type: 'refused', chunk: number, failed });
  settled(failed.length);
}

/** The IDs of created orders by their index in the chunk. */
type OrderIds = ReadonlyMap<number, string>;

/** No IDs: the orders were refused, or auto dispatch has accepted them, and `collectIds` requests their IDs later. */
const none: OrderIds = new Map();

/**
 * Sends the rest of the chunk in one request; if some orders are refused, repeats it without them. Null if the IDs have
 * to be requested later.
 */
async function sendChunk(chunk: Chunk, state: ChunkState, tools: Tools): Promise<OrderIds | null> {
  while (state.batch_id === null) {
    const left = leftOf(chunk, state);
    if (left.length === 0) return none;
    const made = await tools.request(() => sendRest(chunk, state, left, tools));
    if (made === null || made.size > 0) return made;
  }
  return null;
}

async function sendRest(chunk: Chunk, state: ChunkState, left: Places, tools: Tools): Promise<OrderIds> {
  if (!(await intend(chunk, state, left, tools))) return none;
  try {
    return await create(chunk, state, left, tools);
  } catch (error) {
    const reasons = refusedRows(error, left.length);
    if (reasons === null) throw error;
    const inChunk = [...reasons].map(([place, reason]): [number, string] => [
      left[place]?.[0] ?? place,
      reason,
    ]);
    refuse(chunk, new Map(inChunk), tools);
    return none;
  }
}

async function create(
  { number }: Chunk,
  { attempt }: ChunkState,
  left: Places,
  { client, journal, settled }: Tools,
): Promise<OrderIds> {
  const { header } = journal.state;
  const { settings } = header;
  const request = { headers: headersOf(header), idempotencyKey: chunkKey(header, number, attempt) };
  const orders = left.map(([, { order }]) => order);
  if (settings === null) {
    const { data } = await client.orders.createMany({ body: { orders }, ...request });
    return idsByRow(left, data.order_ids);
  }
  const { data } = await client.orders.create({ body: { orders, settings }, ...request });
  if (data.object !== 'batch')
    throw new Failure(7, 'unexpected_answer', `The service accepted the orders, but as order ${data.id}.`);
  journal.append({ type: 'accepted', chunk: number, batch_id: data.batch_id, rows: left.length });
  settled(left.length);
  return none;
}

/** The service lists the orders of a request in its sequence. */
export function idsByRow(left: Places, order_ids: readonly string[]): OrderIds {
  if (order_ids.length !== left.length)
    throw new Error(`${left.length} orders were sent, and the service has created ${order_ids.length}`);
  return new Map(left.map(([row], place) => [row, order_ids[place] ?? '']));
}

/** Every request carries the scenario. */
export function headersOf({ simulation }: Header): Record<string, string> {
  return simulation === null ? {} : { 'x-simulation': simulation };
}
