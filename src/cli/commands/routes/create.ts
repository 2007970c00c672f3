import { routeFields } from '../../columns/routes.ts';
import { defineCommand, positionals } from '../../command.ts';
import { UsageError } from '../../failures/failure.ts';
import { commandLine } from '../../line/command-line.ts';
import { flag } from '../../line/flags.ts';
import { record } from '../../result.ts';

export const create = defineCommand({
  name: 'create',
  aliases: ['new'],
  summary: 'Group orders into a route, a draft at first',
  positionals: {
    order: positionals('order', { summary: 'Open orders, up to 25; - reads their ids from stdin' }),
  },
  flags: {
    optimize: flag({ summary: 'Find the shortest way; without it, stops in the order given', default: true }),
  },
  examples: [
    { command: 'waybill routes create ORDER', summary: 'A route of one order' },
    {
      command: 'waybill routes create - < orders.txt',
      summary: 'Of the orders whose ids a file lists',
    },
  ],
  effect: 'write',
  async run(context, { flags: { optimize }, positionals }) {
    const order_ids = positionals.order.includes('-')
      ? idsIn(await context.readFile('-'))
      : positionals.order;
    const client = await context.client();
    const idempotencyKey = context.idempotencyKey();
    const { data } = await client.routes.create({ body: { order_ids, optimize }, idempotencyKey });
    const notes = [`Next: ${commandLine(['routes', 'quote', data.id], { watch: true })}`];
    return record(data, routeFields(data), { notes });
  },
});

function idsIn(text: string): string[] {
  const ids = text.split(/\s+/).filter((word) => word !== '');
  if (ids.length === 0) throw new UsageError('Nothing came on stdin: it takes the ids of orders.');
  return ids;
}
