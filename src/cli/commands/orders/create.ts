/** `orders create`: one order for later, or up to 300 of flags and files for auto dispatch. */
import { ifSupported } from '../../../client/errors.ts';
import type { AcceptedBatch } from '../../../contract/batches.ts';
import type { Order, OrderRequest, OrderSettings } from '../../../contract/orders.ts';
import { max_request_orders } from '../../../contract/vocabulary.ts';
import { UsageError } from '../../kit/errors/failure.ts';
import { type Invocation, invocation, phrase, type Text } from '../../kit/result/message.ts';
import { drawingFormats, listResult, type Result, recordResult } from '../../kit/result/result.ts';
import { acceptedFields, getBatch } from '../../nouns/batch.ts';
import {
  batchErrors,
  batchExits,
  batchFailOn,
  batchTimeout,
  batchWaitable,
  batchWaitFlag,
  interruptedBatchText,
  toBatchTarget,
  windowAndMore,
} from '../../nouns/batch-waiting.ts';
import { orderColumns, orderIn } from '../../nouns/order.ts';
import { duplicateRefFlag, guardRefs } from '../../nouns/order-checks.ts';
import { orderFlags } from '../../nouns/order-flags.ts';
import {
  simulateFlag,
  simulationHeaders,
  sourcedOrders,
  sourceFlags,
  toOrderRequests,
} from '../../nouns/order-input.ts';
import { createAtOnce, createEach, type SendOptions } from '../../nouns/order-sending.ts';
import { type Context, defineCommand, type FlagValues, positional } from '../../session/command.ts';
import { waitForAnswer } from '../../waiting/service-waiting.ts';
import { checkWaiting, paceFlags, waitOptions } from '../../waiting/waiting-flags.ts';
import {
  autoDispatchSettings,
  autoFlags,
  chosenSettings,
  confirmAutoDispatch,
  flagsOfSettings,
  noteDifferentTips,
  settingsToSend,
  tipIn,
} from './auto-dispatch.ts';

const createFlags = {
  ...orderFlags,
  ...sourceFlags,
  simulate: simulateFlag,
  allowDuplicateRef: duplicateRefFlag,
  ...autoFlags,
  wait: batchWaitFlag,
  failOn: batchFailOn,
  ...paceFlags(windowAndMore),
};

