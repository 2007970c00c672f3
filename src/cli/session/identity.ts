/** Who a run acts as: the account, the profile and the API key in use, and how commands show profiles and keys. */
import { records } from '../../client/pages.ts';
import { type Features, featureNames, featureTexts } from '../../client/service-features.ts';
import type { Account, ApiKey, AuditEntry } from '../../contract/accounts.ts';
import { Failure, UsageError } from '../kit/errors/failure.ts';
import { shownKey } from '../kit/output/safe-text.ts';
import { invocation } from '../kit/result/message.ts';
import type { Column } from '../kit/result/result.ts';
import type { Shape } from '../kit/result/shape.ts';
import type { Profile } from '../settings/profiles.ts';
import type { KeyPlace } from '../settings/settings.ts';
import type { Context, ResultBuilder } from './command.ts';

/** The source of a key: given for this run, or stored by the profile. */
export type KeyOrigin = 'flag' | 'environment' | KeyPlace;

const keySources: Record<KeyOrigin, string> = {
  flag: 'the file of --api-key-file',
  environment: 'the environment',
  profile: 'the settings file',
  key_file: 'the file that the profile names',
  keychain: "the system's keychain",
};

export function identityShape({ object, answerOf }: ResultBuilder): Shape {
  return object({
    profile: 'string',
    'base_url?': 'string',
    'embedded?': 'true',
    mode: 'test | live',
    api_key: 'string',
    api_key_from: 'flag | environment | profile | key_file | keychain',
    account: answerOf('account.get'),
  });
}

/** A profile, and the service's information about its key. */
export interface Identity {
  profile: string;
  base_url?: string;
  embedded?: true;
  /** Null if neither the service nor the profile knows it. */
  mode: 'test' | 'live' | null;
  /** Reduced to the last four characters. */
  api_key: string;
  api_key_from: KeyOrigin;
  /** Null if the service has no account information. */
  account: Account | null;
  /** The service's features; absent if it supports all of them. */
  service?: Features;
}

export const accountFields: Column<Identity>[] = [
  { field: 'profile', header: 'Profile', kind: 'id' },
  { field: 'base_url', header: 'Service', kind: 'text', value: ({ base_url }) => base_url ?? 'embedded' },
  { field: 'mode', header: 'Mode', kind: 'text', value: ({ mode }) => mode ?? 'not known' },
  { field: 'api_key', header: 'Key', kind: 'text' },
  { field: 'api_key_from', header: 'Key from', kind: 'text', value: (row) => keySources[row.api_key_from] },
  { field: 'permission', header: 'Permission', kind: 'text', value: ({ account }) => account?.permission },
  { field: 'account_id', header: 'Account', kind: 'text', value: ({ account }) => account?.account_id },
  { field: 'account_name', header: 'Account name', kind: 'text', value: ({ account }) => account?.name },
  {
    field: 'providers',
    header: 'Providers',
    kind: 'text',
    value: ({ account }) => account?.providers,
  },
  {
    field: 'missing',
    header: 'Not available',
    kind: 'text',
    value: ({ service }) => missingFeatures(service),
  },
];

/** The features that a service does not support. */
export function missingFeatures(service: Features = {}): string[] {
  return featureNames.filter((name) => service[name] === false).map((name) => featureTexts[name]);
}

/** A profile as shown: its key shortened, and without the secret that signs forwarded events. */
interface ShownProfile extends Omit<Profile, 'listening_secret'> {
  name: string;
  current: boolean;
}

export function shownProfile(name: string, profile: Profile, current: string): ShownProfile {
  const { api_key, listening_secret: _, ...rest } = profile;
  const key = api_key === undefined ? {} : { api_key: shownKey(api_key) };
  return { name, current: name === current, ...rest, ...key };
}

function keyText({ api_key, api_key_file, api_key_in, api_key_shown }: ShownProfile): string {
  if (api_key_in === undefined) return api_key ?? api_key_file ?? 'none';
  return `${api_key_shown ?? ''} (${api_key_in})`.trimStart();
}

export const profileColumns: Column<ShownProfile>[] = [
  { field: 'name', header: 'Profile', kind: 'id' },
  { field: 'current', header: 'In use', kind: 'text', value: ({ current }) => (current ? 'yes' : '') },
  { field: 'base_url', header: 'Service', kind: 'text', value: ({ base_url }) => base_url ?? 'embedded' },
  { field: 'mode', header: 'Mode', kind: 'text', value: ({ mode }) => mode ?? 'not known yet' },
  {
    field: 'api_key',
    header: 'Key',
    kind: 'text',
    value: keyText,
  },
  { field: 'output', header: 'Format', kind: 'text', wide: true },
];

const listKeys = { ...invocation('keys list'), when: 'see the keys' };

/**
 * Finds the ID of the one API key with this ID, name or last four characters; revoked keys count. Throws Failure with
 * exit 5 if there is none, and UsageError if several match.
 */
export async function findKeyId(context: Context, word: string): Promise<string> {
  const client = await context.client();
  const all: ApiKey[] = [];
  for await (const key of records(client.keys.list, {})) {
    if (key.id === word) return key.id;
    all.push(key);
  }
  const matches = all.filter(({ name, last_four }) => last_four === word || name === word);
  const [first, ...others] = matches;
  if (first === undefined) {
    throw new Failure(5, 'record_not_found', `There is no API key "${word}".`, {
      param: '--key',
      hint: 'Give its ID, its name or the last four characters of the key.',
      next: [listKeys],
    });
  }
  if (others.length === 0) return first.id;
  throw new UsageError(`${matches.length} API keys match "${word}". Use an ID instead.`, {
    choices: matches.map(({ id }) => id),
    next: [listKeys],
  });
}

/** The author of an audit entry: `Till (…a1b2)` for a key, with its last four characters, as others may have its name. */
export function auditAuthor({ actor, actor_name, key_last_four }: AuditEntry): string {
  if (actor === 'operator') return `operator ${actor_name}`;
  if (key_last_four === null) return actor_name ?? actor;
  return actor_name ? `${actor_name} (…${key_last_four})` : key_last_four;
}
