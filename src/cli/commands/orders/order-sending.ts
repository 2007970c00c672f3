import type { Client } from '../../../client/client.ts';
import type { AcceptedBatch } from '../../../contract/batches.ts';
import type { Order, OrderRequest } from '../../../contract/orders.ts';
import { DryRun } from '../../kit/errors/failure.ts';
import { type Column, list, type Result, words } from '../../kit/result/result.ts';
import type { Context } from '../../session/command.ts';
import { orderColumns } from './order-columns.ts';
import { type FaultNames, partlyDone, refusalOf } from './order-refusals.ts';
import { createOrder } from './order-requests.ts';

/** The options of sending orders, and the source of the orders. */
export interface Sending extends FaultNames {
  headers: Record<string, string>;
}

type Body = Parameters<Client['orders']['create']>[0]['body'];
type BodySettings = NonNullable<Body['settings']>;

/** Sends a request body unchanged and returns the service's response, with auto dispatch a batch. */
export async function createAtOnce(
  context: Context,
  orders: OrderRequest[],
  settings: BodySettings,
  { headers, ...names }: Sending,
): Promise<Order | AcceptedBatch> {
  const client = await context.client();
  const body = Object.keys(settings).length === 0 ? { orders } : { orders, settings };
  const idempotencyKey = context.idempotencyKey();
  try {
    return (await client.orders.create({ body, headers, idempotencyKey })).data;
  } catch (error) {
    throw refusalOf(error, names, 0);
  }
}

/** Sends one request for each order, by `sendEach`. */
export async function createEach(
  context: Context,
  requests: readonly OrderRequest[],
  { headers, ...names }: Sending,
): Promise<Order[]> {
  return sendEach(context, requests, {
    noun: 'orders',
    columns: orderColumns,
    send: (request, idempotencyKey) => createOrder(context, request, idempotencyKey, headers),
    refusal: (error, index) => refusalOf(error, names, index),
  });
}

/** The records that the requests create, and how they are reported. */
export interface Batch<R, T> {
  /** `orders`: the plural of the record and the command group that lists it. */
  noun: string;
  columns: readonly Column<T>[];
  send(request: R, idempotencyKey: string): Promise<T>;
  /** The error of the request at this index, with its faults named. */
  refusal(error: unknown, index: number): unknown;
}

/**
 * Sends the requests in sequence and stops at the first refusal: exit 10 with the created records as the result, or the
 * refusal itself if there are none. A dry run returns every request.
 */
export async function sendEach<R, T extends { id: string }>(
  context: Context,
  requests: readonly R[],
  batch: Batch<R, T>,
): Promise<T[]> {
  const made: T[] = [];
  const dry: DryRun[] = [];
  const done = () => madeText(made, requests.length, batch.noun);
  for (const [index, request] of requests.entries()) {
    const idempotencyKey = context.idempotencyKey(requests.length === 1 ? undefined : String(index));
    try {
      made.push(await batch.send(request, idempotencyKey));
    } catch (error) {
      if (!(error instanceof DryRun)) throw ending(context, batch.refusal(error, index), made, batch, done());
      dry.push(error);
      continue;
    }
    if (requests.length > 1)
      context.setInterruptionText(`${done()}. See whether the next one was: waybill ${batch.noun} list`);
  }
  if (dry.length > 0) throw allOf(dry);
  return made;
}

function ending<R, T>(
  { signal }: Context,
  error: unknown,
  made: readonly T[],
  { columns }: Batch<R, T>,
  done: string,
): unknown {
  if (made.length === 0 || signal.aborted) return error;
  return partlyDone(error, `${done}. The others were not.`, {
    answer: list({ data: made, columns }),
    hint: 'Take those that were made out of the file before you send it again.',
  });
}

function madeText(made: readonly { id: string }[], count: number, noun: string): string {
  const ids = made.map(({ id }) => id).join(', ');
  return `${made.length} of ${count} ${noun} were created: ${ids}`;
}

/** Combines several requests in one result, in the order of sending. */
export function allOf(dry: readonly DryRun[]): DryRun {
  const [first] = dry;
  if (first !== undefined && dry.length === 1) return first;
  const answers = dry.map(({ answer }) => answer);
  const data = answers.flatMap((answer) => (answer.kind === 'document' ? [answer.data] : []));
  return new DryRun(data.length === answers.length ? list({ data, columns: [] }) : words(texts(answers)));
}

function texts(answers: readonly Result[]): string {
  return answers.map((answer) => (answer.kind === 'text' ? answer.text : '')).join('\n\n');
}
