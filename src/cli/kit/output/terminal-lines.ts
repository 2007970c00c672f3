/** Text in the lines of a terminal: its width, shortening and wrapping (`wrapProse` keeps commands whole). */
import { product } from '../product.ts';
import { isPlain, maskedPhonePattern } from './safe-text.ts';

/** Matches a character of two columns. The patterns here are costly, and few texts need them: each call makes one. */
const wideCharacter = () =>
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;
/** Matches color sequences, and both halves of a link. */
const styleSequences = () => /\p{Cc}(?:\[[0-9;]*m|\]8;[^\p{Cc}]*\p{Cc}\\)/gu;

export function displayWidth(text: string): number {
  if (isPlain(text)) return text.length;
  const bare = text.replace(styleSequences(), '');
  if (isPlain(bare)) return bare.length;
  return [...bare].reduce((sum, character) => sum + characterWidth(character), 0);
}

function characterWidth(character: string): number {
  if (/\p{M}|\u200d|\ufe0f/u.test(character)) return 0;
  return wideCharacter().test(character) ? 2 : 1;
}

export function padded(text: string, width: number): string {
  return text + ' '.repeat(Math.max(0, width - displayWidth(text)));
}

/** Shortens a text to a width, with `…` at its end. */
export function truncatedToWidth(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  const characters = [...text];
  while (characters.length > 0 && displayWidth(characters.join('')) >= width) characters.pop();
  return `${characters.join('').trimEnd()}…`;
}

/** The end of an ID for people: five characters, or more until one is a letter, as digits may end a phone number. */
export function shortId(id: string): string {
  const [end] = /^[a-z]+_[0-9A-Z]{26}$/.test(id) ? (/(?=.*[A-Z]).{5}$|[A-Z][0-9]*$/.exec(id) ?? [id]) : [id];
  return end;
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

/** Wraps prose at spaces, but never within a command, a masked phone number or a short quote. Null: unchanged. */
export function wrapProse(text: string, columns: number | null): string {
  if (columns === null) return text;
  return text
    .split('\n')
    .map((line) => (displayWidth(line) <= columns ? line : wrapLine(line, columns)))
    .join('\n');
}

function wrapLine(line: string, columns: number): string {
  const indent = /^ */.exec(line)?.[0] ?? '';
  const deeper = indent === '' ? '' : `${indent}  `;
  const lines: string[] = [];
  for (const unit of unbreakableParts(line)) {
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

/** Splits a line into units that stay whole: words, and commands in backticks, after a colon or alone on a line. */
function unbreakableParts(line: string): readonly string[] {
  const [, command, when] = commandLine.exec(line) ?? [];
  if (command !== undefined) return when === undefined ? [command] : [command, when];
  return line.match(unbreakablePattern()) ?? [];
}

/** Matches what stays on one line of prose. A command after a colon ends with its sentence. */
const unbreakablePattern = () => {
  const rest = /(?:'[^']*'|"[^"]*"|[^`'"(),;.]|[,;.](?! |$))*[),;.]*/;
  const command = `(?<=: )(?:${product.name}|npm|chmod|sqlite3) ${rest.source}`;
  const quote = /"[^" ][^"]{0,28}"/;
  return new RegExp(`${command}|(?:\`[^\`]*\`|${quote.source}|${maskedPhonePattern.source}|[^ ])+`, 'g');
};

/** Splits a text into words for wrapping; a masked number is one word. */
function wordsKeptWhole(text: string): string[] {
  const bound = text.replace(maskedPhonePattern, (number) => number.replaceAll(' ', '\u00a0'));
  return bound.split(/[^\S\u00a0]+/).map((word) => word.replaceAll('\u00a0', ' '));
}

/** Spaces between two columns, and between a label and its value. */
export const gap = 2;
/** The least width of a text; words in narrower lines cannot be read. */
export const min_text_width = 20;

/** The lines of a text that is wrapped to the terminal width, indented; none for an empty text. */
export function foldedLines(text: string, { room }: { room: number | null }, indent = '  '): string[] {
  return wrappedLines(text, room, indent.length).map((line) => indent + line);
}

/** The lines of a text that is wrapped to the width behind an indent; none for an empty text. */
export function wrappedLines(text: string, room: number | null, indent: number): string[] {
  if (text === '') return [];
  return room === null ? [text] : wrapped(text, Math.max(min_text_width, room - indent)).split('\n');
}
