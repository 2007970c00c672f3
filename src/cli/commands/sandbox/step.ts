import { deliveryStatuses } from '../../../contract/vocabulary.ts';
import { invocation, phrase } from '../../kit/result/message.ts';
import { record } from '../../kit/result/result.ts';
import { defineCommand, positional, word } from '../../session/command.ts';
import { deliveryWord, findDeliveryId } from '../deliveries/find-delivery.ts';
import { stepFields } from './sandbox-columns.ts';

export const step = defineCommand({
  name: 'step',
  summary: 'Make the courier report a status now',
  description:
    'The courier continues normally from that status; other deliveries of the route keep their times.',
  positionals: {
    delivery: positional('delivery', { summary: deliveryWord }),
    status: word({ choices: deliveryStatuses, summary: 'One of `waybill sandbox steps DELIVERY`' }),
  },
  examples: [{ command: 'waybill sandbox step DELIVERY pickup_complete', summary: 'Report the pickup' }],
  effect: 'write',
  async run(context, { positionals: { delivery: named, status } }) {
    const delivery = await findDeliveryId(context, named);
    const client = await context.client();
    const { data } = await client.sandbox.step({
      params: { delivery_id: delivery },
      body: { status },
      idempotencyKey: context.idempotencyKey(),
    });
    return record(data, stepFields, {
      notes: [phrase`Show the delivery: ${invocation('deliveries get', [delivery])}`],
    });
  },
});
