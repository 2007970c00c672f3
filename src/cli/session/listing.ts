import type { Answer } from '../../client/answers.ts';
import { ifSupported, Unsupported } from '../../client/errors.ts';
import { createCursorReader, type ListCall } from '../../client/pages.ts';
import type { Page } from '../../contract/schema.ts';
import { normalizeAddress } from '../../domain/addresses.ts';
import { nearNames } from '../../domain/near-names.ts';
import { searchWordsOf } from '../../domain/search-text.ts';
import { zoneOf } from '../../domain/time-zones.ts';
import { flag, integer, text } from '../kit/args/flags.ts';
import { type CommandSpec, placeLabel, type Raw } from '../kit/args/input.ts';
import { instantAt, isLocalTime, type Moment, moment } from '../kit/args/time-arguments.ts';
import { Failure, UsageError } from '../kit/errors/failure.ts';
import type { Choice } from '../kit/host/host.ts';
import { alignedRows } from '../kit/output/rows.ts';
import { oneLine } from '../kit/output/sanitize.ts';
import { ageOf, styledTime, zonedTime } from '../kit/output/times.ts';
import {
  flagArgs,
  type Invocation,
  type NextStep,
  phrase,
  type Text,
  timePart,
  withArgs,
} from '../kit/result/message.ts';
import { type Column, type Draw, type ListResult, list } from '../kit/result/result.ts';
import { recordKind } from '../records.ts';
import type { Context } from './command.ts';

/** The flags of every list. */
export const pagingFlags = {
  limit: integer({ summary: 'Maximum number of results', minimum: 1, default: 20, group: 'Paging' }),
  cursor: text({
    summary: 'Continue from the cursor of a previous page',
    placeholder: 'CURSOR',
    group: 'Paging',
  }),
  all: flag({ summary: 'Fetch every page', group: 'Paging' }),
};

/** Flags that restrict a list to a time range. */
export const createdFlags = {
  since: moment({
    isPast: true,
    summary: 'Created after a time, such as today, 2h or 1d ago',
    aliases: ['created-after'],
  }),
  until: moment({
    isPast: true,
    summary: 'Created before a time, such as 2h or 1d ago',
    aliases: ['created-before'],
  }),
};

interface PagingValues {
  limit: number;
  cursor: string | undefined;
  all: boolean;
}

/**
 * `since` and `until` as query fields of the contract. Durations are counted from the service's time, or from `now`;
 * times of day are read in `zone`, or in the user's own. UsageError for a `since` that is still to come.
 */
export function createdQuery(
  context: Context,
  period: CreatedPeriod & { since: Moment },
): Promise<CreatedQuery & { created_after: string }>;
export function createdQuery(context: Context, period: CreatedPeriod): Promise<CreatedQuery>;
export async function createdQuery(
  context: Context,
  { since, until, now, zone }: CreatedPeriod,
): Promise<CreatedQuery> {
  const created_after = since && (await pastInstantOf(context, since, { now, zone }));
  const created_before = until && (await instantOf(context, until, 'ago', { from: now, zone }));
  if (since && until && Date.parse(created_after ?? '') >= Date.parse(created_before ?? '')) {
    throw new UsageError(`--since ${since.typed} must be before --until ${until.typed}.`);
  }
  return { created_after, created_before };
}

interface CreatedQuery {
  created_after: string | undefined;
  created_before: string | undefined;
}

interface CreatedPeriod {
  since: Moment | undefined;
  until: Moment | undefined;
  now?: number;
  zone?: string | null;
}

interface PageQuery {
  limit?: number | undefined;
  cursor?: string | undefined;
}

interface Listing<T, Q extends PageQuery> {
  list: ListCall<T, Q>;
  query: Q;
  paging: PagingValues;
  columns: readonly Column<T>[];
  draw?: Draw<T>;
  /** The command with its filters as typed, for the command that continues. */
  command: Invocation;
  filters: Readonly<Record<string, string | boolean | undefined>>;
  empty: Text;
  /** Replaces it if no filter is given: how the first record comes to be. */
  start?: Text;
  /** Explains why nothing was found. */
  explainEmpty?: () => Promise<string | null>;
  notes?: () => readonly string[];
  /** The clock of the records' times; by default the service's. */
  now?: () => number;
}

const max_page_size = 100;

