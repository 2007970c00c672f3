import { choice, text } from '../../kit/args/flags.ts';
import { Failure } from '../../kit/errors/failure.ts';
import { deletedFields } from '../../kit/output/rows.ts';
import { invocation } from '../../kit/result/message.ts';
import { type Column, list, type Result, record } from '../../kit/result/result.ts';
import { type Context, defineCommand, positional, word } from '../../session/command.ts';
import { databaseFlag } from '../../session/database-flag.ts';
import { type AccountState, administer, existing, type IssuedKey, keepKeys, needed } from './administer.ts';

const accountColumns: readonly Column<AccountState>[] = [
  { field: 'id', header: 'Account', kind: 'id', value: ({ id }) => id },
  { field: 'name', header: 'Name', kind: 'text', value: ({ name }) => name },
  { field: 'created_at', header: 'Created', kind: 'time', value: ({ created_at }) => created_at },
  { field: 'suspended_at', header: 'Suspended', kind: 'time', value: ({ suspended_at }) => suspended_at },
];

const keyColumns: readonly Column<IssuedKey>[] = [
  { field: 'key', header: 'API key', kind: 'text', value: ({ key }) => key },
  { field: 'mode', header: 'Mode', kind: 'text', value: ({ mode }) => mode },
  { field: 'permission', header: 'Permission', kind: 'text', value: ({ permission }) => permission },
];

type Created = AccountState & { keys: IssuedKey[] };

const createdColumns: readonly Column<Created>[] = [
  ...accountColumns,
  {
    field: 'keys',
    header: 'API keys',
    kind: 'text',
    value: ({ keys }) => keys.map(({ mode, key }) => `${mode} ${key}`),
  },
];

export const accounts = defineCommand({
  name: 'accounts',
  aliases: ['account'],
  summary: 'Manage the accounts of a service on the machine of its database',
  description: [
    'Works on the database itself, without an API key, also while `waybill serve` uses it. `create` issues an admin key',
    'for each mode, `create-key` a key for an account that has lost its own. The keys of a suspended account are refused;',
    'its deliveries under way continue. Only an account without records can be deleted.',
  ].join('\n'),
  positionals: {
    action: word({
      choices: ['list', 'create', 'get', 'rename', 'suspend', 'resume', 'delete', 'create-key'],
      summary: 'Action',
      optional: true,
    }),
    account: positional('text', { summary: 'Account ID: acct_…', optional: true }),
  },
  flags: {
    database: databaseFlag(),
    name: text({ summary: 'Name of the account, or of the key', placeholder: 'NAME' }),
    mode: choice({ choices: ['test', 'live'], summary: 'Mode of the key of create-key', default: 'test' }),
    permission: choice({
      choices: ['read', 'write', 'admin'],
      summary: 'Permission of the key of create-key',
      default: 'admin',
    }),
    keyOut: text({ summary: 'Write the keys to this new file instead of showing them', placeholder: 'FILE' }),
  },
  examples: [
    { command: 'waybill admin accounts list', summary: 'List the accounts of the embedded service' },
    {
      command:
        "waybill admin accounts create --name 'Ohio Street Grill' --database shop.db --key-out keys.json",
      summary: 'Create an account, with its keys in a file',
    },
    { command: 'waybill admin accounts suspend acct_1 --database shop.db', summary: 'Refuse its keys' },
  ],
  effect: 'none',
  confirms: (given) => given.says('action', 'delete'),
  run(context, { flags, positionals: { action = 'list', account } }) {
    if (action === 'list') return listAccounts(context, flags.database);
    if (action === 'create') return createAccount(context, flags);
    const id = needed(account, `admin accounts ${action}`, 'an account ID');
    if (action === 'delete') return deleteAccount(context, flags.database, id);
    if (action === 'create-key') return createdKey(context, flags, id);
    return changeAccount(context, flags, action, id);
  },
});

interface Given {
  mode: IssuedKey['mode'];
  permission: IssuedKey['permission'];
  database: string | undefined;
  name: string | undefined;
  keyOut: string | undefined;
}

async function listAccounts(context: Context, database: string | undefined): Promise<Result> {
  const data = await administer(context, database, (administration) => administration.list());
  return list({ data, columns: accountColumns, empty: 'There are no accounts yet.' });
}

async function createAccount(context: Context, { database, name, keyOut }: Given): Promise<Result> {
  const wanted = needed(name, 'admin accounts create', '--name');
  const issue = () => administer(context, database, (administration) => administration.create(wanted));
  const data = await keepKeys(context, keyOut, issue, ({ keys }) => keys);
  if (keyOut !== undefined) {
    const { keys: _, ...account } = data;
    return record(account, accountColumns, { notes: [`Wrote the keys to ${keyOut}.`] });
  }
  return record(data, createdColumns, { notes: ['Save these keys now. They will not be shown again.'] });
}

async function createdKey(
  context: Context,
  { database, name = '', mode, permission, keyOut }: Given,
  id: string,
): Promise<Result> {
  const wanted = { mode, permission, name };
  const issue = async () =>
    existing(await administer(context, database, ({ createKey }) => createKey(id, wanted)), id);
  const data = await keepKeys(context, keyOut, issue, (key) => [key]);
  if (keyOut === undefined)
    return record(data, keyColumns, { notes: ['Save this key now. It will not be shown again.'] });
  const shown = { ...data, key: `…${data.key.slice(-4)}` };
  return record(shown, keyColumns, { notes: [`Wrote the key to ${keyOut}.`] });
}

async function changeAccount(
  context: Context,
  { database, name }: Given,
  action: 'get' | 'rename' | 'suspend' | 'resume',
  id: string,
): Promise<Result> {
  const found = await administer(context, database, (administration) =>
    action === 'rename'
      ? administration.rename(id, needed(name, 'admin accounts rename', '--name'))
      : administration[action](id),
  );
  return record(existing(found, id), accountColumns);
}

async function deleteAccount(context: Context, database: string | undefined, id: string): Promise<Result> {
  const { name } = existing(await administer(context, database, ({ get }) => get(id)), id);
  await context.confirm(`Delete the account ${id} (${name}) and its keys?`);
  if (await administer(context, database, (administration) => administration.delete(id)))
    return record({ id, deleted: true }, deletedFields);
  throw new Failure(6, 'account_not_empty', `${id} has records, so it was not deleted.`, {
    next: [{ ...invocation('admin accounts', ['suspend', id]), when: 'refuse its keys instead' }],
  });
}
