import { storeColumns } from '../../columns/stores.ts';
import { defineCommand, positional } from '../../command.ts';
import { UsageError } from '../../failures/failure.ts';
import { flagLabel } from '../../line/input.ts';
import { record } from '../../result.ts';
import { storeChangeFlags, storeChangesOf } from '../../stores/store-flags.ts';

export const update = defineCommand({
  name: 'update',
  aliases: ['edit', 'set'],
  summary: 'Change a saved pickup place',
  description: 'What was made with it before stays as it is.',
  positionals: { store: positional('store', { summary: 'The store' }) },
  flags: storeChangeFlags,
  examples: [
    { command: "waybill stores update STORE --notes 'Door at the back'", summary: 'What couriers are told' },
    { command: 'waybill stores update STORE --clear notes', summary: 'Nothing more' },
  ],
  effect: 'write',
  oneOf: ['name', 'address', 'phoneNumber', 'unit', 'notes', 'clear'],
  async run(context, { flags, positionals }) {
    const body = storeChangesOf(flags);
    if (Object.keys(body).length === 0) {
      const choices = Object.keys(storeChangeFlags).map(flagLabel);
      throw new UsageError('Say what to change.', { code: 'missing_input', choices });
    }
    const client = await context.client();
    const { data } = await client.stores.update({ params: { store_id: positionals.store }, body });
    return record(data, storeColumns);
  },
});