export const create = defineCommand({
  name: 'create',
  aliases: ['new', 'add'],
  summary: 'Create an order, or auto-dispatch up to 300',
  description: [
    'The order comes from flags, --file, stdin (-), or another order (--like); flags override the others. Of an array all',
    'orders are created or none. Flags take dollars (42.50); files and JSON output have',
    'cents (4250). A reference that is in use, or given twice, must be confirmed with --allow-duplicate-ref, or at a',
    'prompt; otherwise the exit code is 6 and nothing is created. In use is that of any order or delivery of the last 30',
    'days that was not canceled and has not failed. For a copy (--like) that order is only named on stderr,',
    'unless it is sent at once, with --auto and without --idempotency-key. No field asks for an age check: say it in',
    '--dropoff-notes. What a courier with one could not hand over has the failure age_check_failed.',
    '',
    'With --auto, up to 300 orders are sent in one request, and the service requests quotes, selects one, dispatches,',
    'and retries. The result is a batch. With --wait the exit code is 0 if every order was dispatched, 9 if none was,',
    '10 if some were not, and 8 after a timeout. In live mode auto dispatch must be confirmed at a prompt, or with',
    '--yes and --max-cost.',
  ].join('\n'),
  positionals: { stdin: positional('file', { summary: '- reads JSON from stdin', optional: true }) },
  flags: createFlags,
  examples: [
    {
      command: [
        "waybill orders create --pickup-address '43 E Ohio St, Chicago, IL 60611' --pickup-name Grill",
        "--pickup-phone +13125550101 --dropoff-address '233 S Wacker Dr, Chicago, IL 60606'",
        "--dropoff-name 'Joe Diner' --dropoff-phone +13125550142 --item 'Brisket Classic:4:small'",
      ].join(' '),
      summary: 'Create from flags',
    },
    {
      command: 'waybill orders create --file order.json --tip 3.00',
      summary: 'Create from a file with a tip',
    },
    {
      command: 'waybill orders create --like ORDER --dropoff-notes "Ring twice"',
      summary: 'Copy an order with a change',
    },
    {
      command: 'waybill orders create --file orders.json --auto --max-cost 12.50 --wait',
      summary: 'Auto-dispatch up to 300 orders',
    },
  ],
  effect: 'write',
  confirms: true,
  confirmsWhen: 'of --auto in live mode',
  calls: ['orders.create', 'orders.createMany', 'orders.get', 'stores.list'],
  answers: ({ one, each, answerOf, acceptedOf }) => [
    one('orders.create', 'from one order'),
    each(answerOf('orders.create'), 'from an array of orders, without --auto'),
    one(acceptedOf('orders.create'), 'with --auto'),
    one('batches.get', 'with --auto --wait'),
  ],
  exits: { ...batchExits, 10: 'some orders were not created or not dispatched' },
  errors: batchErrors,
  related: ['routes create', 'orders get', 'orders import', 'batches get', 'ship'],
  async run(context, { flags, positionals, given }) {
    checkWaiting(context, { wait: flags.wait });
    const headers = simulationHeaders(flags.simulate);
    const { orders, file, ...brought } = await sourcedOrders(context, { ...flags, ...positionals }, given);
    const requests = toOrderRequests(orders, file ?? 'the order');
    const settings = autoDispatchSettings(context, flags, brought.settings);
    const flagged = [...brought.flagged, ...Object.keys(chosenSettings(flags))];
    const isAuto = settings?.mechanism === 'auto';
    if (flags.wait && !isAuto)
      throw new UsageError('--wait applies to auto dispatch: add --auto, or remove --wait.');
    const unique = await guardRefs(context, requests, { ...flags, isDispatched: isAuto });
    const sending: SendOptions = { headers, unique, isFromFile: file !== null, flagged };
    if (isAuto) {
      return sendAuto(context, { requests, settings, where: file }, { ...flags, sending });
    }
    if (settings === null) return creationResult(await createEach(context, requests, sending));
    return creationResult([orderIn(await createAtOnce(context, requests, settings, sending))]);
  },
});

function creationResult(orders: readonly Order[]): Result {
  const [only] = orders;
  const notes = [phrase`Next: ${stepAfter(orders)}`];
  if (orders.length === 1 && only !== undefined) return recordResult(only, orderColumns, { notes });
  return listResult({ data: orders, columns: orderColumns, notes });
}

/** Orders that an earlier run has created may be on their way, or closed. */
function stepAfter(orders: readonly Order[]): Invocation {
  const open = orders.filter(({ status }) => status === 'open').map(({ id }) => id);
  if (open.length > 0) return invocation('routes create', open);
  const [order, ...others] = orders;
  if (order === undefined || others.length > 0) return invocation('orders list');
  const { id, delivery_id = null, route_id = null } = order;
  if (delivery_id !== null) return invocation('deliveries explain', [delivery_id]);
  return route_id === null ? invocation('orders get', [id]) : invocation('routes get', [route_id]);
}

/** Orders for auto dispatch, and their file, if any. */
interface AutoOrders {
  requests: OrderRequest[];
  settings: OrderSettings;
  where: string | null;
}

/** The flags of auto dispatch besides its settings; `maxCost` is with the tip, that of a file is the service's own. */
type Waiting = Pick<FlagValues<typeof createFlags>, 'wait' | 'maxCost' | 'timeout' | 'interval' | 'failOn'>;

