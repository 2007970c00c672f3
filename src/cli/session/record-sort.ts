/** `--sort`: the order of the records of a list, by any of its columns or an order that only this list has. */
import { BadValue, type Flag, textFlag } from '../kit/args/flags.ts';
import { columnName, columnNames, columnsNamed } from '../kit/result/column-names.ts';
import { type Column, type ColumnHead, exactCell, isColumnFor, toCell } from '../kit/result/result.ts';
import { comparedAs, compareValues, findHead, hasValue, isEmpty, orderedValue } from './compared-values.ts';

export interface Sort {
  /** Undefined for the usual order of a list. */
  typed: string | undefined;
  /** A column, or an order that only this list has. */
  name: string;
  isOwn: boolean;
  /** The order that was typed. */
  direction: 'asc' | 'desc' | null;
}

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

/** The note below a list whose records all lack a value of the column that it is sorted by. */
export function noValueText(name: string): string {
  return `None of them has a value of ${name}.`;
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
    const cells = [left, right].map((each) => exactCell(column, each));
    const [a, b] = cells.map((cell) => (isEmpty(cell) ? null : orderedValue([cell], column)));
    if (a === null || a === undefined || b === null || b === undefined)
      return Number(a === null || a === undefined) - Number(b === null || b === undefined);
    return sign * compareValues(a, b);
  };
}
