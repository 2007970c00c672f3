import type { Order } from '../../../contract/orders.ts';
import { orderColumns } from '../../columns/orders.ts';
import { type Context, defineCommand, positional } from '../../command.ts';
import { agreeToTerms } from '../../deliveries/cancellation.ts';
import { money } from '../../line/flags.ts';
import { findOrderId, orderWord } from '../../orders/finding.ts';
import { record } from '../../result.ts';

export const cancel = defineCommand({
  name: 'cancel',
  summary: 'Close an order; one that is under way has its delivery canceled',
  description: [
    'To cancel a delivery may cost something: the price is told first, and confirmed at a prompt, or beforehand with',
    '--yes. Above --max-fee nothing is done and the exit code is 6.',
  ].join('\n'),
  positionals: { order: positional('order', { summary: orderWord }) },
  flags: {
    maxFee: money({ summary: 'The most that canceling its delivery may cost, in dollars: 5.00' }),
  },
  examples: [
    { command: 'waybill orders cancel ORDER', summary: 'Close it; it can join no route any more' },
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
    return record(data, orderColumns, { notes: [`The order is closed: ${data.id}.`] });
  },
});

/** Only what has a delivery under way can cost anything. */
async function agree(context: Context, order: Order, max_fee: number | undefined): Promise<void> {
  const { status, route_id, delivery_id } = order;
  const isUnderWay = status === 'dispatched' || (status === 'routed' && route_id === null);
  if (!isUnderWay || delivery_id === null) return;
  const client = await context.client();
  const { data: terms } = await client.deliveries.cancellation({ params: { deliveryid: delivery_id } });
  await agreeToTerms(context, terms, { what: `${order.id} with its delivery ${delivery_id}`, max_fee });
}
