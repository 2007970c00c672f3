/** Compares the values of a column for `--filter` and `--sort`: as money, numbers, times or text. */
import { deliveryStatusNames } from '../../contract/vocabulary.ts';
import { foldedText } from '../../domain/search-text.ts';
import { unknownColumn } from '../kit/args/global-flags.ts';
import { once } from '../kit/once.ts';
import { columnMeant, columnName, columnNames, columnsNamed } from '../kit/result/column-names.ts';
import type { CellValue, ColumnHead } from '../kit/result/result.ts';

/** A column by the name that was typed. */
export interface FoundColumn {
  name: string;
  head: ColumnHead;
}

/** The types of values that are compared alike. */
export type Group = 'money' | 'number' | 'time' | 'text';

/** The column with this name, alias or heading; throws BadValue. */
export function findHead(typed: string, columns: readonly ColumnHead[]): FoundColumn {
  const names = columnNames(columns);
  const name = columnMeant(columnName(typed), names);
  const [head] = columnsNamed(name, columns);
  if (head === undefined) {
    // `delivered_at` of orders, which do not have it: the status says whether they are delivered.
    const status = name.replace(/_at$/, '');
    const isStatus = names.includes('delivery_status') && deliveryStatusNames.some((each) => each === status);
    const meant = isStatus ? `Did you mean status? It can be ${status}.` : null;
    throw unknownColumn(typed.trim(), columns, 'has no column', meant);
  }
  return { name, head };
}

/** The type as which the values of a column are compared. */
export function comparedAs({ kind }: ColumnHead): Group {
  if (kind === 'money') return 'money';
  if (kind === 'count' || kind === 'miles') return 'number';
  return ['time', 'instant', 'clock', 'interval', 'day'].includes(kind) ? 'time' : 'text';
}

/** Whether a column has a value: text that is not empty, money that is not zero, or a count above zero. */
export function hasValue(values: readonly CellValue[], head: ColumnHead): boolean {
  return values.some((value) => {
    if (typeof value === 'number') return head.kind === 'money' ? value !== 0 : value > 0;
    return value !== false && !isEmpty(value);
  });
}

export function isEmpty(value: CellValue): value is null | undefined | '' {
  return (
    value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)
  );
}

/** A value that has an order: cents, a number, milliseconds or folded text. Missing money counts as zero. */
export function orderedValue(values: readonly CellValue[], head: ColumnHead): number | string | null {
  const value = values.find((each) => !isEmpty(each));
  const group = comparedAs(head);
  if (group === 'money') return typeof value === 'number' ? value : 0;
  if (value === undefined || isEmpty(value)) return null;
  if (group === 'time') {
    const at = Date.parse(String(value).split('/')[0] ?? '');
    return Number.isNaN(at) ? null : at;
  }
  return typeof value === 'number' ? value : foldedText(String(value));
}

const collator = once(() => new Intl.Collator('en', { numeric: true }));

export function compareValues(left: number | string, right: number | string): number {
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  return collator().compare(String(left), String(right));
}

/** The name of the column in a part of a filter that may begin with a negation: `tip` of `!tip` and `not Tip`. */
export function nameIn(part: string, columns: readonly ColumnHead[]): string {
  return columnMeant(columnName(part.replace(/^(?:!|not\s)\s*/i, '')), columnNames(columns));
}
