/** An account's settings for one mode: how they are stored, changed and read. */
import type { Adjustment, Notices } from '../../contract/accounts.ts';
import type { ProviderState } from '../../contract/vocabulary.ts';
import type { Scenario } from '../../domain/scenarios.ts';
import { findAccount } from '../../storage/accounts.ts';
import type { Connection, Scope } from '../../storage/database.ts';
import type { ServiceContext } from './context.ts';

/** An outage of a simulated provider. */
export interface Outage {
  state: Exclude<ProviderState, 'up'>;
  /** The delay of responses in the state slow. */
  slow_seconds: number | null;
  /** In service time; null: until it is changed. */
  until: number | null;
}

/** An account's settings for one mode; the sandbox settings apply to test keys only. */
export interface AccountSettings {
  upsell: Adjustment | null;
  subsidy: Adjustment | null;
  payment_method: { status: 'active' | 'declining' };
  /** The largest tip of an order in cents; null: the larger of $100 and the order's value. */
  tip_limit: number | null;
  /** The base URL of tracking links; null: the service's own URL. */
  public_url: string | null;
  /**
   * Cents for each delivery and mile by own drivers, whether recipients must tell them a PIN, and whether they may call
   * the driver who is on the way to them.
   */
  fleet: { per_delivery: number; per_mile: number; ask_pin: boolean; share_phone: boolean };
  /** The notices to recipients by e-mail; null: off. */
  notices: Notices | null;
  default_scenario: Scenario | null;
  outages: Record<string, Outage>;
}

const defaults: AccountSettings = {
  upsell: null,
  subsidy: null,
  payment_method: { status: 'active' },
  tip_limit: null,
  public_url: null,
  fleet: { per_delivery: 0, per_mile: 0, ask_pin: false, share_phone: true },
  notices: null,
  default_scenario: null,
  outages: {},
};

/** Parses the settings of an account's row for a mode: JSON with the non-default values. */
export function readAccountSettings(row: { settings: string }): AccountSettings {
  const stored: Partial<AccountSettings> = JSON.parse(row.settings);
  return { ...defaults, ...stored, fleet: { ...defaults.fleet, ...stored.fleet } };
}

/** The settings that a caller may change; null resets one. */
export type Choice = Partial<Omit<AccountSettings, 'payment_method' | 'fleet'>> & {
  payment_method?: AccountSettings['payment_method'] | null;
  fleet?: Partial<AccountSettings['fleet']> | null;
};

export function withChoice(settings: AccountSettings, choice: Choice): AccountSettings {
  const { payment_method = settings.payment_method, fleet = {}, ...rest } = choice;
  return {
    ...settings,
    ...rest,
    payment_method: payment_method ?? defaults.payment_method,
    fleet: fleet === null ? defaults.fleet : { ...settings.fleet, ...fleet },
  };
}

export function settingsText(settings: AccountSettings): string {
  const usual = new Map<string, unknown>(Object.entries(defaults));
  const isUnusual = ([name, value]: [string, unknown]) =>
    JSON.stringify(value) !== JSON.stringify(usual.get(name));
  return JSON.stringify(Object.fromEntries(Object.entries(settings).filter(isUnusual)));
}

/** The base of an account's links: its own setting, or the URL of the service. */
export async function publicUrlOfAccount(
  { publicUrl }: Pick<ServiceContext, 'publicUrl'>,
  db: Connection,
  scope: Scope,
): Promise<string> {
  const account = await findAccount(db, scope);
  return (account === undefined ? null : readAccountSettings(account).public_url) ?? publicUrl;
}

/** The active outage of a simulated provider; null if absent. */
export function findOutage({ outages }: AccountSettings, provider: string, now: number): Outage | null {
  const outage = outages[provider];
  if (outage === undefined || (outage.until !== null && outage.until <= now)) return null;
  return outage;
}
