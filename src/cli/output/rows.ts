import { displayWidth, padded, wrapped } from './width.ts';

type Paint = (text: string) => string;

/** A cell of a row: its plain text, and how it is painted once it has its width. */
export interface Cell {
  text: string;
  paint?: Paint;
  isRight?: true;
  /** At least so wide. */
  width?: number;
  /** Words that stay on one line: a command, which is to be copied. */
  isWhole?: true;
}

/** Where rows stand: the columns of the terminal, null where there is none, and those left free in front. */
export interface Ground {
  room: number | null;
  indent?: number;
}

const gap = 2;
/** Words on lines shorter than this cannot be read. */
const leastRoom = 20;

/**
 * Rows with their cells below each other; the last cell of each is words, which go on below themselves, or below
 * the second cell where there is too little room beside it.
 */
export function alignedRows(rows: readonly (readonly Cell[])[], { room, indent = 2 }: Ground): string[] {
  const count = Math.max(0, ...rows.map((cells) => cells.length - 1));
  const widths = Array.from({ length: count }, (_, index) =>
    Math.max(...rows.map((cells) => widthOf(cells[index]))),
  );
  const placeOf = (index: number) => widths.slice(0, index).reduce((sum, width) => sum + width + gap, indent);
  const hasRoom = room === null || room - placeOf(count) >= leastRoom;
  const place = placeOf(hasRoom ? count : Math.min(1, count));
  return rows.flatMap((cells) => {
    const head = widths.map((width, index) => aligned(cells[index], width)).join('');
    const { text, paint = same, isWhole } = cells[count] ?? { text: '' };
    const lines = wordsIn(text, isWhole ? null : room, place).map(paint);
    if (lines.length === 0) return [`${' '.repeat(indent)}${head}`.trimEnd()];
    const lower = room !== null && tooLong(lines, room - place) ? Math.min(place, indent * 2) : place;
    const [first = '', ...rest] = hasRoom && lower === place ? lines : ['', ...lines];
    const line = `${' '.repeat(indent)}${head}${first}`.trimEnd();
    // Nothing stands beside what had to go below.
    const start = line === '' && rest.length > 0 ? [] : [line];
    return [...start, ...rest.map((words) => ' '.repeat(lower) + words)];
  });
}

/** Two cells side by side, or the second below the first where there is no room for both. */
export function besideOrBelow(first: Cell, second: Cell, { room, indent = 0 }: Ground): string[] {
  const paintedText = ({ text, paint = same }: Cell) => paint(text);
  const start = ' '.repeat(indent) + paintedText(first);
  const isNarrow = room !== null && indent + widthOf(first) + gap + widthOf(second) > room;
  return isNarrow
    ? [start, ' '.repeat(indent + gap) + paintedText(second)]
    : [start + ' '.repeat(gap) + paintedText(second)];
}

/** A word that is longer than a line is not cut: it stands below, where there is more room. */
function tooLong(lines: readonly string[], room: number): boolean {
  return lines.some((line) => displayWidth(line) > room);
}

const same: Paint = (text) => text;

function widthOf(cell: Cell | undefined): number {
  return Math.max(displayWidth(cell?.text ?? ''), cell?.width ?? 0);
}

function aligned(cell: Cell | undefined, width: number): string {
  const { text, paint = same, isRight } = cell ?? { text: '' };
  const spaces = padded('', width - displayWidth(text));
  const words = text === '' ? '' : paint(text);
  return (isRight ? spaces + words : words + spaces) + ' '.repeat(gap);
}

function wordsIn(text: string, room: number | null, place: number): string[] {
  if (text === '') return [];
  return room === null ? [text] : wrapped(text, Math.max(leastRoom, room - place)).split('\n');
}
