import { type Features, featureNames, featureTexts } from '../../../client/feature-names.ts';
import type { Account } from '../../../contract/accounts.ts';
import type { Column } from '../../kit/result/result.ts';
import type { KeyPlace } from '../../settings/settings.ts';

/** Where a key comes from: given for this line, or kept by the profile in one of its places. */
export type KeyOrigin = 'flag' | 'environment' | KeyPlace;

const origins: Record<KeyOrigin, string> = {
  flag: '--api-key-file',
  environment: 'the environment',
  profile: 'the settings file',
  key_file: 'the file that the profile names',
  keychain: "the system's keychain",
};

/** A profile, and what the service says about its key. */
export interface Identity {
  profile: string;
  base_url?: string;
  embedded?: true;
  /** Null where neither the service nor the profile says it. */
  mode: 'test' | 'live' | null;
  /** Cut to the last four. */
  api_key: string;
  api_key_from: KeyOrigin;
  /** Null where the service has no account information. */
  account: Account | null;
  /** What the service has and lacks; absent where it has everything. */
  service?: Features;
}

export const accountFields: Column<Identity>[] = [
  { field: 'profile', header: 'Profile', kind: 'id', value: ({ profile }) => profile },
  { field: 'base_url', header: 'Service', kind: 'text', value: ({ base_url }) => base_url ?? 'embedded' },
  { field: 'mode', header: 'Mode', kind: 'text', value: ({ mode }) => mode ?? 'not known' },
  { field: 'api_key', header: 'Key', kind: 'text', value: ({ api_key }) => api_key },
  { field: 'api_key_from', header: 'Key from', kind: 'text', value: (row) => origins[row.api_key_from] },
  { field: 'permission', header: 'Permission', kind: 'text', value: ({ account }) => account?.permission },
  { field: 'account_id', header: 'Account', kind: 'text', value: ({ account }) => account?.account_id },
  { field: 'account_name', header: 'Account name', kind: 'text', value: ({ account }) => account?.name },
  { field: 'service', header: 'Not available', kind: 'text', value: ({ service }) => lacking(service) },
];

/** What a service was found to lack. */
export function lacking(service: Features = {}): string[] {
  return featureNames.filter((name) => service[name] === false).map((name) => featureTexts[name]);
}
