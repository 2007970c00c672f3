import { invocation, phrase } from '../../kit/result/message.ts';
import { document, list } from '../../kit/result/result.ts';
import { defineCommand } from '../../session/command.ts';
import { scenarioColumns } from './sandbox-columns.ts';

export const scenarios = defineCommand({
  name: 'scenarios',
  summary: 'List delivery scenarios',
  description: [
    'The scenario of an order or delivery is the first match of: --simulate NAME, the number in the dropoff phone (+1',
    '312 555 01NN), the default from `waybill sandbox scenario set NAME`, and happy_path.',
  ].join('\n'),
  examples: [
    { command: 'waybill sandbox scenarios', summary: 'List scenarios' },
    { command: 'waybill sandbox scenarios -o id', summary: 'Print their names' },
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
  'For one order: --simulate NAME, or its number as NN in the dropoff phone +1 312 555 01NN.',
  phrase`As the default: ${invocation('sandbox scenario', ['set', 'NAME'])}`,
];
