import Table from 'cli-table3';
import type { ColumnHead, Row } from '../result/result.ts';
import { tsvLine } from './json.ts';
import { displayWidth, padded, wrapped } from './sanitize.ts';
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

/** Spaces between a label and its value. */
const gap = 2;
/** Words in narrower lines cannot be read. */
const min_text_width = 20;

/**
 * Formats a record as aligned labels and values, without empty ones. Words without room wrap below; none is truncated.
 */
export function recordText(
  columns: readonly ColumnHead[],
  row: Row,
  given: TextStyle,
  room: number | null = null,
): string {
  const { cells } = row;
  const style = rowStyle(given, row);
  const values = columns.map(({ header, kind }, index) => ({
    header,
    isWords: kind === 'text',
    value: personText(cells[index], kind, style),
  }));
  const shown = values.filter(({ value }) => value !== '');
  const width = Math.max(0, ...shown.map(({ header }) => displayWidth(header)));
  const left = room === null ? Number.POSITIVE_INFINITY : Math.max(min_text_width, room - width - gap);
  return shown
    .map(({ header, value, isWords }) => {
      const text = isWords ? wrapped(value, left, ' '.repeat(width + gap)) : value;
      const label = style.palette.dim(padded(header, width)) + ' '.repeat(gap);
      return room !== null && isTooWide(text, left) ? alone(header, value, style, room) : `${label}${text}\n`;
    })
    .join('');
}

function isTooWide(text: string, left: number): boolean {
  return text.split('\n').some((line) => displayWidth(line.trimStart()) > left);
}

/** Puts a value below its label: an ID, an address or an amount that does not fit beside it and is never truncated. */
function alone(header: string, value: string, { palette }: TextStyle, room: number): string {
  const indent = displayWidth(value) + gap <= room ? ' '.repeat(gap) : '';
  return `${palette.dim(header)}\n${indent}${wrapped(value, room - indent.length, indent)}\n`;
}

/** Formats rows as records separated by empty lines, for a terminal too narrow for the table. */
export function cardsText(
  columns: readonly ColumnHead[],
  rows: readonly Row[],
  style: TextStyle,
  room: number,
): string {
  return rows.map((row) => recordText(columns, row, style, room)).join('\n');
}

/** One record for programs: a line for each field, its name and its value. */
export function recordTsv(columns: readonly ColumnHead[], { cells }: Row): string {
  return columns.map(({ field }, index) => tsvLine([field, cells[index]])).join('');
}
