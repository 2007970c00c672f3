import { flagLabel } from '../../kit/args/input.ts';
import { UsageError } from '../../kit/errors/failure.ts';
import { record } from '../../kit/result/result.ts';
import { defineCommand, positional } from '../../session/command.ts';
import { storeColumns } from './store-columns.ts';
import { storeChangeFlags, storeChangesOf } from './store-flags.ts';

export const update = defineCommand({
  name: 'update',
  aliases: ['edit', 'set'],
  summary: 'Change a saved pickup location',
  description: 'Existing records keep the old values.',
  positionals: { store: positional('store', { summary: 'Store ID' }) },
  flags: storeChangeFlags,
  examples: [
    {
      command: "waybill stores update STORE --notes 'Door at the back'",
      summary: 'Change the notes for couriers',
    },
    {
      command:
        'waybill stores update STORE --logo https://shop.example/logo.png --support-phone +13125550100',
      summary: 'Show a logo and a phone number on tracking pages',
    },
    { command: 'waybill stores update STORE --clear notes', summary: 'Clear the notes' },
  ],
  effect: 'write',
  oneOf: ['name', 'address', 'phoneNumber', 'unit', 'notes', 'supportPhoneNumber', 'logo', 'clear'],
  async run(context, { flags, positionals }) {
    const body = storeChangesOf(flags, context.host.folder);
    if (Object.keys(body).length === 0) {
      const choices = Object.keys(storeChangeFlags).map(flagLabel);
      throw new UsageError('Specify at least one change.', { code: 'missing_input', choices });
    }
    const client = await context.client();
    const { data } = await client.stores.update({ params: { store_id: positionals.store }, body });
    return record(data, storeColumns);
  },
});
