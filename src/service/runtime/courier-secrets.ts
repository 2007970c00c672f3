import type { CourierRow } from '../../storage/database.ts';
import type { Sealing } from './sealing.ts';

type Owner = Pick<CourierRow, 'account_id' | 'test_mode' | 'name'>;
type Stored = Owner & Pick<CourierRow, 'secrets'>;

/** The secrets of a connection as they are stored, by the names of the settings: each is encrypted on its own. */
export function storedSecrets({ secrets }: Pick<CourierRow, 'secrets'>): Readonly<Record<string, string>> {
  return JSON.parse(secrets);
}

/** What a secret of a connection is bound to: see `Sealing`. */
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
