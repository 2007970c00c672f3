/** `keys`: API keys of the mode, and what revoking the one in use means. */
import { records } from '../../client/pages.ts';
import type { ApiKey, NewApiKey } from '../../contract/accounts.ts';
import { withoutAbsent } from '../../domain/fields.ts';
import { choiceFlag, textFlag } from '../kit/args/flags.ts';
import { requireFieldShown } from '../kit/output/json-fields.ts';
import { shownKey } from '../kit/output/safe-text.ts';
import { invocation, phrase } from '../kit/result/message.ts';
import { type Column, recordResult } from '../kit/result/result.ts';
import { type Context, defineCommand, positional } from '../session/command.ts';
import { inShownZone, shownZone } from '../session/list-view.ts';
import { listing, pagingFlags } from '../session/listing.ts';
import { instantAt, momentFlag } from '../session/time-arguments.ts';

/** Columns of keys. Uses and expiry are in real time, also while the sandbox clock is set: they have no age. */
const keyColumns: Column<ApiKey>[] = [
  { field: 'id', header: 'Key', kind: 'id' },
  { field: 'name', header: 'Name', kind: 'text' },
  { field: 'permission', header: 'Permission', kind: 'text' },
  { field: 'mode', header: 'Mode', kind: 'text', value: ({ test_mode }) => (test_mode ? 'test' : 'live') },
  { field: 'last_four', header: 'Ends in', kind: 'text', spare: 1 },
  { field: 'created_at', header: 'Created', kind: 'time', spare: 2 },
  { field: 'last_used_at', header: 'Last used', kind: 'instant', unlessEmpty: true, spare: 3 },
  { field: 'expires_at', header: 'Expires', kind: 'instant', unlessEmpty: true },
  { field: 'revoked_at', header: 'Revoked', kind: 'time' },
];

const newKeyFields: Column<NewApiKey>[] = [
  { field: 'key', header: 'API key', kind: 'text', value: ({ key }) => key ?? 'shown before' },
  ...keyColumns,
];

export const create = defineCommand({
  name: 'create',
  aliases: ['add', 'new'],
  summary: 'Create an API key for the current mode (shown once)',
  flags: {
    permission: choiceFlag({
      choices: ['read', 'write', 'admin'],
      required: true,
      summary: 'Permission of the key',
      question: 'Which permission?',
    }),
    name: textFlag({ summary: 'Name to recognize it by' }),
    expiresAt: momentFlag({
      summary: 'When it stops working: a time, or a duration such as 90d',
      aliases: ['expires'],
    }),
  },
  examples: [
    { command: 'waybill keys create --permission read --name dashboard', summary: 'Create a read-only key' },
    {
      command: 'waybill keys create --permission write --expires-at 90d',
      summary: 'Create a key that expires',
    },
    {
      command: 'waybill keys create --permission write --jq .key > key.txt',
      summary: 'Save the key to a file for --api-key-file',
    },
  ],
  effect: 'write',
  answers: ({ one }) => [one('keys.create')],
  related: ['login', 'keys revoke'],
  async run(context, { flags: { permission, name, expiresAt } }) {
    requireFieldShown(context, 'key');
    const client = await context.client();
    const expires_at = expiresAt && new Date(instantAt(expiresAt, context.host.now(), 'ahead')).toISOString();
    const body = { permission, ...withoutAbsent({ name, expires_at }) };
    const { data } = await client.keys.create({ body, idempotencyKey: context.idempotencyKey() });
    const notes = data.key === null ? [] : ['Save this key now. It will not be shown again.'];
    return recordResult(data, newKeyFields, { notes });
  },
});

export const list = defineCommand({
  name: 'list',
  aliases: ['ls'],
  summary: 'List API keys of the current mode',
  flags: pagingFlags,
  examples: [{ command: 'waybill keys list', summary: 'Show each key with its last four characters' }],
  columns: keyColumns,
  effect: 'read',
  calls: ['keys.list', 'deliveries.list'],
  answers: ({ each }) => [each('keys.list')],
  related: ['keys create', 'keys revoke'],
  async run(context, { flags }) {
    const client = await context.client();
    return listing(context, {
      list: client.keys.list,
      query: {},
      paging: flags,
      columns: keyColumns,
      zone: await shownZone(context),
      command: invocation('keys list'),
      filters: {},
      empty: 'No keys found.',
      start: phrase`No keys yet. Create one: ${invocation('keys create')}`,
    });
  },
});

export const revoke = defineCommand({
  name: 'revoke',
  aliases: ['delete', 'rm'],
  summary: 'Revoke an API key',
  positionals: { key: positional('key', { summary: 'Key ID: key_…' }) },
  examples: [{ command: 'waybill keys revoke KEY --yes', summary: 'Revoke without a prompt' }],
  effect: 'write',
  confirms: () => true,
  calls: ['keys.list', 'keys.revoke', 'deliveries.list'],
  answers: ({ one }) => [one('keys.revoke')],
  related: ['keys create'],
  async run(context, { positionals: { key } }) {
    if (!context.globals.dryRun) await context.confirm(await questionOf(context, key));
    const client = await context.client();
    const { data } = await client.keys.revoke({ params: { key_id: key } });
    return recordResult(data, await inShownZone(context, keyColumns), {
      notes: isInUse(context, data) ? [inUseNote] : [],
    });
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

const inUseNote = phrase`You revoked the key in use. Log in with another one: ${invocation('login')}`;

/** Whether revoking a key has consequences here: the embedded service creates another one. */
function isInUse(context: Context, key: ApiKey): boolean {
  const { target, apiKey, profile } = context.settings;
  const shown = apiKey === null ? profile?.api_key_shown : shownKey(apiKey);
  return target.kind === 'http' && shown?.endsWith(`…${key.last_four}`) === true;
}
