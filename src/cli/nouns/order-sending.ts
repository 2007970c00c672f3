/** Sending orders: in one request, or in a request for each, and how a refusal names what is wrong with them. */
import type { Client } from '../../client/client.ts';
import { ApiError } from '../../client/errors.ts';
import type { AcceptedBatch } from '../../contract/batches.ts';
import type { Fault } from '../../contract/errors.ts';
import type { Order, OrderRequest } from '../../contract/orders.ts';
import { max_request_orders } from '../../contract/vocabulary.ts';
import { createErrorReport } from '../errors/error-report.ts';
import { DryRun, Failure, type FailureDetails, type FlagFault } from '../kit/errors/failure.ts';
import { phrase } from '../kit/result/message.ts';
import { type Column, listResult, type Result, textResult } from '../kit/result/result.ts';
import { type Context, isOwnService } from '../session/command.ts';
import { createOrder, getOrder, orderColumns, orderNow } from './order.ts';
import type { SendUnique } from './order-checks.ts';

/** The options of sending orders, and the source of the orders. */
export interface SendOptions extends FaultNames {
  headers: Record<string, string>;
  unique: SendUnique;
}

type Body = Parameters<Client['orders']['create']>[0]['body'];
type BodySettings = NonNullable<Body['settings']>;

/** Sends a request body unchanged and returns the service's response, with auto dispatch a batch. */
export async function createAtOnce(
  context: Context,
  orders: OrderRequest[],
  settings: BodySettings,
  { headers, unique, ...names }: SendOptions,
): Promise<Order | AcceptedBatch> {
  const client = await context.client();
  const body = Object.keys(settings).length === 0 ? { orders } : { orders, settings };
  const idempotencyKey = context.idempotencyKey();
  try {
    const send = (check: { unique_ref?: true }) =>
      client.orders.create({ body: { ...body, ...check }, headers, idempotencyKey });
    const { data, replayed } = await unique(send);
    return data.object === 'order' ? await orderNow(context, data, replayed) : data;
  } catch (error) {
    throw refusalOf(error, names, 0);
  }
}

/** Creates orders for manual dispatch: all or none at waybill's own service, elsewhere one by one, by `sendEach`. */
export async function createEach(
  context: Context,
  requests: OrderRequest[],
  { headers, unique, ...names }: SendOptions,
): Promise<Order[]> {
  const client = await context.client();
  const isTogether = requests.length > 1 && requests.length <= max_request_orders;
  if (isTogether && isOwnService(context)) {
    const idempotencyKey = context.idempotencyKey('0');
    const send = (check: { unique_ref?: true }) =>
      client.orders.createMany({ body: { orders: requests, ...check }, headers, idempotencyKey });
    const { data } = await unique(send).catch((error: unknown) => {
      throw refusalOf(error, names, 0);
    });
    return Promise.all(data.order_ids.map((id) => getOrder(context, id)));
  }
  return sendEach(context, requests, {
    noun: 'orders',
    columns: orderColumns,
    send: (request, idempotencyKey) =>
      unique((check) => createOrder(context, request, idempotencyKey, { headers, ...check })),
    refusal: (error, index) => refusalOf(error, names, index),
  });
}

/** How requests are sent that create one record each, and how these are reported. */
interface Creation<R, T> {
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
  creation: Creation<R, T>,
): Promise<T[]> {
  const made: T[] = [];
  const dry: DryRun[] = [];
  const done = () => createdText(made, requests.length, creation.noun);
  for (const [index, request] of requests.entries()) {
    const idempotencyKey = context.idempotencyKey(requests.length === 1 ? undefined : String(index));
    try {
      made.push(await creation.send(request, idempotencyKey));
    } catch (error) {
      if (!(error instanceof DryRun))
        throw errorWithCreated(context, creation.refusal(error, index), made, creation, done());
      dry.push(error);
      continue;
    }
    if (requests.length > 1)
      context.setInterruptionText(`${done()}. See whether the next one was: waybill ${creation.noun} list`);
  }
  if (dry.length > 0) throw combineDryRuns(dry);
  return made;
}

