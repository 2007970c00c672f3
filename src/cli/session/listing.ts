/** Lists of the API: their flags, reading page by page, and why a search finds nothing. */
import type { Answer } from '../../client/answers.ts';
import { ifSupported } from '../../client/errors.ts';
import { createCursorReader, type ListCall, pages } from '../../client/pages.ts';
import type { Page } from '../../contract/schema.ts';
import { minute_ms } from '../../domain/durations.ts';
import { nearNames } from '../../domain/near-names.ts';
import { readSearchWords } from '../../domain/search-text.ts';
import { integerFlag, switchFlag, textFlag } from '../kit/args/flags.ts';
import { Failure, UsageError } from '../kit/errors/failure.ts';
import { fullTime } from '../kit/output/times.ts';
import {
  flagArgs,
  type Invocation,
  type InvocationFlags,
  invocation,
  type NextStep,
  phrase,
  type Text,
  withArgs,
} from '../kit/result/message.ts';
import {
  type Column,
  columnsNamed,
  type Draw,
  isForPeople,
  type ListResult,
  listResult,
} from '../kit/result/result.ts';
import type { Context } from './command.ts';
import { type EndedQuery, noteEnded } from './ended-reading.ts';
import {
  columnOrder,
  createFilter,
  type Filter,
  filterColumns,
  filterFlag,
  filterTimes,
  type RecordFilter,
  type Sort,
  sortFlag,
} from './record-filter.ts';
import { readPastInstant, shopZone, toApiInstant, zoneOfPlace } from './service-times.ts';
import {
  isLocalTime,
  type Moment,
  momentFlag,
  periodAt,
  periodFlag,
  type TypedPeriod,
} from './time-arguments.ts';

const usual_limit = 20;

/** The flags of every list. */
export const pagingFlags = {
  filter: filterFlag,
  sort: sortFlag(),
  limit: integerFlag({
    summary: 'Maximum number of results',
    minimum: 1,
    default: usual_limit,
    group: 'Paging',
  }),
  cursor: textFlag({
    summary: 'Continue from the cursor of a previous page',
    placeholder: 'CURSOR',
    group: 'Paging',
  }),
  all: switchFlag({ summary: 'Fetch every page', group: 'Paging' }),
};

const grouped = phrase`Did you mean ${invocation('report', [], { by: 'VALUE' })}?`;
/** Lists have no groups: reports do. What a courier declined is a delivery that failed. */
export const groupHints = {
  '--by': grouped,
  '--group-by': grouped,
  '--declined': phrase`Did you mean ${invocation('deliveries list', [], { filter: 'failure_reason = provider_refused' })}?`,
};

/** Flags that restrict a list to a time range. */
export const createdFlags = {
  since: momentFlag({
    isPast: true,
    summary: 'Created after a time, such as today, 2h or 1d ago',
    aliases: ['created-after'],
  }),
  until: momentFlag({
    isPast: true,
    summary: 'Created before a time, such as 2h or 1d ago',
    aliases: ['created-before'],
  }),
  period: periodFlag({
    summary: 'Created in a whole day, week or month: yesterday, monday, "last week", 2026-03-02',
    aliases: ['on'],
  }),
};

interface Periods {
  since?: unknown;
  until?: unknown;
  period?: unknown;
  due?: unknown;
  delivered?: unknown;
  ended?: unknown;
  charged?: unknown;
}

/** Whether a list is of a period of any kind. */
export function isOfPeriod({ since, until, period, due, delivered, ended, charged }: Periods): boolean {
  return [since, until, period, due, delivered, ended, charged].some((each) => each !== undefined);
}

/** The paging of a list: a CSV of a period has all of it unless a limit is typed, as nobody sees what a file lacks. */
export function periodPaging(context: Context, paging: PagingValues, periods: Periods): PagingValues {
  const isCut = context.isTyped('limit') || context.isTyped('cursor');
  const isWhole = isOfPeriod(periods) && !isCut && context.output.format === 'csv';
  return { ...paging, all: paging.all || isWhole };
}

interface PagingValues {
  limit: number;
  cursor: string | undefined;
  all: boolean;
  filter?: Filter | undefined;
  sort?: Sort | undefined;
}

