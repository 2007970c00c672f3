import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tree } from '../../../../src/cli/tree.ts';
import { operatorActions } from '../../../../src/contract/vocabulary.ts';
import { openStorage } from '../../../../src/storage/open-storage.ts';
import { freshHome, waybill } from '../../harness.ts';
import { orderLine } from '../../sandbox.ts';

interface AdminCommand {
  /** Its arguments, given an account without records. */
  args?: (account: string) => readonly string[];
  /** What the audit calls it; null for a command that only reads, or that acts with an API key. */
  audited: (typeof operatorActions)[number] | null;
}

const phone = '+13125550142';

/** Every command, in an order in which each succeeds. */
const commands: Readonly<Record<string, AdminCommand>> = {
  'accounts list': { audited: null },
  'accounts create': { args: () => ['--name', 'Ohio Street Grill'], audited: 'CreateAccount' },
  'accounts get': { args: (account) => [account], audited: null },
  'accounts rename': { args: (account) => [account, '--name', 'Grill'], audited: 'RenameAccount' },
  'accounts suspend': { args: (account) => [account], audited: 'SuspendAccount' },
  'accounts resume': { args: (account) => [account], audited: 'ResumeAccount' },
  'accounts create-key': { args: (account) => [account], audited: 'CreateAccountKey' },
  'accounts delete': { args: (account) => [account, '--yes'], audited: 'DeleteAccount' },
  export: { args: () => ['--phone', phone], audited: null },
  clean: { args: () => ['--yes'], audited: 'DeleteOldData' },
  erase: { args: () => ['--phone', phone, '--yes'], audited: 'ErasePersonalData' },
  'failed list': { audited: null },
  'failed retry': { args: () => ['--all'], audited: null },
  'failed dismiss': { args: () => ['--all'], audited: null },
};

const home = freshHome();
const database = join(home, '.local', 'share', 'waybill', 'waybill.db');
const run = async (...argv: string[]) => {
  const { exit, stdout, stderr } = await waybill([...argv, '--json'], { home });
  expect([argv, exit, exit === 0 ? '' : stderr]).toEqual([argv, 0, '']);
  return JSON.parse(stdout);
};

/** Who did what to which record, as the operator left it in the database. */
async function operatorEntries() {
  const storage = await openStorage(database);
  const rows = await storage.run((db) =>
    db.selectFrom('audit_entries').selectAll().where('actor', '=', 'operator').execute(),
  );
  await storage.close();
  return rows;
}

test('every admin command that changes the database is in the audit under the operator', async () => {
  const admin = tree.groups.find(({ name }) => name === 'admin');
  const lines: string[] = [];
  for (const [name, load] of Object.entries(admin?.verbs ?? {})) {
    const [action] = Object.values((await load()).positionals);
    const choices = action?.choices ?? [];
    lines.push(...(choices.length === 0 ? [name] : choices.map((choice) => `${name} ${choice}`)));
  }
  expect(Object.keys(commands).toSorted()).toEqual(lines.toSorted());
  const { id } = await run(...orderLine);
  await run('orders', 'cancel', id, '--yes');
  let account = '';
  for (const [line, { args = () => [], audited }] of Object.entries(commands)) {
    const before = await operatorEntries();
    const data = await run('admin', ...line.split(' '), ...args(account));
    if (line === 'accounts create') account = data.id;
    const all = await operatorEntries();
    const known = new Set(before.map((entry) => entry.id));
    const made = all.filter((entry) => !known.has(entry.id));
    const isOfAccount = audited?.endsWith('Account');
    const isInBothModes = isOfAccount || audited === 'DeleteOldData';
    expect(
      made.map(({ operation }) => operation),
      line,
    ).toEqual(audited === null ? [] : isInBothModes ? [audited, audited] : [audited]);
    for (const entry of made) {
      expect(entry).toMatchObject({ actor_name: expect.stringMatching(/./), key_id: '', address: null });
      if (isOfAccount) expect(entry).toMatchObject({ account_id: account, record_id: account });
    }
  }
  const [erased] = await run('audit', 'list', '--by', 'operator');
  expect(erased).toMatchObject({ operation: 'ErasePersonalData', record_id: id, key_id: null });
  const audited = Object.values(commands).flatMap((command) => command.audited ?? []);
  expect(audited.toSorted()).toEqual(operatorActions.toSorted());
});

test('a repeated change of an account changes and records nothing', async () => {
  const { id } = await run('admin', 'accounts', 'create', '--name', 'Grill');
  for (const change of [['suspend'], ['resume'], ['rename', '--name', 'Pub']]) {
    const [verb = '', ...flags] = change;
    const first = await run('admin', 'accounts', verb, id, ...flags);
    const entries = (await operatorEntries()).length;
    expect(await run('admin', 'accounts', verb, id, ...flags)).toEqual(first);
    expect(await operatorEntries()).toHaveLength(entries);
  }
});
