import { defineCommand } from '../../command.ts';
import { text } from '../../line/flags.ts';
import { idlessFormats } from '../../line/globals.ts';
import { type Column, record } from '../../result.ts';

interface Reset {
  deleted: number;
}

const fields: Column<Reset>[] = [
  { field: 'deleted', header: 'Deliveries deleted', kind: 'count', value: ({ deleted }) => deleted },
];

export const reset = defineCommand({
  name: 'reset',
  summary: 'Delete every test record of the account, and begin anew',
  description: [
    'Orders, routes, quotes, deliveries, charges, events and stores go, and so do the default scenario and failing',
    'providers. The clock is real again, but never goes back. Keys and the settings of the account stay.',
    'Live records are left alone. It needs an admin key.',
  ].join('\n'),
  flags: {
    seed: text({
      summary: 'What chance is drawn from after this',
      placeholder: 'SEED',
    }),
  },
  examples: [
    { command: 'waybill sandbox reset --yes', summary: 'Without being asked' },
    { command: 'waybill sandbox reset --seed 7', summary: 'With chance drawn from another seed' },
  ],
  effect: 'write',
  confirms: () => true,
  formats: idlessFormats,
  async run(context, { flags: { seed } }) {
    if (!context.asked.dryRun) await context.confirm('Delete every test record of the account?');
    const client = await context.client();
    const body = seed === undefined ? {} : { seed };
    const { data } = await client.sandbox.reset({ body, idempotencyKey: context.idempotencyKey() });
    const gone = data.deleted === 1 ? '1 delivery' : `${data.deleted} deliveries`;
    return record(data, fields, { notes: [`Gone: ${gone}, and every other test record.`] });
  },
});
