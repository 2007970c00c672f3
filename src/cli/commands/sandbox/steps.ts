import type { Steps } from '../../../contract/sandbox.ts';
import { invocation, phrase } from '../../kit/result/message.ts';
import { type Column, document, list } from '../../kit/result/result.ts';
import { defineCommand, positional } from '../../session/command.ts';
import { deliveryWord, findDeliveryId } from '../deliveries/find-delivery.ts';

const columns: Column<Steps['status']>[] = [
  { field: 'status', header: 'Status', kind: 'id', value: (status) => status },
];

export const steps = defineCommand({
  name: 'steps',
  summary: 'List statuses that the courier can report now',
  positionals: { delivery: positional('delivery', { summary: deliveryWord }) },
  examples: [{ command: 'waybill sandbox steps DELIVERY', summary: 'List possible next statuses' }],
  effect: 'read',
  async run(context, { positionals }) {
    const delivery = await findDeliveryId(context, positionals.delivery);
    const client = await context.client();
    const { data } = await client.sandbox.steps({ params: { delivery_id: delivery } });
    if (context.output.format === 'json') return document(data);
    const next = invocation('sandbox step', [delivery, 'STATUS']);
    return list({
      data: data.data,
      columns,
      empty: 'No further status is possible.',
      notes: [
        `${delivery} is ${data.status}.`,
        ...(data.data.length === 0 ? [] : [phrase`Report one: ${next}`]),
      ],
    });
  },
});
