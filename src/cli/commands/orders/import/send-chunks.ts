import type { OrderSettings } from '../../../../contract/orders.ts';
import { Failure } from '../../../kit/errors/failure.ts';
import { orderIn } from '../order-requests.ts';
import { eachChunk, type Sending, type Tools } from './chunk-pool.ts';
import type { Chunk, ImportRow } from './chunks.ts';
import { chunkKey, isPastKey, rowKey } from './idempotency-keys.ts';
import type { Journal } from './journal.ts';
import type { Header } from './journal-entries.ts';
import { type ChunkState, openChunk } from './journal-state.ts';
import { refusedRows } from './refused-rows.ts';

/**
 * Sends the unsettled rows of the chunks concurrently and journals every step. With auto dispatch an accepted chunk
 * stays open until `collectIds` settles it. Ends like `eachChunk`.
 */
export async function sendChunks(chunks: AsyncIterable<Chunk>, sending: Sending): Promise<void> {
  await eachChunk(chunks, sending, settle);
}

/** Settles a chunk; if it stops before, the journal contains its progress. */
async function settle(chunk: Chunk, tools: Tools): Promise<void> {
  const { journal } = tools;
  const state = openChunk(journal.state, chunk.number);
  checkRead(chunk, state);
  const { settings } = journal.state.header;
  const order_ids =
    settings === null
      ? await sendEach(chunk, state, tools)
      : await sendTogether(chunk, state, { ...tools, settings });
  if (order_ids !== null) finish(chunk, state, order_ids, journal);
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
export function leftOf({ rows }: Chunk, { made, failed }: ChunkState): Places {
  return [...rows.entries()].filter(([row]) => !made.has(row) && !failed.has(row));
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

/** The order IDs by their index in the chunk; null if some are unknown. */
type OrderIds = ReadonlyMap<number, string> | null;

/** Manual dispatch takes one order in each request. */
async function sendEach(chunk: Chunk, state: ChunkState, tools: Tools): Promise<OrderIds> {
  const left = leftOf(chunk, state);
  if (left.length > 0 && (await tools.request(() => intend(chunk, state, left, tools))) === true)
    await Promise.all(left.map(([row, each]) => tools.request(() => sendOne(chunk, row, each, tools))));
  return leftOf(chunk, state).length === 0 ? state.made : null;
}

async function sendOne(chunk: Chunk, row: number, { order }: ImportRow, tools: Tools): Promise<void> {
  const { client, journal, settled } = tools;
  const { header } = journal.state;
  const idempotencyKey = rowKey(header, chunk.number, row);
  try {
    const { data } = await client.orders.create({
      body: { orders: [order] },
      headers: headersOf(journal.state.header),
      idempotencyKey,
    });
    journal.append({ type: 'made', chunk: chunk.number, row, order_id: orderIn(data).id });
    settled(1);
  } catch (error) {
    const reason = refusedRows(error, 1)?.get(0);
    if (reason === undefined) throw error;
    refuse(chunk, new Map([[row, reason]]), tools);
  }
}

/** Every request carries the scenario. */
export function headersOf({ simulation }: Header): Record<string, string> {
  return simulation === null ? {} : { 'x-simulation': simulation };
}

interface AutoTools extends Tools {
  settings: OrderSettings;
}

/**
 * Sends the rest of the chunk in one request; if some orders are refused, repeats it without them. Null if the IDs have
 * to be requested later.
 */
async function sendTogether(chunk: Chunk, state: ChunkState, tools: AutoTools): Promise<OrderIds> {
  while (state.batch_id === null) {
    const left = leftOf(chunk, state);
    if (left.length === 0) return new Map();
    const answered = await tools.request(() => sendBatch(chunk, state, left, tools));
    if (answered === null) return null;
  }
  return null;
}

async function sendBatch(chunk: Chunk, state: ChunkState, left: Places, tools: AutoTools): Promise<true> {
  if (!(await intend(chunk, state, left, tools))) return true;
  const { client, journal, settings, settled } = tools;
  const idempotencyKey = chunkKey(journal.state.header, chunk.number, state.attempt);
  const body = { orders: left.map(([, { order }]) => order), settings };
  try {
    const { data } = await client.orders.create({
      body,
      headers: headersOf(journal.state.header),
      idempotencyKey,
    });
    if (data.object !== 'batch')
      throw new Failure(7, 'unexpected_answer', `The service accepted the orders, but as order ${data.id}.`);
    journal.append({ type: 'accepted', chunk: chunk.number, batch_id: data.batch_id, rows: left.length });
    settled(left.length);
  } catch (error) {
    const reasons = refusedRows(error, left.length);
    if (reasons === null) throw error;
    const inChunk = [...reasons].map(([place, reason]): [number, string] => [
      left[place]?.[0] ?? place,
      reason,
    ]);
    refuse(chunk, new Map(inChunk), tools);
  }
  return true;
}
