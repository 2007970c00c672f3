import { product } from '../product.ts';

/** Terminal control sequences: CSI, OSC, DCS and similar, and two-character ones (ECMA-48). */
const sequences = new RegExp(
  [
    '(?:\\u001b\\[|\\u009b)[0-?]*[ -/]*[@-~]?',
    '(?:\\u001b[\\]PX^_]|[\\u009d\\u0090\\u0098\\u009e\\u009f])[^\\u0007\\u001b\\u009c]*(?:\\u0007|\\u001b\\\\|\\u009c)?',
    '\\u001b[ -/]*[0-~]?',
  ].join('|'),
  'g',
);

/** Marks and overrides of writing direction, which can disguise a text. */
const bidi = '\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069';
const plain = /^[ -~]*$/;
const breaks = /\r\n?|[\n\t\v\f\u0085\u2028\u2029]/g;
/** Invisible characters, except those that join letters and emoji: with them, one text can pass for another. */
const unseen = '\\u00ad\\u180e\\u200b\\u2060-\\u2064\\u206a-\\u206f\\ufeff\\ufff9-\\ufffb';
const tags = '\\udb40[\\udc00-\\udc7f]';
const controls = new RegExp(`[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f${bidi}${unseen}]|${tags}`, 'g');
const dangerous = new RegExp(`[\\u007f-\\u009f${bidi}${unseen}\\u2028\\u2029]|${tags}`, 'g');

/** True for printable ASCII on one line, the usual case: no other pattern needs to be compiled for it. */
function isPlain(text: string): boolean {
  return plain.test(text);
}

/** Removes escape sequences, control characters and direction overrides. */
export function sanitized(text: string): string {
  if (isPlain(text)) return text;
  return text.replace(sequences, '').replace(controls, '');
}

/** The same on one line. */
export function oneLine(text: string): string {
  if (isPlain(text)) return text;
  return sanitized(text.replace(breaks, ' '));
}

/** Escapes everything in JSON that a terminal might interpret; the strings stay the same. */
export function escapedJson(json: string): string {
  return json.replace(dangerous, escapeOf);
}

/** Escapes a character as in JSON; those beyond the first plane as surrogates. */
export function escapeOf(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}

const number = /^[+-]?(?:\d+|\$\d{1,3}(?:,\d{3})*)(?:\.\d+)?$/;
const formula = /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/;

/**
 * Escapes a cell that a spreadsheet would run as a formula (OWASP, CSV injection), including full-width signs and
 * leading spaces. A signed number or amount, such as a phone number, is unchanged.
 */
export function guarded(text: string): string {
  return isFormula(text) ? `'${text}` : text;
}

/** Reverses `guarded`. */
export function unguarded(text: string): string {
  return text.startsWith("'") && isFormula(text.slice(1)) ? text.slice(1) : text;
}

function isFormula(text: string): boolean {
  return formula.test(text) && !number.test(text);
}

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

/** Masks phone numbers and e-mail addresses in a request or response shown to people. */
export function withContactsMasked(text: string): string {
  return withEmailsMasked(withPhonesMasked(text));
}

/** Masks the name in an e-mail address but for its first character: `j***@diner.example`. */
export function maskedEmail(address: string): string {
  const at = address.lastIndexOf('@');
  const [first = ''] = address.slice(0, Math.max(0, at));
  return at < 1 ? '***' : `${first}***${address.slice(at)}`;
}

/** Returns the formatter of e-mail addresses: unmasked on request. */
export function emailShown({ showPii }: { showPii: boolean }): (address: string) => string {
  return showPii ? (address) => address : maskedEmail;
}

const emailInJson = /("\w*email"\s*:\s*")([^"\\]*)(")/g;
/** An address in a query, where the at sign may be encoded. */
const emailInQuery = /([?&]q=)([^&\s]*(?:@|%40)[^&\s]*)/gi;

/** Masks the values of e-mail fields in a request or response shown to people. */
function withEmailsMasked(text: string): string {
  return text
    .replace(
      emailInJson,
      (_, before: string, address: string, after: string) =>
        before + (address === '' ? '' : maskedEmail(address)) + after,
    )
    .replace(emailInQuery, (_, before: string, address: string) => before + '*'.repeat(address.length));
}

/**
 * Masks the middle of a phone number: `+1 312 *** **42`. The rest is enough to distinguish numbers, not to call them. A
 * short number is masked completely.
 */
export function maskedPhone(phone: string): string {
  const digits = phone.replace(/\D/g, '');
  const end = digits.slice(-2);
  if (digits.length < 7) return '*'.repeat(digits.length);
  if (digits.length === 11 && digits.startsWith('1')) return `+1 ${digits.slice(1, 4)} *** **${end}`;
  return `+${digits.slice(0, 2)} ${'*'.repeat(digits.length - 4)}${end}`;
}

/** Returns the formatter of phone numbers: unmasked on request. */
export function phoneShown({ showPii }: { showPii: boolean }): (phone: string) => string {
  return showPii ? wholePhone : maskedPhone;
}

/** `+1 312 555 0142`, or the digits of another country after a plus. A short number has no country. */
function wholePhone(phone: string): string {
  const digits = phone.replace(/\D/g, '');
  if (digits.length < 10) return phone;
  const us = /^1(\d{3})(\d{3})(\d{4})$/.exec(digits);
  return us === null ? `+${digits}` : `+1 ${us[1]} ${us[2]} ${us[3]}`;
}

/** A masked number. */
const masked = /\+\d+ (?:\d{3} )?\*+(?: \*+)?\d\d/g;

/** Splits a text into words for wrapping; a masked number is one word. */
function wordsKeptWhole(text: string): string[] {
  const bound = text.replace(masked, (number) => number.replaceAll(' ', '\u00a0'));
  return bound.split(/[^\S\u00a0]+/).map((word) => word.replaceAll('\u00a0', ' '));
}

const phoneInJson = /("\w*phone(?:_number)?"\s*:\s*")([^"\\]*)(")/g;
/** A search with seven or more digits may be for a phone number. */
const phoneInQuery = /([?&](?:phone=|q=(?=(?:[^&\s]*?\d){7})))([^&\s]*)/g;

/** Masks the values of phone fields in a request or response shown to people. */
function withPhonesMasked(text: string): string {
  return text
    .replace(
      phoneInJson,
      (_, before: string, phone: string, after: string) => before + maskedPhone(phone) + after,
    )
    .replace(phoneInQuery, (_, before: string, phone: string) => before + '*'.repeat(phone.length));
}
