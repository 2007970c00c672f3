/** The layout of a page of help for a terminal. */
import type { Example } from '../kit/args/command-input.ts';
import { wrapped } from '../kit/output/terminal-lines.ts';

/** The maximum width of a page, for readability. */
export const max_page_width = 80;
/** In a narrower terminal descriptions go below, not beside. */
const min_two_column_width = 60;
const max_left_width = 28;

/** Formats a page to fit the terminal; nothing is truncated. */
export function pageText({ summary, sections }: Page, columns: number | null = null): string {
  const width = Math.min(max_page_width, columns ?? max_page_width);
  const parts = sections.map((section) => sectionText(section, width));
  return [`${wrapped(`${summary}.`, width)}\n`, ...parts].join('\n');
}

function sectionText({ title, blocks }: Section, width: number): string {
  const heading = title === null ? '' : `${title}\n`;
  const indent = title === null ? '' : '  ';
  const isSpaced = title === null || blocks.some(({ kind }) => kind === 'code');
  return heading + blocks.map((block) => blockText(block, width, indent)).join(isSpaced ? '\n' : '');
}

function blockText(block: Block, width: number, indent: string): string {
  switch (block.kind) {
    case 'text':
      return `${paragraphs(block.text, width - indent.length).replace(/^(?=.)/gm, indent)}\n`;
    case 'lines':
      return linesText(block.lines, width);
    case 'examples':
      return block.examples.map((example) => exampleText(example, width)).join('');
    case 'code':
      return `${block.text.replace(/^(?=.)/gm, `${indent}  `)}\n`;
  }
}

/** Separates paragraphs by an empty line; a line that starts with a space is kept. */
function paragraphs(text: string, width: number): string {
  return text
    .split(/\n{2,}/)
    .map((paragraph) => wrapped(paragraph, width))
    .join('\n\n');
}

function linesText(lines: readonly HelpLine[], width: number): string {
  const column = Math.min(max_left_width, Math.max(0, ...lines.map(([left]) => left.length))) + 4;
  const isBeside = width >= min_two_column_width;
  return lines
    .map((line) => (isBeside ? twoColumns(line, column, width) : stackedColumns(line, column, width)))
    .join('');
}

function twoColumns([left, right]: HelpLine, column: number, width: number): string {
  if (right === '') return `  ${left}\n`;
  const text = wrapped(right, width - column, ' '.repeat(column));
  const isLong = left.length + 4 > column;
  return isLong ? `  ${left}\n${' '.repeat(column)}${text}\n` : `  ${left.padEnd(column - 2)}${text}\n`;
}

/** Short names stay beside their descriptions even in a narrow terminal. */
function stackedColumns([left, right]: HelpLine, column: number, width: number): string {
  if (right === '') return `  ${wrapped(left, width - 6, '      ')}\n`;
  if (column <= width / 4) return twoColumns([left, right], column, width);
  return `  ${wrapped(left, width - 6, '      ')}\n      ${wrapped(right, width - 6, '      ')}\n`;
}

function exampleText({ command, summary }: Example, width: number): string {
  const comment = wrapped(`# ${summary}`, width - 2, '  # ');
  return `  ${comment}\n  ${shellLines(command, width - 2).join('\n  ')}\n`;
}

/** Wraps a command with line continuations; quoted words stay whole. */
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

export type HelpLine = readonly [left: string, right: string];

/** A part of a page: a paragraph, terms with their meanings, example commands, or preformatted text. */
export type Block =
  | { kind: 'text'; text: string }
  | { kind: 'lines'; lines: readonly HelpLine[] }
  | { kind: 'examples'; examples: readonly Example[] }
  | { kind: 'code'; text: string };

export interface Section {
  /** Null for the part directly below the page's title. */
  title: string | null;
  blocks: readonly Block[];
}

/** A page of help or the manual, before layout. */
export interface Page {
  /** As it is typed: `waybill orders create`. */
  name: string;
  /** One line without a period. */
  summary: string;
  sections: readonly Section[];
}

export function textBlock(words: string): Block {
  return { kind: 'text', text: words };
}

/** Preformatted text, shown as it is. */
export function codeBlock(preformatted: string): Block {
  return { kind: 'code', text: preformatted };
}

export function linesSection(title: string, entries: readonly HelpLine[]): Section[] {
  return entries.length === 0 ? [] : [{ title, blocks: [{ kind: 'lines', lines: entries }] }];
}

export function textSection(title: string | null, ...texts: string[]): Section {
  return { title, blocks: texts.map(textBlock) };
}

/** The stem of a word: `tri` for try and tries, `cancel` for canceled and cancelled. */
export function stemOf(word: string): string {
  const stem = word.replace(/(?<=...)(?:(?<=l)l(?:ed|ing)|ed|ing|(?<=[sxh])es|(?<=i)es|(?<![su])s)$/, '');
  return stem.replace(/y$/, 'i');
}

/** Words of every sentence: as the name of a flag, only the flag is meant. */
const commonWords = /^(?:all|at|by|for|from|in|not|of|on|only|since|to|until|wait|with)$/;

/**
 * The part of a page about some words: the sections with them in their titles, or else the sentences, lines and examples
 * with them. Null if there is none.
 */
export function pagePart(page: Page, words: string): Page | null {
  const plain = (text: string) =>
    ` ${text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}]+/gu, ' ')
      .trim()
      .split(' ')
      .map(stemOf)
      .join(' ')}`;
  const isAbout = commonWords.test(words)
    ? (text: string) => new RegExp(`--(?:\\[no-\\])?${words}(?![\\w-])`).test(text)
    : (text: string) => `${plain(text)} `.includes(`${plain(words)}${/^\d+$/.test(words) ? ' ' : ''}`);
  const mentioned = page.sections.filter(({ title }) => title !== null && isAbout(title));
  const named = mentioned.filter(({ title }) => plain(title ?? '').startsWith(plain(words)));
  const titled = named.length > 0 ? named : mentioned;
  const found = page.sections
    .map(({ title, blocks }) => ({ title, blocks: blocks.flatMap((block) => blockPart(block, isAbout)) }))
    .filter(({ blocks }) => blocks.length > 0);
  const sections = titled.length > 0 ? titled : found;
  return sections.length === 0 ? null : { ...page, sections };
}

function blockPart(block: Block, isAbout: (text: string) => boolean): Block[] {
  if (block.kind === 'lines') {
    const lines = block.lines.filter((line) => line.some(isAbout));
    return lines.length === 0 ? [] : [{ ...block, lines }];
  }
  if (block.kind === 'examples') {
    const examples = block.examples.filter(({ command, summary }) => isAbout(command) || isAbout(summary));
    return examples.length === 0 ? [] : [{ ...block, examples }];
  }
  if (!isAbout(block.text)) return [];
  if (block.kind === 'code') return [block];
  // A list of names has no sentences.
  const [pattern, mark] = /[.:]\s/.test(block.text)
    ? [/(?<=[.?!])\s+(?=[\p{Lu}`"*-])|\n{2,}/u, ' ']
    : [/,\s+/, ', '];
  const parts = block.text.split(pattern).filter(isAbout);
  return parts.length === 0 ? [block] : [textBlock(parts.join(mark))];
}
