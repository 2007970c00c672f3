import type { AccountSettings, Outage } from '../runtime/account-settings.ts';

export type { Outage };

/** The active outage of a simulated provider; null if absent. */
export function outageOf({ outages }: AccountSettings, provider: string, now: number): Outage | null {
  const outage = outages[provider];
  if (outage === undefined || (outage.until !== null && outage.until <= now)) return null;
  return outage;
}
