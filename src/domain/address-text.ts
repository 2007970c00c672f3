/**
 * The text of an address before its parts are read. `addressPieces` cleans it and divides it at its commas, `textFault`
 * says why no courier can go to it whatever else it has, and the patterns tell what a part is: a street, a unit in a
 * building, a post office box or a county. No tables are needed: the command line checks files with `formFault` and
 * `hasZipOrState` alone.
 */
import { withoutMarkup, withoutQuotesAround, withPlainDashes, withPlainDigits } from './plain-text.ts';
import { stateCodeIn } from './us-states.ts';

/** What says that an address follows: `Delivery address:`, `Ship to 233 S Wacker Dr`. */
const labelInFront =
  /^\s*(?:(?:(?:delivery|shipping|ship|deliver|drop[\s-]?off|pick[\s-]?up|street|mailing|home|work|full)\s*)?(?:address|addr|to)\s*[:=]\s*|(?:ship|deliver)\s+to\s+(?=\d))/i;
/** `ZIP code:` in front of a ZIP code. */
const zipLabel = /\b(?:zip(?:\s?-?code)?|postal\s?code|c\.?p\.?)\s*[:#.]?\s*(?=\d{5}(?!\d))/gi;

/** Most addresses have only letters, digits and few signs. */
const plainLine = /^[a-z0-9 ,.#/'-]+$/i;
/** The words of labels, and signs at the ends: what `addressPieces` cleans away also from a plain line. */
const labelled = /^[\s'-]|'\s*$|\b(?:zip|code|c\.?p)\b|^\s*(?:ship|deliver)/i;

/**
 * The parts of an address without markup, labels and signs around them. Line ends, tabs, semicolons and bars stand for
 * commas: of `Ship to: 415, Mission St | Apt 4` it is `415 Mission St` and `Apt 4`.
 */
export function addressPieces(line: string): string[] {
  if (plainLine.test(line) && !labelled.test(line)) return partsOfText(line);
  const plain = withPlainDigits(withPlainDashes(withoutMarkup(line.replaceAll('\t', '\n'))));
  const visible = plain
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .replace(/[\u2028\u2029\u0085]/g, '\n');
  const text = withoutSignsAround(visible)
    .replace(labelInFront, '')
    .replace(zipLabel, '')
    .replace(/[|;\n\r\f\v•·]+/g, ', ')
    .replace(/[\p{Cc}]/gu, ' ');
  return partsOfText(withoutSignsAround(text));
}

function partsOfText(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim().replace(/\s+/g, ' '))
    .map((part) => part.replace(/^[.\s]+(?=\S)/, '').replace(/^-+\s+|\s+-+$/g, ''))
    .filter((part) => /[\p{L}\p{N}#]/u.test(part))
    .reduce(withHouseNumber, []);
}

/** The number of a house in front of a comma or tab is part of its street: `415, Mission St`. */
function withHouseNumber(parts: readonly string[], part: string): string[] {
  const [number = ''] = parts;
  const isNumber = parts.length === 1 && /^\d{1,5}[a-z]?$/i.test(number) && looksLikeStreet(part);
  return isNumber ? [`${number} ${part}`] : [...parts, part];
}

function withoutSignsAround(text: string): string {
  const inner = withoutQuotesAround(text.replace(/^[\s,;]+|[\s,;]+$/g, ''));
  const bare = /^\(([^()]*)\)\.?$/.exec(inner)?.[1] ?? /^\[([^[\]]*)\]$/.exec(inner)?.[1];
  const left = (bare ?? inner).trim();
  return (left.match(/"/g)?.length ?? 0) % 2 === 1 ? left.replace(/^"|"$/g, '') : left;
}

/** The fault of an address in which neither a ZIP code nor a city and a state are found. */
export const addressRule = 'must have a ZIP code, or a street, city and state';

/** Why no courier can go to what was typed, as the end of a sentence that begins with the field; null if one may. */
export function formFault(line: string): string | null {
  return textFault(addressPieces(line).join(', '));
}

/** Whether an address has what may be a ZIP code, or ends with what may be a state. */
export function hasZipOrState(line: string): boolean {
  const text = addressPieces(line).join(', ');
  if (/(?:^|\D)\d{5}(?!\d)|\d{9}|\d{4}(?:-\d{4}|\.0)/.test(text)) return true;
  const words = text
    .replace(/[,\s]+(?:u\.?s\.?(?:a\.?)?|united states(?: of america)?)$/i, '')
    .split(/[,\s]+/);
  const ends = [1, 2, 3].map((count) => words.slice(-count).join(' '));
  return words.length > 2 && ends.some((end) => stateCodeIn(end) !== null);
}

/** Countries as the last words of an address, in English and in their own language; `New Mexico` is none. */
const countries = [
  'canada|mexico|méxico|united kingdom|uk|u\\.k\\.?|great britain|england|scotland|wales|northern ireland',
  'ireland|éire|france|germany|deutschland|spain|españa|espana|italy|italia|portugal|netherlands',
  'the netherlands|nederland|holland|belgium|belgië|belgique|switzerland|schweiz|suisse|austria|österreich',
  'sweden|sverige|norway|norge|denmark|danmark|finland|suomi|poland|polska|czechia|czech republic|hungary',
  'greece|romania|russia|ukraine|turkey|türkiye|israel|india|pakistan|bangladesh|china|hong kong|taiwan',
  'japan|south korea|korea|singapore|malaysia|thailand|vietnam|philippines|indonesia|australia|new zealand',
  'south africa|nigeria|kenya|egypt|brazil|brasil|argentina|chile|colombia|peru|perú|ecuador|venezuela|cuba',
  'dominican republic|jamaica|bahamas|costa rica|panama',
].join('|');
const lastCountry = new RegExp(String.raw`(?:^|[,\s])(?<!new\s)(${countries})\.?$`, 'i');

/** A province of Canada as the last word, behind a city: `1441 Powell St, Vancouver, BC`. */
const lastProvince =
  /,.*[,\s](?:BC|ON|QC|AB|MB|SK|NS|NB|NL|PEI?|YT|NU)$|,.*,\s*(?:british columbia|ontario|qu[eé]bec|alberta|manitoba|saskatchewan|nova scotia|new brunswick)$/;

/** Whether an address without ZIP code and state ends with a province of Canada. */
export function hasProvince(text: string): boolean {
  return lastProvince.test(text) || lastProvince.test(text.toLowerCase());
}

/** The name of another country at the end of an address; null without one. */
export function countryAtEnd(text: string): string | null {
  return lastCountry.exec(text)?.[1] ?? null;
}

/** Postal codes of Canada and of Great Britain. */
const foreignPostalCode = /\b(?:[a-z]\d[a-z][ -]?\d[a-z]\d|[a-z]{1,2}\d[a-z\d]? \d[a-z]{2})\b/i;

/** Whether an address that has no ZIP code has the postal code of another country: `M5V 2T6`, `Torstr 1, 10115 Berlin`. */
export function hasForeignPostalCode(text: string): boolean {
  return foreignPostalCode.test(text) || /\p{L}.*\b\d{5}\s+\p{L}[\p{L}\s.'-]+(?:,|$)/u.test(text);
}

/** `joe@diner.example`, anywhere. */
const email = /[^\s,;<>()]+@[^\s,;<>()]+\.[^\s,;<>()]+/;
/** What points to another address: `same as billing`, `see above`, `ditto`. */
const reference =
  /\b(?:same\s+as|see|as)\s+(?:the\s+)?(?:above|before|below|billing|shipping|delivery|pick-?up|store|sender|buyer|usual|last|previous)\b|^\s*(?:ditto|idem|same|as above)\b/i;

export const howToWrite = 'write street, city, state and ZIP code';

/** What people write into a field that must not be empty: `N/A`, `TBD`, `will call`. */
const noStreet =
  /^\s*(?:n\/?\.?a\.?|tb[acd]|none|unknown|asdf\w*|(?:in[ -]?store )?pick[ -]?up(?: (?:in|at)(?: the)? (?:store|shop))?|will call|curbside)\s*(?:,|$)/i;

export const militaryFault = 'is a military post office (APO, FPO or DPO): couriers do not go there';

/** Why no courier can go to what a text says, whatever else it has; null if nothing speaks against it. */
export function textFault(text: string): string | null {
  const mail = email.exec(text)?.[0];
  if (mail !== undefined)
    return `contains an e-mail address (${mail}): write the street, and the e-mail address in a field of its own`;
  if (reference.test(text)) return 'points to another address: write the address itself';
  if (noStreet.test(text)) return `has no street: ${howToWrite}`;
  if (/\bgeneral\s+delivery\b|\bposte\s+restante\b/i.test(text))
    return 'is General Delivery, which is collected at a post office: couriers need a street address';
  if (hasHiddenLetters(text))
    return 'has signs that hide a part of it (such as ***): write the address without them';
  return isMilitary(text) ? militaryFault : null;
}

/** Whether stars or the letter X stand for what somebody may not see: `1** S W***** Dr`, `123 **** St`, `12XX Main St`. */
function hasHiddenLetters(text: string): boolean {
  if (/\b\d+x{2,}\b|\bx{3,}\b/i.test(text)) return true;
  if (/^\*{2,}\s[^\d,*]+,/.test(text)) return true;
  const words = text.split(/[\s,]+/);
  // Two stars on both sides of words only emphasize them.
  if (words.some((word) => /^\*+\p{L}/u.test(word))) return false;
  return words.some(
    (word, index) =>
      /^[\p{L}\d]+\*{2,}\.?$/u.test(word) ||
      (/^\*{3,}$/.test(word) && streetType.test(words[index + 1] ?? '')),
  );
}

/** Whether a text has a military post office and its state or ZIP code. */
function isMilitary(text: string): boolean {
  return /\b[AFD]\.?P\.?O\.?,?\s+(?:A\.?[AEP]\.?\b|(?:0?9[0-8]|340|96[2-6])\d{2,3}\b)/i.test(text);
}

/** `P.O. Box 12`, `post office drawer #7`. */
const box = String.raw`(?:p\.?\s*o\.?|post\s+office|postal)\s*(?:box|bx|drawer)\.?\s*(?:no\.?|number|#)?\s*[a-z]{0,2}-?\d[\w-]*`;
/** Boxes within a part, also `Apartado 12` and `POB 12`. */
const boxAnywhere = new RegExp(
  String.raw`\b${box}|\bapartado(?:\s+postal)?\s+\d+|\bP\.?\s?O\.?\s?B\.?\s+\d+`,
  'gi',
);
/** A part that is only a box: `Box 12`, `Caller 4`. */
const boxAlone = /^(?:box|bx|drawer|lock\s?box|caller)\s*(?:no\.?|#)?\s*\d[\w-]*$/i;

/** A part of an address without post office boxes. */
export function withoutBoxes(part: string): string {
  if (boxAlone.test(part)) return '';
  return part
    .replace(boxAnywhere, '')
    .replace(/\s+/g, ' ')
    .replace(/^[\s-]+|[\s-]+$/g, '');
}

const streetTypes =
  'st|str|street|ave?|avenue|blvd|boulevard|dr|drive|rd|road|ln|lane|ct|court|pl|place|pkwy|parkway|hwy|highway|expy|expressway|ter|terrace|cir|circle|sq|square|trl|trail|plz|plaza|aly|alley|way|loop|row|run|pike|pt|cv|cove|xing|crossing|turnpike|tpke|broadway|route|rte|calle|avenida|carr|camino|bend|path|walk|mall|quay|wharf|bridge|hill|ridge|freeway|fwy';
const streetType = new RegExp(String.raw`\b(?:${streetTypes})\b`, 'i');
const streetTypeAtEnd = new RegExp(
  String.raw`\b(?:${streetTypes})\.?(?:\s+(?:[nsew]|[ns][ew]|north|south|east|west))?\.?$`,
  'i',
);
const secondStreet = new RegExp(
  String.raw`\b(?:${streetTypes})\b\.?,?\s+(?:or|and|&|/|oder|o)\s+\d+[a-z]?\s+\p{L}`,
  'iu',
);

/** Whether a text looks like a street: it has a number, or the word for a kind of street. */
export function looksLikeStreet(text: string): boolean {
  return /\d/.test(text) || streetType.test(text);
}

/** Whether a part cannot be a city: it has a digit, or ends like a street. */
export function cannotBeCity(part: string): boolean {
  return /\d/.test(part) || (streetTypeAtEnd.test(part) && part.includes(' '));
}

/** Whether a text has two streets with numbers: `233 S Wacker Dr or 43 E Ohio St`. */
export function hasTwoStreets(text: string): boolean {
  return secondStreet.test(text);
}

const unitWords =
  'apt|apartment|apmt|apto|unit|suite|ste|floor|flr|fl|room|rm|bldg|building|lot|trlr|trailer|spc|space|hngr|hangar|slip|dept|department|pmb|stop|no|num|door|gate|piso|oficina|tower|twr|ph|penthouse|studio|office|ofc|level|lvl|entrance|dock|bay';
const ordinal = 'ground|first|second|third|fourth|fifth|sixth|top|main|upper|lower|\\d+(?:st|nd|rd|th)';
/** `Apt 4`, `# 12`, `3rd floor`, `rear`. */
const oneUnit = String.raw`(?:(?:${unitWords})\b\.?\s*(?:no\.?|number|#)?\s*(?:[a-z]{0,2}-?\d[\w/-]*|[a-z]{1,2}\b)|#\s*[\w/-]+|(?:${ordinal})\s+(?:floor|flr?)|(?:rear|front|lobby|basement|bsmt|penthouse|ph|upper|lower|upstairs|downstairs|reception)(?![\w-]))`;
const unitPart = new RegExp(String.raw`^${oneUnit}(?:[\s,/-]+${oneUnit})*\.?$`, 'i');
const unitInFront = new RegExp(String.raw`^${oneUnit}(?=[\s)]|$)\.?`, 'i');

/** Whether a part of an address is a unit in a building: `Apt 4`, `3rd floor`, `Bldg 2 Ste 201`. */
export function isUnit(part: string): boolean {
  return unitPart.test(part.replace(/^\((.*)\)$/, '$1'));
}

/** `Apt 4 rear door` */
export function startsWithUnit(part: string): boolean {
  return unitInFront.test(part);
}

/** Whether digits behind a word number a unit or a box, and are no ZIP code: `Apt 60606`. */
export function isNumberLabel(word: string): boolean {
  return /^(?:#|apt|apartment|unit|suite|ste|floor|room|rm|bldg|building|lot|spc|space|box|no|number|pmb|drawer)\.?$/i.test(
    word,
  );
}

export function isCounty(part: string): boolean {
  return /^[\p{L}\s.'-]+\s(?:county|cnty|co\.|parish|borough|municipio)$/iu.test(part);
}

/** The ZIP code at the end of a stored address: `60601` in `1 Main St, Chicago, IL 60601-1234, USA`. */
export function zipOf(address: string): string | null {
  return /\b(\d{5})(?:-\d{4})?(?:, USA)?$/.exec(address)?.[1] ?? null;
}
