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

/** The settings as a batch's row holds them. */
export function settingsOfBatch(row: Pick<BatchRow, 'settings'>): BatchSettings {
  return JSON.parse(row.settings);
}

/** What belongs to auto dispatch alone is refused with manual. Throws `invalid_request`. */
export function requireManual(settings: OrderSettings): void {
  const { mechanism: _, ...rest } = settings;
  const given = Object.entries(rest).filter(([, value]) => value !== undefined);
  if (given.length === 0) return;
  const message = 'belongs to auto dispatch: give it with "mechanism": "auto", or leave it out';
  const faults = given.map(([name]) => ({ path: `settings.${name}`, message }));
  throw new Problem('invalid_request', 'The settings break the contract.', faults);
}

/** The settings of a batch, with what was not given filled in, and what is wrong with them. */
export function autoSettings(
  given: OrderSettings,
  names: readonly string[],
): { settings: BatchSettings; faults: Fault[] } {
  const faults = (given.providers ?? []).flatMap((name, index, all) => {
    const path = `settings.providers[${index}]`;
    if (!names.includes(name)) return [{ path, message: unknownText(name, names) }];
    return all.indexOf(name) < index ? [{ path, message: `names ${name} a second time` }] : [];
  });
  if (given.quote_preference === 'preferred' && given.providers === undefined) {
    const message = 'is required with the quote_preference "preferred", in order of preference';
    faults.push({ path: 'settings.providers', message });
  }
  return { settings: { ...defaults, ...given, mechanism: 'auto' }, faults };
}

function unknownText(name: string, names: readonly string[]): string {
  const near = nearNames(name, names);
  return `is no provider; there is ${(near.length > 0 ? near : names).join(', ')}`;
}
