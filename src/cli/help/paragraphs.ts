import { wrapped } from '../output/width.ts';

/** What stands left, and what it says. */
export type Line = readonly [string, string];

/** Columns of every page of help. */
export const pageWidth = 80;

/** A heading and its lines, what they say beside or below them. */
export function titled(title: string, lines: readonly Line[]): string {
  const column = Math.min(28, Math.max(0, ...lines.map(([left]) => left.length))) + 4;
  return `${title}\n${lines.map((line) => twoColumns(line, column)).join('')}`;
}

function twoColumns([left, right]: Line, column: number): string {
  if (right === '') return `  ${left}\n`;
  const text = wrapped(right, pageWidth - column, ' '.repeat(column));
  const isLong = left.length + 4 > column;
  return isLong ? `  ${left}\n${' '.repeat(column)}${text}\n` : `  ${left.padEnd(column - 2)}${text}\n`;
}

/** A command in lines of a width that a shell reads as one; quoted words stay whole. */
export function shellLines(command: string, room: number): string[] {
  const words = command.match(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g) ?? [];
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    const isJoined = last !== undefined && last.length + word.length + 3 <= room;
    if (isJoined) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(last === undefined ? word : `    ${word}`);
  }
  return lines.map((line, index) => (index < lines.length - 1 ? `${line} \\` : line));
}
