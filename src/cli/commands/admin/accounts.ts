/** `admin accounts`: the accounts of a service, on the machine of its database. */
import { isPostgresUrl } from '../../../domain/operator-settings.ts';
import { flagLabel } from '../../kit/args/command-input.ts';
import { choiceFlag, type GivenInput, textFlag } from '../../kit/args/flags.ts';
import { Failure, UsageError } from '../../kit/errors/failure.ts';
import { requireFieldShown } from '../../kit/output/json-fields.ts';
import { invocation } from '../../kit/result/message.ts';
import {
  type Column,
  deletedFields,
  listResult,
  type Result,
  recordResult,
} from '../../kit/result/result.ts';
import type { Shape } from '../../kit/result/shape.ts';
import {
  type AccountState,
  administer,
  chooseDatabase,
  databaseFlag,
  databaseFlagHints,
  type IssuedKey,
  inMemory,
  keepKeys,
  requireAccount,
  requireArgument,
  sameDatabase,
} from '../../session/administer.ts';
import {
  type Context,
  choicePositional,
  defineCommand,
  type FlagValues,
  positional,
  type ResultBuilder,
} from '../../session/command.ts';

const accountFlags = {
  database: databaseFlag(),
  name: textFlag({ summary: 'Name of the account, or of the key', placeholder: 'NAME' }),
  mode: choiceFlag({
    choices: ['test', 'live'],
    summary: 'Mode of the key of create-key',
    default: 'test',
  }),
  permission: choiceFlag({
    choices: ['read', 'write', 'admin'],
    summary: 'Permission of the key of create-key',
    default: 'admin',
  }),
  keyOut: textFlag({
    summary: 'Write the keys to this new file instead of showing them',
    placeholder: 'FILE',
  }),
};

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
    action: choicePositional({
      choices: ['list', 'create', 'get', 'rename', 'suspend', 'resume', 'delete', 'create-key'],
      summary: 'Action',
      optional: true,
    }),
    account: positional('text', { summary: 'Account ID: acct_…', optional: true }),
  },
  flags: accountFlags,
  flagHints: databaseFlagHints,
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
  confirms: (given) => given.hasText('action', 'delete'),
  answers: (of) => [
    of.each(accountShape(of)),
    of.one(of.withFields({ 'keys?': of.listOf(issuedKeyShape(of)) }, accountShape(of)), 'with create'),
    of.one(accountShape(of), 'with get, rename, suspend and resume'),
    of.one(issuedKeyShape(of), 'with create-key'),
    of.one(of.object({ id: 'string', deleted: 'true' }), 'with delete'),
  ],
  exits: { 5: 'no such account', 6: 'the account has records', 7: 'the database cannot be used' },
  errors: ['record_not_found', 'account_not_empty', 'storage_unavailable'],
  related: ['keys create', 'serve'],
  run(context, { flags, given, positionals: { action = 'list', account } }) {
    refuseUnused(action, given);
    if (account !== undefined && (action === 'list' || action === 'create'))
      throw new UsageError(`\`waybill admin accounts ${action}\` takes no account ID.`);
    const place = { location: chooseDatabase(context, flags.database), given: flags.database };
    if (action === 'list') return listAccounts(place);
    if (action === 'create') return createAccount(context, place, flags);
    const id = requireArgument(account, `admin accounts ${action}`, 'an account ID');
    if (action === 'delete') return deleteAccount(context, place, id);
    if (action === 'create-key') return createKey(context, place, { ...flags, id });
    return changeAccount(place, action, { id, name: flags.name });
  },
});

/** The actions that take each of these flags. `create` takes no permission: a new account gets admin keys. */
const actionsOfFlags: Readonly<Record<string, readonly string[]>> = {
  name: ['create', 'rename', 'create-key'],
  mode: ['create-key'],
  permission: ['create-key'],
  keyOut: ['create', 'create-key'],
};

/** Throws UsageError if a flag was typed that the action does not take. */
function refuseUnused(action: string, given: GivenInput): void {
  for (const [name, actions] of Object.entries(actionsOfFlags)) {
    if (actions.includes(action) || given.find(name)?.origin !== 'flag') continue;
    throw new UsageError(
      `${flagLabel(name)} is for \`waybill admin accounts ${actions.join('`, `')}\`, not for \`${action}\`.`,
    );
  }
}

const accountColumns: readonly Column<AccountState>[] = [
  { field: 'id', header: 'Account', kind: 'id' },
  { field: 'name', header: 'Name', kind: 'text' },
  { field: 'created_at', header: 'Created', kind: 'time' },
  { field: 'suspended_at', header: 'Suspended', kind: 'time' },
];

