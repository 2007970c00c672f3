/** The commands that show one order: as it is, and once it reaches a status. */
import type { Order } from '../../../contract/orders.ts';
import { orderStatuses } from '../../../contract/vocabulary.ts';
import { choiceFlag } from '../../kit/args/flags.ts';
import { invocation, phrase, type Text } from '../../kit/result/message.ts';
import { isForPeople, recordResult } from '../../kit/result/result.ts';
import { findOrderId, orderWord } from '../../nouns/find-order.ts';
import { getOrder, isUnsent } from '../../nouns/order.ts';
import { pausedStores, pausedText } from '../../nouns/store-pause.ts';
import { defineCommand, isOwnService, positional } from '../../session/command.ts';
import { statusTarget, targetFlags } from '../../waiting/status-targets.ts';
import { paceFlags, waitOptions } from '../../waiting/waiting-flags.ts';
import { shownColumns } from './order-list-columns.ts';

export const get = defineCommand({
  name: 'get',
  aliases: ['show', 'view'],
  summary: 'Show an order',
  positionals: { order: positional('order', { summary: orderWord }) },
  flags: {
    expand: choiceFlag({
      summary: 'Include its delivery in the JSON',
      choices: ['delivery'],
      placeholder: 'RECORD',
    }),
  },
  examples: [
    { command: 'waybill orders get ORDER', summary: 'Show an order' },
    { command: 'waybill orders get "#1042"', summary: 'Find it by your own reference' },
    { command: 'waybill orders get ORDER --expand delivery --json', summary: 'Include its latest delivery' },
  ],
  columns: shownColumns,
  effect: 'read',
  calls: ['orders.get', 'orders.list', 'deliveries.get', 'stores.get'],
  answers: ({ one }) => [one('orders.get')],
  related: ['orders wait', 'orders attempts', 'deliveries get', 'routes create', 'orders cancel'],
  async run(context, { flags, positionals }) {
    const client = await context.client();
    const params = { order_id: await findOrderId(context, positionals.order) };
    const isRead = isForPeople(context.output.format) && isOwnService(context);
    const expand = flags.expand ?? (isRead ? 'delivery' : undefined);
    const { data } = await client.orders.get({ params, query: { expand } });
    const paused =
      isUnsent(data) && data.pickup_store_id ? await pausedStores(context, data.pickup_store_id) : [];
    return recordResult(data, shownColumns, {
      notes: [...attemptsNotes(data), ...paused.map((each) => pausedText(each, 0))],
    });
  },
});

/** The attempts of an order in a batch show why it is not dispatched. */
function attemptsNotes({ id, batch_id, status }: Order): Text[] {
  if (batch_id === null || status === 'dispatched') return [];
  return [phrase`See its auto-dispatch attempts: ${invocation('orders attempts', [id])}`];
}

export const wait = defineCommand({
  name: 'wait',
  aliases: ['await', 'wait-for'],
  summary: 'Wait until an order is dispatched or no longer can be',
  description: [
    'The exit code is 0 when the order reaches that status or a later one (open, routed, dispatched), 9 as soon as it',
    'is unfulfilled, failed or canceled or reaches a status of --fail-on, and 8 after a timeout. Auto-dispatch',
    'retries are waited for. To wait for the delivery of a dispatched order, pass its reference to deliveries wait.',
  ].join('\n'),
  positionals: { order: positional('order', { summary: orderWord }) },
  flags: {
    ...targetFlags({ statuses: orderStatuses }, 'dispatched'),
    ...paceFlags('30m, or the time limit of its batch'),
  },
  examples: [
    { command: 'waybill orders wait ORDER', summary: 'Wait until it is dispatched' },
    {
      command: 'waybill orders wait ORDER --until routed --timeout 5m --json',
      summary: 'In a script, wait until it is in a route',
    },
  ],
  effect: 'read',
  calls: ['orders.get', 'orders.list', 'batches.get', 'deliveries.get'],
  exits: { 9: '--until can no longer be reached, or a status of --fail-on was reached' },
  errors: ['still_pending', 'order_STATUS'],
  answers: ({ one }) => [one('orders.get')],
  related: ['orders get', 'orders attempts', 'batches wait', 'deliveries wait'],
  async run(context, { flags, positionals: { order } }) {
    const { orderTimeout, orderWaitable } = await import('../../nouns/order-waiting.ts');
    const { waitForAnswer } = await import('../../waiting/service-waiting.ts');
    const first = await getOrder(context, await findOrderId(context, order));
    const timeout_ms = flags.timeout ?? (await orderTimeout(context, first));
    const options = waitOptions(context, ['orders wait', first.id], flags, timeout_ms);
    return waitForAnswer(context, orderWaitable(context, first, statusTarget(flags)), options);
  },
});
