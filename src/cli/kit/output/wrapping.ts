import { product } from '../product.ts';
import { masked } from './masking.ts';
import { isPlain } from './sanitize.ts';

/** Created on demand, like those below: few texts need these costly patterns. */
const wide = () =>
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;
/** Color sequences, and both halves of a link. */
const styles = () => /\p{Cc}(?:\[[0-9;]*m|\]8;[^\p{Cc}]*\p{Cc}\\)/gu;

/** The width of a text in a terminal. */
export function displayWidth(text: string): number {
  if (isPlain(text)) return text.length;
  const bare = text.replace(styles(), '');
  if (isPlain(bare)) return bare.length;
  return [...bare].reduce((sum, character) => sum + characterWidth(character), 0);
}

function characterWidth(character: string): number {
  if (/\p{M}|\u200d|\ufe0f/u.test(character)) return 0;
  return wide().test(character) ? 2 : 1;
}

/** Pads a text with spaces to a width. */
export function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - displayWidth(text)));
}

/** Wraps a text to a width with an indent after the first line; a longer word stays whole. */
export function wrapped(text: string, room: number, indent = ''): string {
  if (displayWidth(text) <= room && !text.includes('\n')) return text;
  const lines: string[] = [];
  for (const word of wordsKeptWhole(text)) {
    const last = lines.at(-1);
    if (last !== undefined && displayWidth(last) + 1 + displayWidth(word) <= room)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.join(`\n${indent}`);
}

/**
 * Wraps prose to a terminal width: at spaces, but never within a command, a masked phone number or a short quote. Null:
 * unchanged.
 */
export function prose(text: string, columns: number | null): string {
  if (columns === null) return text;
  return text
    .split('\n')
    .map((line) => (displayWidth(line) <= columns ? line : filled(line, columns)))
    .join('\n');
}

function filled(line: string, columns: number): string {
  const indent = /^ */.exec(line)?.[0] ?? '';
  const deeper = indent === '' ? '' : `${indent}  `;
  const lines: string[] = [];
  for (const unit of unitsOf(line)) {
    const last = lines.at(-1);
    if (last !== undefined && displayWidth(`${last} ${unit}`) <= columns)
      lines[lines.length - 1] = `${last} ${unit}`;
    else lines.push(`${lines.length === 0 ? indent : deeper}${unit}`);
  }
  return lines.join('\n');
}

/** A line that contains a command, optionally with its purpose in parentheses. */
const commandLine = new RegExp(
  `^ {2,}((?:\\$|${product.name}|${product.environment_prefix}\\w+=\\S*) .*?)(?: {3}(\\(.*\\)))?$`,
);

/**
 * Splits a line into units that stay whole: words, and commands in backticks, after a colon or on a line of their own.
 */
function unitsOf(line: string): readonly string[] {
  const [, command, when] = commandLine.exec(line) ?? [];
  if (command !== undefined) return when === undefined ? [command] : [command, when];
  return line.match(words()) ?? [];
}

/** A command after a colon ends with its sentence. */
const words = () => {
  const rest = /(?:'[^']*'|"[^"]*"|[^`'"(),;.]|[,;.](?! |$))*[),;.]*/;
  const command = `(?<=: )(?:${product.name}|npm|chmod|sqlite3) ${rest.source}`;
  const quote = /"[^" ][^"]{0,28}"/;
  return new RegExp(`${command}|(?:\`[^\`]*\`|${quote.source}|${masked.source}|[^ ])+`, 'g');
};

/** Splits a text into words for wrapping; a masked number is one word. */
function wordsKeptWhole(text: string): string[] {
  const bound = text.replace(masked, (number) => number.replaceAll(' ', '\u00a0'));
  return bound.split(/[^\S\u00a0]+/).map((word) => word.replaceAll('\u00a0', ' '));
}
