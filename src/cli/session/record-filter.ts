/** `--filter` and `--sort`: which records of a list are shown, and in which order, by any of its columns. */
import { nearNames } from '../../domain/near-names.ts';
import { foldedText } from '../../domain/search-text.ts';
import { BadValue, type Flag, listFlag, textFlag } from '../kit/args/flags.ts';
import {
  type Column,
  type ColumnHead,
  columnName,
  columnNames,
  columnsNamed,
  isColumnFor,
  toCell,
} from '../kit/result/result.ts';
import {
  type Cells,
  type Clock,
  type Condition,
  comparedAs,
  compareValues,
  type FilterTime,
  findHead,
  hasValue,
  isEmpty,
  orderedValue,
  readAlternatives,
  statusesMeant,
} from './filter-language.ts';

/** Every part must hold, and of a part one alternative, in which all conditions hold. */
export interface Filter {
  typed: readonly string[];
  parts: readonly (readonly (readonly Condition[])[])[];
}

export interface Sort {
  /** Undefined for the usual order of a list. */
  typed: string | undefined;
  /** A column, or an order that only this list has. */
  name: string;
  isOwn: boolean;
  /** The order that was typed. */
  direction: 'asc' | 'desc' | null;
}

/** The flag that filters by any column. */
export const filterFlag: Flag<Filter | undefined> = {
  ...listFlag({
    summary:
      'Only what meets conditions on any columns: "tip > 5", "late_minutes > 15m and !dropoff_unit", "delivered_at = yesterday"; = != > >= < <= ~ (contains) !~, and, or; no brackets',
    placeholder: 'EXPRESSION',
    aliases: ['where'],
  }),
  read: (texts) => readFilter(texts, []),
  absent: () => undefined,
  ofColumns: (columns) => ({ ...filterFlag, read: (texts) => readFilter(texts, columns) }),
};

interface SortNames {
  summary?: string;
  /** The orders that only this list has, with their other names. */
  own?: Readonly<Record<string, string>>;
  /** Further names of columns: the column that one means. */
  others?: Readonly<Record<string, string>>;
}

/** The flag that sorts by any column. */
export function sortFlag({ own = {}, others = {}, summary }: SortNames = {}): Flag<Sort | undefined> {
  const base = textFlag({
    summary:
      summary ??
      'Sort by any column: the most and the latest first, texts from A; COLUMN:asc or :desc says which',
    placeholder: 'COLUMN',
  });
  const flag = (columns: readonly ColumnHead[]): Flag<Sort | undefined> => ({
    ...base,
    choices: [...new Set([...Object.keys(own), ...columnNames(columns), ...Object.keys(others)])],
    read: (texts) => readSort(texts.at(-1) ?? '', columns, { own, others }),
    absent: () => undefined,
  });
  return { ...flag([]), ofColumns: flag };
}

/** Reads `tip`, `-tip`, `tip:desc` or `tip descending`. Throws BadValue for what names no column. */
export function readSort(
  typed: string,
  columns: readonly ColumnHead[],
  { own = {}, others = {} }: Omit<SortNames, 'summary'>,
): Sort {
  const text = typed.trim();
  // The column `Given up` has no direction.
  const isColumn = columns.some(({ header }) => header.toLowerCase() === text.toLowerCase());
  const [, minus = '', name = '', word] = isColumn
    ? ['', '', text]
    : (/^(-?)(.*?)(?:[:, ]\s*(asc|desc|ascending|descending|up|down))?$/i.exec(text) ?? []);
  const named = word === undefined ? null : /^(?:asc|up)/i.test(word) ? 'asc' : 'desc';
  const least = /^(?:cheapest|fastest|quickest)$/i.test(name) ? 'asc' : null;
  const direction = named ?? (minus === '' ? least : 'desc');
  const plain = columnName(name);
  if (plain.includes(',')) throw new BadValue(`takes one column, not "${typed}"`);
  const [found] =
    Object.entries(own).find(([each, others]) => [each, ...others.split(' ')].includes(plain)) ?? [];
  if (found !== undefined && direction === null) return { typed, name: found, isOwn: true, direction };
  const meant = Object.hasOwn(others, plain) ? (others[plain] ?? plain) : name;
  return { typed, name: findHead(meant, columns).name, isOwn: false, direction };
}

function readFilter(texts: readonly string[], columns: readonly ColumnHead[]): Filter {
  return { typed: texts, parts: texts.map((text) => readAlternatives(text, columns)) };
}

