import type { ColumnHead, Row } from '../result.ts';
import { type Looks, machineText, personText } from './values.ts';
import { displayWidth, padded } from './width.ts';

/** One record as aligned labels and values; what is empty is left out. */
export function recordText(columns: readonly ColumnHead[], { cells }: Row, looks: Looks): string {
  const values = columns.map(({ header, kind }, index) => ({
    header,
    value: personText(cells[index], kind, looks),
  }));
  const shown = values.filter(({ value }) => value !== '');
  const width = Math.max(0, ...shown.map(({ header }) => displayWidth(header)));
  return shown.map(({ header, value }) => `${looks.palette.dim(padded(header, width))}  ${value}\n`).join('');
}

/** Rows as records with an empty line between: for a terminal too narrow for the table. */
export function cardsText(columns: readonly ColumnHead[], rows: readonly Row[], looks: Looks): string {
  return rows.map((row) => recordText(columns, row, looks)).join('\n');
}

/** One record for programs: a line for each field, its name and its value. */
export function recordTsv(columns: readonly ColumnHead[], { cells }: Row): string {
  return columns.map(({ field }, index) => `${field}\t${machineText(cells[index])}\n`).join('');
}