/**
 * `since` and `until`, or a period, as query fields of the contract. Durations are counted from the service's time, or
 * from `now`; days are those of the store, or else of the shop that shipped last. UsageError for a start that is still
 * to come.
 */
export function createdQuery(
  context: Context,
  period: CreatedPeriod & ({ since: Moment } | { period: TypedPeriod }),
): Promise<CreatedQuery & { created_after: string }>;
export function createdQuery(context: Context, period: CreatedPeriod): Promise<CreatedQuery>;
export async function createdQuery(
  context: Context,
  { since, until, period, now, store, isSaid = false, coming = 'none' }: CreatedPeriod,
): Promise<CreatedQuery> {
  const isLocal = [since, until].some((each) => each !== undefined && isLocalTime(each));
  const zone = period || isLocal ? await dayZone(context, store) : null;
  if (period !== undefined) {
    if (since || until) throw new UsageError(`Use the period ${period.typed} alone, or --since and --until.`);
    return periodQuery(context, period, { now: now ?? context.serviceNow(), zone, isSaid, coming });
  }
  const created_after = since && (await readPastInstant(context, since, { now, zone }));
  const created_before = until && (await toApiInstant(context, until, 'ago', { from: now, zone }));
  if (since && until && Date.parse(created_after ?? '') >= Date.parse(created_before ?? '')) {
    // The start is not always typed: that of a report is today by default.
    throw new UsageError(`--until ${until.typed} must be after the start of the period, ${since.typed}.`, {
      hint: 'Set the start with --since.',
    });
  }
  if (isLocal) noteShopDay(context, [since, until], [created_after, created_before], zone);
  return { created_after, created_before };
}

/** A period that has not ended has only a start, unless its end counts. */
async function periodQuery(
  context: Context,
  period: TypedPeriod,
  { now, zone, isSaid, coming }: { now: number; zone: string | null; isSaid: boolean; coming: Coming },
): Promise<CreatedQuery & { created_after: string }> {
  const [from, to] = periodAt(period, now, zone);
  if (coming !== 'all') {
    const at = { at: from, typed: period.typed };
    await readPastInstant(context, at, { now, zone, flag: '--period', hint: comingHint(period) });
  }
  // The start itself belongs to the period, and `created_after` is exclusive.
  const created_after = new Date(from - 1).toISOString();
  const created_before = to > now && coming === 'none' ? undefined : new Date(to).toISOString();
  if (!isSaid)
    noteShopDay(context, [period, undefined], [new Date(from).toISOString(), created_before], zone);
  return { created_after, created_before };
}

/** Nothing was created in a period to come, but it may be due then. */
function comingHint({ typed }: TypedPeriod): Text {
  return phrase`What is due then: ${invocation('deliveries list', [], { due: typed })}`;
}

/**
 * The zone in which people read the times of records that have no place of their own; null for programs, and where it
 * cannot be had: a list does without it.
 */
export async function shownZone(context: Context): Promise<string | null> {
  const isShown = isForPeople(context.output.format) || context.output.values === 'formatted';
  return isShown ? shopZone(context).catch(() => null) : null;
}

/** The columns with the zone of `shownZone` for the times of records that have no place of their own. */
export async function inShownZone<T>(context: Context, columns: readonly Column<T>[]): Promise<Column<T>[]> {
  const zone = await shownZone(context);
  return columns.map((column) => (column.zone === undefined ? { ...column, zone: () => zone } : column));
}

/** The zone of a store's days, or of the shop that shipped last. */
export async function dayZone(context: Context, store: string | undefined): Promise<string | null> {
  if (store === undefined) return shopZone(context);
  return (await ifSupported(zoneOfPlace(context, { address: undefined, store }), null)) ?? shopZone(context);
}

/** Says which hours a day has, where the clocks of the shop differ from the reader's. */
function noteShopDay(
  { note, output }: Context,
  typed: readonly ({ typed: string } | undefined)[],
  instants: readonly (string | undefined)[],
  zone: string | null,
  single: 'since' | 'at' = 'since',
): void {
  if (output.json || output.quiet || zone === null) return;
  const times = instants.flatMap((at) => (at === undefined ? [] : [fullTime(at, undefined, zone)]));
  if (times.every((text) => text === '' || !/[A-Z]$/.test(text))) return;
  const words = typed.flatMap((each) => (each === undefined ? [] : [`"${each.typed}"`]));
  note(`${words.join(' to ')} is ${times.length > 1 ? times.join(' to ') : `${single} ${times[0]}`}.`);
}

