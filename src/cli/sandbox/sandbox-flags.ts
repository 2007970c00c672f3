import { BadValue, duration, type Flag, type FlagOptions, text } from '../line/flags.ts';

const ms = 1000;

/** A length of time in the text (`10m`), whole seconds in the value. */
export function seconds(
  options: FlagOptions & { minimum?: number; maximum: number },
): Flag<number | undefined> {
  const { maximum, ...described } = options;
  const base = duration(described);
  return { ...base, read: (texts) => readSeconds(texts, base, maximum) };
}

function readSeconds(texts: readonly string[], base: Flag<number | undefined>, maximum: number): number {
  const length = (base.read(texts) ?? 0) / ms;
  if (Number.isInteger(length) && length >= 1 && length <= maximum) return length;
  throw new BadValue(`takes whole seconds, from 1s to ${maximum}s, not "${texts.at(-1)}"`);
}

/** How many seconds pass in one: `--rate 60`, `--rate 0.5`. */
export function rate(options: FlagOptions): Flag<number | undefined> {
  const base = text({ placeholder: 'RATE', ...options });
  return {
    ...base,
    defaultText: '60',
    read: (texts) => readRate(texts.at(-1) ?? ''),
    absent: () => undefined,
  };
}

function readRate(given: string): number {
  const value = /^\d{1,5}(\.\d{1,3})?$/.test(given) ? Number(given) : 0;
  if (value >= 0.001 && value <= 86_400) return value;
  throw new BadValue(`takes a number from 0.001 to 86400, not "${given}"`);
}
