/**
 * Lists of the API: their flags, and how they are read, filtered, sorted and shown page by page.
 *
 * `listing(context, { list: client.orders.list, query, paging: flags, columns, ... })` is the result of `orders list`: it
 * is shown while its pages arrive, and ends with the command for the rest. The service filters by `query`; `--filter` and
 * `keep` filter here, after a page was read. `--sort` reads everything first.
 */
import type { Answer } from '../../client/answers.ts';
import { createCursorReader, type ListCall, pages } from '../../client/pages.ts';
import type { Page } from '../../contract/schema.ts';
import { minute_ms } from '../../domain/durations.ts';
import { integerFlag, switchFlag, textFlag } from '../kit/args/flags.ts';
import { Failure } from '../kit/errors/failure.ts';
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
  type NextPage,
} from '../kit/result/result.ts';
import type { Context } from './command.ts';
import {
  dayZone,
  type EndedQuery,
  isOfPeriod,
  noteEnded,
  noteShopDay,
  type Periods,
} from './list-periods.ts';
import {
  createFilter,
  type Filter,
  filterColumns,
  filterFlag,
  filterTimes,
  type RecordFilter,
} from './record-filter.ts';
import { columnOrder, isSortedByNothing, type Sort, sortFlag } from './record-sort.ts';
import { shopZone } from './service-times.ts';

const usual_limit = 20;

/** The flags of a list that comes as a whole. */
export const viewFlags = { filter: filterFlag, sort: sortFlag() };

/** The flags of every list with pages. */
export const pagingFlags = {
  ...viewFlags,
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
  ...Object.fromEntries(
    ['--waiting', '--without-driver', '--no-driver', '--unassigned', '--driverless'].map((flag) => [
      flag,
      phrase`Did you mean ${invocation('orders list', [], { waiting: true })}?`,
    ]),
  ),
  '--declined': phrase`Did you mean ${invocation('deliveries list', [], { filter: 'failure_reason = provider_refused' })}?`,
};

interface Listing<T, Q extends PageQuery> {
  list: ListCall<T, Q>;
  query: Q;
  /** A filter that the API does not have. */
  keep?: ((record: T) => boolean) | undefined;
  /** A filter of all records together. */
  keepOf?: ((records: readonly T[]) => T[]) | undefined;
  /** The statuses of deliveries that are filtered for. */
  statuses?: readonly string[] | undefined;
  /** Called with each record that is listed. */
  onListed?: (record: T) => void;
  /** Takes the records after those that are listed, once all of them were counted; the notes come later. */
  onRest?: (records: readonly T[]) => void;
  paging: PagingValues;
  columns: readonly Column<T>[];
  /** The columns that are filtered and sorted by, if those that are shown have texts for people. */
  compared?: readonly Column<T>[];
  /** The orders of `--sort` that no column has. */
  orders?: Readonly<Record<string, Order<T>>>;
  /** The zone in which people read the times, if the records have no place of their own. */
  zone?: string | null;
  draw?: Draw<T>;
  /** The command and its filters as they were typed, for the command that continues. */
  command: Invocation;
  filters: InvocationFlags;
  /** Shown instead of no records; without a filter `start` is, which says how the first record comes to be. */
  empty: Text;
  start?: Text;
  /** Explains why nothing was found. */
  explainEmpty?: () => Promise<string | null>;
  notes?: () => readonly Text[];
  /** The clock of the records' times; by default the service's. */
  now?: () => number;
}

interface PagingValues {
  limit: number;
  cursor: string | undefined;
  all: boolean;
  filter?: Filter | undefined;
  sort?: Sort | undefined;
}

interface PageQuery extends EndedQuery {
  limit?: number | undefined;
  cursor?: string | undefined;
  store_id?: string | null | undefined;
}

type Order<T> = (left: T, right: T) => number;
type Arrange<T> = (records: readonly T[]) => T[];

/** What of a list that comes as a whole is shown, and in which order. */
export interface ListView<T> {
  filter: RecordFilter<T> | undefined;
  order: Order<T> | undefined;
  /** The columns that the filter and the order name. */
  names: readonly string[];
}

export async function readListView<T>(
  context: Context,
  { filter, sort }: { filter: Filter | undefined; sort: Sort | undefined },
  columns: readonly Column<T>[],
): Promise<ListView<T>> {
  const bound = await bindFilter(context, filter, columns);
  return { filter: bound, order: orderOf(sort, {}, columns, context), names: namesOf(filter, sort) };
}

