/**
 * Creates the ids of records: a prefix for the kind of record, then a ULID (`ord_01J...`). The random part of a ULID is derived
 * from the seed and from what the record is made for, so that a repeated step creates the same id.
 */
import { encodeTime, ulid } from 'ulid';
import type { Flag } from '../../storage/database.ts';
import type { Storage } from '../../storage/storage.ts';
import type { ServiceContext } from './context.ts';
import { type Chance, random } from './random.ts';
import type { ServiceClock } from './service-clock.ts';

/** The prefixes of ids, one for each kind of record. */
export type Prefix =
  | 'acct'
  | 'key'
  | 'ord'
  | 'rte'
  | 'job'
  | 'rq'
  | 'dsp'
  | 'dlv'
  | 'nte'
  | 'chg'
  | 'tsk'
  | 'ftk'
  | 'quo'
  | 'str'
  | 'drv'
  | 'evt'
  | 'bat'
  | 'try'
  | 'whe'
  | 'att'
  | 'aud';

/** A ULID starts with ten characters of time (https://github.com/ulid/spec). */
const time_length = 10;
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** The characters of the number of a request within its millisecond, and of a record's rank in its request. */
const request_length = 4;
const rank_length = 2;
/** The random characters of an id without a place. */
const ulid_random_length = 16;
/** The random characters that follow the place of a record. */
const placed_random_length = 10;

/** The records that are listed by their ids. */
const listed: readonly Prefix[] = ['ord', 'rte', 'dlv', 'bat', 'str', 'drv', 'key', 'whe'];

/**
 * Creates a request id, which is unique but not derived from a seed. Ids of the same millisecond sort by their number,
 * which starts at 0.
 */
export function newRequestId(at: number, number = 0): string {
  const random_id = ulid(at, random);
  const rest = random_id.slice(time_length + request_length);
  return `req_${random_id.slice(0, time_length)}${digits(number, request_length)}${rest}`;
}

/**
 * Creates an id that sorts by its time and is derived from its parts: `ord_01J...`. `at` is in milliseconds. The same
 * parts at the same time give the same id, so that a repeated step creates nothing twice.
 */
export function newId(chance: Chance, prefix: Prefix, at: number, ...parts: readonly string[]): string {
  return `${prefix}_${encodeTime(at)}${randomEnd(chance, prefix, parts)}`;
}

/** The order of a record within its millisecond: by its request, then by its rank in it. */
interface Place {
  /** In milliseconds. */
  at: number;
  /** The number of the request within its millisecond, from 0. */
  request?: number;
  /** From 0 to 1023. */
  rank?: number;
}

/** Like `newId`, for records that are listed newest first: the ids of one millisecond sort by their place. */
export function newPlacedId(
  chance: Chance,
  prefix: Prefix,
  place: Place,
  ...parts: readonly string[]
): string {
  const { at, request = 0, rank = 0 } = place;
  const order = digits(request, request_length) + digits(rank, rank_length);
  return `${prefix}_${encodeTime(at)}${order}${randomEnd(chance, prefix, parts, placed_random_length)}`;
}

/** Creates the ids of one request's records, or of one background task. */
export function createIds(
  chance: Chance,
  { at, request = 0 }: Omit<Place, 'rank'>,
  origin: readonly string[],
) {
  const rankedId = (prefix: Prefix, rank: number, ...parts: readonly string[]) =>
    newPlacedId(chance, prefix, { at, request, rank }, ...origin, ...parts);
  const id = (prefix: Prefix, ...parts: readonly string[]) =>
    listed.includes(prefix) ? rankedId(prefix, 0, ...parts) : newId(chance, prefix, at, ...origin, ...parts);
  return { id, rankedId };
}

/**
 * The random part of an id, which is the same in every run with one seed, independent of the time and of other
 * records in its millisecond; any other text is returned unchanged.
 */
export function takeRandomPart(text: string): string {
  return /^[a-z]+_[0-9A-Z]{26}$/.test(text) ? text.slice(-placed_random_length) : text;
}

/**
 * External text as a part of an id: text that looks like one of our ids keeps its time, so that different texts never
 * give the same id.
 */
export function exactPart(text: string): string {
  return text.startsWith('=') || takeRandomPart(text) !== text ? `=${text}` : text;
}

/**
 * Records of the same millisecond are listed in the order of their requests. While the clock stands still, other
 * processes may have created records in the same millisecond: then the latest is read from the database.
 */
export function createRequestOrder(
  storage: Storage,
  test_mode: Flag,
  clock: ServiceClock,
): ServiceContext['requestOrder'] {
  let latest = { now: Number.NEGATIVE_INFINITY, number: -1 };
  return async (now) => {
    const stored = clock.state().mode === 'manual' ? await latestStored(storage, test_mode, now) : -1;
    const before = latest.now === now ? latest.number : -1;
    latest = { now, number: Math.max(before, stored) + 1 };
    return latest.number;
  };
}

async function latestStored(storage: Storage, test_mode: Flag, now: number): Promise<number> {
  const { latestIds } = await import('../../storage/paging.ts');
  const ids = await storage.read((db) => latestIds(db, test_mode, now));
  return Math.max(-1, ...ids.map(requestNumber));
}

/** The request number in an id of `newPlacedId`. */
export function requestNumber(id: string): number {
  const start = id.indexOf('_') + 1 + time_length;
  const [...letters] = id.slice(start, start + request_length);
  return letters.reduce((number, letter) => number * 32 + alphabet.indexOf(letter), 0);
}

/** The random characters of a ULID that is derived from its parts: the last ones first, each from a byte. */
function randomEnd(
  chance: Chance,
  prefix: Prefix,
  parts: readonly string[],
  length = ulid_random_length,
): string {
  const bytes = chance('id', prefix, ...parts.map(takeRandomPart));
  let text = '';
  for (let index = 0; index < length; index++) text = alphabet.charAt((bytes[index] ?? 0) % 32) + text;
  return text;
}

/** A base-32 number of fixed length; larger numbers become the maximum. */
function digits(number: number, length: number): string {
  let rest = Math.min(number, 32 ** length - 1);
  let text = '';
  for (let index = 0; index < length; index++) {
    text = alphabet.charAt(rest % 32) + text;
    rest = Math.floor(rest / 32);
  }
  return text;
}
