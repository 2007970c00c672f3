/**
 * The view of a list: the records and the order of `--filter` and `--sort`, the columns, and the zone of their times.
 * Lists with pages are in `listing.ts`.
 */
import { minute_ms } from '../../domain/durations.ts';
import { columnsNamed } from '../kit/result/column-names.ts';
import { type Column, isForPeople } from '../kit/result/result.ts';
import type { Context } from './command.ts';
import { noteShopDay } from './created-periods.ts';
import {
  createFilter,
  type Filter,
  filterColumns,
  filterFlag,
  filterTimes,
  type RecordFilter,
} from './record-filter.ts';
import { columnOrder, type Sort, sortFlag } from './record-sort.ts';
import { dayZone, shopZone } from './service-times.ts';

/** The flags of a list without pages. */
export const viewFlags = { filter: filterFlag, sort: sortFlag() };

/** The values of `viewFlags`. */
interface ViewFlags {
  filter?: Filter | undefined;
  sort?: Sort | undefined;
}

export type Order<T> = (left: T, right: T) => number;

/** The view of a list without pages. */
export interface ListView<T> {
  filter: RecordFilter<T> | undefined;
  order: Order<T> | undefined;
  /** The columns that the filter and the order name. */
  names: readonly string[];
}

export async function readListView<T>(
  context: Context,
  flags: ViewFlags,
  columns: readonly Column<T>[],
): Promise<ListView<T>> {
  return {
    filter: await bindFilter(context, flags.filter, columns),
    order: sortOrder(context, flags.sort, columns),
    names: namedColumns(flags),
  };
}

export function applyListView<T>(records: readonly T[], { filter, order }: ListView<T>): T[] {
  const kept = records.filter((record) => filter?.keep(record) !== false);
  return order === undefined ? kept : kept.sort(order);
}

/** Reads the times of a filter by the clock of the shop, and notes which hours its days have there. */
export async function bindFilter<T>(
  context: Context,
  filter: Filter | undefined,
  columns: readonly Column<T>[],
  {
    store,
    now = context.serviceNow,
  }: { store?: string | null | undefined; now?: (() => number) | undefined } = {},
): Promise<RecordFilter<T> | undefined> {
  if (filter === undefined) return undefined;
  const isTimed = filterTimes(filter).length > 0;
  const zone = isTimed ? await dayZone(context, store ?? undefined) : null;
  const clock = { now: now(), zone };
  for (const { typed, bounds } of filterTimes(filter)) {
    if (/^now$/i.test(typed)) continue;
    const [from, to] = bounds(clock);
    const instants = (to - from > minute_ms ? [from, to] : [from]).map((at) => new Date(at).toISOString());
    noteShopDay(context, [{ typed }], instants, zone, 'at');
  }
  return createFilter(filter, columns, clock);
}

/** The order of `--sort`: one of the orders that only this list has, or that of a column. Undefined without the flag. */
export function sortOrder<T>(
  { output }: Pick<Context, 'output'>,
  sort: Sort | undefined,
  columns: readonly Column<T>[],
  listOrders: Readonly<Record<string, Order<T>>> = {},
): Order<T> | undefined {
  if (sort === undefined) return undefined;
  return sort.isOwn ? listOrders[sort.name] : columnOrder(sort, columns, isForPeople(output.format));
}

/** The columns in the zone of the list. For people they include those that a filter or an order names. */
export function shownColumns<T>(
  { output }: Pick<Context, 'output'>,
  columns: readonly Column<T>[],
  { zone, filter, sort }: ViewFlags & { zone: string | null | undefined },
): readonly Column<T>[] {
  const isNamed = isForPeople(output.format);
  const shown = isNamed ? withNamedColumns(columns, namedColumns({ filter, sort })) : columns;
  return zone === undefined ? shown : shown.map((column) => ({ ...column, zone: () => zone }));
}

/** Makes every table show the columns that a filter or an order names. */
export function withNamedColumns<T>(columns: readonly Column<T>[], names: readonly string[]): Column<T>[] {
  const named = new Set(names.flatMap((name) => columnsNamed(name, columns)));
  return columns.map((column) => {
    if (!named.has(column)) return column;
    const { spare: _, wide: __, ...shown } = column;
    return shown;
  });
}

/** The columns that a filter and an order name. */
function namedColumns({ filter, sort }: ViewFlags): string[] {
  const names = filter === undefined ? [] : filterColumns(filter);
  return sort === undefined || sort.isOwn ? names : [...names, sort.name];
}

/** The zone of times without an address: that of the shop; null for programs, and if it is unknown. */
export async function shownZone(context: Context): Promise<string | null> {
  const isShown = isForPeople(context.output.format) || context.output.values === 'formatted';
  return isShown ? shopZone(context).catch(() => null) : null;
}

/** Gives the columns of records without an address the zone of the shop. */
export async function inShownZone<T>(context: Context, columns: readonly Column<T>[]): Promise<Column<T>[]> {
  const zone = await shownZone(context);
  return columns.map((column) => (column.zone === undefined ? { ...column, zone: () => zone } : column));
}