/** A list of the API, shown as its pages arrive, with the command for the rest. */
export function listing<T, Q extends PageQuery>(parts: Listing<T, Q>): ListResult {
  const { limit, all } = parts.paging;
  let next: string | null = null;
  let read = 0;
  let isCut = false;
  let explained: string | null = null;
  async function* rows(): AsyncGenerator<T> {
    let left = all ? Number.POSITIVE_INFINITY : limit;
    next = parts.paging.cursor ?? null;
    const nextCursor = createCursorReader(parts.paging.cursor);
    do {
      const page = { limit: Math.min(max_page_size, left), cursor: next ?? undefined };
      const answer = await parts.list({ query: { ...parts.query, ...page } });
      const { data } = answer;
      isCut = isIncomplete(answer);
      next = isCut ? null : nextCursor(answer);
      left -= data.data.length;
      read += answer.searched ?? data.data.length;
      yield* data.data;
    } while (next !== null && left > 0);
    if (read === 0) explained = (await parts.explainEmpty?.()) ?? null;
  }
  const more = () =>
    next === null
      ? null
      : {
          cursor: next,
          command: withArgs(parts.command, flagArgs({ ...parts.filters, limit, cursor: next })),
        };
  const { columns, draw, now } = parts;
  const isFiltered = Object.values(parts.filters).some((value) => value !== undefined && value !== false);
  const empty = isFiltered ? parts.empty : (parts.start ?? parts.empty);
  const notes = () => [
    ...(parts.notes?.() ?? []),
    ...(explained === null ? [] : [explained]),
    ...(isCut ? [incompleteText(read)] : []),
  ];
  return list({ data: rows(), columns, draw, more, empty, notes, now });
}

/** The note on a list that may end before its last record, after this many. */
function incompleteText(count: number): string {
  return `The list may be incomplete: the service gives no way to read more than these ${count} records.`;
}

/** True if a list may have more records and cannot be continued. */
export function isIncomplete({ data, may_have_more = false }: Answer<Page<unknown>>): boolean {
  return may_have_more || (data.has_more && data.next_cursor === null);
}

/** How many records an incomplete search covered; null if it covered all. */
export function searchedPart(answer: Answer<Page<unknown>>): number | null {
  const { data, searched } = answer;
  const isPart = isIncomplete(answer) || (searched !== undefined && data.has_more);
  return isPart ? (searched ?? data.data.length) : null;
}

/** Exit 6: nothing was found, but the service may have older records that could not be searched. */
export function searchIncomplete(what: string, count: number, next: readonly NextStep[]): Failure {
  return new Failure(
    6,
    'search_incomplete',
    `${what} among the latest ${count}; this service may have more.`,
    {
      hint: 'Older records could not be searched. Use an ID.',
      next,
    },
  );
}

/** Searches, and returns the texts of what it finds. */
type Search = (q: string) => Promise<readonly string[]>;

/** A longer search is not explained word by word. */
const max_words = 6;
/** The beginning of a word that a similar one has too. */
const beginning = 3;

/** Explains why a search found nothing: the words that match nothing, with similar ones that do. */
export async function explainNoMatch(text: string, search: Search): Promise<string | null> {
  const words = searchWordsOf(text).map(({ word }) => word);
  if (words.length === 0 || words.length > max_words) return null;
  const found = words.length === 1 ? [[]] : await Promise.all(words.map(search));
  const lost = words.filter((_, index) => found[index]?.length === 0);
  if (lost.length === 0) return 'Each of the words is found, but not all of them together.';
  const near = await Promise.all(lost.map((word) => nearWords(word, search)));
  const named = lost.map((word) => `"${word}"`).join(' and ');
  const similar = [...new Set(near.flat())].map((word) => `"${word}"`);
  const meant = similar.length === 0 ? '' : ` Did you mean ${similar.join(' or ')}?`;
  if (lost.every((word) => /^\d+$/.test(word)))
    return `Nothing is found by ${named}.${meant} Phone numbers are found by their last digits, at least four.`;
  if (lost.some((word) => [...word].length < 3))
    return `Nothing is found by ${named}.${meant} Parts of words are found from three letters on.`;
  return `Nothing contains ${named}.${meant}`;
}

