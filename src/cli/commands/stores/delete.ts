import { deletedFields } from '../../columns/deleted.ts';
import { defineCommand, positional } from '../../command.ts';
import { record } from '../../result.ts';

export const deleteStore = defineCommand({
  name: 'delete',
  aliases: ['rm', 'remove'],
  summary: 'Delete a saved pickup place',
  description: 'What was made with it stays as it is.',
  positionals: { store: positional('store', { summary: 'The store' }) },
  examples: [{ command: 'waybill stores delete STORE --yes', summary: 'Without being asked' }],
  effect: 'write',
  confirms: () => true,
  async run(context, { positionals: { store } }) {
    if (!context.asked.dryRun) await context.confirm(`Delete the store ${store}?`);
    const client = await context.client();
    const { data } = await client.stores.delete({ params: { store_id: store } });
    return record(data, deletedFields);
  },
});