export function viewOf<T>(records: readonly T[], { filter, order }: ListView<T>): T[] {
  const kept = records.filter((record) => filter?.keep(record) !== false);
  return order === undefined ? kept : kept.sort(order);
}

/** A list of the API, shown as its pages arrive, with the command for the rest. */
export async function listing<T, Q extends PageQuery>(
  context: Context,
  parts: Listing<T, Q>,
): Promise<ListResult> {
  const { sort, filter } = parts.paging;
  const compared = parts.compared ?? parts.columns;
  const bound = await bindFilter(context, filter, compared, parts.query.store_id);
  const keep = (record: T) => parts.keep?.(record) !== false && bound?.keep(record) !== false;
  const isKeptHere = parts.keep !== undefined || bound !== undefined;
  const order = orderOf(sort, parts.orders, compared, context);
  const kept = parts.keepOf ?? ((records: readonly T[]) => [...records]);
  const arrange = (records: readonly T[]) =>
    order === undefined ? kept(records) : kept(records).sort(order);
  const isWhole = order !== undefined || parts.keepOf !== undefined;
  const found = { met: 0, refused: 0 };
  const keepListed = (record: T) => {
    const isKept = keep(record);
    if (isKept) found.met += 1;
    else if (parts.keep?.(record) !== false) found.refused += 1;
    return isKept;
  };
  const reader = createReader(parts, isKeptHere ? keepListed : null, isWhole ? arrange : undefined);
  let explained: string | null = null;
  let unmet: string | null = null;
  let isFirst = true;
  let last: T | undefined;
  let ties = 0;
  async function* rows(): AsyncGenerator<T> {
    for await (const record of reader.records()) {
      if (isFirst && sort?.isOwn === false && isSortedByNothing(sort, compared, record))
        explained = `None of them has a value of ${sort.name}.`;
      isFirst = false;
      parts.onListed?.(record);
      yield record;
      last = record;
    }
    ties = reader.unshown.filter((each) => last !== undefined && order?.(last, each) === 0).length;
    if (reader.isFound) return;
    unmet = (found.met === 0 && found.refused > 0 && bound?.explain(found.refused)) || null;
    // Programs have no sentence for an empty list.
    if (unmet === null) explained = (await parts.explainEmpty?.()) ?? null;
    else if (context.output.json) explained = unmet;
  }
  const filters: InvocationFlags = { ...parts.filters, filter: filter?.typed, sort: sort?.typed };
  await noteEnded(context, parts.statuses, { ...parts, keep, filters });
  const isFiltered = Object.values(filters).some((value) => value !== undefined && value !== false);
  return listResult({
    data: rows(),
    columns: shownColumns(context, parts),
    draw: parts.draw,
    more: () => nextPage(parts, reader, filters),
    empty: () => unmet ?? (isFiltered ? parts.empty : (parts.start ?? parts.empty)),
    notes: () => [
      ...(parts.notes?.() ?? []),
      ...(reader.isPartSorted ? [`Only the latest ${reader.count} were sorted.`] : []),
      ...(explained === null ? [] : [explained]),
      ...(ties > 0 && explained === null && context.isTyped('limit') ? [tiesText(ties, sort)] : []),
      ...(reader.isCut ? [incompleteText(reader.count)] : []),
    ],
    now: parts.now,
  });
}

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

function orderOf<T>(
  sort: Sort | undefined,
  own: Listing<T, PageQuery>['orders'] = {},
  columns: readonly Column<T>[],
  { output }: Pick<Context, 'output'>,
): Order<T> | undefined {
  if (sort === undefined) return undefined;
  return sort.isOwn ? own[sort.name] : columnOrder(sort, columns, isForPeople(output.format));
}

