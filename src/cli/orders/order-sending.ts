import type { Client } from '../../client/client.ts';
import type { Order, OrderRequest } from '../../contract/orders.ts';
import { orderColumns } from '../columns/orders.ts';
import type { Context } from '../context.ts';
import { DryRun } from '../failures/failure.ts';
import { list, type Result, words } from '../result.ts';
import { type FaultNames, partlyDone, refusalOf } from './order-refusals.ts';

/** How orders are sent, and where they came from. */
export interface Sending extends FaultNames {
  headers: Record<string, string>;
}

type Body = Parameters<Client['orders']['create']>[0]['body'];
type BodySettings = NonNullable<Body['settings']>;

/** A request body goes as it is: what the service makes of it is the answer. */
export async function createAtOnce(
  context: Context,
  orders: OrderRequest[],
  settings: BodySettings,
  { headers, ...names }: Sending,
): Promise<Order> {
  const client = await context.client();
  const body = Object.keys(settings).length === 0 ? { orders } : { orders, settings };
  const idempotencyKey = context.idempotencyKey();
  try {
    return (await client.orders.create({ body, headers, idempotencyKey })).data;
  } catch (error) {
    throw refusalOf(error, names, 0);
  }
}

/**
 * Sends one request for each order and stops at the first that is refused: exit 10 with those that were made
 * as the answer, or the refusal itself where none was. A dry run answers with every request.
 */
export async function createEach(
  context: Context,
  requests: readonly OrderRequest[],
  { headers, ...names }: Sending,
): Promise<Order[]> {
  const client = await context.client();
  const orders: Order[] = [];
  const dry: DryRun[] = [];
  for (const [index, request] of requests.entries()) {
    const idempotencyKey = context.idempotencyKey(requests.length === 1 ? undefined : String(index));
    try {
      const { data } = await client.orders.create({ body: { orders: [request] }, headers, idempotencyKey });
      orders.push(data);
    } catch (error) {
      if (!(error instanceof DryRun)) throw ending(context, refusalOf(error, names, index), orders, requests);
      dry.push(error);
      continue;
    }
    if (requests.length > 1) context.standing(standingText(orders, requests.length));
  }
  if (dry.length > 0) throw allOf(dry);
  return orders;
}

function ending(
  { signal }: Context,
  error: unknown,
  orders: readonly Order[],
  { length }: readonly OrderRequest[],
): unknown {
  if (orders.length === 0 || signal.aborted) return error;
  return partlyDone(error, `${madeText(orders, length)}. The others were not.`, {
    answer: list({ data: orders, columns: orderColumns }),
    hint: 'Take those that were made out of the file before you send it again.',
  });
}

function standingText(orders: readonly Order[], count: number): string {
  return `${madeText(orders, count)}. See whether the next one was: waybill orders list`;
}

function madeText(orders: readonly Order[], count: number): string {
  const ids = orders.map(({ id }) => id).join(', ');
  return `${orders.length} of ${count} orders were created: ${ids}`;
}

/** Several requests as one answer, in the order in which they would be sent. */
function allOf(dry: readonly DryRun[]): DryRun {
  const [first] = dry;
  if (first !== undefined && dry.length === 1) return first;
  const answers = dry.map(({ answer }) => answer);
  const data = answers.flatMap((answer) => (answer.kind === 'document' ? [answer.data] : []));
  return new DryRun(data.length === answers.length ? list({ data, columns: [] }) : words(texts(answers)));
}

function texts(answers: readonly Result[]): string {
  return answers.map((answer) => (answer.kind === 'text' ? answer.text : '')).join('\n\n');
}
