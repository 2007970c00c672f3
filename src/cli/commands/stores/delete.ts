import { deletedFields } from '../../kit/output/rows.ts';
import { record } from '../../kit/result/result.ts';
import { defineCommand, positional } from '../../session/command.ts';

export const deleteStore = defineCommand({
  name: 'delete',
  aliases: ['rm', 'remove'],
  summary: 'Delete a saved pickup location',
  description: 'Existing records keep the old address.',
  positionals: { store: positional('store', { summary: 'Store ID' }) },
  examples: [{ command: 'waybill stores delete STORE --yes', summary: 'Delete without a prompt' }],
  effect: 'write',
  confirms: () => true,
  async run(context, { positionals: { store } }) {
    if (!context.globals.dryRun) await context.confirm(`Delete store ${store}?`);
    const client = await context.client();
    const { data } = await client.stores.delete({ params: { store_id: store } });
    return record(data, deletedFields);
  },
});