/** The columns in the zone of the list; for people with those that a filter or an order names. */
function shownColumns<T>(
  { output }: Pick<Context, 'output'>,
  { columns, zone, paging: { filter, sort } }: Pick<Listing<T, PageQuery>, 'columns' | 'zone' | 'paging'>,
): readonly Column<T>[] {
  const shown = isForPeople(output.format) ? withNamedColumns(columns, namesOf(filter, sort)) : columns;
  return zone === undefined ? shown : shown.map((column) => ({ ...column, zone: () => zone }));
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

function namesOf(filter: Filter | undefined, sort: Sort | undefined): string[] {
  const names = filter === undefined ? [] : filterColumns(filter);
  return sort === undefined || sort.isOwn ? names : [...names, sort.name];
}

const max_page_size = 100;
/** A longer list is not counted. */
const max_counted_pages = 5;
/** The most records that are sorted. */
const max_sorted = 10_000;

/** Reads a list page by page, keeps what meets all filters, and sorts it if an order is given. */
function createReader<T, Q extends PageQuery>(
  { list, query, paging: { limit, all, cursor }, onRest }: Listing<T, Q>,
  keep: ((record: T) => boolean) | null,
  arrange: Arrange<T> | undefined,
) {
  const nextCursor = createCursorReader(cursor);
  const none: T[] = [];
  const reader = {
    /** The cursor of the next page; null before the first of all, and after the last. */
    next: cursor ?? null,
    /** How many records were read. */
    count: 0,
    /** What was kept and is not shown, as no cursor is inside of a page. */
    unshown: none,
    /** Whether a record was shown. */
    isFound: false,
    /** Whether the service has no cursor for records that may follow. */
    isCut: false,
    /** Whether more records follow than those that were sorted. */
    isPartSorted: false,
    /** The records up to the limit, as their pages arrive. */
    async *records(): AsyncGenerator<T> {
      let left = all ? Number.POSITIVE_INFINITY : limit;
      do {
        // What follows a page of a sorted list is not sorted.
        const kept =
          arrange !== undefined && reader.next === null
            ? await reader.readArranged(arrange)
            : await reader.readPage(Math.min(max_page_size, left));
        reader.isFound ||= kept.length > 0;
        yield* kept.slice(0, left);
        reader.unshown = kept.slice(left);
        left -= kept.length;
      } while (reader.next !== null && left > 0);
    },
    async readPage(size: number): Promise<T[]> {
      const page_size = keep === null ? size : max_page_size;
      const answer = await list({ query: { ...query, limit: page_size, cursor: reader.next ?? undefined } });
      const { data } = answer.data;
      reader.isCut = isCutShort(answer);
      reader.next = reader.isCut ? null : nextCursor(answer);
      reader.count += answer.searched ?? data.length;
      return keep === null ? data : data.filter(keep);
    },
    /** All records as one page, filtered together and in an order. */
    async readArranged(wanted: Arrange<T>): Promise<T[]> {
      const found: T[] = [];
      do found.push(...(await reader.readPage(max_page_size)));
      while (reader.next !== null && reader.count < max_sorted);
      reader.isPartSorted = reader.next !== null;
      return wanted(found);
    },
    /** Counts the list, of which so many are shown. */
    async countAll(shown: number) {
      const rest = [...reader.unshown];
      let left = max_counted_pages;
      const following = reader.next && { ...query, limit: max_page_size, cursor: reader.next };
      for await (const answer of following ? pages(list, following) : []) {
        const { data, has_more } = answer.data;
        rest.push(...(keep === null ? data : data.filter(keep)));
        if (isCutShort(answer)) return null;
        if (--left === 0 && has_more) return { count: shown + rest.length, isLeast: true };
      }
      if (cursor === undefined) onRest?.(rest);
      return { count: shown + rest.length, isLeast: false };
    },
  };
  return reader;
}

type Reader<T> = ReturnType<typeof createReader<T, PageQuery>>;

/** That the last record of a sorted list is one of several. */
function tiesText(ties: number, sort: Sort | undefined): string {
  return `${ties === 1 ? 'One more has' : `${ties} more have`} the same value of ${sort?.name} as the last one.`;
}

/** The commands for the rest of a list; null at its end. */
function nextPage<T>(
  { command, paging: { limit, cursor } }: Pick<Listing<T, PageQuery>, 'command' | 'paging'>,
  reader: Reader<T>,
  filters: InvocationFlags,
): NextPage | null {
  if (reader.next === null && reader.unshown.length === 0) return null;
  const all = withArgs(command, flagArgs({ ...filters, all: true }));
  const rest = flagArgs({ ...filters, limit, cursor: reader.next ?? undefined });
  // Who types a limit or goes on from a cursor knows that there may be more.
  const isUsual = limit === usual_limit && cursor === undefined;
  const count = async () => (isUsual || reader.next === null ? reader.countAll(limit) : null);
  return { command: reader.unshown.length > 0 ? all : withArgs(command, rest), all, count };
}

/** The paging of a list: a CSV of a period has all of it unless a limit is typed, as nobody sees what a file lacks. */
export function periodPaging(context: Context, paging: PagingValues, periods: Periods): PagingValues {
  const isCut = context.isTyped('limit') || context.isTyped('cursor');
  const isWhole = isOfPeriod(periods) && !isCut && context.output.format === 'csv';
  return { ...paging, all: paging.all || isWhole };
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
