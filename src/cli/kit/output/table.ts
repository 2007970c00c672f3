import Table from 'cli-table3';
import type { ColumnHead, Row } from '../result/result.ts';
import { personText, rowStyle, type TextStyle } from './value-text.ts';

const noLines = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: '  ',
};

const rightAligned: ReadonlySet<string> = new Set(['money', 'count', 'miles']);

/**
 * Formats rows as a table without lines; nothing is truncated, so it may be wider than the terminal. `broken` wraps
 * prose, if given.
 */
export function tableText(
  columns: readonly ColumnHead[],
  rows: readonly Row[],
  style: TextStyle,
  broken = (prose: string) => prose,
): string {
  const table = new Table({
    head: columns.map(({ header }) => style.palette.strong(header.toUpperCase())),
    chars: noLines,
    colAligns: columns.map(({ kind }) => (rightAligned.has(kind) ? 'right' : 'left')),
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
  });
  for (const row of rows) {
    const { cells } = row;
    const ownStyle = rowStyle(style, row);
    table.push(
      columns.map(({ kind, prose }, index) => {
        const text = personText(cells[index], kind, ownStyle);
        return prose ? broken(text) : text;
      }),
    );
  }
  return trimmed(table.toString());
}

function trimmed(text: string): string {
  return text
    .split('\n')
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}
