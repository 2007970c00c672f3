import pLimit from 'p-limit';
import type { Client } from '../../client/client.ts';
import type { OrderSettings } from '../../contract/orders.ts';
import { orderIn } from '../orders/order-sending.ts';
import type { Chunk, ImportRow } from './chunks.ts';
import type { Journal } from './journal.ts';
import { type ChunkState, openChunk } from './journal-state.ts';
import { chunkKey, isPastKey, rowKey } from './keys.ts';
import { refusedRows } from './refused-rows.ts';

/** What sending needs beside the chunks. */
export interface Sending {
  client: Pick<Client, 'orders' | 'batches'>;
  journal: Journal;
  /** Requests under way at most. */
  concurrency: number;
  /** Wall time, milliseconds since the epoch. */
  now(): number;
  /** Aborted when nothing more is to be sent. */
  signal: AbortSignal;
  /** Hears of every row that was made or failed. */
  settled(rows: number): void;
}

/**
 * Sends what is not settled of the chunks, several requests at once, and journals every step. Ends early where the
 * signal aborts; rejects with the first error that is not an order's own, once all that was under way has ended.
 */
export async function sendChunks(chunks: AsyncIterable<Chunk>, sending: Sending): Promise<void> {
  const { journal, concurrency } = sending;
  const limit = pLimit(concurrency);
  const failures: unknown[] = [];
  const isStopped = () => failures.length > 0 || sending.signal.aborted;
  const request = <T>(send: () => Promise<T>): Promise<T | null> =>
    limit(async () => {
      try {
        return isStopped() ? null : await send();
      } catch (error) {
        failures.push(error);
        return null;
      }
    });
  const open = new Set<Promise<void>>();
  try {
    for await (const chunk of chunks) {
      if (journal.state.settled.has(chunk.number)) continue;
      while (open.size >= concurrency) await Promise.race(open);
      if (isStopped()) break;
      const work = settle(chunk, { ...sending, request }).catch(
        (error: unknown) => void failures.push(error),
      );
      open.add(work);
      void work.then(() => open.delete(work));
    }
  } catch (error) {
    failures.push(error);
  }
  await Promise.all(open);
  if (failures.length > 0) throw failures[0];
}

interface Tools extends Sending {
  /** Waits for its turn; null where nothing more is to be sent, or it went wrong. */
  request<T>(send: () => Promise<T>): Promise<T | null>;
}

/** Brings a chunk to its end; where it stops before, the journal says how far it came. */
async function settle(chunk: Chunk, tools: Tools): Promise<void> {
  const { journal } = tools;
  const { header } = journal.state;
  const state = openChunk(journal.state, chunk.number);
  if (state.sha256 !== null && state.sha256 !== chunk.sha256)
    throw new Error(
      `the orders from line ${chunk.rows[0]?.line} on are read differently than when they were sent`,
    );
  const { settings } = header;
  const order_ids =
    settings === null
      ? await sendEach(chunk, state, tools)
      : await sendTogether(chunk, state, { ...tools, settings });
  if (order_ids === null) return;
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

/** Rows of a chunk with their places in it. */
type Places = readonly (readonly [number, ImportRow])[];

function leftOf({ rows }: Chunk, { made, failed }: ChunkState): Places {
  return [...rows.entries()].filter(([row]) => !made.has(row) && !failed.has(row));
}

/**
 * Journals what will be sent and under which key, before it is. False where it was sent too long ago to be sent
 * again: whether those orders were made is not known, and they are said to have failed.
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

/** The ids of the orders by their places in the chunk; null where it stopped before. */
type OrderIds = ReadonlyMap<number, string> | null;

/** Manual dispatch takes one order a request (interface, orders). */
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
      headers: headersOf(tools),
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

function headersOf({ journal }: Tools): Record<string, string> {
  const { simulation } = journal.state.header;
  return simulation === null ? {} : { 'x-simulation': simulation };
}

interface AutoTools extends Tools {
  settings: OrderSettings;
}

/** One request for what is left of the chunk; where some orders are refused, the others go again without them. */
async function sendTogether(chunk: Chunk, state: ChunkState, tools: AutoTools): Promise<OrderIds> {
  while (state.batch_id === null) {
    const left = leftOf(chunk, state);
    if (left.length === 0) return new Map();
    const answered = await tools.request(() => sendBatch(chunk, state, left, tools));
    if (answered === null) return null;
  }
  const { batch_id } = state;
  const left = leftOf(chunk, state);
  const ids = await tools.request(() => idsOf(batch_id, left, tools));
  if (ids !== null) tools.settled(left.length);
  return ids;
}

async function sendBatch(chunk: Chunk, state: ChunkState, left: Places, tools: AutoTools): Promise<true> {
  if (!(await intend(chunk, state, left, tools))) return true;
  const { client, journal, settings } = tools;
  const idempotencyKey = chunkKey(journal.state.header, chunk.number, state.attempt);
  const body = { orders: left.map(([, { order }]) => order), settings };
  try {
    const { data } = await client.orders.create({ body, headers: headersOf(tools), idempotencyKey });
    if (data.object !== 'batch')
      throw new Error(`the service made the order ${data.id} where a batch was asked for`);
    journal.append({ type: 'accepted', chunk: chunk.number, batch_id: data.batch_id });
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

/** A batch lists its orders as its request did. */
async function idsOf(batch_id: string, left: Places, { client }: Tools): Promise<Map<number, string>> {
  const { data } = await client.batches.get({ params: { batch_id } });
  if (data.orders.length !== left.length)
    throw new Error(`the batch ${batch_id} has ${data.orders.length} orders, and ${left.length} were sent`);
  return new Map(left.map(([row], place) => [row, data.orders[place]?.order_id ?? '']));
}
