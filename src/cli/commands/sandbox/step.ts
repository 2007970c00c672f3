import { deliveryStatuses } from '../../../contract/vocabulary.ts';
import { stepFields } from '../../columns/sandbox.ts';
import { defineCommand, positional, word } from '../../command.ts';
import { commandLine } from '../../line/command-line.ts';
import { record } from '../../result.ts';

export const step = defineCommand({
  name: 'step',
  summary: 'Have the courier of a delivery report a status now',
  description:
    'The courier keeps to its own timetable all the same; a status that is passed by then is only kept.',
  positionals: {
    delivery: positional('delivery', { summary: 'The delivery' }),
    status: word({ choices: deliveryStatuses, summary: 'One of `waybill sandbox steps DELIVERY`' }),
  },
  examples: [{ command: 'waybill sandbox step DELIVERY pickup_complete', summary: 'It is picked up' }],
  effect: 'write',
  async run(context, { positionals: { delivery, status } }) {
    const client = await context.client();
    const { data } = await client.sandbox.step({
      params: { delivery_id: delivery },
      body: { status },
      idempotencyKey: context.idempotencyKey(),
    });
    return record(data, stepFields, { notes: [`See it: ${commandLine(['deliveries', 'get', delivery])}`] });
  },
});
