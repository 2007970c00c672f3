import { ulid } from 'ulid';
import { type Chance, random } from './ports/chance.ts';

export type Prefix =
  | 'acct'
  | 'key'
  | 'ord'
  | 'rte'
  | 'job'
  | 'rq'
  | 'dsp'
  | 'dlv'
  | 'chg'
  | 'tsk'
  | 'ftk'
  | 'quo'
  | 'str'
  | 'evt'
  | 'bat'
  | 'try'
  | 'whe'
  | 'att';

/** The id of a request: it need not repeat, only differ. */
export function newRequestId(at: number): string {
  return `req_${ulid(at, random)}`;
}

/**
 * An id that sorts by its time and repeats with its parts: `ord_01J...`. `at` is in milliseconds.
 * The same parts at the same instant are the same record, so a repeated step makes nothing twice.
 */
export function newId(chance: Chance, prefix: Prefix, at: number, ...parts: readonly string[]): string {
  return `${prefix}_${ulid(at, drawFrom(chance('id', prefix, ...parts.map(chanceOf))))}`;
}

/** The same, for records of one instant that have an order: those of a lower rank (0 to 1023) come before. */
export function newRankedId(
  chance: Chance,
  prefix: Prefix,
  { at, rank }: { at: number; rank: number },
  ...parts: readonly string[]
): string {
  const [...letters] = ulid(at, drawFrom(chance('id', prefix, ...parts.map(chanceOf))));
  letters[timeLength] = letterOf(Math.floor(rank / 32));
  letters[timeLength + 1] = letterOf(rank % 32);
  return `${prefix}_${letters.join('')}`;
}

/** The letter of a ULID that stands for a number from 0 to 31. */
function letterOf(number: number): string {
  return ulid(0, () => number / 32).charAt(timeLength);
}

/** A ULID begins with ten letters of time (https://github.com/ulid/spec). */
const timeLength = 10;

/**
 * The part of an id that chance made, which is the same in every run of one seed, whenever that is; any other text as
 * it is.
 */
export function chanceOf(text: string): string {
  return /^[a-z]+_[0-9A-Z]{26}$/.test(text) ? text.slice(-16) : text;
}

/**
 * Text that came from outside, as a part of an id: what looks like one of our ids keeps its time, so that two texts
 * never make the same id.
 */
export function exactPart(text: string): string {
  return text.startsWith('=') || chanceOf(text) !== text ? `=${text}` : text;
}

function drawFrom(bytes: Uint8Array): () => number {
  let next = 0;
  return () => ((bytes[next++ % bytes.length] ?? 0) % 32) / 32;
}
