import type { ApiKey } from '../../../contract/accounts.ts';
import type { Column } from '../../kit/result/result.ts';

/** Uses and expiry are in real time, also while the sandbox clock is set: they are shown without an age. */
export const keyColumns: Column<ApiKey>[] = [
  { field: 'id', header: 'Key', kind: 'id', value: ({ id }) => id },
  { field: 'name', header: 'Name', kind: 'text', value: ({ name }) => name },
  { field: 'permission', header: 'Permission', kind: 'text', value: ({ permission }) => permission },
  { field: 'mode', header: 'Mode', kind: 'text', value: ({ test_mode }) => (test_mode ? 'test' : 'live') },
  { field: 'last_four', header: 'Ends in', kind: 'text', spare: 1, value: ({ last_four }) => last_four },
  { field: 'created_at', header: 'Created', kind: 'time', spare: 2, value: ({ created_at }) => created_at },
  {
    field: 'last_used_at',
    header: 'Last used',
    kind: 'instant',
    unlessEmpty: true,
    spare: 3,
    value: ({ last_used_at }) => last_used_at,
  },
  {
    field: 'expires_at',
    header: 'Expires',
    kind: 'instant',
    unlessEmpty: true,
    value: ({ expires_at }) => expires_at,
  },
  { field: 'revoked_at', header: 'Revoked', kind: 'time', value: ({ revoked_at }) => revoked_at },
];
