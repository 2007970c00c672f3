import type { Account } from '../../contract/accounts.ts';
import type { Column } from '../result.ts';

/** A profile, and what the service says about its key. */
export interface Identity {
  profile: string;
  base_url?: string;
  embedded?: true;
  mode: 'test' | 'live';
  /** Cut to the last four. */
  api_key: string;
  account: Account;
}

export const accountFields: Column<Identity>[] = [
  { field: 'profile', header: 'Profile', kind: 'id', value: ({ profile }) => profile },
  { field: 'base_url', header: 'Service', kind: 'text', value: ({ base_url }) => base_url ?? 'embedded' },
  { field: 'mode', header: 'Mode', kind: 'text', value: ({ mode }) => mode },
  { field: 'api_key', header: 'Key', kind: 'text', value: ({ api_key }) => api_key },
  { field: 'permission', header: 'Permission', kind: 'text', value: ({ account }) => account.permission },
  { field: 'account_id', header: 'Account', kind: 'text', value: ({ account }) => account.account_id },
  { field: 'account_name', header: 'Account name', kind: 'text', value: ({ account }) => account.name },
];
