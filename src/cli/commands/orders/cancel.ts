/** `orders cancel`: cancels an order that is not dispatched, or with its delivery after a question about the fee. */
import type { Cancellation } from '../../../contract/delivery-changes.ts';
import type { Order } from '../../../contract/orders.ts';
import { moneyFlag } from '../../kit/args/flags.ts';
import { invocation } from '../../kit/result/message.ts';
import { type Column, recordResult } from '../../kit/result/result.ts';
import { agreeToTerms, canceledFee, canceledText, cancellationTerms } from '../../nouns/cancellation.ts';
import { findOrderId, orderWord } from '../../nouns/find-order.ts';
import { orderColumns } from '../../nouns/order.ts';
import { type Context, defineCommand, positional } from '../../session/command.ts';

export const cancel = defineCommand({
  name: 'cancel',
  summary: 'Cancel an order and its delivery',
  description: [
    'If the order has a delivery, its cancellation fee is shown first and must be confirmed at a prompt or with',
    '--yes. If it is more than --max-fee, nothing is canceled and the exit code is 6. What was canceled already is',
    'not changed, and the exit code is 0.',
  ].join('\n'),
  positionals: { order: positional('order', { summary: orderWord }) },
  flags: {
    maxFee: moneyFlag({ summary: 'Maximum cancellation fee in dollars, such as 5.00' }),
  },
  examples: [
    { command: 'waybill orders cancel ORDER', summary: 'Cancel an order' },
    { command: 'waybill orders cancel ORDER --yes --max-fee 5.00', summary: 'In a script' },
  ],
  effect: 'write',
  confirms: true,
  calls: ['orders.cancel', 'orders.get', 'orders.list', 'deliveries.get', 'charges.list'],
  answers: (of) => [
    of.one(
      of.withFields({ cancellation_fee: 'integer', given_back: 'integer' }, of.answerOf('orders.cancel')),
    ),
  ],
  errors: ['above_max_fee', 'fee_not_agreed'],
  related: ['orders get', 'deliveries cancel', 'batches cancel'],
  async run(context, { positionals, flags: { maxFee } }) {
    const client = await context.client();
    const params = { order_id: await findOrderId(context, positionals.order) };
    const { data: order } = await client.orders.get({ params });
    // With a key the service repeats its first response.
    const isRepeated = order.status === 'canceled' && context.globals.idempotencyKey === undefined;
    const terms = isRepeated ? null : await confirmCancellation(context, order, maxFee);
    const { data } = isRepeated
      ? { data: order }
      : await client.orders.cancel({ params, idempotencyKey: context.idempotencyKey() });
    const { text, ...money } = await canceledMoney(context, order, terms);
    const done = isRepeated ? `Order ${order.id} was canceled already.` : `Canceled order ${data.id}.`;
    const notes = context.output.json ? [] : [done, ...text];
    // Keep the prototype: it holds the default values of fields that another service leaves out.
    const canceled = Object.assign(Object.create(Object.getPrototypeOf(data)), data, money);
    return recordResult(canceled, canceledColumns, { notes });
  },
});

const canceledColumns: readonly Column<Order & { cancellation_fee: number; given_back: number }>[] = [
  ...orderColumns,
  { field: 'cancellation_fee', header: 'Cancellation fee', kind: 'money' },
  { field: 'given_back', header: 'You get back', kind: 'money' },
];

/**
 * The fee and refund of a canceled order, as quoted if they cannot be read. Of one that was canceled before they are those
 * of then. Never fails: the order is canceled.
 */
async function canceledMoney(context: Context, order: Order, terms: Cancellation | null) {
  const { fee, refund } = terms ?? { fee: 0, refund: 0 };
  const quoted = { cancellation_fee: fee, given_back: refund - fee, text: [] };
  const deliveryid = terms?.delivery_id ?? (order.status === 'canceled' ? order.delivery_id : null);
  if (deliveryid === null) return quoted;
  const client = await context.client();
  const call = client.deliveries.get({ params: { deliveryid } });
  const delivery = await call.then(({ data }) => data).catch(() => null);
  if (delivery === null || (terms === null && delivery.status !== 'customer_canceled')) return quoted;
  const cancellation_fee = await canceledFee(context, delivery, { fee });
  const text = [canceledText(delivery, cancellation_fee, terms ?? {})];
  return { cancellation_fee, given_back: delivery.refunded_amount - cancellation_fee, text };
}

/** Only an order with a delivery under way can cost a fee: gives its terms, or null. */
async function confirmCancellation(
  context: Context,
  order: Order,
  max_fee: number | undefined,
): Promise<Cancellation | null> {
  const { status, route_id, delivery_id } = order;
  const isUnderWay = status === 'dispatched' || (status === 'routed' && route_id === null);
  if (!isUnderWay || delivery_id === null) return null;
  const terms = await cancellationTerms(context, delivery_id);
  const command = invocation('orders cancel', [order.id]);
  await agreeToTerms(context, terms, {
    what: `${order.id} and its delivery ${delivery_id}`,
    max_fee,
    command,
  });
  return terms;
}
