import { max_route_orders } from '../../../contract/vocabulary.ts';
import { flag } from '../../kit/args/flags.ts';
import { UsageError } from '../../kit/errors/failure.ts';
import { invocation, phrase } from '../../kit/result/message.ts';
import { record } from '../../kit/result/result.ts';
import { type Context, defineCommand, positionals } from '../../session/command.ts';
import { findOrderId } from '../orders/find-order.ts';
import { routeFields } from './route-columns.ts';
import { createRoute } from './route-requests.ts';

export const create = defineCommand({
  name: 'create',
  aliases: ['new'],
  summary: 'Create a draft route from orders',
  description: [
    'Orders can be given by order ID, by your own reference, or by delivery ID. On stdin, put one per line; IDs may',
    'also be separated by spaces.',
  ].join('\n'),
  positionals: {
    order: positionals('order', {
      summary: 'Open orders (up to 25), by ID or your reference; - reads them from stdin',
      onlyOpen: true,
    }),
  },
  flags: {
    optimize: flag({
      summary: 'Find the shortest sequence of stops (default: in the order given)',
      default: true,
    }),
  },
  examples: [
    { command: 'waybill routes create ORDER', summary: 'Create a route with one order' },
    { command: 'waybill routes create "#1042" "#1043"', summary: 'Use your own references' },
    { command: 'waybill routes create - < orders.txt', summary: 'Read orders from a file' },
  ],
  effect: 'write',
  async run(context, { flags: { optimize }, positionals }) {
    const words = positionals.order.includes('-') ? namesIn(await context.readFile('-')) : positionals.order;
    const order_ids = await idsOf(context, words);
    const { route } = await createRoute(context, { order_ids, optimize }, context.idempotencyKey());
    const notes = [phrase`Next: ${invocation('routes quote', [route.id], { watch: true })}`];
    return record(route, routeFields(route), { notes });
  },
});

/** Looks up the order IDs, unless there are more than a route allows. */
async function idsOf(context: Context, names: readonly string[]): Promise<string[]> {
  if (names.length > max_route_orders)
    throw new UsageError(`A route takes at most ${max_route_orders} orders, not ${names.length}.`);
  const ids: string[] = [];
  for (const name of names) ids.push(await findOrderId(context, name));
  return ids;
}

/** The orders named on stdin. A line whose words are not all IDs is a reference, which may have spaces. */
function namesIn(text: string): string[] {
  const lines = text.split('\n').map((line) => line.trim());
  const names = lines.flatMap((line) => {
    const words = line.split(/\s+/);
    return words.every(isId) ? words : [line];
  });
  const given = names.filter((name) => name !== '');
  if (given.length === 0) throw new UsageError('Nothing on stdin: expected order IDs or your references.');
  return given;
}

function isId(word: string): boolean {
  return word.startsWith('ord_') || word.startsWith('dlv_');
}
