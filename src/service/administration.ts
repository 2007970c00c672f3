/**
 * What an operator does on the machine of the database, without an API key and without a running service: manages accounts,
 * exports and erases personal data, and deletes old data. Each change leaves an audit entry.
 */
import type { operatorActions, Permission } from '../contract/vocabulary.ts';
import {
  accountById,
  allAccounts,
  changeAccountRow,
  deleteEmptyAccount,
  insertAccount,
  insertKey,
} from '../storage/accounts.ts';
import type { AccountRow, Connection } from '../storage/database.ts';
import type { OldCount } from '../storage/deletion.ts';
import { readSchemaVersion } from '../storage/open-storage.ts';
import { type Storage, schemaVersion } from '../storage/storage.ts';
import { type AccountParts, draftAccount, draftKey } from './accounts/create-account.ts';
import { createAuditTrail, type RecordChange } from './http/audit.ts';
import {
  type DriverQuery,
  type ErasedDriver,
  eraseDrivers,
  exportDrivers,
  type PreviewedDriver,
  previewDrivers,
} from './personal-data/erase-drivers.ts';
import { type ErasedOrder, eraseOrders, tokensFrom } from './personal-data/erase-orders.ts';
import {
  exportOrders,
  type PersonQuery,
  type PreviewedPerson,
  previewErasure,
} from './personal-data/people-in-orders.ts';
import type { Cleaner } from './retention/cleaner.ts';
import type { ServiceConfig } from './runtime/context.ts';
import type { Secrets } from './runtime/random.ts';
import { openParts } from './runtime/system.ts';
import { instant, instantOrNull } from './runtime/time.ts';
import { createService } from './service.ts';

export { copyDatabase, type DatabaseCopy, replaceDatabase, requireUnused } from '../storage/sqlite-backup.ts';
export type { ErasedDriver, ErasedOrder, OldCount, PersonQuery, PreviewedDriver, PreviewedPerson };

/** The schema of a database beside that of this program. */
export interface SchemaState {
  /** The number of migrations that it has; 0 for a database that does not exist yet. */
  schema_version: number;
  newest_version: number;
  pending: number;
}

/**
 * Reads the schema version without changing the database. Throws `StorageUnavailable` if the database cannot be opened,
 * or has a schema that this version cannot use.
 */
export async function readSchemaState(database: string): Promise<SchemaState> {
  const schema_version = await readSchemaVersion(database);
  const pending = Math.max(0, schemaVersion - schema_version);
  return { schema_version, newest_version: schemaVersion, pending };
}

/** An account as its operator sees it. */
export interface AccountState {
  id: string;
  name: string;
  created_at: string;
  /** Null unless its keys are refused. */
  suspended_at: string | null;
}

/** A key that is shown once. */
export interface IssuedKey {
  key: string;
  mode: 'test' | 'live';
  permission: Permission;
}

interface Erasure {
  people: (ErasedOrder | ErasedDriver)[];
  /** False if another process uses a SQLite database: its file or log may then still have the erased data. */
  isOverwritten: boolean;
}

/** The operator's actions on the machine of the database, without a key. Null stands for an unknown account. */
export interface Administration {
  list(): Promise<AccountState[]>;
  get(id: string): Promise<AccountState | null>;
  /** Creates an account with an admin key for each mode. */
  create(name: string): Promise<AccountState & { keys: IssuedKey[] }>;
  rename(id: string, name: string): Promise<AccountState | null>;
  /** Refuses the keys of the account from now on. Deliveries that are under way continue. */
  suspend(id: string): Promise<AccountState | null>;
  resume(id: string): Promise<AccountState | null>;
  /** Deletes an account and its keys, and returns true; false, and nothing is deleted, if it has records. */
  delete(id: string): Promise<boolean>;
  createKey(id: string, key: Omit<IssuedKey, 'key'> & { name: string }): Promise<IssuedKey | null>;
  /** Erases a person from the finished orders that the query finds, and as a driver. */
  erase(query: PersonQuery): Promise<Erasure>;
  /** Whom an erasure would erase from which orders. */
  previewErasure(query: PersonQuery): Promise<(PreviewedPerson | PreviewedDriver)[]>;
  /** Everything that is kept of the person with a phone number, and a name if several have it: by order, and as a driver. */
  exportPerson(query: DriverQuery): Promise<{ orders: unknown[]; drivers: unknown[]; drives: unknown[] }>;
  /** Deletes old data as the service does. */
  cleaner: Pick<Cleaner, 'preview' | 'clean'>;
  close(): Promise<void>;
}

const firstKeys = {
  test: { mode: 'test', permission: 'admin', name: 'first test key' },
  live: { mode: 'live', permission: 'admin', name: 'first live key' },
} as const;

/**
 * Opens the database for its operator, whose changes leave audit entries in the accounts that they concern, under the
 * operator's login. A running service may use it at the same time. @throws StorageUnavailable
 */
