import {
  BadValue,
  duration,
  durationText,
  type Flag,
  type FlagOptions,
  readDuration,
  text,
} from '../line/flags.ts';

const ms = 1000;

/** A length of time in the text (`10m`), whole seconds in the value. */
export function seconds(
  options: FlagOptions & { minimum?: number; maximum: number },
): Flag<number | undefined> {
  const { maximum, ...described } = options;
  const base = duration(described);
  return { ...base, read: (texts) => readSeconds(texts.at(-1) ?? '', maximum) };
}

function readSeconds(given: string, maximum: number): number {
  const length = lengthOf(given) / ms;
  if (Number.isInteger(length) && length >= 1 && length <= maximum) return length;
  const most = durationText(maximum * ms);
  throw new BadValue(`takes whole seconds, from 1s to ${most}, such as 30s or 10m, not "${given}"`);
}

/** Milliseconds; not a number where it is no length of time. */
function lengthOf(given: string): number {
  try {
    return readDuration(given);
  } catch (error) {
    if (error instanceof BadValue) return Number.NaN;
    throw error;
  }
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
