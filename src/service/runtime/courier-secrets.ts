import { readCourierSecrets, replaceCourierSecrets } from '../../storage/couriers.ts';
import type { CourierRow } from '../../storage/database.ts';
import { keyIdOf, type SealedTable, type Sealing } from './sealing.ts';

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
  sealing: Sealing,
  row: Stored,
  names?: readonly string[],
): Promise<Record<string, string>> {
  const opened: Record<string, string> = {};
  for (const [name, stored] of Object.entries(storedSecrets(row))) {
    if (names?.includes(name) ?? true) opened[name] = await sealing.open(secretOwner(row, name), stored);
  }
  return opened;
}

/** The secrets of connected couriers. */
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

type Row = Awaited<ReturnType<typeof readCourierSecrets>>[number];

async function resealSecrets(sealing: Sealing, row: Row, current: string): Promise<string> {
  const again: Record<string, string> = {};
  for (const [field, stored] of Object.entries(storedSecrets(row))) {
    const owner = secretOwner(row, field);
    again[field] =
      keyIdOf(stored) === current ? stored : await sealing.seal(owner, await sealing.open(owner, stored));
  }
  return JSON.stringify(again);
}
