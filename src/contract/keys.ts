import { PermissionName } from './accounts.ts';
import { operation } from './operation.ts';
import type { Static } from './schema.ts';
import { Exact, Id, Instant, ListOf, Nullable, paging, Text, Type } from './schema.ts';

const fields = {
  id: Id('key'),
  object: Type.Literal('api_key'),
  name: Type.String(),
  permission: PermissionName,
  test_mode: Type.Boolean(),
  last_four: Type.String({ description: 'The last four characters of the key' }),
  created_at: Instant(),
  revoked_at: Nullable(Instant()),
  expires_at: Nullable(Instant('When the key stops working; null if it does not expire')),
  last_used_at: Nullable(
    Instant('When the key was last used, in real time and to the minute; null if it was never used'),
  ),
};

export const ApiKey = Type.Object(fields, { title: 'ApiKey' });
export type ApiKey = Static<typeof ApiKey>;

export const NewApiKey = Type.Object(
  { ...fields, key: Nullable(Type.String({ description: 'The API key; shown only in this response' })) },
  { title: 'NewApiKey' },
);
export type NewApiKey = Static<typeof NewApiKey>;

export const createKey = operation({
  id: 'CreateApiKey',
  method: 'POST',
  path: '/v2/api_keys',
  summary: 'Create an API key in the mode of the key used',
  tag: 'Account',
  permission: 'admin',
  body: Exact({
    permission: PermissionName,
    name: Type.Optional(Text(200)),
    expires_at: Type.Optional(Instant()),
  }),
  answer: NewApiKey,
  errors: [],
  secrets: ['key'],
});

export const listKeys = operation({
  id: 'ListApiKeys',
  method: 'GET',
  path: '/v2/api_keys',
  summary: 'List the API keys of the account in the mode of the key used',
  tag: 'Account',
  permission: 'admin',
  query: Exact(paging),
  answer: ListOf(ApiKey),
  errors: [],
});

export const revokeKey = operation({
  id: 'RevokeApiKey',
  method: 'DELETE',
  path: '/v2/api_keys/{key_id}',
  summary: 'Revoke an API key immediately',
  tag: 'Account',
  permission: 'admin',
  params: Exact({ key_id: Id('key') }),
  answer: ApiKey,
  errors: ['record_not_found', 'last_admin_key'],
});
