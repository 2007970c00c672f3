import { operation } from './operation.ts';
import type { Static } from './schema.ts';
import { Id, Nullable, Type } from './schema.ts';
import { permissions } from './vocabulary.ts';

export const PermissionName = Type.Enum(permissions);

export const Account = Type.Object(
  {
    object: Type.Literal('account'),
    account_id: Id('acct'),
    name: Type.String(),
    test_mode: Type.Boolean({ description: 'The mode of the key that asks' }),
    permission: PermissionName,
    sandbox: Type.Boolean({ description: 'Whether the service simulates couriers for test keys' }),
    public_url: Nullable(Type.String()),
  },
  { title: 'Account' },
);
export type Account = Static<typeof Account>;

export const getAccount = operation({
  id: 'GetAccount',
  method: 'GET',
  path: '/v2/account',
  summary: 'Who the key belongs to, its mode and its permission',
  tag: 'Account',
  permission: 'read',
  answer: Account,
  errors: [],
});
