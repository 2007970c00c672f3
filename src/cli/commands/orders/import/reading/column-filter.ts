import { UsageError } from '../../../../kit/errors/failure.ts';
import { didYouMean } from '../../../../kit/result/message.ts';
import type { ColumnValue } from '../source.ts';
import type { LeftOut } from './ready-orders.ts';

/** Chooses orders by the values of columns, as `--only` names them. */

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
  return {
    /** Why an order with these cells is left out; null if it is wanted. */
    leftOutReason: (cells: readonly string[]): LeftOut | null => {
      for (const [place, values] of wanted) {
        const cell = cells[place] ?? '';
        if (values.some((value) => folded(value) === folded(cell))) continue;
        return { left_out: `not ${headers[place]}=${values.join(' or ')}`, detail: cell.trim() };
      }
      return null;
    },
  };
}

/** Without case, outer blanks, and the apostrophe that marks text in a spreadsheet. */
function folded(text: string): string {
  return text.trim().replace(/^'/, '').toLowerCase();
}
