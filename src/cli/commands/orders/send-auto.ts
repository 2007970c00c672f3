import { ifSupported } from '../../../client/errors.ts';
import type { AcceptedBatch } from '../../../contract/batches.ts';
import type { Order, OrderRequest, OrderSettings } from '../../../contract/orders.ts';
import { dollars } from '../../../domain/money.ts';
import { confirmSpending } from '../../flow/agreed-quote.ts';
import { UsageError } from '../../kit/errors/failure.ts';
import { invocation, phrase, type Text } from '../../kit/result/message.ts';
import { drawingFormats, type Result, record } from '../../kit/result/result.ts';
import { acceptedFields, getBatch } from '../../nouns/batch.ts';
import { batchTargetOf, batchTimeout, batchWaitable, interruptionText } from '../../nouns/batch-waiting.ts';
import { orderColumns } from '../../nouns/order.ts';
import { createAtOnce, type Sending } from '../../nouns/order-sending.ts';
import type { Context } from '../../session/command.ts';
import { waitForAnswer } from '../../waiting/service-waiting.ts';
import { waitOptions } from '../../waiting/waiting-flags.ts';
import { flagsOfSettings } from './auto-flags.ts';

/** The limit of orders in one request. */
const max_orders = 300;

/** Orders for auto dispatch, and their file, if any. */
interface AutoOrders {
  requests: OrderRequest[];
  settings: OrderSettings;
  where: string | null;
}

/** Whether to wait for the batch, how to show it, and which statuses end the wait early. */
interface Waiting {
  wait: boolean;
  timeout: number | undefined;
  interval: number | undefined;
  failOn: Parameters<typeof batchTargetOf>[0]['failOn'];
}

/** Requests auto dispatch for all orders in one request. Returns the batch as accepted, or once it is complete. */
export async function sendAuto(
  context: Context,
  { requests, settings, where }: AutoOrders,
  { sending, ...waiting }: Waiting & { sending: Sending },
): Promise<Result> {
  checkCount(requests.length, where, settings);
  // Nothing is created if the result cannot be shown.
  if (waiting.wait && context.output.format === 'csv') {
    throw new UsageError('With --wait the answer cannot be written as csv.', { choices: drawingFormats });
  }
  await confirmAutoDispatch(context, requests.length, maxCostOf(settings));
  const accepted = await createAtOnce(context, requests, settings, sending);
  // A service may dispatch a single order without a batch, or ignore the settings.
  if (accepted.object === 'order') {
    if (!isDispatched(accepted)) context.warn(notConfirmed(accepted));
    return record(accepted, orderColumns, { notes: [deliveriesNote] });
  }
  context.setInterruptionText(interruptionText(context, accepted.batch_id, null));
  return waiting.wait ? waitForBatch(context, accepted, waiting) : answerOf(context, accepted);
}

/** Asks the user to confirm auto dispatch, which selects quotes without showing them. */
export async function confirmAutoDispatch(
  context: Context,
  order_count: number,
  max_cost: number | undefined,
): Promise<void> {
  const orders = order_count === 1 ? 'the order' : `${order_count} orders`;
  const each = order_count === 1 ? '' : ` each (${dollars((max_cost ?? 0) * order_count)} together)`;
  const price = max_cost === undefined ? 'at any price' : `for up to ${dollars(max_cost)}${each}`;
  await confirmSpending(context, max_cost, async () => `Auto-dispatch ${orders} ${price}`);
}

async function waitForBatch(context: Context, accepted: AcceptedBatch, flags: Waiting): Promise<Result> {
  const { batch_id } = accepted;
  const { timeout, interval, failOn } = flags;
  const batch = await ifSupported(getBatch(context, batch_id), null);
  if (batch === null) return record(accepted, acceptedFields, { notes: [notShown, deliveriesNote] });
  const command = ['batches get', batch_id, { wait: true }] as const;
  const options = waitOptions(context, command, { timeout, interval, failOn }, batchTimeout(batch.settings));
  return waitForAnswer(context, batchWaitable(context, batch, batchTargetOf(flags)), options);
}

/** A value from a file may be of any type; only an amount of money counts as a limit. */
function maxCostOf({ max_cost }: OrderSettings): number | undefined {
  return Number.isInteger(max_cost) ? max_cost : undefined;
}

/** Throws UsageError if there are more orders than one request allows. */
function checkCount(count: number, where: string | null, settings: OrderSettings): void {
  if (count <= max_orders) return;
  const file = where === null || where === 'stdin' ? 'FILE' : where;
  throw new UsageError(`There are ${count} orders; auto dispatch takes ${max_orders} in one request.`, {
    hint: 'orders import takes a file of any number, and can be taken up again.',
    next: [
      {
        ...invocation('orders import', [file], flagsOfSettings(settings)),
        when: 'send them in several requests',
      },
    ],
  });
}

function answerOf(context: Context, accepted: AcceptedBatch): Result {
  const watch = invocation('batches get', [accepted.batch_id], { watch: true });
  const notes = context.has('batches') ? [phrase`Next: ${watch}`] : [notFollowed, deliveriesNote];
  return record(accepted, acceptedFields, { notes });
}

function isDispatched({ status, delivery_id }: Order): boolean {
  return status === 'dispatched' || Boolean(delivery_id);
}

function notConfirmed({ id }: Order): Text {
  const get = invocation('orders get', [id]);
  const create = invocation('routes create', [id]);
  return phrase`Warning: Auto dispatch is not confirmed: the service answered with an order, and without a batch. See whether it is dispatched: ${get}. Otherwise dispatch it yourself: ${create}`;
}

const notFollowed =
  'The service accepted the orders, but does not show its batches: auto dispatch is not confirmed.';

const notShown = `${notFollowed.slice(0, -1)}, and --wait has no effect.`;

const deliveriesNote = phrase`Its deliveries: ${invocation('deliveries list')}`;
