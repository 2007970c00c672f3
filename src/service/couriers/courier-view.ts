import type { Courier } from '../../contract/couriers.ts';
import type { CourierAdapter, SettingField } from '../../providers/courier.ts';
import type { CourierRow } from '../../storage/database.ts';
import { storedSecrets } from '../runtime/courier-secrets.ts';
import { instantOrNull } from '../runtime/timestamps.ts';
import { publicSettings } from './courier-settings.ts';

interface Viewed {
  /** Undefined: it is not connected. */
  row: CourierRow | undefined;
  test_mode: boolean;
  /** The base of the address that the courier reports to. */
  public_url: string;
  /** Until when the courier is not called; null if it is. */
  paused_until: number | null;
}

/** A courier as returned by the API, without its secrets. */
export function courierView(
  adapter: CourierAdapter,
  { row, test_mode, public_url, paused_until }: Viewed,
): Courier {
  const { name, title, push_setup } = adapter;
  const { idempotent_create: _, find_by_key: __, ...capabilities } = adapter.capabilities;
  const isPushed = row !== undefined && push_setup !== null;
  return {
    object: 'courier',
    name,
    title,
    state: row?.state ?? 'not_connected',
    settings: adapter.settings.map((field) => settingView(field, row)),
    capabilities: {
      ...capabilities,
      vehicles: [...capabilities.vehicles],
      currencies: [...capabilities.currencies],
      countries: [...capabilities.countries],
    },
    untested_live: adapter.is_untested_live ?? false,
    push_url: isPushed ? `${public_url}/couriers/${row.push_token}` : null,
    push_setup: push_setup ?? '',
    test_mode,
    connected_at: instantOrNull(row?.created_at ?? null),
    updated_at: instantOrNull(row?.updated_at ?? null),
    checked_at: instantOrNull(row?.checked_at ?? null),
    last_push_at: instantOrNull(row?.last_push_at ?? null),
    calls_paused_until: instantOrNull(paused_until),
  };
}

function settingView(
  { name, label, help, is_secret, is_optional, choices = [] }: SettingField,
  row: CourierRow | undefined,
): Courier['settings'][number] {
  const value = row === undefined || is_secret ? null : (publicSettings(row)[name] ?? null);
  const is_set = value !== null || (row !== undefined && Object.hasOwn(storedSecrets(row), name));
  return { name, label, help, is_secret, is_optional, choices: [...choices], is_set, value };
}
