import type { AccountSettings, Outage } from '../runtime/account-settings.ts';

export type { Outage };

/** How a simulated courier company fails on purpose at an instant; null while it is well. */
export function outageOf({ outages }: AccountSettings, provider: string, now: number): Outage | null {
  const outage = outages[provider];
  if (outage === undefined || (outage.until !== null && outage.until <= now)) return null;
  return outage;
}