/** The period as flags of the command that continues a list. */
export function createdFilters(
  period: TypedPeriod | undefined,
  { created_after, created_before }: CreatedQuery,
) {
  return period === undefined ? { since: created_after, until: created_before } : { period: period.typed };
}

interface CreatedQuery {
  created_after: string | undefined;
  created_before: string | undefined;
}

type Coming = 'none' | 'end' | 'all';

interface CreatedPeriod {
  since?: Moment | undefined;
  until?: Moment | undefined;
  period?: TypedPeriod | undefined;
  now?: number;
  /** The command prints the period itself. */
  isSaid?: boolean;
  /** Which part of the period may be still to come and count: by default none, as nothing is created then. */
  coming?: Coming;
  /** The ID of the store that is filtered for. */
  store?: string | undefined;
}

interface PageQuery extends EndedQuery {
  limit?: number | undefined;
  cursor?: string | undefined;
  store_id?: string | null | undefined;
}

interface Listing<T, Q extends PageQuery> {
  list: ListCall<T, Q>;
  query: Q;
  /** A filter that the API does not have. */
  keep?: ((record: T) => boolean) | undefined;
  /** The statuses of deliveries that are filtered for. */
  statuses?: readonly string[] | undefined;
  /** Called with each record that is listed. */
  onListed?: (record: T) => void;
  paging: PagingValues;
  columns: readonly Column<T>[];
  /** The columns that are filtered and sorted by, if those that are shown have texts for people. */
  compared?: readonly Column<T>[];
  /** The orders of `--sort` that no column has. */
  orders?: Readonly<Record<string, Order<T>>>;
  /** The zone in which people read the times, if the records have no place of their own. */
  zone?: string | null;
  draw?: Draw<T>;
  /** The command with its filters as typed, for the command that continues. */
  command: Invocation;
  filters: InvocationFlags;
  empty: Text;
  /** Replaces it if no filter is given: how the first record comes to be. */
  start?: Text;
  /** Explains why nothing was found. */
  explainEmpty?: () => Promise<string | null>;
  notes?: () => readonly Text[];
  /** The clock of the records' times; by default the service's. */
  now?: () => number;
}

type Order<T> = (left: T, right: T) => number;

const max_page_size = 100;
/** A longer list is not counted. */
const max_counted_pages = 5;
/** The most records that are sorted. */
const max_sorted = 10_000;

/** The filter of a list with its times read; undefined without one. Says which hours its days have. */
export async function bindFilter<T>(
  context: Context,
  filter: Filter | undefined,
  columns: readonly Column<T>[],
  store?: string | null,
): Promise<RecordFilter<T> | undefined> {
  if (filter === undefined) return undefined;
  const isTimed = filterTimes(filter).length > 0;
  const zone = isTimed ? await dayZone(context, store ?? undefined) : null;
  const clock = { now: context.serviceNow(), zone };
  for (const { typed, bounds } of filterTimes(filter).filter(({ typed: each }) => !/^now$/i.test(each))) {
    const [from, to] = bounds(clock);
    const instants = to - from > minute_ms ? [from, to] : [from];
    noteShopDay(
      context,
      [{ typed }],
      instants.map((at) => new Date(at).toISOString()),
      zone,
      'at',
    );
  }
  return createFilter(filter, columns, clock);
}

