/** Amounts of money, which are integers in cents: their sums, their shares, and how people write them. */

/** Rounds numerator / denominator to the nearest integer, halves up: once, at the end of a calculation. The denominator must be positive. */
export function halfUp(numerator: number, denominator: number): number {
  return Math.floor((2 * numerator + denominator) / (2 * denominator));
}

/** The service fee for a simulated courier's cost, both in cents: 30 cents plus 2.9%, rounded up. */
export function serviceFee(cost: number): number {
  return 30 + Math.ceil((cost * 29) / 1000);
}

/**
 * Splits a total of cents in proportion to non-negative integer weights. The shares add up to the total: the cents
 * left after rounding down go to the largest remainders, on ties to the earlier ones. Weights that are all zero count
 * as equal. A negative total is split like its absolute value.
 */
export function shareCents(total: number, weights: readonly number[]): number[] {
  if (total < 0) return shareCents(-total, weights).map((share) => (share === 0 ? 0 : -share));
  const sum = weights.reduce((total_weight, weight) => total_weight + weight, 0);
  if (sum === 0) return weights.length === 0 ? [] : shareCents(total, equalWeights(weights));
  const parts = weights.map((weight, index) => ({ index, ...part(total, weight, sum) }));
  const left = total - parts.reduce((taken, { share }) => taken + share, 0);
  const favoured = [...parts].sort((a, b) => compare(b.remainder, a.remainder));
  const raised = new Set(favoured.slice(0, left).map(({ index }) => index));
  return parts.map(({ share, index }) => (raised.has(index) ? share + 1 : share));
}

function equalWeights(weights: readonly number[]): number[] {
  return weights.map(() => 1);
}

/** Uses BigInt: the product of two amounts can exceed the safe integers. */
function part(total: number, weight: number, sum: number): { share: number; remainder: bigint } {
  const product = BigInt(total) * BigInt(weight);
  return { share: Number(product / BigInt(sum)), remainder: product % BigInt(sum) };
}

function compare(left: bigint, right: bigint): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

/** `Loop $14.38, Downtown $13.25, 3 more`: amounts by what they are for, the largest first. */
export function amountsText(amounts: ReadonlyMap<string, number>): string {
  const sorted = [...amounts].sort(([, left], [, right]) => Math.abs(right) - Math.abs(left));
  const texts = sorted.slice(0, max_named).map(([name, amount]) => `${name} ${dollars(amount)}`);
  return [...texts, ...(sorted.length > max_named ? [`${sorted.length - max_named} more`] : [])].join(', ');
}

const max_named = 12;

/** Formats cents: `$6.59`, `-$1.00`, `$1,234.00`; an unknown amount is `$?`. */
export function dollars(cents: number): string {
  if (!Number.isFinite(cents)) return '$?';
  const digits = String(Math.abs(cents)).padStart(3, '0');
  const whole = grouped(digits.slice(0, -2));
  return `${cents < 0 ? '-' : ''}$${whole}.${digits.slice(-2)}`;
}

function grouped(digits: string): string {
  return digits.length > 3 ? `${grouped(digits.slice(0, -3))},${digits.slice(-3)}` : digits;
}

const dollarsPattern = /^(\d{1,3}(?:,\d{3})+|\d{1,12})(?:\.(\d{1,2}))?$/;

/**
 * Reads an amount of dollars as people and spreadsheets write it, in cents: `12.50`, `12`, `$1,234.00`, `12.50 USD`,
 * `450.0000`, `37,9`, or `1.234,50` as in other countries. Null for any other text, such as a negative amount, and for
 * `1.250`, which can mean 1,250.
 */
export function parseDollars(text: string): number | null {
  const amount = text
    .normalize('NFKC')
    .trim()
    // `$ -` is zero in spreadsheets.
    .replace(/^\$\s*-$/, '0')
    // `US$ 12`, `usd 12`, `12 dollars`: no currency.
    .replace(/^(?:usd?)?\s*\$\s*|^usd\s*|\s*(?:usd|us\$|\$|dollars?)$/gi, '')
    // `1.234,50` and `1 234.50`: 1234.50.
    .replace(/^\d{1,3}(?:(?:[. '’]\d{3})+,|(?:[ '’]\d{3})+\.)\d{2}$/, (all) =>
      all.replaceAll(/\D/g, '').replace(/(?=\d\d$)/, '.'),
    )
    // `37,9`, `12.`, `.5` and `450.0000`: 37.9, 12, 0.5 and 450.00.
    .replace(/^(\d{1,10}),(\d{1,2})$/, '$1.$2')
    .replace(/^(\d{1,10})\.$/, '$1')
    .replace(/^\.(?=\d)/, '0.')
    .replace(/(\.\d{2})0{2,}$/, '$1');
  const match = dollarsPattern.exec(amount);
  if (match?.[1] === undefined) return null;
  const cents = Number(match[1].replaceAll(',', '') + (match[2] ?? '').padEnd(2, '0'));
  return Number.isSafeInteger(cents) ? cents : null;
}
