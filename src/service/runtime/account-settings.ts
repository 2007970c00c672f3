import type { Adjustment } from '../../contract/accounts.ts';
import type { ProviderState } from '../../contract/vocabulary.ts';
import type { Scenario } from '../../domain/scenarios.ts';

/** A simulated courier company that fails on purpose. */
export interface Outage {
  state: Exclude<ProviderState, 'up'>;
  /** How much later it answers, where it is slow. */
  slow_seconds: number | null;
  /** In service time; null: until it is told to be up. */
  until: number | null;
}

/** What an account has chosen for one of its modes; the sandbox's part concerns test keys only. */
export interface AccountSettings {
  upsell: Adjustment | null;
  subsidy: Adjustment | null;
  payment_method: { status: 'active' | 'declining' };
  /** The start of tracking links; null: the service's own address. */
  public_url: string | null;
  default_scenario: Scenario | null;
  outages: Record<string, Outage>;
}

const defaults: AccountSettings = {
  upsell: null,
  subsidy: null,
  payment_method: { status: 'active' },
  public_url: null,
  default_scenario: null,
  outages: {},
};

/** The settings as an account's row holds them for a mode: JSON with what differs from the defaults. */
export function settingsOf(row: { settings: string }): AccountSettings {
  return { ...defaults, ...JSON.parse(row.settings) };
}

/** What a caller may choose anew; null takes it back. */
export type Choice = Partial<Omit<AccountSettings, 'payment_method'>> & {
  payment_method?: AccountSettings['payment_method'] | null;
};

export function withChoice(settings: AccountSettings, choice: Choice): AccountSettings {
  const { payment_method = settings.payment_method, ...rest } = choice;
  return { ...settings, ...rest, payment_method: payment_method ?? defaults.payment_method };
}

/** Settings as an account's row holds them. */
export function settingsText(settings: AccountSettings): string {
  const usual = new Map<string, unknown>(Object.entries(defaults));
  const isUnusual = ([name, value]: [string, unknown]) =>
    JSON.stringify(value) !== JSON.stringify(usual.get(name));
  return JSON.stringify(Object.fromEntries(Object.entries(settings).filter(isUnusual)));
}
