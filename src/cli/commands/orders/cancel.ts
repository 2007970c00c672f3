import { orderColumns } from '../../columns/orders.ts';
import { defineCommand, positional } from '../../command.ts';
import { record } from '../../result.ts';

export const cancel = defineCommand({
  name: 'cancel',
  summary: 'Close an order; one that is dispatched has its delivery canceled',
  description: 'What a cancellation costs, `waybill deliveries cancel DELIVERY --price` tells first.',
  positionals: { order: positional('order', { summary: 'The order' }) },
  examples: [{ command: 'waybill orders cancel ORDER', summary: 'Close it; it can join no route any more' }],
  effect: 'write',
  async run(context, { positionals }) {
    const client = await context.client();
    const params = { order_id: positionals.order };
    const { data } = await client.orders.cancel({ params, idempotencyKey: context.idempotencyKey() });
    return record(data, orderColumns, { notes: [`The order is closed: ${data.id}.`] });
  },
});
