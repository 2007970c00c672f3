/** The providers that an account may use: the couriers that it has connected, with their settings and secrets. */
import { fleet_provider } from '../../contract/vocabulary.ts';
import { nearNames } from '../../domain/near-names.ts';
import type { CourierSettings } from '../../providers/courier.ts';
import type { Provider, ProviderScope } from '../../providers/port.ts';
import {
  enabledCouriers,
  findCourier,
  readCourierSecrets,
  replaceCourierSecrets,
} from '../../storage/couriers.ts';
import type { Connection, CourierRow, Scope } from '../../storage/database.ts';
import { hasDrivers } from '../../storage/drivers.ts';
import type { Storage } from '../../storage/storage.ts';
import { readKeyId, type SealedTable, type Sealing } from './sealing.ts';
import type { Clock } from './time.ts';

/** The couriers that accounts have connected. Other processes' changes are seen within a second. */
export interface CourierConnections {
  /** The names of the couriers that an account has enabled, and of its own fleet if it has drivers. */
  enabled: (db: Connection, scope: Scope) => Promise<readonly string[]>;
  /**
   * The settings of a connected courier, with its secrets; null if it is not connected. A disabled one still ends what
   * it carries.
   */
  settings: (name: string, scope: ProviderScope) => Promise<CourierSettings | null>;
  /** Reads every connection again at its next use; called once a change of one is committed. */
  forget: () => void;
}

/** How long what was read is used without reading it again. */
const max_age_ms = 1_000;
/** Connections that were not used for long make room when there are too many. */
const max_remembered = 10_000;

interface ConnectionParts {
  storage: Storage;
  monotonic: Clock;
  /** Decrypts the secrets of a connection. */
  sealing: Pick<Sealing, 'open'>;
}

export function createCourierConnections({
  storage,
  monotonic,
  sealing,
}: ConnectionParts): CourierConnections {
  const names = createMemory<string[]>(monotonic);
  const settings = createMemory<CourierSettings | null>(monotonic);
  const readSettings = async (name: string, scope: Scope): Promise<CourierSettings | null> => {
    const row = await storage.run((db) => findCourier(db, scope, name));
    return row === undefined ? null : { ...JSON.parse(row.settings), ...(await openSecrets(sealing, row)) };
  };
  return {
    enabled: (db, scope) => names.of(`${scope.account_id} ${scope.test_mode}`, () => enabledNames(db, scope)),
    settings: (name, { account_id, test_mode }) =>
      settings.of(`${account_id} ${test_mode} ${name}`, () =>
        readSettings(name, { account_id, test_mode: test_mode ? 1 : 0 }),
      ),
    forget: () => {
      for (const memory of [names, settings]) memory.clear();
    },
  };
}

async function enabledNames(db: Connection, scope: Scope): Promise<string[]> {
  const enabled = await enabledCouriers(db, scope);
  return (await hasDrivers(db, scope)) ? [...enabled, fleet_provider] : enabled;
}

/** The providers that an account may use, in order of preference. */
export async function availableProviders(
  { connections, providers }: { connections: CourierConnections; providers: readonly Provider[] },
  db: Connection,
  scope: Scope,
): Promise<readonly Provider[]> {
  const connected = await connections.enabled(db, scope);
  const account = { account_id: scope.account_id, test_mode: scope.test_mode === 1, connected };
  return providers.filter((provider) => provider.isAvailable(account));
}

/** The fault of a provider's name that is none of `names`. */
export function unknownProviderText(name: string, names: readonly string[]): string {
  const near = nearNames(name, names);
  return `is not a provider; expected ${(near.length > 0 ? near : names).join(' or ')}`;
}

export function selectSimulated(providers: readonly Provider[]): Provider[] {
  return providers.filter(({ simulation }) => simulation !== undefined);
}

interface Memory<T> {
  of: (key: string, read: () => Promise<T>) => Promise<T>;
  clear: () => void;
}

/** Keeps what was read for a second. The reads of two transactions are not shared: one of them may fail. */
function createMemory<T>(monotonic: Clock): Memory<T> {
  let recent = new Map<string, { value: T; read_at: number }>();
  return {
    of: async (key, read) => {
      // If `clear` is called during a read, the value is stored in the old map, which is not used anymore.
      const values = recent;
      const latest = values.get(key);
      const now = monotonic.now();
      if (latest !== undefined && now - latest.read_at < max_age_ms) return latest.value;
      const value = await read();
      if (values.size >= max_remembered) values.clear();
      values.set(key, { value, read_at: now });
      return value;
    },
    clear: () => {
      recent = new Map();
    },
  };
}

type Owner = Pick<CourierRow, 'account_id' | 'test_mode' | 'name'>;
type Stored = Owner & Pick<CourierRow, 'secrets'>;

/** The secrets of a connection as they are stored, by the names of the settings: each is encrypted on its own. */
export function storedSecrets({ secrets }: Pick<CourierRow, 'secrets'>): Readonly<Record<string, string>> {
  return JSON.parse(secrets);
}

/** The owner to which a secret of a connection is bound: see `Sealing`. */
export function secretOwner({ account_id, test_mode, name }: Owner, setting: string): string {
  return `courier ${account_id} ${test_mode} ${name} ${setting}`;
}

/** Decrypts the named secrets of a connection, by default all. Throws `secret_key_missing`. */
export async function openSecrets(
  sealing: Pick<Sealing, 'open'>,
  row: Stored,
  names?: readonly string[],
): Promise<Record<string, string>> {
  const opened: Record<string, string> = {};
  for (const [name, stored] of Object.entries(storedSecrets(row))) {
    if (names?.includes(name) ?? true) opened[name] = await sealing.open(secretOwner(row, name), stored);
  }
  return opened;
}

export const sealedCouriers: SealedTable = {
  read: async (db, after, limit) => {
    const rows = await readCourierSecrets(db, after, limit);
    return rows.map((row) => ({
      id: row.push_token,
      stored: Object.values(storedSecrets(row)),
      reseal: async (sealing, current) => {
        const secrets = await resealSecrets(sealing, row, current);
        return (connection) => replaceCourierSecrets(connection, row, secrets);
      },
    }));
  },
};

async function resealSecrets(sealing: Sealing, row: Stored, current: string): Promise<string> {
  const again: Record<string, string> = {};
  for (const [field, stored] of Object.entries(storedSecrets(row))) {
    const owner = secretOwner(row, field);
    again[field] =
      readKeyId(stored) === current ? stored : await sealing.seal(owner, await sealing.open(owner, stored));
  }
  return JSON.stringify(again);
}