export async function openAdministration(database: string, operator: string): Promise<Administration> {
  const { storage, config, close } = await openParts(database);
  const trailOf = (operation: (typeof operatorActions)[number]) =>
    createAuditTrail(config.wall, { actor: 'operator', actor_name: operator, operation, address: null });
  const recordOf = (operation: (typeof operatorActions)[number]) => inBothModes(trailOf(operation));
  /** Changes an account, unless it is as it should be already: a repeat is not recorded, and keeps the first time. */
  const changed = async (
    operation: (typeof operatorActions)[number],
    id: string,
    change: Partial<Pick<AccountRow, 'name' | 'suspended_at'>>,
    isDone: (row: AccountRow) => boolean,
  ) => {
    const record = recordOf(operation);
    return storage.transaction(async (db) => {
      const before = await accountById(db, id);
      if (before === undefined || isDone(before)) return stateOrNull(before);
      const row = await changeAccountRow(db, id, change);
      await record(db, id);
      return stateOrNull(row);
    });
  };
  const get = async (id: string) => stateOrNull(await storage.run((db) => accountById(db, id)));
  return {
    list: async () => (await storage.run(allAccounts)).map(stateOf),
    get,
    create: async (name) => {
      const account = await draftAccount(config, name);
      const keys = [
        await issue(config, account.id, firstKeys.test),
        await issue(config, account.id, firstKeys.live),
      ];
      await storage.transaction(async (transaction) => {
        await insertAccount(transaction, account);
        for (const { row } of keys) await insertKey(transaction, row);
        await recordOf('CreateAccount')(transaction, account.id);
      });
      return { ...stateOf({ ...account, suspended_at: null }), keys: keys.map(({ issued }) => issued) };
    },
    rename: (id, name) => changed('RenameAccount', id, { name }, (row) => row.name === name),
    suspend: (id) =>
      changed('SuspendAccount', id, { suspended_at: config.wall.now() }, (row) => row.suspended_at !== null),
    resume: (id) => changed('ResumeAccount', id, { suspended_at: null }, (row) => row.suspended_at === null),
    delete: (id) =>
      storage.transaction(async (transaction) => {
        const isDeleted = await deleteEmptyAccount(transaction, id);
        if (isDeleted) await recordOf('DeleteAccount')(transaction, id);
        return isDeleted;
      }),
    createKey: async (id, wanted) => {
      if ((await get(id)) === null) return null;
      const { row, issued } = await issue(config, id, wanted);
      await storage.transaction(async (transaction) => {
        await insertKey(transaction, row);
        await trailOf('CreateAccountKey')(transaction, { scope: row, record_id: row.id });
      });
      return issued;
    },
    ...personalDataOf(storage, config.secrets, trailOf('ErasePersonalData')),
    cleaner: cleanerOf(config, recordOf('DeleteOldData')),
    close,
  };
}

/** What is kept of people, and its erasure. */
function personalDataOf(
  storage: Storage,
  secrets: Secrets,
  record: RecordChange,
): Pick<Administration, 'previewErasure' | 'erase' | 'exportPerson'> {
  return {
    previewErasure: async (query) => [
      ...(await previewErasure(storage, query)),
      ...('phone' in query ? await previewDrivers(storage, query) : []),
    ],
    erase: async (query) => {
      const newToken = tokensFrom(secrets);
      const orders = await eraseOrders(storage, query, { newToken, record });
      const drivers = 'phone' in query ? await eraseDrivers(storage, query, record) : [];
      return { people: [...orders, ...drivers], isOverwritten: await storage.rewrite() };
    },
    exportPerson: async (query) => ({
      orders: await exportOrders(storage, query),
      ...(await exportDrivers(storage, query)),
    }),
  };
}

/** Records a change of an account in both modes, each of which has a list of its own. */
function inBothModes(record: RecordChange) {
  return async (db: Connection, id: string) => {
    for (const test_mode of [1, 0] as const)
      await record(db, { scope: { account_id: id, test_mode }, record_id: id });
  };
}

/**
 * The cleaner of a database, which leaves an entry in the audit of each account. The clock of a sandbox's test mode, if
 * there is one, is stored there.
 */
function cleanerOf(
  config: Omit<ServiceConfig, 'sandbox' | 'publicUrl'>,
  record: (db: Connection, account_id: string) => Promise<void>,
): Administration['cleaner'] {
  const { cleaner } = createService({ ...config, sandbox: true, publicUrl: '' });
  return {
    preview: cleaner.preview,
    clean: async () => {
      await cleaner.clean();
      await config.storage.transaction(async (db) => {
        for (const { id } of await allAccounts(db)) await record(db, id);
      });
    },
  };
}

async function issue(
  parts: AccountParts,
  account_id: string,
  { mode, permission, name }: Omit<IssuedKey, 'key'> & { name: string },
) {
  const { key, row } = await draftKey(parts, { test_mode: mode === 'test' ? 1 : 0, name, permission });
  return { row: { ...row, account_id }, issued: { key, mode, permission } };
}

function stateOrNull(row: AccountRow | undefined): AccountState | null {
  return row === undefined ? null : stateOf(row);
}

function stateOf({ id, name, ...row }: Pick<AccountRow, keyof AccountState>): AccountState {
  return { id, name, created_at: instant(row.created_at), suspended_at: instantOrNull(row.suspended_at) };
}
