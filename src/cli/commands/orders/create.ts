import type { Order } from '../../../contract/orders.ts';
import { orderColumns } from '../../columns/orders.ts';
import { defineCommand, positional } from '../../command.ts';
import { commandLine } from '../../line/command-line.ts';
import { orderFieldsOf, orderFlags } from '../../orders/order-flags.ts';
import { requestsOf } from '../../orders/order-input.ts';
import { createAtOnce, createEach, type Sending } from '../../orders/order-sending.ts';
import { simulateFlag, simulationHeaders, sourcedOrders, sourceFlags } from '../../orders/order-sources.ts';
import { list, type Result, record } from '../../result.ts';

export const create = defineCommand({
  name: 'create',
  aliases: ['new', 'add'],
  summary: 'Create an order',
  description: [
    'The order comes from flags, from --file, from stdin (a dash), or from another order (--like); flags go over',
    'what the others bring. An array of orders is sent order by order and stops at the first that is refused.',
    'Amounts are dollars here (42.50) and cents in files and answers (4250).',
  ].join('\n'),
  positionals: { stdin: positional('file', { summary: '- reads JSON from stdin', optional: true }) },
  flags: { ...orderFlags, ...sourceFlags, simulate: simulateFlag },
  examples: [
    {
      command: [
        "waybill orders create --pickup-address '43 E Ohio St, Chicago, IL 60611' --pickup-name Grill",
        "--pickup-phone +13125550101 --dropoff-address '233 S Wacker Dr, Chicago, IL 60606'",
        "--dropoff-name 'Joe Diner' --dropoff-phone +13125550142 --item 'Brisket Classic:4:small'",
      ].join(' '),
      summary: 'From flags',
    },
    { command: 'waybill orders create --file order.json --tip 3.00', summary: 'From a file, with a tip' },
    {
      command: 'waybill orders create --like ORDER --dropoff-notes "Ring twice"',
      summary: 'A copy, changed',
    },
  ],
  effect: 'write',
  async run(context, { flags, positionals, given }) {
    const changes = await orderFieldsOf(context, flags, given);
    const headers = simulationHeaders(flags.simulate);
    const { orders, settings, file } = await sourcedOrders(context, { ...flags, ...positionals }, changes);
    const requests = requestsOf(orders, file ?? 'the order');
    const sending: Sending = { headers, isFromFile: file !== null, flagged: Object.keys(changes) };
    if (settings !== null) return made([await createAtOnce(context, requests, settings, sending)]);
    return made(await createEach(context, requests, sending));
  },
});

function made(orders: readonly Order[]): Result {
  const route = commandLine(['routes', 'create', ...orders.map(({ id }) => id)]);
  const notes = [`Next: ${route}`];
  const [only] = orders;
  if (orders.length === 1 && only !== undefined) return record(only, orderColumns, { notes });
  return list({ data: orders, columns: orderColumns, notes });
}
