import { keyColumns } from '../../columns/keys.ts';
import { defineCommand, positional } from '../../command.ts';
import { record } from '../../result.ts';

export const revoke = defineCommand({
  name: 'revoke',
  aliases: ['delete', 'rm'],
  summary: 'End an API key at once',
  positionals: { key: positional('key', { summary: 'Id of the key: key_…' }) },
  examples: [{ command: 'waybill keys revoke KEY --yes', summary: 'Without being asked' }],
  effect: 'write',
  confirms: () => true,
  async run(context, { positionals: { key } }) {
    if (!context.asked.dryRun) await context.confirm(`End the key ${key} at once?`);
    const client = await context.client();
    const { data } = await client.keys.revoke({ params: { key_id: key } });
    return record(data, keyColumns);
  },
});
