/**
 * The settings of a connected courier as they are stored: in plain text, except those that are secret. Each secret is
 * encrypted on its own, bound to its connection and its name.
 */
import type { CourierSettings, SettingField } from '../../providers/courier.ts';
import { readCourierSecrets, replaceCourierSecrets } from '../../storage/couriers.ts';
import type { CourierRow } from '../../storage/database.ts';
import { reseal, type SealedTable, type Sealing } from './sealing.ts';

/** Which connection a setting belongs to. */
type Owner = Pick<CourierRow, 'account_id' | 'test_mode' | 'name'>;

/** Values by the names of settings. */
export type Values = Readonly<Record<string, string>>;

/** The settings of a connection without its secrets. */
export function publicSettings({ settings }: Pick<CourierRow, 'settings'>): Values {
  return JSON.parse(settings);
}

/** The secrets of a connection, encrypted. */
export function storedSecrets({ secrets }: Pick<CourierRow, 'secrets'>): Values {
  return JSON.parse(secrets);
}

/** The owner to which a secret of a connection is bound: see `Sealing`. */
export function secretOwner({ account_id, test_mode, name }: Owner, setting: string): string {
  return `courier ${account_id} ${test_mode} ${name} ${setting}`;
}

/** Encrypts the secrets among the settings of a connection. Throws `secret_key_missing`. */
export async function sealSettings(
  sealing: Sealing,
  owner: Owner,
  { fields, values }: { fields: readonly SettingField[]; values: Values },
): Promise<Pick<CourierRow, 'settings' | 'secrets'>> {
  const settings: Record<string, string> = {};
  const secrets: Record<string, string> = {};
  for (const { name, is_secret } of fields) {
    const value = values[name];
    if (value === undefined) continue;
    if (is_secret) secrets[name] = await sealing.seal(secretOwner(owner, name), value);
    else settings[name] = value;
  }
  return { settings: JSON.stringify(settings), secrets: JSON.stringify(secrets) };
}

/** Decrypts the named secrets of a connection, by default all. Throws `secret_key_missing`. */
export async function openSecrets(
  sealing: Pick<Sealing, 'open'>,
  row: Owner & Pick<CourierRow, 'secrets'>,
  names?: readonly string[],
): Promise<Record<string, string>> {
  const opened: Record<string, string> = {};
  for (const [name, stored] of Object.entries(storedSecrets(row))) {
    if (names?.includes(name) ?? true) opened[name] = await sealing.open(secretOwner(row, name), stored);
  }
  return opened;
}

/** The settings of a connection with its secrets, decrypted. Throws `secret_key_missing`. */
export async function openSettings(
  sealing: Pick<Sealing, 'open'>,
  row: CourierRow,
): Promise<CourierSettings> {
  return { ...publicSettings(row), ...(await openSecrets(sealing, row)) };
}

/** The secrets of all connections, for a rotation of the key. */
export const sealedCouriers: SealedTable = {
  read: async (db, after, limit) => {
    const rows = await readCourierSecrets(db, after, limit);
    return rows.map((row) => ({
      id: row.push_token,
      stored: Object.values(storedSecrets(row)),
      reseal: async (sealing, current) => {
        const secrets: Record<string, string> = {};
        for (const [name, stored] of Object.entries(storedSecrets(row)))
          secrets[name] = await reseal(sealing, { owner: secretOwner(row, name), stored, current });
        return (connection) => replaceCourierSecrets(connection, row, JSON.stringify(secrets));
      },
    }));
  },
};
