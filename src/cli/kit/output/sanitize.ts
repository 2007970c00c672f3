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
export function isPlain(text: string): boolean {
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