function errorWithCreated<R, T>(
  { signal }: Context,
  error: unknown,
  made: readonly T[],
  { columns }: Creation<R, T>,
  done: string,
): unknown {
  if (made.length === 0 || signal.aborted) return error;
  return partlyDone(error, `${done}. The others were not.`, {
    answer: listResult({ data: made, columns }),
    hint: 'Take those that were made out of the file before you send it again.',
  });
}

function createdText(made: readonly { id: string }[], count: number, noun: string): string {
  const ids = made.map(({ id }) => id).join(', ');
  return `${made.length} of ${count} ${noun} ${made.length === 1 ? 'was' : 'were'} created: ${ids}`;
}

/** What several requests would send, as one result. */
export async function dryRunOfAll(requests: readonly (() => Promise<unknown>)[]): Promise<DryRun> {
  const dry: DryRun[] = [];
  for (const request of requests)
    await request().catch((error: unknown) => {
      if (!(error instanceof DryRun)) throw error;
      dry.push(error);
    });
  return combineDryRuns(dry);
}

/** Combines several requests in one result, in the order of sending. */
function combineDryRuns(dry: readonly DryRun[]): DryRun {
  const [first] = dry;
  if (first !== undefined && dry.length === 1) return first;
  const answers = dry.map(({ answer }) => answer);
  const data = answers.flatMap((answer) => (answer.kind === 'document' ? [answer.data] : []));
  return new DryRun(
    data.length === answers.length ? listResult({ data, columns: [] }) : textResult(texts(answers)),
  );
}

function texts(answers: readonly Result[]): string {
  return answers.map((answer) => (answer.kind === 'text' ? answer.text : '')).join('\n\n');
}

/** Determines how the fault of an order is named: by its position in a file, or by the flag that set it. */
export interface FaultNames {
  isFromFile: boolean;
  /** The fields and settings set by flags, by their names in the contract. */
  flagged: readonly string[];
}

/**
 * Rewrites the refusal of a request that starts at order `index`: its faults get their position in the input, or the
 * flag that set the field. Returns any other error unchanged.
 */
export function refusalOf(error: unknown, names: FaultNames, index: number): unknown {
  return renameFaults(error, names, (path) =>
    path.replace(/^orders\[(\d+)\]/, (_, at: string) => `orders[${Number(at) + index}]`),
  );
}

/** Rewrites the refusal of a request that is itself one of several: its faults begin with `at`, such as `deliveries[2]`. */
export function refusalAt(error: unknown, names: FaultNames, at: string): unknown {
  return renameFaults(error, names, (path) => (path === '' ? at : `${at}.${path}`));
}

function renameFaults(error: unknown, names: FaultNames, place: (path: string) => string): unknown {
  // The fault of a key stays as it is: it is no field of the order.
  if (!(error instanceof ApiError) || error.details.length === 0 || error.code === 'unauthorized')
    return error;
  const { code, status, request_id, retry_after_ms, choices, related_ids, cause } = error;
  const details = error.details.map((fault) => nameFault({ ...fault, path: place(fault.path) }, names));
  const fields = { code, status, details, request_id, retry_after_ms, choices, related_ids };
  return new ApiError(error.message, fields, { cause });
}

const amounts: readonly string[] = ['order_value', 'tip', 'max_cost'];

function nameFault(fault: Fault, { isFromFile, flagged }: FaultNames): Fault | FlagFault {
  const { path, message } = fault;
  const field = /^(?:(?:orders|deliveries)\[\d+\]\.|settings\.)?(\w+)/.exec(path)?.[1] ?? '';
  if (!isFromFile || flagged.includes(field)) return fault;
  const unit = amounts.includes(field) ? '; it is whole cents here, 1250 for $12.50' : '';
  return { path, message: message + unit, flag: null } satisfies FlagFault;
}

/** Exit 10: some succeeded before one failed. The message covers the former, the error the latter. */
export function partlyDone(error: unknown, message: string, details: FailureDetails): Failure {
  const { code, message: reason } = createErrorReport(error);
  return new Failure(10, code, phrase`${message}\n${reason}`, { ...details, cause: error });
}
