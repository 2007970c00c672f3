import type { ApiKey } from '../../../contract/accounts.ts';
import type { Permission } from '../../../contract/vocabulary.ts';
import { flag } from '../../kit/args/flags.ts';
import { Failure } from '../../kit/errors/failure.ts';
import { invocation, phrase } from '../../kit/result/message.ts';
import { type Column, type Result, record } from '../../kit/result/result.ts';
import { type Context, defineCommand } from '../../session/command.ts';
import { withKey } from '../../settings/key-storage.ts';
import { changeProfile, checkWritable, type Profile } from '../../settings/profiles.ts';
import type { Settings } from '../../settings/settings.ts';
import { keysInUse } from './own-key.ts';

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

const fields: readonly Column<Rotation>[] = [
  { field: 'profile', header: 'Profile', kind: 'id', value: ({ profile }) => profile },
  { field: 'key_id', header: 'New key', kind: 'id', value: ({ key_id }) => key_id },
  { field: 'key', header: 'API key', kind: 'text', value: ({ key }) => key },
  { field: 'last_four', header: 'Ends in', kind: 'text', value: ({ last_four }) => last_four },
  { field: 'permission', header: 'Permission', kind: 'text', value: ({ permission }) => permission },
  { field: 'mode', header: 'Mode', kind: 'text', value: ({ mode }) => mode },
  { field: 'revoked_key_id', header: 'Revoked', kind: 'id', value: (rotation) => rotation.revoked_key_id },
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
  return record(rotationOf(made, ended), fields, { notes: [...notes, ...(keepOld ? [left] : [])] });
}

/** A key that is set elsewhere cannot be replaced there: the new one is shown, and the old one stays valid. */
async function createOnly(context: Context): Promise<Result> {
  const question = 'The API key in use is not stored in a profile. Create a new one and show it once?';
  if (!context.globals.dryRun) await context.confirm(question);
  const client = await context.client();
  const { permission } = (await client.account.get({})).data;
  const { made, key } = await createKey(context, { permission, name: '', expires_at: null });
  const note = phrase`Set this key where the old one is set, and then revoke that: ${invocation('keys list')}`;
  return record(rotationOf(made, { profile: null, key, revoked_key_id: null }), fields, { notes: [note] });
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

/** The key in use. Throws Failure if it cannot be told from another one: the wrong one must not be revoked. */
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
