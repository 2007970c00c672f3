/** Sequences that terminals obey: CSI, OSC, DCS and their like, and two-character ones (ECMA-48). */
const sequences = new RegExp(
  [
    '(?:\\u001b\\[|\\u009b)[0-?]*[ -/]*[@-~]?',
    '(?:\\u001b[\\]PX^_]|[\\u009d\\u0090\\u0098\\u009e\\u009f])[^\\u0007\\u001b\\u009c]*(?:\\u0007|\\u001b\\\\|\\u009c)?',
    '\\u001b[ -/]*[0-~]?',
  ].join('|'),
  'g',
);

/** Marks and overrides of writing direction, which make text read as something else. */
const bidi = '\\u061c\\u200e\\u200f\\u202a-\\u202e\\u2066-\\u2069';
const breaks = /\r\n?|[\n\t\v\f\u0085\u2028\u2029]/g;
const controls = new RegExp(`[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f${bidi}\\u200b\\ufeff]`, 'g');
const dangerous = new RegExp(`[\\u007f-\\u009f${bidi}\\u2028\\u2029]`, 'g');

/** Text that only says something: no escape sequence, control character or direction override. */
export function sanitized(text: string): string {
  return text.replace(sequences, '').replace(controls, '');
}

/** The same on one line. */
export function oneLine(text: string): string {
  return sanitized(text.replace(breaks, ' '));
}

/** JSON whose strings are the same, with everything a terminal might obey written as an escape. */
export function escapedJson(json: string): string {
  return json.replace(
    dangerous,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/**
 * A cell that a spreadsheet would take for a formula, made text (OWASP, CSV injection; the full-width signs count
 * where such are typed). A number with its sign, as a phone number, is none.
 */
export function guarded(text: string): string {
  if (/^[+-]?\d+(?:\.\d+)?$/.test(text)) return text;
  return /^[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/.test(text) ? `'${text}` : text;
}
