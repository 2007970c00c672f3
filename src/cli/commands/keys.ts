import { records } from '../../client/pages.ts';
import type { ApiKey, NewApiKey } from '../../contract/accounts.ts';
import type { Permission } from '../../contract/vocabulary.ts';
import { choice, flag, text } from '../kit/args/flags.ts';
import { instantAt, moment } from '../kit/args/time-arguments.ts';
import { Failure } from '../kit/errors/failure.ts';
import { requireShown } from '../kit/output/program-output.ts';
import { shownKey } from '../kit/output/safe-text.ts';
import { invocation, phrase } from '../kit/result/message.ts';
import { type Column, type Result, record } from '../kit/result/result.ts';
import { type Context, defineCommand, positional } from '../session/command.ts';
import { listing, pagingFlags } from '../session/listing.ts';
import { withKey } from '../settings/key-storage.ts';
import { changeProfile, checkWritable, type Profile, type Settings } from '../settings/settings.ts';

/** Uses and expiry are in real time, also while the sandbox clock is set: they are shown without an age. */
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
    permission: choice({
      choices: ['read', 'write', 'admin'],
      required: true,
      summary: 'Permission of the key',
      question: 'Which permission?',
    }),
    name: text({ summary: 'Name to recognize it by' }),
    expiresAt: moment({
      summary: 'When it stops working: a time, or a duration such as 90d',
      aliases: ['expires'],
    }),
  },
  examples: [
    { command: 'waybill keys create --permission read --name dashboard', summary: 'Create a read-only key' },
    { command: 'waybill keys create --permission write --expires 90d', summary: 'Create a key that expires' },
    {
      command: 'waybill keys create --permission write --json=key | jq -r .key > key.txt',
      summary: 'Save the key to a file for --api-key-file',
    },
  ],
  effect: 'write',
  answers: ({ one }) => [one('keys.create')],
  related: ['login', 'keys revoke'],
  async run(context, { flags: { permission, name, expiresAt } }) {
    requireShown(context, 'key');
    const client = await context.client();
    const expires_at = expiresAt && new Date(instantAt(expiresAt, context.host.now(), 'ahead')).toISOString();
    const body = {
      permission,
      ...(name === undefined ? {} : { name }),
      ...(expires_at === undefined ? {} : { expires_at }),
    };
    const idempotencyKey = context.idempotencyKey();
    const { data } = await client.keys.create({ body, idempotencyKey });
    return record(data, newKeyFields, { notes: ['Save this key now. It will not be shown again.'] });
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
  answers: ({ each }) => [each('keys.list')],
  related: ['keys create', 'keys revoke'],
  async run(context, { flags }) {
    const client = await context.client();
    return listing({
      list: client.keys.list,
      query: {},
      paging: flags,
      columns: keyColumns,
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
  calls: ['keys.list', 'keys.revoke'],
  answers: ({ one }) => [one('keys.revoke')],
  related: ['keys create'],
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

interface Rotation {
  object: 'key_rotation';
  /** Null if the key in use is not stored in one. */
  profile: string | null;
  /** The new key. */
  key_id: string;
  /** Its secret; null if the profile stores it. */
  key: string | null;
  last_four: string;
  permission: Permission;
  mode: 'test' | 'live';
  /** Null if the old key was kept. */
  revoked_key_id: string | null;
}

const rotationFields: readonly Column<Rotation>[] = [
  { field: 'profile', header: 'Profile', kind: 'id' },
  { field: 'key_id', header: 'New key', kind: 'id' },
  { field: 'key', header: 'API key', kind: 'text' },
  { field: 'last_four', header: 'Ends in', kind: 'text' },
  { field: 'permission', header: 'Permission', kind: 'text' },
  { field: 'mode', header: 'Mode', kind: 'text' },
  { field: 'revoked_key_id', header: 'Revoked', kind: 'id' },
];

export const rotate = defineCommand({
  name: 'rotate',
  summary: 'Replace the API key of the profile and revoke the old one',
  description: [
    'Creates a key with the same permission and name, checks it, stores it in the profile, and then revokes the old',
    'one. Interrupted at any point, the profile has a key that works. Use --keep-old if other programs still use the',
    'old key. A key from a file or the environment cannot be replaced there: the new key is shown once, and the old one',
    'stays valid. Requires an admin key.',
  ].join('\n'),
  flags: { keepOld: flag({ summary: 'Leave the old key valid' }) },
  examples: [
    { command: 'waybill keys rotate', summary: 'Replace the key of the current profile' },
    { command: 'waybill keys rotate --keep-old --yes', summary: 'Revoke the old key later' },
  ],
  effect: 'write',
  confirms: () => true,
  calls: ['keys.list', 'keys.create', 'account.get', 'keys.revoke'],
  answers: ({ one, object, orNull }) => [
    one(
      object({
        object: '"key_rotation"',
        profile: orNull('string'),
        key_id: 'string',
        key: orNull('string'),
        last_four: 'string',
        permission: 'read | write | admin',
        mode: 'test | live',
        revoked_key_id: orNull('string'),
      }),
    ),
  ],
  exits: { 6: 'the key in use cannot be identified' },
  errors: ['key_not_identified', 'settings_broken', 'settings_unusable'],
  related: ['keys revoke', 'keys list', 'login'],
  async run(context, { flags: { keepOld } }) {
    const profile = storedProfile(context.settings);
    return profile === null ? createOnly(context) : replaceStored(context, profile, keepOld);
  },
});

/** Creates, checks and stores the new key before it revokes the old one. */
async function replaceStored(context: Context, profile: Profile, keepOld: boolean): Promise<Result> {
  const { settings, host, setInterruptionText } = context;
  const old = await onlyKeyOf(context);
  const end = keepOld ? 'The old key stays valid.' : `Then revoke ${old.id} (ends in ${old.last_four}).`;
  if (!context.globals.dryRun) {
    await context.confirm(`Create a new ${old.permission} key for profile ${settings.name}? ${end}`);
  }
  checkWritable(settings.file);
  const { made, key } = await createKey(context, old);
  const unused = phrase`Created ${made.id}, which is not in use: the profile still has the old key. To remove it: ${invocation('keys revoke', [made.id])}`;
  setInterruptionText(unused);
  const replaced = await context.at({ ...settings, apiKey: key, keyOrigin: 'flag' }).client();
  await replaced.account.get({});
  const keeper = { name: settings.name, file: settings.file, profile, apiKey: key };
  const { profile: stored, notes } = await withKey(
    { ...keeper, insecure: settings.keyPlace === 'profile' },
    host,
  );
  changeProfile(settings.file, settings.name, () => stored);
  const left = phrase`The profile has the new key. The old one is still valid. To revoke it: ${invocation('keys revoke', [old.id])}`;
  setInterruptionText(left);
  if (!keepOld) await replaced.keys.revoke({ params: { key_id: old.id } });
  const ended = { profile: settings.name, key: null, revoked_key_id: keepOld ? null : old.id };
  return record(rotationOf(made, ended), rotationFields, { notes: [...notes, ...(keepOld ? [left] : [])] });
}

/** A key that is set elsewhere cannot be replaced there: the new one is shown, and the old one stays valid. */
async function createOnly(context: Context): Promise<Result> {
  requireShown(context, 'key');
  const question = 'The API key in use is not stored in a profile. Create a new one and show it once?';
  if (!context.globals.dryRun) await context.confirm(question);
  const client = await context.client();
  const { permission } = (await client.account.get({})).data;
  const { made, key } = await createKey(context, { permission, name: '', expires_at: null });
  const note = phrase`Set this key where the old one is set, and then revoke that: ${invocation('keys list')}`;
  return record(rotationOf(made, { profile: null, key, revoked_key_id: null }), rotationFields, {
    notes: [note],
  });
}

/** Creates a key like another one. It expires with that, as a longer life was not asked for. */
async function createKey(
  context: Context,
  { permission, name, expires_at }: Pick<ApiKey, 'permission' | 'name' | 'expires_at'>,
) {
  const client = await context.client();
  const body = {
    permission,
    ...(name === '' ? {} : { name }),
    ...(expires_at === null ? {} : { expires_at }),
  };
  const { data: made } = await client.keys.create({ body, idempotencyKey: context.idempotencyKey() });
  if (made.key === null) throw unseenKey(made);
  return { made, key: made.key };
}

function rotationOf(
  { id, last_four, permission, test_mode }: ApiKey,
  ended: Pick<Rotation, 'profile' | 'key' | 'revoked_key_id'>,
): Rotation {
  const mode = test_mode ? 'test' : 'live';
  return { object: 'key_rotation', key_id: id, last_four, permission, mode, ...ended };
}

/** The profile whose key is in use; null if the key comes from elsewhere. */
function storedProfile({ profile, apiKey, keyPlace, keyOrigin }: Settings): Profile | null {
  const isStored = keyPlace === 'keychain' || (keyPlace === 'profile' && apiKey !== null);
  return isStored && keyOrigin === 'profile' ? profile : null;
}

/** The key in use. Throws Failure if several keys could be it, as the wrong one must not be revoked. */
async function onlyKeyOf(context: Context): Promise<ApiKey> {
  const [key, ...others] = await keysInUse(context);
  if (key !== undefined && others.length === 0) return key;
  const why = key === undefined ? 'is not listed' : 'has the same last four characters as another one';
  throw new Failure(6, 'key_not_identified', `The API key in use ${why}.`, {
    hint: phrase`Create and revoke keys by hand: ${invocation('keys list')}`,
  });
}

/** A repeated request returns the key without its secret. */
function unseenKey({ id }: ApiKey): Failure {
  return new Failure(
    6,
    'key_not_identified',
    `The new key ${id} was created before and cannot be shown again.`,
    {
      hint: phrase`Revoke it and repeat with another --idempotency-key: ${invocation('keys revoke', [id])}`,
    },
  );
}

/** Whether revoking a key has consequences here: the embedded service creates another one. */
function isInUse(context: Context, key: ApiKey): boolean {
  return context.settings.target.kind === 'http' && isSent(context, key);
}

/** Whether a key has the last four characters of the one that is sent. */
function isSent({ settings: { apiKey, profile } }: Context, { last_four }: ApiKey): boolean {
  const shown = apiKey === null ? profile?.api_key_shown : shownKey(apiKey);
  return shown?.endsWith(`…${last_four}`) === true;
}

/** The valid keys that may be the one in use: the service shows their last four characters. */
async function keysInUse(context: Context): Promise<ApiKey[]> {
  const client = await context.client();
  const found: ApiKey[] = [];
  for await (const key of records(client.keys.list, {})) {
    if (key.revoked_at === null && isSent(context, key)) found.push(key);
  }
  return found;
}
