import { scenarioColumns } from '../../columns/sandbox.ts';
import { defineCommand } from '../../command.ts';
import { invocation } from '../../kit/output/invocation.ts';
import { phrase } from '../../kit/output/message.ts';
import { document, list } from '../../result.ts';

export const scenarios = defineCommand({
  name: 'scenarios',
  summary: 'List what a delivery can be made to go through',
  description: [
    'A scenario is chosen when an order or a delivery is created, first match wins: --simulate NAME, the number in',
    'the dropoff phone (+1 312 555 01NN), the default of `waybill sandbox scenario set NAME`, else happy_path.',
  ].join('\n'),
  examples: [
    { command: 'waybill sandbox scenarios', summary: 'All of them' },
    { command: 'waybill sandbox scenarios -o id', summary: 'Their names' },
  ],
  effect: 'read',
  async run(context) {
    const client = await context.client();
    const { data } = await client.sandbox.scenarios();
    if (context.output.format === 'json') return document(data.data);
    return list({ data: data.data, columns: scenarioColumns, notes: choosing });
  },
});

const choosing = [
  'For one order: --simulate NAME, or the number as NN of the dropoff phone +1 312 555 01NN.',
  phrase`For all that name none: ${invocation('sandbox scenario', ['set', 'NAME'])}`,
];
