import type { Row } from '../result.ts';
import { machineText } from './values.ts';

/** Rows with a tab between cells, without header. */
export function tsvRows(rows: readonly Row[]): string {
  return rows.map(({ cells }) => `${cells.map(machineText).join('\t')}\n`).join('');
}