/** Reads a list page by page, and keeps what meets all filters. */
function createReader<T, Q extends PageQuery>(
  { list, query, paging }: Listing<T, Q>,
  keep: ((record: T) => boolean) | null,
) {
  const nextCursor = createCursorReader(paging.cursor);
  const reader = {
    next: paging.cursor ?? null,
    /** How many records were read. */
    count: 0,
    isCut: false,
    isPartSorted: false,
    async readPage(size: number): Promise<T[]> {
      const limit = keep === null ? size : max_page_size;
      const answer = await list({ query: { ...query, limit, cursor: reader.next ?? undefined } });
      const { data } = answer.data;
      reader.isCut = isCutShort(answer);
      reader.next = reader.isCut ? null : nextCursor(answer);
      reader.count += answer.searched ?? data.length;
      return keep === null ? data : data.filter(keep);
    },
    /** All records as one page, in an order. */
    async readSorted(order: Order<T>): Promise<T[]> {
      const found: T[] = [];
      do found.push(...(await reader.readPage(max_page_size)));
      while (reader.next !== null && reader.count < max_sorted);
      reader.isPartSorted = reader.next !== null;
      return found.sort(order);
    },
    /** Counts the list, of which so many are known. */
    async countAll(known: number) {
      let count = known;
      let left = max_counted_pages;
      if (reader.next === null) return { count, isLeast: false };
      const rest = { ...query, limit: max_page_size, cursor: reader.next };
      for await (const answer of pages(list, rest)) {
        const { data, has_more } = answer.data;
        count += keep === null ? data.length : data.filter(keep).length;
        if (isCutShort(answer)) return null;
        if (--left === 0 && has_more) return { count, isLeast: true };
      }
      return { count, isLeast: false };
    },
  };
  return reader;
}

/** A list of the API, shown as its pages arrive, with the command for the rest. */
export async function listing<T, Q extends PageQuery>(
  context: Context,
  parts: Listing<T, Q>,
): Promise<ListResult> {
  const { limit, all, sort, filter, cursor } = parts.paging;
  const compared = parts.compared ?? parts.columns;
  const bound = await bindFilter(context, filter, compared, parts.query.store_id);
  const keep = (record: T) => parts.keep?.(record) !== false && bound?.keep(record) !== false;
  const reader = createReader(parts, parts.keep === undefined && bound === undefined ? null : keep);
  const order = orderOf(sort, parts.orders, compared);
  let isFound = false;
  /** Read and not shown: no cursor is inside of a page. */
  let unshown = 0;
  let explained: string | null = null;
  async function* rows(): AsyncGenerator<T> {
    let left = all ? Number.POSITIVE_INFINITY : limit;
    do {
      // What follows a page of a sorted list is not sorted.
      const isSorted = order !== undefined && reader.next === null;
      const kept = await (isSorted
        ? reader.readSorted(order)
        : reader.readPage(Math.min(max_page_size, left)));
      isFound ||= kept.length > 0;
      for (const record of kept.slice(0, left)) {
        parts.onListed?.(record);
        yield record;
      }
      unshown = Math.max(0, kept.length - left);
      left -= kept.length;
    } while (reader.next !== null && left > 0);
    if (!isFound) explained = (await parts.explainEmpty?.()) ?? bound?.explain() ?? null;
  }
  const filters: typeof parts.filters = { ...parts.filters, filter: filter?.typed, sort: sort?.typed };
  await noteEnded(context, parts.statuses, { ...parts, keep, filters });
  const more = () => {
    if (reader.next === null && unshown === 0) return null;
    const whole = withArgs(parts.command, flagArgs({ ...filters, all: true }));
    const rest = flagArgs({ ...filters, limit, cursor: reader.next ?? undefined });
    // Who types a limit or goes on from a cursor knows that there may be more.
    const isUsual = limit === usual_limit && cursor === undefined;
    const count = async () => (isUsual || reader.next === null ? reader.countAll(limit + unshown) : null);
    return { command: unshown > 0 ? whole : withArgs(parts.command, rest), all: whole, count };
  };
  const { draw, now, zone } = parts;
  const shown = isForPeople(context.output.format)
    ? withNamedColumns(parts.columns, namesOf(filter, sort))
    : parts.columns;
  const columns = zone === undefined ? shown : shown.map((column) => ({ ...column, zone: () => zone }));
  const isFiltered = Object.values(filters).some((value) => value !== undefined && value !== false);
  const empty = isFiltered ? parts.empty : (parts.start ?? parts.empty);
  const notes = () => [
    ...(parts.notes?.() ?? []),
    ...(reader.isPartSorted ? [`Only the latest ${reader.count} were sorted.`] : []),
    ...(explained === null ? [] : [explained]),
    ...(reader.isCut ? [incompleteText(reader.count)] : []),
  ];
  return listResult({ data: rows(), columns, draw, more, empty, notes, now });
}

function orderOf<T>(
  sort: Sort | undefined,
  own: Listing<T, PageQuery>['orders'] = {},
  columns: readonly Column<T>[],
): Order<T> | undefined {
  if (sort === undefined) return undefined;
  return sort.isOwn ? own[sort.name] : columnOrder(sort, columns);
}

