/**
 * Makes text safe to show: removes what a terminal would execute (`sanitized`), escapes what a spreadsheet would run or
 * rewrite (`withCellEscaped`), masks contacts (`maskedPhone`, `maskedEmail`), and shortens keys and secrets (`redacted`).
 */
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
const printableAscii = /^[ -~]*$/;
const breaks = /\r\n?|[\n\t\v\f\u0085\u2028\u2029]/g;
/** Invisible characters, except those that join letters and emoji: with them, one text can pass for another. */
const invisible = '\\u00ad\\u180e\\u200b\\u2060-\\u2064\\u206a-\\u206f\\ufeff\\ufff9-\\ufffb';
const tags = '\\udb40[\\udc00-\\udc7f]';
const controls = new RegExp(
  `[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f${bidi}${invisible}]|${tags}`,
  'g',
);
const dangerous = new RegExp(`[\\u007f-\\u009f${bidi}${invisible}\\u2028\\u2029]|${tags}`, 'g');

/** True for printable ASCII on one line, the usual case: no other pattern needs to be compiled for it. */
export function isPlain(text: string): boolean {
  return printableAscii.test(text);
}

/** Removes escape sequences, control characters and direction overrides. */
export function sanitized(text: string): string {
  if (isPlain(text)) return text;
  return text.replace(sequences, '').replace(controls, '');
}

/** The sanitized text on one line. */
export function oneLine(text: string): string {
  if (isPlain(text)) return text;
  return sanitized(text.replace(breaks, ' '));
}

/** Words of Hebrew, Arabic and related scripts. Two spaces, which separate columns, end a match. */
const rightToLeft =
  /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]+(?:[ ,.'"-]?[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]+)*/g;

/**
 * Puts text that is written from right to left in isolates (UAX #9), so that a terminal does not move what stands beside
 * it. This is the last step, after sanitizing and measuring, as isolates are control characters without a width.
 */
export function withIsolates(lines: string): string {
  return isPlain(lines) ? lines : lines.replace(rightToLeft, '\u2068$&\u2069');
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

const numberOrAmount = /^[+-]?(?:\d+|\$\d{1,3}(?:,\d{3})*)(?:\.\d+)?$/;
const formula = /^\s*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/;

/**
 * Escapes a cell that a spreadsheet would run as a formula (OWASP, CSV injection), including full-width signs and
 * leading spaces. A signed number or amount, such as a phone number, is unchanged.
 */
export function withFormulaEscaped(text: string): string {
  return isFormula(text) ? `'${text}` : text;
}

/**
 * Matches what a spreadsheet takes for a number, a date or a time and writes in another way: `000123`, `1E5`, `3/4`,
 * `+44 20 7946 0958`. It does not match a US phone number, which only loses its plus.
 */
const reformatted = new RegExp(
  [
    String.raw`^(?:[+-]?0\d[\d.]*|\d+(?:\.\d+)?e[+-]?\d+|\d+\.\d*0|\d{12,}|\+(?!1\d{10}$)\d[\d ()-]*`,
    String.raw`\d{1,4}[-/]\d{1,2}(?:[-/]\d{1,4})?|\d{1,2}:\d{2}(?::\d{2})?`,
    String.raw`(?:\d{1,2}[- ])?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*[- ]\d{1,4})$`,
  ].join('|'),
  'i',
);

/** Escapes a cell that a spreadsheet would run, or write in another way. */
export function withCellEscaped(text: string): string {
  return isFormula(text) || reformatted.test(text) ? `'${text}` : text;
}

/** Reverses `withFormulaEscaped` and `withCellEscaped`. */
export function withCellUnescaped(text: string): string {
  const inside = text.slice(1);
  return text.startsWith("'") && (isFormula(inside) || reformatted.test(inside)) ? inside : text;
}

function isFormula(text: string): boolean {
  return formula.test(text) && !numberOrAmount.test(text);
}

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
export function emailFormatter({ showPii }: { showPii: boolean }): (address: string) => string {
  return showPii ? (address) => address : maskedEmail;
}

const emailInJson = /("\w*email"\s*:\s*")([^"\\]*)(")/g;
/** A search for an e-mail address in a query string, where the at sign may be encoded. */
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

/** Masks the middle of a phone number, so that nobody can call it: `+1 312 *** **42`; a short one completely. */
export function maskedPhone(phone: string): string {
  const digits = phone.replace(/\D/g, '');
  const end = digits.slice(-2);
  if (digits.length < 7) return '*'.repeat(digits.length);
  if (digits.length === 11 && digits.startsWith('1')) return `+1 ${digits.slice(1, 4)} *** **${end}`;
  return `+${digits.slice(0, 2)} ${'*'.repeat(digits.length - 4)}${end}`;
}

/** Returns the formatter of phone numbers: unmasked on request. */
export function phoneFormatter({ showPii }: { showPii: boolean }): (phone: string) => string {
  return showPii ? unmaskedPhone : maskedPhone;
}

/** `+1 312 555 0142`, or the digits of another country after a plus. A short number has no country. */
function unmaskedPhone(phone: string): string {
  const digits = phone.replace(/\D/g, '');
  if (digits.length < 10) return phone;
  const us = /^1(\d{3})(\d{3})(\d{4})$/.exec(digits);
  return us === null ? `+${digits}` : `+1 ${us[1]} ${us[2]} ${us[3]}`;
}

/** Matches a number as `maskedPhone` masks it. */
export const maskedPhonePattern = /\+\d+ (?:\d{3} )?\*+(?: \*+)?\d\d/g;

const phoneInJson = /("\w*phone(?:_number)?"\s*:\s*")([^"\\]*)(")/g;
/** A phone number in a query string; a search with seven or more digits may be for one. */
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

const { key_prefix, secret_prefix } = product;
const prefixes = new RegExp(`^(?:${key_prefix}|${secret_prefix})`);
const keys = new RegExp(`${key_prefix}[0-9A-Za-z]{8,}|${secret_prefix}[0-9A-Za-z+/=_-]{8,}`, 'g');

/** Shortens a key or webhook secret to what identifies it: `wb_test_…abcd`. */
export function shownKey(key: string): string {
  const prefix = prefixes.exec(key)?.[0] ?? '';
  return `${prefix}…${key.length >= 12 ? key.slice(-4) : ''}`;
}

/** The headers whose whole value is a secret. */
const secretHeaders: ReadonlySet<string> = new Set(['x-api-key', 'authorization', 'cookie', 'set-cookie']);

/** The least length of a given secret. No service issues shorter ones, which could be parts of words and of JSON. */
const min_secret_length = 8;

/** Shortens every key and webhook secret in a text, and the given secrets in any form. */
export function redacted(text: string, secrets: readonly string[] = []): string {
  let shown = text.replace(keys, shownKey);
  for (const secret of secrets)
    if (secret.length >= min_secret_length) shown = shown.replaceAll(secret, shownKey(secret));
  return shown;
}

/** A header as it may be shown. */
export function shownHeader(name: string, value: string): string {
  return secretHeaders.has(name) ? shownKey(value) : redacted(value);
}
