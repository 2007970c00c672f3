import type { BatchSettings } from '../../contract/batches.ts';
import { type Fault, Problem } from '../../contract/errors.ts';
import type { OrderSettings } from '../../contract/orders.ts';
import { nearNames } from '../../domain/near-names.ts';
import type { BatchRow } from '../../storage/database.ts';

const defaults: Omit<BatchSettings, 'mechanism'> = {
  quote_preference: 'cheapest',
  providers: null,
  max_cost: null,
  retry_window: 1800,
  retry_interval: 300,
};

/** The settings in a batch's row. */
export function settingsOfBatch(row: Pick<BatchRow, 'settings'>): BatchSettings {
  return JSON.parse(row.settings);
}

/** Rejects settings of auto dispatch for manual dispatch. Throws `invalid_request`. */
export function requireManual(settings: OrderSettings): void {
  const { mechanism: _, ...rest } = settings;
  const given = Object.entries(rest).filter(([, value]) => value !== undefined);
  if (given.length === 0) return;
  const message = 'applies to auto dispatch only: set "mechanism": "auto" or remove it';
  const faults = given.map(([name]) => ({ path: `settings.${name}`, message }));
  throw new Problem('invalid_request', 'The settings are invalid.', faults);
}

/** The settings of a batch with defaults filled in, and their errors. */
export function autoSettings(
  given: OrderSettings,
  names: readonly string[],
): { settings: BatchSettings; faults: Fault[] } {
  const faults = (given.providers ?? []).flatMap((name, index, all) => {
    const path = `settings.providers[${index}]`;
    if (!names.includes(name)) return [{ path, message: unknownText(name, names) }];
    return all.indexOf(name) < index ? [{ path, message: `lists ${name} twice` }] : [];
  });
  if (given.quote_preference === 'preferred' && given.providers === undefined) {
    const message = 'is required with quote_preference "preferred", in order of preference';
    faults.push({ path: 'settings.providers', message });
  }
  return { settings: { ...defaults, ...given, mechanism: 'auto' }, faults };
}

function unknownText(name: string, names: readonly string[]): string {
  const near = nearNames(name, names);
  return `is not a provider; expected ${(near.length > 0 ? near : names).join(' or ')}`;
}
