import { BadValue, duration, durationText, type Flag, type FlagOptions, readDuration } from './flags.ts';

const ms = 1000;

interface Bounds {
  minimum?: number;
  maximum: number;
}

/** Text with a unit (`10m`), value in whole seconds. */
export function seconds(options: FlagOptions & Bounds): Flag<number | undefined> {
  const { minimum = 1, maximum, ...described } = options;
  const base = duration(described);
  return { ...base, read: (texts) => readSeconds(texts.at(-1) ?? '', { minimum, maximum }) };
}

function readSeconds(given: string, { minimum, maximum }: Required<Bounds>): number {
  const length = lengthOf(given) / ms;
  if (Number.isInteger(length) && length >= minimum && length <= maximum) return length;
  const span = `from ${secondsText(minimum)} to ${secondsText(maximum)}`;
  throw new BadValue(`must be whole seconds, ${span}, such as 30s or 10m, not "${given}"`);
}

/** Formats seconds as typed: `30m`, `0s`. */
export function secondsText(length: number): string {
  return length === 0 ? '0s' : durationText(length * ms);
}

/** Milliseconds; NaN for an invalid text. */
function lengthOf(given: string): number {
  try {
    return readDuration(given);
  } catch (error) {
    if (error instanceof BadValue) return Number.NaN;
    throw error;
  }
}