/** Words that begin alike and are within two edits of a word. */
async function nearWords(word: string, search: Search): Promise<string[]> {
  if (word.length <= beginning) return [];
  const texts = await search(word.slice(0, beginning));
  const written = new Map<string, string>();
  for (const part of texts.flatMap((text) => text.split(/[^\p{L}\p{N}'’]+/u))) {
    const [folded] = searchWordsOf(part);
    if (folded !== undefined) written.set(folded.word, part);
  }
  return nearNames(word, [...written.keys()]).map((near) => written.get(near) ?? near);
}

/** Converts a time to the API's form. A duration is counted from `from`, by default the service's time. */
export async function instantOf(
  context: Context,
  moment: Moment,
  direction: 'ago' | 'ahead',
  { from, zone }: { from?: number | undefined; zone?: string | null | undefined } = {},
): Promise<string> {
  const now = moment.at ?? from ?? (await serviceTime(context));
  return new Date(instantAt(moment, now, direction, zone)).toISOString();
}

/** Where a delivery is picked up or dropped off: an address, or the ID of a store. */
interface SchedulePlace {
  name: 'pickup' | 'dropoff';
  address: string | undefined;
  store?: string | undefined;
}

/**
 * Does the same for the time of a delivery. A time without a zone is read in the zone of the place. What is meant is
 * printed on stderr, also in the user's own zone if that differs, once for all times with the same `noted`.
 */
export async function scheduledInstantOf(
  context: Context,
  moment: Moment,
  place: SchedulePlace,
  noted = new Set<string>(),
): Promise<string> {
  if (!isLocalTime(moment)) return instantOf(context, moment, 'ahead');
  const zone = await zoneOfPlace(context, place);
  const instant = await instantOf(context, moment, 'ahead', { zone });
  const note = `"${moment.typed}" is ${meantText(Date.parse(instant), zone, place)}.`;
  if (!context.output.json && !context.output.quiet && !noted.has(note)) context.note(note);
  noted.add(note);
  return instant;
}

/** `Tue, Nov 24, 2026, 18:00 CST at the pickup (19:00 EST here)` */
function meantText(instant: number, zone: string | null, { name }: SchedulePlace): string {
  const here = zonedTime(instant);
  const there = zone === null ? here : zonedTime(instant, zone);
  return there === here ? here : `${there} at the ${name} (${here} here)`;
}

/** The IANA zone of a place; null if it is unknown. */
export async function zoneOfPlace(
  context: Context,
  { address, store }: Pick<SchedulePlace, 'address' | 'store'>,
): Promise<string | null> {
  if (address !== undefined) return zoneOf(normalizeAddress(address)?.address ?? address);
  if (store === undefined) return null;
  const client = await context.client();
  return zoneOf((await client.stores.get({ params: { store_id: store } })).data.address);
}

/** Clocks of two machines may differ by this much. */
const clock_tolerance_ms = 60_000;

/**
 * Does the same for the start of past records. UsageError for a time in the future of the service's clock, or of `now`:
 * no record can be later.
 */
export async function pastInstantOf(
  context: Context,
  moment: Moment,
  {
    now,
    zone,
    flag = '--since',
  }: { now?: number | undefined; zone?: string | null | undefined; flag?: string } = {},
): Promise<string> {
  if (moment.span !== undefined) return instantOf(context, moment, 'ago', { from: now });
  const present = now ?? (await serviceTime(context));
  const instant = instantAt(moment, present, 'ago', zone);
  if (instant <= present + clock_tolerance_ms) return new Date(instant).toISOString();
  throw new UsageError(
    phrase`${flag} ${moment.typed} is still to come: it is ${timePart(new Date(present).toISOString(), 'none')} at the service.`,
    { code: 'bad_value' },
  );
}

async function serviceTime(context: Context): Promise<number> {
  const client = await context.client();
  const answer = await ifSupported(client.account.get(), null);
  return answer?.service_time ?? context.now();
}

/** The part of the context that is used. */
interface Asking extends Pick<Context, 'client' | 'serviceNow'> {
  output: Pick<Context['output'], 'times'>;
}

/** Typing filters the choices; older records need their full ID. */
const most = 50;

/**
 * Lists the latest records of a kind, newest first, each with its reference or ID, recipient or size, status and age;
 * empty for kinds that are not picked from a list. With `onlyOpen`, only what can still be dispatched.
 */
export async function latestRecords(
  context: Asking,
  name: string,
  onlyOpen = false,
): Promise<Choice<string>[]> {
  const kind = recordKind(name);
  if (kind?.isPicked !== true) return [];
  const briefs = await kind.latest(await context.client(), most, onlyOpen).catch(noneIfUnsupported);
  const rows = briefs.map(({ id, reference, about = '', status, created_at }) => {
    const made = styledTime(created_at, context.serviceNow(), context.output.times, ageOf);
    return [reference || id, about, status, made].map((text) => ({ text: oneLine(text) }));
  });
  const names = alignedRows(rows, { room: null, indent: 0 });
  return briefs.map(({ id, reference }, index) => ({
    name: names[index] ?? id,
    value: id,
    ...(reference === '' ? {} : { description: id }),
  }));
}

/** Without a list the user types the ID. */
function noneIfUnsupported(error: unknown): [] {
  if (error instanceof Unsupported) return [];
  throw error;
}

/** Reads the ID of a record from stdin where a positional is `-`, as another command writes it with `-o id`. */
export async function withIdFromStdin(
  { positionals, flags }: Pick<CommandSpec, 'positionals' | 'flags'>,
  own: Raw,
  context: Pick<Context, 'readFile'>,
): Promise<Raw> {
  const places = Object.entries(positionals);
  const isAsked = ([, place]: (typeof places)[number], at: number) =>
    own.words[at] === '-' && !place.variadic && recordKind(place.kind) !== undefined;
  const index = places.findIndex(isAsked);
  const [name] = places[index] ?? [];
  if (name === undefined) return own;
  const lines = (await context.readFile('-')).split('\n').map((line) => line.trim());
  const ids = lines.filter((line) => line !== '');
  const [id] = ids;
  if (id === undefined || ids.length > 1) {
    const several = Object.hasOwn(flags, 'from')
      ? 'For several, use --from -.'
      : 'For several, use xargs -n 1.';
    const hint = id === undefined ? 'The command before it has found nothing.' : several;
    throw new UsageError(`${placeLabel(name)} is one ID, and stdin has ${ids.length} lines.`, { hint });
  }
  return { ...own, words: own.words.with(index, id) };
}
