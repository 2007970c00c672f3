import type { Order } from '../../../contract/orders.ts';
import { money } from '../../kit/args/flags.ts';
import { record } from '../../kit/result/result.ts';
import { type Context, defineCommand, positional } from '../../session/command.ts';
import { agreeToTerms, cancellationTerms } from './cancellation.ts';
import { findOrderId, orderWord } from './find-order.ts';
import { orderColumns } from './order-columns.ts';

export const cancel = defineCommand({
  name: 'cancel',
  summary: 'Cancel an order and its delivery',
  description: [
    'If the order has a delivery, its cancellation fee is shown first and must be confirmed at a prompt or with',
    '--yes. If it is more than --max-fee, nothing is canceled and the exit code is 6.',
  ].join('\n'),
  positionals: { order: positional('order', { summary: orderWord }) },
  flags: {
    maxFee: money({ summary: 'Maximum cancellation fee in dollars, such as 5.00' }),
  },
  examples: [
    { command: 'waybill orders cancel ORDER', summary: 'Cancel an order' },
    { command: 'waybill orders cancel ORDER --yes --max-fee 5.00', summary: 'In a script' },
  ],
  effect: 'write',
  confirms: true,
  async run(context, { positionals, flags: { maxFee } }) {
    const client = await context.client();
    const params = { order_id: await findOrderId(context, positionals.order) };
    const { data: order } = await client.orders.get({ params });
    await agree(context, order, maxFee);
    const { data } = await client.orders.cancel({ params, idempotencyKey: context.idempotencyKey() });
    return record(data, orderColumns, { notes: [`Canceled order ${data.id}.`] });
  },
});

/** Only an order with a delivery under way can cost a fee. */
async function agree(context: Context, order: Order, max_fee: number | undefined): Promise<void> {
  const { status, route_id, delivery_id } = order;
  const isUnderWay = status === 'dispatched' || (status === 'routed' && route_id === null);
  if (!isUnderWay || delivery_id === null) return;
  const terms = await cancellationTerms(context, delivery_id);
  await agreeToTerms(context, terms, { what: `${order.id} and its delivery ${delivery_id}`, max_fee });
}
