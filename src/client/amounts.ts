import { type Fields, isFields } from './lenient.ts';

/** The fields that hold amounts, which the contract has in the smallest unit of the currency. */
export const amountFields: ReadonlySet<string> = new Set([
  ...['cost_of_delivery', 'service_fee', 'payment_amount', 'fee', 'tip', 'upsell', 'subsidized'],
  ...['refunded_amount', 'order_value', 'amount', 'paid', 'cost', 'refund', 'max_cost'],
  ...['tip_limit', 'per_delivery', 'per_mile'],
]);

/** True if an amount has decimals, and so must be in the main unit of its currency: `"12.00"` or 12.34. */
export function hasDecimals(value: unknown): boolean {
  if (typeof value === 'number') return Number.isFinite(value) && !Number.isInteger(value);
  return typeof value === 'string' && /^-?\d+\.\d+$/.test(value.trim());
}

/**
 * Converts an amount from the main unit of a currency to its smallest unit, digit by digit. Undefined if it is not an
 * amount, or has more decimals than the currency.
 */
export function toSmallestUnit(value: unknown, currency: string): number | undefined {
  const [, sign, whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(digitsOf(value)) ?? [];
  if (sign === undefined) return undefined;
  const decimals = decimalsOf(currency);
  if (/[1-9]/.test(fraction.slice(decimals))) return undefined;
  const amount = Number(whole + fraction.slice(0, decimals).padEnd(decimals, '0'));
  if (!Number.isSafeInteger(amount)) return undefined;
  return sign === '' || amount === 0 ? amount : -amount;
}

/** Rounds to the 15 digits that are exact: a sum of binary fractions may be 6.470000000000001. */
function digitsOf(value: unknown): string {
  if (typeof value === 'number') return String(Number(value.toPrecision(15)));
  return typeof value === 'string' ? value.trim() : '';
}

/** The number of decimals of a currency by ISO 4217: 2 for USD, 0 for JPY. */
function decimalsOf(currency: string): number {
  // Loading the currencies takes milliseconds.
  if (currency.toUpperCase() === 'USD') return 2;
  try {
    const format = new Intl.NumberFormat('en', { style: 'currency', currency });
    return format.resolvedOptions().maximumFractionDigits ?? 2;
  } catch {
    return 2;
  }
}

/** Converts the amounts of a request body to the main unit of a currency. */
export function withMainUnits(body: unknown, currency: string): unknown {
  const divisor = 10 ** decimalsOf(currency);
  return mapAmounts(body, (amount) => amount / divisor);
}

/** The names of the amounts in a request body that are not 0. */
export function amountsIn(body: unknown): string[] {
  const names = new Set<string>();
  const collect = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(collect);
    if (!isFields(value)) return;
    for (const [name, each] of Object.entries(value)) {
      if (typeof each !== 'number') collect(each);
      else if (each !== 0 && amountFields.has(name)) names.add(name);
    }
  };
  collect(body);
  return [...names];
}

function mapAmounts(value: unknown, change: (amount: number) => number): unknown {
  if (Array.isArray(value)) return value.map((each) => mapAmounts(each, change));
  if (!isFields(value)) return value;
  const entries: [string, unknown][] = Object.entries(value).map(([name, each]) => {
    const isAmount = typeof each === 'number' && amountFields.has(name);
    return [name, isAmount ? change(each) : mapAmounts(each, change)];
  });
  const changed: Fields = Object.fromEntries(entries);
  return changed;
}