const keyColumns: readonly Column<IssuedKey>[] = [
  { field: 'key', header: 'API key', kind: 'text' },
  { field: 'mode', header: 'Mode', kind: 'text' },
  { field: 'permission', header: 'Permission', kind: 'text' },
];

/** An account as its operator sees it. */
function accountShape({ object, orNull }: ResultBuilder): Shape {
  return object({ id: 'string', name: 'string', created_at: 'time', suspended_at: orNull('time') });
}

function issuedKeyShape({ object }: ResultBuilder): Shape {
  return object({ key: 'string', mode: 'test | live', permission: 'read | write | admin' });
}

type CreatedAccount = AccountState & { keys: IssuedKey[] };

const createdColumns: readonly Column<CreatedAccount>[] = [
  ...accountColumns,
  {
    field: 'keys',
    header: 'API keys',
    kind: 'text',
    value: ({ keys }) => keys.map(({ mode, key }) => `${mode} ${key}`),
  },
];

type AccountFlags = Omit<FlagValues<typeof accountFlags>, 'database'>;

/** The database of an action, and how `--database` named it. */
interface Place {
  location: string;
  given: string | undefined;
}

/** Says that there are no accounts. SQLite cannot tell a copy without its log from a new database. */
function noAccountsText(location: string): string {
  if (isPostgresUrl(location) || location === inMemory) return 'There are no accounts yet.';
  return `There are no accounts yet in ${location}. If it is a copy of a database in use, it lacks what is in the -wal file beside that: "waybill backup" makes a whole copy.`;
}

async function listAccounts({ location }: Place): Promise<Result> {
  const data = await administer(location, (administration) => administration.list());
  return listResult({ data, columns: accountColumns, empty: noAccountsText(location) });
}

async function createAccount(
  context: Context,
  { location }: Place,
  { name, keyOut }: AccountFlags,
): Promise<Result> {
  const wanted = requireArgument(name, 'admin accounts create', '--name');
  if (keyOut === undefined) requireFieldShown(context, 'keys', createdColumns);
  const issue = () =>
    administer(location, (administration) => administration.create(wanted), { creates: true });
  const data = await keepKeys(context, keyOut, issue, ({ keys }) => keys);
  if (keyOut !== undefined) {
    const { keys: _, ...account } = data;
    return recordResult(account, accountColumns, { notes: [`Wrote the keys to ${keyOut}.`] });
  }
  return recordResult(data, createdColumns, {
    notes: ['Save these keys now. They will not be shown again.'],
  });
}

async function createKey(
  context: Context,
  { location, given }: Place,
  { id, name = '', mode, permission, keyOut }: AccountFlags & { id: string },
): Promise<Result> {
  if (keyOut === undefined) requireFieldShown(context, 'key', keyColumns);
  const wanted = { mode, permission, name };
  const issue = async () =>
    requireAccount(
      await administer(location, (administration) => administration.createKey(id, wanted)),
      id,
      given,
    );
  const data = await keepKeys(context, keyOut, issue, (key) => [key]);
  if (keyOut === undefined)
    return recordResult(data, keyColumns, { notes: ['Save this key now. It will not be shown again.'] });
  const shown = { ...data, key: `…${data.key.slice(-4)}` };
  return recordResult(shown, keyColumns, { notes: [`Wrote the key to ${keyOut}.`] });
}

/** Shows, renames, suspends or resumes an account. */
async function changeAccount(
  { location, given }: Place,
  action: 'get' | 'rename' | 'suspend' | 'resume',
  { id, name }: { id: string; name: string | undefined },
): Promise<Result> {
  const found = await administer(location, (administration) =>
    action === 'rename'
      ? administration.rename(id, requireArgument(name, 'admin accounts rename', '--name'))
      : administration[action](id),
  );
  return recordResult(requireAccount(found, id, given), accountColumns);
}

async function deleteAccount(context: Context, { location, given }: Place, id: string): Promise<Result> {
  const { name } = requireAccount(await administer(location, ({ get }) => get(id)), id, given);
  await context.confirm(`Delete the account ${id} (${name}) and its keys?`);
  if (await administer(location, (administration) => administration.delete(id)))
    return recordResult({ id, deleted: true }, deletedFields);
  throw new Failure(6, 'account_not_empty', `${id} has records, so it was not deleted.`, {
    next: [
      {
        ...invocation('admin accounts', ['suspend', id], sameDatabase(given)),
        when: 'refuse its keys instead',
      },
    ],
  });
}
