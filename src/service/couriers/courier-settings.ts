import { type Fault, Problem } from '../../contract/errors.ts';
import type { CourierAdapter, CourierSettings, SettingField } from '../../providers/courier.ts';
import type { CourierRow } from '../../storage/database.ts';
import { openSecrets, secretOwner, storedSecrets } from '../runtime/courier-secrets.ts';
import type { Sealing } from '../runtime/sealing.ts';

type Owner = Pick<CourierRow, 'account_id' | 'test_mode' | 'name'>;

/** Values by the names of settings. */
type Values = Readonly<Record<string, string>>;

/** The settings of a connection without its secrets. */
export function publicSettings({ settings }: Pick<CourierRow, 'settings'>): Values {
  return JSON.parse(settings);
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

/** The settings of a connection, with its secrets. Throws `secret_key_missing`. */
export async function openSettings(sealing: Sealing, row: CourierRow): Promise<CourierSettings> {
  return { ...publicSettings(row), ...(await openSecrets(sealing, row)) };
}

/**
 * The settings that a request results in: those given, and the stored values of those left out. Secrets that another
 * server would be sent are not kept. Throws `invalid_request`, and `secret_key_missing` if a stored secret is needed and cannot be decrypted.
 */
export async function mergeSettings(
  sealing: Sealing,
  { settings: fields, title }: CourierAdapter,
  { given, row }: { given: Values; row: CourierRow | undefined },
): Promise<CourierSettings> {
  const unknown = Object.keys(given).filter((name) => !fields.some((field) => field.name === name));
  const trimmed = new Map(Object.entries(given).map(([name, value]) => [name, value.trim()]));
  const left = row === undefined ? [] : Object.keys(storedSecrets(row)).filter((name) => !trimmed.has(name));
  const stored = row === undefined ? {} : publicSettings(row);
  const lost = isMoved(fields, { stored, given: trimmed }) ? left : [];
  const opened = row === undefined || lost.length > 0 ? {} : await openSecrets(sealing, row, left);
  const kept: Values = { ...stored, ...opened };
  const values: Record<string, string> = {};
  const faults = unknown.map((name) => faultOf(name, `is not a setting of ${title}`));
  for (const field of fields) {
    const value = trimmed.get(field.name) ?? kept[field.name] ?? '';
    if (lost.includes(field.name)) faults.push(faultOf(field.name, 'must be given again for another server'));
    else if (value === '' && !field.is_optional) faults.push(faultOf(field.name, 'is required'));
    else if (value !== '' && field.choices !== undefined && !field.choices.includes(value)) {
      faults.push(faultOf(field.name, `must be one of ${field.choices.join(', ')}`));
    } else if (value !== '') values[field.name] = value;
  }
  if (faults.length === 0) return values;
  throw new Problem('invalid_request', `The settings of ${title} are not complete or not valid.`, faults, {
    ...(unknown.length > 0 && { choices: fields.map(({ name }) => name) }),
  });
}

/** Whether the given settings lead to another server than the stored ones: to another host, port or protocol. */
function isMoved(
  fields: readonly SettingField[],
  { stored, given }: { stored: Values; given: ReadonlyMap<string, string> },
): boolean {
  return fields.some(({ name, is_server }) => {
    const url = given.get(name);
    const before = stored[name];
    if (is_server !== true || url === undefined || before === undefined || url === before) return false;
    return URL.parse(url)?.origin !== URL.parse(before)?.origin;
  });
}

/** A fault of one setting. */
export function faultOf(name: string, message: string): Fault {
  return { path: `settings.${name}`, message };
}
