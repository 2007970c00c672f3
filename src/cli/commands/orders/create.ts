import type { Order } from '../../../contract/orders.ts';
import { UsageError } from '../../kit/errors/failure.ts';
import { invocation, phrase } from '../../kit/result/message.ts';
import { list, type Result, record } from '../../kit/result/result.ts';
import {
  batchErrors,
  batchExits,
  batchFailOn,
  batchWaitFlag,
  windowAndMore,
} from '../../nouns/batch-waiting.ts';
import { orderColumns, orderIn } from '../../nouns/order.ts';
import { orderFlags } from '../../nouns/order-flags.ts';
import {
  requestsOf,
  simulateFlag,
  simulationHeaders,
  sourcedOrders,
  sourceFlags,
} from '../../nouns/order-input.ts';
import {
  checkDuplicateRefs,
  createAtOnce,
  createEach,
  duplicateRefFlag,
  noteDuplicateRefs,
  type Sending,
} from '../../nouns/order-sending.ts';
import { defineCommand, positional } from '../../session/command.ts';
import { checkWaiting, paceFlags } from '../../waiting/waiting-flags.ts';
import { autoFlags, chosenSettings, settingsOf } from './auto-flags.ts';
import { sendAuto } from './send-auto.ts';

export const create = defineCommand({
  name: 'create',
  aliases: ['new', 'add'],
  summary: 'Create an order, or auto-dispatch up to 300',
  description: [
    'The order comes from flags, --file, stdin (-), or another order (--like); flags override the others. An array is',
    'sent one order at a time and stops at the first error. Flags take dollars (42.50); files and JSON output have',
    'cents (4250). A reference that another order of the last 24 hours has must be confirmed at a prompt or with',
    '--allow-duplicate-ref; otherwise the exit code is 6. For a copy (--like), and with --idempotency-key, which a',
    'repeat of the same run has too, that order is only named on stderr.',
    '',
    'With --auto, up to 300 orders are sent in one request, and the service requests quotes, selects one, dispatches,',
    'and retries. The result is a batch. With --wait the exit code is 0 if every order was dispatched, 9 if none was,',
    '10 if some were not, and 8 after a timeout. In live mode auto dispatch must be confirmed at a prompt, or with',
    '--yes and --max-cost.',
  ].join('\n'),
  positionals: { stdin: positional('file', { summary: '- reads JSON from stdin', optional: true }) },
  flags: {
    ...orderFlags,
    ...sourceFlags,
    simulate: simulateFlag,
    allowDuplicateRef: duplicateRefFlag,
    ...autoFlags,
    wait: batchWaitFlag,
    failOn: batchFailOn,
    ...paceFlags(windowAndMore),
  },
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
  calls: ['orders.create', 'orders.list', 'stores.list'],
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
    const requests = requestsOf(orders, file ?? 'the order');
    const settings = settingsOf(context, flags, brought.settings);
    const flagged = [...brought.flagged, ...Object.keys(chosenSettings(flags))];
    const sending: Sending = { headers, isFromFile: file !== null, flagged };
    const isAuto = settings?.mechanism === 'auto';
    if (flags.wait && !isAuto)
      throw new UsageError('--wait applies to auto dispatch: add --auto, or remove --wait.');
    const checkRefs = context.globals.idempotencyKey === undefined ? checkDuplicateRefs : noteDuplicateRefs;
    await checkRefs(context, requests, flags);
    if (isAuto) {
      return sendAuto(context, { requests, settings, where: file }, { ...flags, sending });
    }
    if (settings === null) return creationResult(await createEach(context, requests, sending));
    return creationResult([orderIn(await createAtOnce(context, requests, settings, sending))]);
  },
});

function creationResult(orders: readonly Order[]): Result {
  const route = invocation('routes create', [...orders.map(({ id }) => id)]);
  const notes = [phrase`Next: ${route}`];
  const [only] = orders;
  if (orders.length === 1 && only !== undefined) return record(only, orderColumns, { notes });
  return list({ data: orders, columns: orderColumns, notes });
}