/** Requests auto dispatch for all orders in one request. Returns the batch as accepted, or once it is complete. */
async function sendAuto(
  context: Context,
  { requests, settings, where }: AutoOrders,
  { sending, ...waiting }: Waiting & { sending: SendOptions },
): Promise<Result> {
  checkCount(requests.length, where, settings);
  // Nothing is created if the result cannot be shown.
  if (waiting.wait && context.output.format === 'csv') {
    throw new UsageError('With --wait the answer cannot be written as csv.', { choices: drawingFormats });
  }
  const sent = waiting.maxCost === undefined ? settings : settingsToSend(settings, requests);
  // The maximum of a file is the service's own: without the tip.
  const tip = waiting.maxCost === undefined ? Math.max(0, ...requests.map(tipIn)) : 0;
  const limit = maxCostOf(settings);
  await confirmAutoDispatch(context, requests.length, limit === undefined ? limit : limit + tip);
  if (waiting.maxCost !== undefined) noteDifferentTips(context, new Set(requests.map(tipIn)));
  const accepted = await createAtOnce(context, requests, sent, sending);
  // A service may dispatch a single order without a batch, or ignore the settings.
  if (accepted.object === 'order') {
    if (!isDispatched(accepted)) context.warn(notConfirmed(accepted));
    return recordResult(accepted, orderColumns, { notes: [deliveriesNote] });
  }
  context.setInterruptionText(interruptedBatchText(context, accepted.batch_id, null));
  return waiting.wait ? waitForBatch(context, accepted, waiting) : answerOf(context, accepted);
}

/** Throws UsageError if there are more orders than one request allows. */
function checkCount(count: number, where: string | null, settings: OrderSettings): void {
  if (count <= max_request_orders) return;
  const file = where === null || where === 'stdin' ? 'FILE' : where;
  const message = `There are ${count} orders; auto dispatch takes ${max_request_orders} in one request.`;
  throw new UsageError(message, {
    hint: 'orders import takes a file of any number, and can be taken up again.',
    next: [
      {
        ...invocation('orders import', [file], flagsOfSettings(settings)),
        when: 'send them in several requests',
      },
    ],
  });
}

async function waitForBatch(context: Context, accepted: AcceptedBatch, flags: Waiting): Promise<Result> {
  const { batch_id } = accepted;
  const { timeout, interval, failOn } = flags;
  const batch = await ifSupported(getBatch(context, batch_id), null);
  if (batch === null) return recordResult(accepted, acceptedFields, { notes: [notShown, deliveriesNote] });
  const command = ['batches get', batch_id, { wait: true }] as const;
  const options = waitOptions(context, command, { timeout, interval, failOn }, batchTimeout(batch.settings));
  return waitForAnswer(context, batchWaitable(context, batch, toBatchTarget(flags)), options);
}

/** A value from a file may be of any type; only an amount of money counts as a limit. */
function maxCostOf({ max_cost }: OrderSettings): number | undefined {
  return Number.isInteger(max_cost) ? max_cost : undefined;
}

function answerOf(context: Context, accepted: AcceptedBatch): Result {
  const watch = invocation('batches get', [accepted.batch_id], { watch: true });
  const notes = context.has('batches') ? [phrase`Next: ${watch}`] : [notFollowed, deliveriesNote];
  return recordResult(accepted, acceptedFields, { notes });
}

function isDispatched({ status, delivery_id }: Order): boolean {
  return status === 'dispatched' || Boolean(delivery_id);
}

function notConfirmed({ id }: Order): Text {
  const get = invocation('orders get', [id]);
  const createRoute = invocation('routes create', [id]);
  return phrase`Warning: Auto dispatch is not confirmed: the service answered with an order, and without a batch. See whether it is dispatched: ${get}. Otherwise dispatch it yourself: ${createRoute}`;
}

const notFollowed =
  'The service accepted the orders, but does not show its batches: auto dispatch is not confirmed.';

const notShown = `${notFollowed.slice(0, -1)}, and --wait has no effect.`;

const deliveriesNote = phrase`Its deliveries: ${invocation('deliveries list')}`;
