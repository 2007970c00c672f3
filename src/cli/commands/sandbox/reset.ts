import { text } from '../../kit/args/flags.ts';
import { idlessFormats } from '../../kit/output/formats.ts';
import { type Column, record } from '../../kit/result/result.ts';
import { defineCommand } from '../../session/command.ts';

interface Reset {
  deleted: number;
}

const fields: Column<Reset>[] = [
  { field: 'deleted', header: 'Deliveries deleted', kind: 'count', value: ({ deleted }) => deleted },
];

export const reset = defineCommand({
  name: 'reset',
  summary: 'Delete every test record of the account',
  description: [
    'Deletes orders, routes, quotes, deliveries, charges, events and stores, and clears the default scenario and',
    'provider failures. The clock runs in real time again, but never moves back. Keys and account settings are kept.',
    'Live records are not affected. Requires an admin key.',
  ].join('\n'),
  flags: {
    seed: text({
      summary: 'New random seed',
      placeholder: 'SEED',
    }),
  },
  examples: [
    { command: 'waybill sandbox reset --yes', summary: 'Reset without a prompt' },
    { command: 'waybill sandbox reset --seed 7', summary: 'Reset with another random seed' },
  ],
  effect: 'write',
  confirms: () => true,
  formats: idlessFormats,
  async run(context, { flags: { seed } }) {
    if (!context.globals.dryRun) await context.confirm('Delete every test record of the account?');
    const client = await context.client();
    const body = seed === undefined ? {} : { seed };
    const { data } = await client.sandbox.reset({ body, idempotencyKey: context.idempotencyKey() });
    const gone = data.deleted === 1 ? '1 delivery' : `${data.deleted} deliveries`;
    return record(data, fields, { notes: [`Deleted ${gone} and every other test record.`] });
  },
});
