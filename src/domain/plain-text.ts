/** Texts as shops, spreadsheets and mails hand them over, without what only a program can read. */

const lineBreakTag = /<\s*(?:br|\/p|\/div|\/li)\b[^>]*>/gi;
const otherTag = /<\/?[a-z][a-z0-9]*(?:\s[^<>]*)?\/?>/gi;
const entity = /&(#x[0-9a-f]{1,6}|#\d{1,7}|[a-z]{2,8});/gi;

/** Characters that show nothing. Joiners and variation selectors are kept: they shape letters and emoji. */
const hidden = /[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]/g;

const wideBlank = /[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g;

const named: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  ndash: '–',
  mdash: '—',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  hellip: '…',
  bull: '•',
  middot: '·',
  deg: '°',
  frac12: '½',
  szlig: 'ß',
  shy: '',
};

/** The combining characters of entities such as `&eacute;`. */
const accents: Readonly<Record<string, string>> = {
  acute: '\u0301',
  grave: '\u0300',
  circ: '\u0302',
  tilde: '\u0303',
  uml: '\u0308',
  ring: '\u030a',
  cedil: '\u0327',
  caron: '\u030c',
};

/** A text without markup, entities and characters that show nothing; line break tags become line ends. */
export function withoutMarkup(text: string): string {
  const untagged = /[<&]/.test(text)
    ? withoutEntities(text.replace(lineBreakTag, '\n').replace(otherTag, ''))
    : text;
  return untagged.replace(hidden, '').replace(wideBlank, ' ');
}

/** Some systems encode twice: `&amp;amp;`. */
function withoutEntities(text: string): string {
  return text.replace(entity, characterOf).replace(entity, characterOf);
}

const windows = new TextDecoder('windows-1252');

/** The character of an entity; one that is unknown is kept as it is. */
function characterOf(whole: string, name: string): string {
  if (name.startsWith('#')) {
    const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    if (code === 9 || code === 10 || code === 13) return '\n';
    // As in HTML: many programs write the code of an apostrophe in Windows, 146.
    if (code >= 127 && code < 160) return windows.decode(Uint8Array.of(code)).replace(/\p{Cc}/u, whole);
    const isCharacter = code > 31 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
    return isCharacter ? String.fromCodePoint(code) : whole;
  }
  const accent = accents[name.slice(1)];
  if (accent !== undefined) return `${name.charAt(0)}${accent}`.normalize('NFC');
  return named[name.toLowerCase()] ?? whole;
}

/** Digits of other scripts by the code of their zero. */
const zeros = [0x0660, 0x06f0, 0x0966, 0x09e6, 0xff10];

/** A text with the digits 0 to 9 for those of other scripts. */
export function withPlainDigits(text: string): string {
  return text.replace(/(?![0-9])\p{Nd}/gu, (digit) => {
    const code = digit.codePointAt(0) ?? 0;
    const zero = zeros.find((each) => code >= each && code <= each + 9);
    return zero === undefined ? digit : String(code - zero);
  });
}

/** A text with hyphens for dashes of all kinds, and plain blanks. */
export function withPlainDashes(text: string): string {
  return text.replace(/[\u2010-\u2015\u2212\u2043\ufe58\ufe63\uff0d]/g, '-').replace(/[^\S\n]/g, ' ');
}

/** The text within quotes or Excel's `="..."` that surround the whole of it. */
export function withoutQuotesAround(text: string): string {
  const trimmed = text.trim();
  const inner =
    /^=?"([^"]*)"$/.exec(trimmed)?.[1] ??
    /^'([^']*)'$/.exec(trimmed)?.[1] ??
    /^[“„”]([^“„”]*)[“”]$/.exec(trimmed)?.[1] ??
    /^[‘‚’]([^‘‚]*)[’‘]$/.exec(trimmed)?.[1] ??
    /^«([^«»]*)»$/.exec(trimmed)?.[1];
  return inner === undefined ? trimmed : inner.trim();
}
