import { record } from '../../kit/result/result.ts';
import { defineCommand, positional } from '../../session/command.ts';
import { storeColumns } from './store-columns.ts';

export const get = defineCommand({
  name: 'get',
  aliases: ['show', 'view'],
  summary: 'Show a saved pickup location',
  positionals: { store: positional('store', { summary: 'Store ID' }) },
  examples: [{ command: 'waybill stores get STORE', summary: 'Show its address, phone and notes' }],
  columns: storeColumns,
  effect: 'read',
  async run(context, { positionals }) {
    const client = await context.client();
    const { data } = await client.stores.get({ params: { store_id: positionals.store } });
    return record(data, storeColumns);
  },
});
