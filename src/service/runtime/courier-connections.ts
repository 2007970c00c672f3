/** The providers that an account may use: its own drivers, the simulated couriers, and the couriers that it has connected. */
import { fleet_provider } from '../../contract/vocabulary.ts';
import { nearNames } from '../../domain/near-names.ts';
import type { CourierSettings } from '../../providers/courier.ts';
import type { Provider, ProviderScope } from '../../providers/port.ts';
import { enabledCouriers, findCourier } from '../../storage/couriers.ts';
import type { Connection, Scope } from '../../storage/database.ts';
import { hasDrivers } from '../../storage/drivers.ts';
import type { Storage } from '../../storage/storage.ts';
import { openSettings } from './courier-settings.ts';
import type { Sealing } from './sealing.ts';
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

/** How long a connection is used without reading it again. */
const max_age_ms = 1_000;
/** How many connections are remembered: one more clears the memory, and all are read again. */
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
    return row === undefined ? null : openSettings(sealing, row);
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
