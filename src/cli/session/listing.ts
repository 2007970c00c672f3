/**
 * Lists of the API with pages: their flags, notes, and the command for the rest. The service filters by `query`;
 * `--filter` and `keep` filter each page after it was read, and `--sort` reads everything first.
 */
import type { ListCall } from '../../client/pages.ts';
import { integerFlag, switchFlag, textFlag } from '../kit/args/flags.ts';
import {
  flagArgs,
  type Invocation,
  type InvocationFlags,
  type Text,
  withArgs,
} from '../kit/result/message.ts';
import { type Column, type Draw, type ListResult, listResult, type NextPage } from '../kit/result/result.ts';
import type { Context } from './command.ts';
import { type EndedQuery, isOfPeriod, noteEnded, type Periods } from './list-periods.ts';
import { incompleteText, ListReader, max_sorted, type PagedQuery } from './list-reader.ts';
import { bindFilter, type Order, shownColumns, sortOrder, viewFlags } from './list-view.ts';
import type { Filter, RecordFilter } from './record-filter.ts';
import { isSortedByNothing, noValueText, type Sort } from './record-sort.ts';

const usual_limit = 20;

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

/** The parts of a list. */
type Listing<T, Q extends ListQuery> = ListedRecords<T, Q> & ListedColumns<T> & ListTexts;

interface ListQuery extends PagedQuery, EndedQuery {
  store_id?: string | null | undefined;
}

/** Which records are read and kept, and who is notified of them. */
interface ListedRecords<T, Q extends ListQuery> {
  list: ListCall<T, Q>;
  query: Q;
  paging: PagingValues;
  /** A filter that the API does not have. */
  keep?: ((record: T) => boolean) | undefined;
  /** A filter of all records together. */
  keepOf?: ((records: readonly T[]) => T[]) | undefined;
  /** The statuses of deliveries that are filtered for. */
  statuses?: readonly string[] | undefined;
  /** Called with each record that is listed. */
  onListed?: (record: T) => void;
  /** Called with the records after those that are listed, once all of them were counted, before the notes are written. */
  onRest?: (records: readonly T[]) => void;
}

interface ListedColumns<T> {
  columns: readonly Column<T>[];
  /** The columns that are filtered and sorted by, if those that are shown have texts for people. */
  compared?: readonly Column<T>[];
  /** The orders of `--sort` that no column has. */
  orders?: Readonly<Record<string, Order<T>>>;
  /** The zone in which people read the times, if the records have no address. */
  zone?: string | null;
  draw?: Draw<T>;
  /** The clock of the records' times; by default the service's. */
  now?: () => number;
}

interface ListTexts {
  /** The command and its filters as they were typed, for the command that continues. */
  command: Invocation;
  filters: InvocationFlags;
  /** Shown if there are no records. */
  empty: Text;
  /** Shown instead of `empty` if there is no filter: how the first record comes to be. */
  start?: Text;
  /** Explains why nothing was found. */
  explainEmpty?: () => Promise<string | null>;
  notes?: () => readonly Text[];
}

interface PagingValues {
  limit: number;
  cursor: string | undefined;
  all: boolean;
  filter?: Filter | undefined;
  sort?: Sort | undefined;
}

/** A list of the API, shown as its pages arrive, with the command for the rest. */
export async function listing<T, Q extends ListQuery>(
  context: Context,
  parts: Listing<T, Q>,
): Promise<ListResult> {
  const { list, query, columns, zone, draw, now } = parts;
  const { sort, filter, cursor, limit, all } = parts.paging;
  const compared = parts.compared ?? columns;
  const typedFilter = await bindFilter(context, filter, compared, { store: query.store_id, now });
  const tested = testRecords(parts.keep, typedFilter);
  const order = sortOrder(context, sort, compared, parts.orders);
  const keep = parts.keep === undefined && typedFilter === undefined ? null : tested.keepCounted;
  const reader = new ListReader({ list, query, cursor, keep, arrange: arrangement(parts.keepOf, order) });
  const filters: InvocationFlags = { ...parts.filters, filter: filter?.typed, sort: sort?.typed };
  await noteEnded(context, parts.statuses, { ...parts, keep: tested.keep, filters });
  const isFiltered = Object.values(filters).some((value) => value !== undefined && value !== false);
  let explanation: Explanation = { note: null, empty: null };
  let ties = 0;
  async function* rows(): AsyncGenerator<T> {
    let last: T | undefined;
    for await (const record of reader.records(all ? Number.POSITIVE_INFINITY : limit)) {
      if (last === undefined && sort?.isOwn === false && isSortedByNothing(sort, compared, record))
        explanation = { note: noValueText(sort.name), empty: null };
      parts.onListed?.(record);
      yield record;
      last = record;
    }
    ties = reader.unshown.filter((each) => last !== undefined && order?.(last, each) === 0).length;
    if (!reader.isFound) explanation = await whyEmpty(context, tested.explain(), parts.explainEmpty);
  }
  return listResult({
    data: rows(),
    columns: shownColumns(context, columns, { zone, filter, sort }),
    draw,
    more: () => nextPage(parts, reader, filters),
    empty: () => explanation.empty ?? (isFiltered ? parts.empty : (parts.start ?? parts.empty)),
    notes: () => [
      ...(parts.notes?.() ?? []),
      ...(reader.isPartSorted ? [`At most ${max_sorted} at once are compared with each other.`] : []),
      ...(explanation.note === null ? [] : [explanation.note]),
      ...(ties > 0 && explanation.note === null && context.isTyped('limit') ? [tiesText(ties, sort)] : []),
      ...(reader.isCut ? [incompleteText(reader.count)] : []),
    ],
    now,
  });
}

