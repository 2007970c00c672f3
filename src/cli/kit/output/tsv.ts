import type { CellValue, Row } from '../result/result.ts';
import { guarded } from './sanitize.ts';
import { machineText } from './values.ts';

/** Rows with a tab between cells, without header. */
export function tsvRows(rows: readonly Pick<Row, 'cells'>[]): string {
  return rows.map(({ cells }) => tsvLine(cells)).join('');
}

/** Values as a line, a tab between. Spreadsheets take such lines, too: no cell is a formula. */
export function tsvLine(values: readonly CellValue[]): string {
  const cells = values.map((value) =>
    typeof value === 'number' ? machineText(value) : guarded(machineText(value)),
  );
  return `${cells.join('\t')}\n`;
}
