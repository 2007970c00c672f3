import type { ApiKey } from '../../../contract/keys.ts';
import { keyColumns } from '../../columns/keys.ts';
import { type Context, defineCommand, positional } from '../../command.ts';
import { record } from '../../result.ts';
import { shownKey } from '../../settings/redaction.ts';

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
    return record(data, keyColumns, { notes: isInUse(context, data) ? [afterwards] : [] });
  },
});

const afterwards = 'It was the key in use here. With another one: waybill login';

/** The embedded service makes itself another key. */
function isInUse({ settings: { apiKey, profile, target } }: Context, { last_four }: ApiKey): boolean {
  const shown = apiKey === null ? profile?.api_key_shown : shownKey(apiKey);
  return target.kind === 'http' && shown?.endsWith(`…${last_four}`) === true;
}