function namesOf(filter: Filter | undefined, sort: Sort | undefined): string[] {
  const names = filter === undefined ? [] : filterColumns(filter);
  return sort === undefined || sort.isOwn ? names : [...names, sort.name];
}

/** The columns, of which a table shows those that a filter or an order names. */
export function withNamedColumns<T>(columns: readonly Column<T>[], names: readonly string[]): Column<T>[] {
  const named = new Set(names.flatMap((name) => columnsNamed(name, columns)));
  return columns.map((column) => {
    if (!named.has(column)) return column;
    const { spare: _, wide: __, ...shown } = column;
    return shown;
  });
}

/** The note on a list that may end before its last record, after this many. */
function incompleteText(count: number): string {
  return `The list may be incomplete: the service gives no way to read more than these ${count} records.`;
}

/** True if a list may have more records and cannot be continued. */
export function isCutShort({ data, may_have_more = false }: Answer<Page<unknown>>): boolean {
  return may_have_more || (data.has_more && data.next_cursor === null);
}

/** How many records an incomplete search covered; null if it covered all. */
export function searchedPart(answer: Answer<Page<unknown>>): number | null {
  const { data, searched } = answer;
  const isPart = isCutShort(answer) || (searched !== undefined && data.has_more);
  return isPart ? (searched ?? data.data.length) : null;
}

/** Exit 6: nothing was found, but the service may have older records that could not be searched. */
export function searchIncomplete(what: string, count: number, next: readonly NextStep[]): Failure {
  return new Failure(
    6,
    'search_incomplete',
    `${what} ${count === 1 ? 'in the latest record' : `among the latest ${count}`}; this service may have more.`,
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
const min_prefix = 3;

/** Explains why a search found nothing: the words that match nothing, with similar ones that do. */
export async function explainNoMatch(text: string, search: Search): Promise<string | null> {
  const words = readSearchWords(text).map(({ word }) => word);
  if (words.length === 0 || words.length > max_words) return null;
  const found = words.length === 1 ? [[]] : await Promise.all(words.map(search));
  const lost = words.filter((_, index) => found[index]?.length === 0);
  if (words.length > 1 && lost.every((word) => isShortNumber.test(word))) return apartText(words, search);
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

const isShortNumber = /^\d{2,3}$/;

/** Says of words that are found only apart, or are too short for a phone number, what is wrong with them, and without which of them something is found. */
async function apartText(words: readonly string[], search: Search): Promise<string> {
  const short = words.find((word) => isShortNumber.test(word));
  // Of two words each is found without the other.
  const asked = short !== undefined ? [short] : words.length > 2 ? words : [];
  const without = (left: string) => words.filter((word) => word !== left).join(' ');
  const found = await Promise.all(asked.map(async (word) => ({ word, texts: await search(without(word)) })));
  const cause =
    short === undefined
      ? 'No single record has all of these words.'
      : `"${short}" is not enough of a phone number: at least its last four digits.`;
  const [left] = found.filter(({ texts }) => texts.length > 0);
  return left === undefined ? cause : `${cause} "${without(left.word)}" is found without "${left.word}".`;
}

/** Explains why a list that may have other filters has nothing that a search finds. */
export async function explainNoneListed(text: string, search: Search): Promise<string | null> {
  const found = await search(text);
  return found.length > 0 ? `"${text}" is found without the other filters.` : explainNoMatch(text, search);
}

/** Words that begin alike and are within two edits of a word. */
async function nearWords(word: string, search: Search): Promise<string[]> {
  if (word.length <= min_prefix) return [];
  const near = nearAmong(word, await search(word.slice(0, min_prefix)));
  // The wrong letter may be the third one: Waker for Wacker.
  return near.length > 0 ? near : nearAmong(word, await search(word.slice(0, min_prefix - 1)));
}

function nearAmong(word: string, texts: readonly string[]): string[] {
  const written = new Map<string, string>();
  for (const part of texts.flatMap((text) => text.split(/[^\p{L}\p{N}'’]+/u))) {
    const [folded] = readSearchWords(part);
    if (folded !== undefined) written.set(folded.word, part);
  }
  return nearNames(word, [...written.keys()]).map((near) => written.get(near) ?? near);
}
