import type { OrderSettings } from '../../../contract/orders.ts';
import { moneyText } from '../../kit/args/flags.ts';
import { secondsText } from '../../kit/args/time-arguments.ts';
import { flagArgs, quoted } from '../../kit/result/message.ts';

type Words = Record<string, string | number | boolean>;

/** Returns the flags that set these settings, by their names in the code. */
export function flagsOfSettings(settings: OrderSettings): Words {
  const { mechanism, quote_preference, providers, max_cost, retry_window, retry_interval } = settings;
  return {
    ...(mechanism === 'auto' ? { auto: true } : {}),
    ...(quote_preference === undefined ? {} : { quotePreference: quote_preference }),
    ...(Array.isArray(providers) ? { providers: providers.join(',') } : {}),
    ...(isWhole(max_cost) ? { maxCost: moneyText(max_cost) } : {}),
    ...(isWhole(retry_window) ? { retryWindow: secondsText(retry_window) } : {}),
    ...(isWhole(retry_interval) ? { retryInterval: secondsText(retry_interval) } : {}),
  };
}

/** A value from a file may be of any type. */
function isWhole(value: number | undefined): value is number {
  return Number.isInteger(value);
}

/** Formats flags as typed: `--max-cost 12.50 --providers a,b`. */
export function flagText(flags: Words): string {
  return flagArgs(flags).map(quoted).join(' ');
}