/** The explanation of a list's records: in a note, or in their place. */
interface Explanation {
  note: string | null;
  empty: string | null;
}

/** Why a list is empty: `--filter` left out all that was found, or what the command knows. */
async function whyEmpty(
  { output }: Pick<Context, 'output'>,
  leftOut: string | null,
  explain: ListTexts['explainEmpty'],
): Promise<Explanation> {
  if (leftOut === null) return { note: (await explain?.()) ?? null, empty: null };
  // Programs have no sentence in place of the records.
  return { note: output.json ? leftOut : null, empty: leftOut };
}

/** The tests of the filters that the service does not have: first that of the command, then `--filter`. */
function testRecords<T>(test: ListedRecords<T, ListQuery>['keep'], filter: RecordFilter<T> | undefined) {
  let kept = 0;
  let refused = 0;
  const isInList = (record: T) => test?.(record) !== false;
  const keep = (record: T) => isInList(record) && filter?.keep(record) !== false;
  return {
    keep,
    /** Tests a record of the list itself, and counts those that `--filter` leaves out. */
    keepCounted: (record: T) => {
      const isKept = keep(record);
      if (isKept) kept += 1;
      else if (isInList(record)) refused += 1;
      return isKept;
    },
    /** The sentence of `--filter` if it left out all records that were counted. */
    explain: () => (kept === 0 && refused > 0 && filter?.explain(refused)) || null,
  };
}

/** How all records are filtered and sorted together; null without either. */
function arrangement<T>(keepOf: ListedRecords<T, ListQuery>['keepOf'], order: Order<T> | undefined) {
  if (keepOf === undefined && order === undefined) return null;
  return (records: readonly T[]): T[] => {
    const kept = keepOf?.(records) ?? records;
    return order === undefined ? [...kept] : kept.toSorted(order);
  };
}

/** Says that records after the last one of a sorted list have the same value. */
function tiesText(ties: number, sort: Sort | undefined): string {
  return `${ties === 1 ? 'One more has' : `${ties} more have`} the same value of ${sort?.name} as the last one.`;
}

/** The commands for the rest of a list, and how many records it has in all; null at its end. */
function nextPage<T, Q extends ListQuery>(
  { command, paging, onRest }: Pick<Listing<T, Q>, 'command' | 'paging' | 'onRest'>,
  reader: ListReader<T, Q>,
  filters: InvocationFlags,
): NextPage | null {
  const { limit, cursor } = paging;
  if (reader.next === null && reader.unshown.length === 0) return null;
  const all = withArgs(command, flagArgs({ ...filters, all: true }));
  const following = flagArgs({ ...filters, limit, cursor: reader.next ?? undefined });
  // Somebody who types a limit or continues from a cursor knows that there may be more.
  const isUsual = limit === usual_limit && cursor === undefined;
  const count: NextPage['count'] = async () => {
    if (!isUsual && reader.next !== null) return null;
    const remaining = await reader.readRest();
    if (remaining === null) return null;
    if (remaining.isWhole && cursor === undefined) onRest?.(remaining.rest);
    return { count: limit + remaining.rest.length, isLeast: !remaining.isWhole };
  };
  return { command: reader.unshown.length > 0 ? all : withArgs(command, following), all, count };
}

/** The paging of a list. A CSV of a period has all records unless a limit is typed, as nobody sees what a file lacks. */
export function periodPaging(context: Context, paging: PagingValues, periods: Periods): PagingValues {
  const isCut = context.isTyped('limit') || context.isTyped('cursor');
  const isWhole = isOfPeriod(periods) && !isCut && context.output.format === 'csv';
  return { ...paging, all: paging.all || isWhole };
}