/** The filter with further conditions, those of other flags. */
export function withConditions(
  filter: Filter | undefined,
  conditions: readonly (string | false | undefined)[],
  columns: readonly ColumnHead[],
): Filter | undefined {
  const texts = conditions.filter((text) => typeof text === 'string');
  return texts.length === 0 ? filter : readFilter([...texts, ...(filter?.typed ?? [])], columns);
}

/** A filter of the records of a list, and why it finds none. */
export interface RecordFilter<T> {
  keep(record: T): boolean;
  /** Says that none of so many records meets it, with the values of a column that is never equal to the wanted text. */
  explain(refused: number): string;
}

/** The times that a filter names. */
export function filterTimes({ parts }: Filter): FilterTime[] {
  return parts.flat(2).flatMap(({ time }) => time ?? []);
}

/** Other values are not named. */
const max_named_values = 8;

export function createFilter<T>(
  filter: Filter,
  columns: readonly Column<T>[],
  clock: Clock,
): RecordFilter<T> {
  const cellsOf = cellReader(columns, filterColumns(filter));
  const parts = filter.parts.map((any) => any.map((all) => all.map((condition) => condition.test(clock))));
  const equal = filter.parts
    .flat(2)
    .flatMap(({ names: [name = ''], equal: text }) =>
      text === null ? [] : [{ name, text, values: new Set<string>() }],
    );
  return {
    keep(record) {
      const cells = cellsOf(record);
      for (const { name, values } of equal)
        for (const value of cells(name).flat()) if (!isEmpty(value)) values.add(String(value));
      return parts.every((any) => any.some((all) => all.every((test) => test(cells))));
    },
    explain(refused) {
      const found = refused === 1 ? 'The only one found does not meet' : `None of the ${refused} found meets`;
      const lost = equal.find(({ text, values }) => values.size > 0 && !isAmong(text, values));
      const values = [...(lost?.values ?? [])];
      const near = nearNames(lost?.text.toLowerCase() ?? '', values);
      const named = near.length > 0 || values.length > max_named_values ? near : values;
      const others = named.length === 0 ? '' : `: there is ${named.map((each) => `"${each}"`).join(', ')}`;
      return `${found} --filter ${filter.typed.map((each) => `"${each}"`).join(' --filter ')}${others}.`;
    },
  };
}

function isAmong(text: string, values: ReadonlySet<string>): boolean {
  const wanted = [text, ...text.split(',')].flatMap((each) => [each.trim(), ...statusesMeant(each)]);
  return [...values].some((value) => wanted.some((each) => foldedText(each) === foldedText(value)));
}

/** The columns that a filter names. */
export function filterColumns({ parts }: Filter): string[] {
  return parts.flat(2).flatMap(({ names }) => names);
}

/** Reads columns of a record by name. */
function cellReader<T>(columns: readonly Column<T>[], names: readonly string[]): (record: T) => Cells {
  const found = new Map(names.map((name) => [name, columnsNamed(name, columns)]));
  return (record) => (name) => (found.get(name) ?? []).map((column) => toCell(column, record));
}

/** Whether the first record of a sorted list has nothing in that column: then none has. */
export function isSortedByNothing<T>(
  { name, direction }: Sort,
  columns: readonly Column<T>[],
  first: T,
): boolean {
  const cells = columnsNamed(name, columns).map((column) => ({ column, cell: toCell(column, first) }));
  return direction !== 'asc' && !cells.some(({ column, cell }) => hasValue([cell], column));
}

/** The order of records by a column: the most and the latest first, and texts from A; those without a value are last. */
export function columnOrder<T>(
  { name, direction }: Sort,
  columns: readonly Column<T>[],
  isForPeople = false,
): (left: T, right: T) => number {
  const named = columnsNamed(name, columns);
  // People may see other texts; times and amounts are shown in words that have no order.
  const shown = named.every((each) => comparedAs(each) === 'text')
    ? named.find((each) => isColumnFor(each, isForPeople))
    : undefined;
  const column = shown ?? named[0];
  if (column === undefined) return () => 0;
  const sign = (direction ?? (comparedAs(column) === 'text' ? 'asc' : 'desc')) === 'asc' ? 1 : -1;
  return (left, right) => {
    const cells = [left, right].map((each) => toCell(column, each));
    const [a, b] = cells.map((cell) => (isEmpty(cell) ? null : orderedValue([cell], column)));
    if (a === null || a === undefined || b === null || b === undefined)
      return Number(a === null || a === undefined) - Number(b === null || b === undefined);
    return sign * compareValues(a, b);
  };
}
