/** `--sort`: orders the records of a list by any of its columns, or by an order that only this list has. */
import { BadValue, type Flag, textFlag } from '../kit/args/flags.ts';
import { columnName, columnNames, columnsNamed } from '../kit/result/column-names.ts';
import { type Column, type ColumnHead, exactCell, isColumnFor, toCell } from '../kit/result/result.ts';
import { comparedAs, compareValues, findHead, hasValue, isEmpty, orderedValue } from './compared-values.ts';

export interface Sort {
  /** Undefined for the usual order of a list. */
  typed: string | undefined;
  /** A column, or an order that only this list has. */
  name: string;
  /** Whether it is an order that only this list has. */
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

/** Reads a column or an order, and its direction. Throws BadValue for a text that names no column. */
export function readSort(
  typed: string,
  columns: readonly ColumnHead[],
  { own = {}, others = {} }: Omit<SortNames, 'summary'>,
): Sort {
  const text = typed.trim();
  // The last word of the column `Given up` is no direction.
  const isColumn = columns.some(({ header }) => header.toLowerCase() === text.toLowerCase());
  const [, minus = '', name = '', word] = isColumn
    ? ['', '', text]
    : (/^(-?)(.*?)(?:[:, ]\s*(asc|desc|ascending|descending|up|down))?$/i.exec(text) ?? []);
  const direction = directionOf(name, word, minus !== '');
  const plain = columnName(name);
  if (plain.includes(',')) throw new BadValue(`takes one column, not "${typed}"`);
  const [ownName] =
    Object.entries(own).find(([each, aliases]) => [each, ...aliases.split(' ')].includes(plain)) ?? [];
  if (ownName !== undefined && direction === null) return { typed, name: ownName, isOwn: true, direction };
  const meant = Object.hasOwn(others, plain) ? (others[plain] ?? plain) : name;
  return { typed, name: findHead(meant, columns).name, isOwn: false, direction };
}

/** The typed direction: by a word, a minus, or the name, as in `cheapest`; null without one. */
function directionOf(name: string, word: string | undefined, hasMinus: boolean): Sort['direction'] {
  if (word !== undefined) return /^(?:asc|up)/i.test(word) ? 'asc' : 'desc';
  if (hasMinus) return 'desc';
  return /^(?:cheapest|fastest|quickest)$/i.test(name) ? 'asc' : null;
}

/** The note below a list whose records all lack a value of the column that it is sorted by. */
export function noValueText(name: string): string {
  return `None of them has a value of ${name}.`;
}

/** Whether no record of a sorted list has a value of the column, as the first one has none. */
export function isSortedByNothing<T>(
  { name, direction }: Sort,
  columns: readonly Column<T>[],
  first: T,
): boolean {
  const cells = columnsNamed(name, columns).map((column) => ({ column, cell: toCell(column, first) }));
  return direction !== 'asc' && !cells.some(({ column, cell }) => hasValue([cell], column));
}

/** The order by a column: the most and the latest first, texts from A, and records without a value last. */
export function columnOrder<T>(
  { name, direction }: Sort,
  columns: readonly Column<T>[],
  isForPeople = false,
): (left: T, right: T) => number {
  const named = columnsNamed(name, columns);
  // People are shown other texts, by which their list is sorted. Times and amounts are shown in words that have no order.
  const shown = named.every((each) => comparedAs(each) === 'text')
    ? named.find((each) => isColumnFor(each, isForPeople))
    : undefined;
  const column = shown ?? named[0];
  if (column === undefined) return () => 0;
  const sign = (direction ?? (comparedAs(column) === 'text' ? 'asc' : 'desc')) === 'asc' ? 1 : -1;
  const sortedValue = (record: T) => {
    const cell = exactCell(column, record);
    return isEmpty(cell) ? null : orderedValue([cell], column);
  };
  return (left, right) => {
    const [leftValue, rightValue] = [sortedValue(left), sortedValue(right)];
    if (leftValue === null || rightValue === null)
      return Number(leftValue === null) - Number(rightValue === null);
    return sign * compareValues(leftValue, rightValue);
  };
}
