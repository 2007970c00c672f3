import type { Fault } from '../../../../../contract/errors.ts';
import { UsageError } from '../../../../kit/errors/failure.ts';
import { didYouMean } from '../../../../kit/result/message.ts';
import type { ColumnValue } from '../source.ts';
import type { LeftOut } from './ready-orders.ts';

/** Chooses orders by the values of columns, as `--only` names them. */

export type OrderFilter = ReturnType<typeof columnFilter>;

/**
 * Several values of one column are alternatives; each of several columns must have one of its own. Throws UsageError
 * for a column that the file does not have.
 */
export function columnFilter(only: readonly ColumnValue[], headers: readonly string[], name: string) {
  const wanted = new Map<number, string[]>();
  for (const [header, value] of only) {
    const place = headers.findIndex((each) => folded(each) === folded(header));
    if (place < 0) {
      const hint = didYouMean(header, headers);
      throw new UsageError(`${name} has no column "${header}", which --only names.`, hint ? { hint } : {});
    }
    wanted.set(place, [...(wanted.get(place) ?? []), value]);
  }
  const columns = [...wanted].map(([place, values]) => ({
    text: `${headers[place]}=${values.join(' or ')}`,
    cellOf: (row: readonly string[]) => row[place] ?? '',
    has: (cell: string) => values.some((value) => folded(value) === folded(cell)),
  }));
  /**
   * Why an order with these rows is left out, or a fault if only some of its rows are wanted; null if it is wanted. An
   * export may leave the cells of an order empty in its further rows.
   */
  return ([first = [], ...others]: readonly (readonly string[])[]): LeftOut | Fault | null => {
    for (const { text, cellOf, has } of columns) {
      const isWanted = has(cellOf(first));
      const cells = others.map(cellOf).filter((cell) => cell.trim() !== '' || has(''));
      if (cells.some((cell) => has(cell) !== isWanted)) {
        const message = `has ${text} in some rows of its order only: --only chooses whole orders`;
        return { path: 'row', message };
      }
      if (!isWanted) return { left_out: `not ${text}`, detail: cellOf(first).trim() };
    }
    return null;
  };
}

/** Without case, outer blanks, and the apostrophe that marks text in a spreadsheet. */
function folded(text: string): string {
  return text.trim().replace(/^'/, '').toLowerCase();
}
