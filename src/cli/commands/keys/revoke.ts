import { records } from '../../../client/pages.ts';
import { invocation, phrase } from '../../kit/result/message.ts';
import { record } from '../../kit/result/result.ts';
import { type Context, defineCommand, positional } from '../../session/command.ts';
import { keyColumns } from './key-columns.ts';
import { isInUse } from './own-key.ts';

export const revoke = defineCommand({
  name: 'revoke',
  aliases: ['delete', 'rm'],
  summary: 'Revoke an API key',
  positionals: { key: positional('key', { summary: 'Key ID: key_…' }) },
  examples: [{ command: 'waybill keys revoke KEY --yes', summary: 'Revoke without a prompt' }],
  effect: 'write',
  confirms: () => true,
  async run(context, { positionals: { key } }) {
    if (!context.globals.dryRun) await context.confirm(await questionOf(context, key));
    const client = await context.client();
    const { data } = await client.keys.revoke({ params: { key_id: key } });
    return record(data, keyColumns, { notes: isInUse(context, data) ? [afterwards] : [] });
  },
});

/** Asks for confirmation only in a terminal, as that needs a request for the keys. */
async function questionOf(context: Context, key: string): Promise<string> {
  const isAsked = context.interactive && !context.globals.yes;
  const isOwn = isAsked && context.settings.target.kind === 'http' && (await isOwnKey(context, key));
  return `Revoke ${key} now?${isOwn ? ' You are currently using it.' : ''}`;
}

async function isOwnKey(context: Context, id: string): Promise<boolean> {
  const client = await context.client();
  for await (const each of records(client.keys.list, {})) if (each.id === id) return isInUse(context, each);
  return false;
}

const afterwards = phrase`You revoked the key in use. Log in with another one: ${invocation('login')}`;
