/** Reads lengths of time as people type them: `2h`, `15 min`, `in 2 hours`, `an hour and a half ago`. */
import { second_ms } from '../../domain/durations.ts';
import { withLengthsInDigits } from '../../domain/typed-days.ts';
import {
  BadValue,
  durationFlag,
  durationText,
  type Flag,
  type FlagOptions,
  readDuration,
  unlessBadValue,
} from '../kit/args/flags.ts';

export type Direction = 'ago' | 'ahead';

/** The milliseconds of a duration such as `1h30m`; null for any other text. */
export function spanOf(typed: string): number | null {
  return unlessBadValue(() => readDuration(typed));
}

/** Matches a count and a unit in words, with what joins it to the next one: `2 hours and `, `an hour`, `30 min`. */
const unitWords =
  /(\d{1,9} ?|(?<!\w)an? )(d|h|m|s)(?:ays?|ours?|rs?|inutes?|ins?|econds?|ecs?)?(?=\d| |$)(?:,? and |, | )?/gi;

/** What may stand before a length that ends or begins now: `the last 7 days`, `within 2 hours`. */
const leads: Readonly<Record<Direction, RegExp>> = {
  ago: /^(?:in |for )?(?:the )?(?:last|past) /i,
  ahead: /^(?:in )?(?:the )?(?:next|coming|within) /i,
};

/** Reads `in 2 hours`, `+2h`, `90 minutes ago` or `the last hour`; null for any other text or direction. */
export function spanInWords(typed: string, direction: Direction): number | null {
  const lead = leads[direction].exec(typed)?.[0] ?? '';
  if (lead !== '')
    return spanInWords(typed.slice(lead.length).replace(/^(hour|minute)$/i, '1 $1'), direction);
  const wordsAhead = (/^(?:in |\+ ?)(.+)$/i.exec(typed) ?? /^(.+) from now$/i.exec(typed))?.[1];
  const wordsAgo = /^(.+) ago$/i.exec(typed)?.[1];
  if ((direction === 'ago' ? wordsAhead : wordsAgo) !== undefined) return null;
  const words = wordsAhead ?? wordsAgo ?? typed;
  const short = withLengthsInDigits(words)
    .replace(/\bhalf an hour\b/i, '30m')
    .replace(/\b(\d+|an?) hours? and a half\b/i, '$1 hour 30m')
    .replace(/\b(\d+)\.5 ?h(?:(?:ou)?rs?)?\b/i, '$1h30m')
    .replace(/\b(\d{1,4}) ?w(?:ee)?k?s?\b/i, (_, weeks: string) => `${7 * Number(weeks)}d`)
    .replaceAll(unitWords, (_, count: string, unit: string) => {
      return `${/^a/i.test(count) ? '1' : count.trim()}${unit.toLowerCase()}`;
    });
  return spanOf(short);
}

/** The milliseconds of `15m`, `15 min` or `an hour`; null for any other text. */
export function readLength(typed: string): number | null {
  return spanOf(typed) ?? spanInWords(typed, 'ago');
}

interface Bounds {
  minimum?: number;
  maximum: number;
}

/** A flag that takes a text with a unit (`10m`) and reads it as whole seconds. */
export function secondsFlag(options: FlagOptions & Bounds): Flag<number | undefined> {
  const { minimum = 1, maximum, ...described } = options;
  const base = durationFlag(described);
  return { ...base, read: (texts) => readSeconds(texts.at(-1) ?? '', { minimum, maximum }) };
}

function readSeconds(given: string, { minimum, maximum }: Required<Bounds>): number {
  const length = (spanOf(given) ?? Number.NaN) / second_ms;
  if (Number.isInteger(length) && length >= minimum && length <= maximum) return length;
  const span = `from ${secondsText(minimum)} to ${secondsText(maximum)}`;
  throw new BadValue(`must be whole seconds, ${span}, such as 30s or 10m, not "${given}"`);
}

/** Formats seconds as typed: `30m`, `0s`. */
export function secondsText(length: number): string {
  return length === 0 ? '0s' : durationText(length * second_ms);
}
