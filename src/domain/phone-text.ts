/**
 * Reads telephone numbers as people, spreadsheets and shops write them. It knows the form of numbers of the USA; numbers
 * of other countries are only told apart. `phones.ts` knows which numbers exist.
 */
import { withoutMarkup, withoutQuotesAround, withPlainDashes, withPlainDigits } from './plain-text.ts';

/** A number in international format, and what was written beside it. */
export interface WrittenPhone {
  /** `+13125550142`. */
  number: string;
  /** An extension, a second number or other words: `ext. 12`, `or 312-555-0143`. Empty without any. */
  extra: string;
}

export type PhoneReading = WrittenPhone | { fault: string };

const example = 'such as +13125550142';
const us_digits = 10;
/** The longest number of any country (ITU-T E.164), and the shortest: `+683 4002`. */
const max_digits = 15;
const min_digits = 7;

/** Words that only say what kind of number it is. */
const label =
  '(?:https?://)?wa\\.me|tel(?:ephone)?|telefono|phone|ph|cell(?:ular|phone)?|mobile|mob|movil|home|house|work|office|business|main|fax|sms|text|call|callto|whatsapp|contact|number|num|no|usa?|eeuu';
/** cell, home, mobile, office, phone, telephone, work. */
const letterLabel = '[chmoptw]';
/** `Tel.:`, `(cell)`, `c:`, `tel://`, also several of them. */
const labelsInFront = new RegExp(
  `^(?:[(\\[]?\\s*(?:(?:${label})\\b[)\\]]?|${letterLabel}(?=\\s*[:.)]))\\s*[)\\].:#-]*\\s*/{0,2})+`,
  'i',
);
/** `(cell)`, `- work`, `h`. */
const labelBehind = new RegExp(
  `^[\\s,;-]*[(\\[]?\\s*(?:${label}|${letterLabel})\\s*[.)\\]]*\\s*(?=$|[,;/]|or\\b)`,
  'i',
);
/** What may stand between the parts of a number: `(312) 555-0142`, `312.555.0142`. */
const between = String.raw`[\s./()[\]_~·-]*`;
/** The last four digits, also in pairs as in France: `50 00`. */
const lastFour = String.raw`(\d{4}|\d{2}[\s.·-]\d{2})`;
/** The area, the office and the line of a number, each a group. */
const tenDigits = String.raw`[(\[]?\s*([2-9]\d{2})${between}(\d{3})${between}${lastFour}(?!\d)\)?`;
const usNumber = new RegExp(String.raw`^\(?\+?(?:1[\s().+/-]*(?=[(\[]?\s*[2-9]))?${tenDigits}`);
const numberInText = new RegExp(String.raw`(?<![\d+])(?:\+?1[\s.-]*)?${tenDigits}`);
/** `ext. 12`, `x12`, `#12`, `,,12`; `p12` and `w12` as phones dial it after a pause or a wait. */
const extension =
  /^[\s,;.-]*(?:\(\s*)?(?:e?xt(?:ension|n)?|x|int(?:erno)?|#|,{1,3}(?=\s*\d{1,6}\s*$)|p|w)\s*[.:=#]*\s*(\d{1,8})\b\s*\)?/i;
/** `or` before a number: `/ 312-555-0143`. */
const secondNumber = /^\s*(?:[,;/&|\n]|\bor\b|\band\b|\boder\b|\bo\b|\by\b)[\s,;/]*(?=.*\d{4})/i;

/** Reads a number. `fault` is the end of a sentence that begins with the field. */
export function readPhoneText(given: string): PhoneReading {
  const text = cleaned(given);
  if (text === '') return { fault: `is not a phone number ${example}` };
  if (text.includes('@') && !numberInText.test(text))
    return { fault: `is an e-mail address, not a phone number ${example}` };
  if (/[*•●]|x{3}/i.test(text)) return { fault: 'is masked: its digits are hidden by other characters' };
  const shortened = shortenedBySpreadsheet(text);
  if (shortened !== null && typeof shortened === 'object') return shortened;
  return readNumber((shortened ?? text).replace(labelsInFront, ''));
}

/**
 * The digits under which records may have a number that someone looks for, most likely last: ten digits without a plus
 * may be a complete number of another country, too. Empty for a text that is no complete number.
 */
export function storedPhoneForms(text: string): string[] {
  const read = readPhoneText(text);
  const digits = text.replace(/\D/g, '');
  const isBare = /^[\d\s().-]+$/.test(text.trim()) && !text.trim().startsWith('0');
  const abroad = isBare && digits.length >= us_digits && digits.length <= max_digits ? [digits] : [];
  // The last four digits of a number may begin as if a country code followed: 0118, 0049.
  const number = 'fault' in read ? '' : read.number.slice(1);
  return [...new Set([...abroad, ...(number.length < min_digits ? [] : [number])])];
}

function cleaned(given: string): string {
  // The brackets of `<312-555-0142>` are no markup.
  const text = withPlainDigits(
    withPlainDashes(withoutMarkup(given.replace(/^\s*<([^<>a-z]+)>\s*$/i, '$1')).normalize('NFKC')).replace(
      /\p{Default_Ignorable_Code_Point}|\p{Extended_Pictographic}/gu,
      '',
    ),
  );
  return (
    withoutQuotesAround(text)
      // `=+13125550142`, `'3125550142`: text in the cell of a spreadsheet.
      .replace(/^[='‘’`]+(?=[+(\d])/, '')
      // `3125550142.0`: a number in the cell of a spreadsheet.
      .replace(/^(\+?\d{7,15})\.0+$/, '$1')
      // `312*555*0142`: bullets and stars hide digits, unless all digits are there.
      .replace(/(\d{3})[*•●](\d{3})[*•●](?=\d{4}$)/, '$1-$2-')
      .trim()
  );
}

/** The digits of a number that a spreadsheet writes as `3.125550142E+09`; null if it is no such text. */
function shortenedBySpreadsheet(text: string): string | { fault: string } | null {
  const [, first = '', more = '', zeros = '0'] = /^(\d)(?:[.,](\d+))?E\+?(\d+)$/i.exec(text) ?? [];
  if (first === '') return null;
  const places = Number(zeros);
  const digits = more.replace(/0+$/, '');
  // A spreadsheet shows six digits of a long number: fewer zeros at its end than places mean that some are gone.
  if (more.length >= places && digits.length <= places) return `${first}${more}`.slice(0, places + 1);
  return {
    fault: `is "${text}": Excel has shortened the number. Format the column as text in the spreadsheet, enter the numbers again, and save it as CSV`,
  };
}

function readNumber(text: string): PhoneReading {
  const dialed = withPlus(text);
  const american = dialed.startsWith('+') && !/^\+\s*\(?1/.test(dialed) ? null : usNumber.exec(dialed);
  if (american !== null) {
    const [whole, area = '', office = '', line = ''] = american;
    return {
      number: `+1${area}${office}${line.replace(/\D/g, '')}`,
      extra: extraOf(dialed.slice(whole.length)),
    };
  }
  if (dialed.startsWith('+')) return readInternational(dialed);
  return vanityNumber(dialed) ?? numberBehindWords(dialed) ?? { fault: faultWithoutPlus(dialed) };
}

/** The text with a plus for the digits that are dialed before a country code: 00, 011, 0011. */
function withPlus(text: string): string {
  return (
    text
      // `(+44) 20 7946 0958`
      .replace(/^\(\s*(\+\s*\d{1,3})\s*\)/, '$1 ')
      // `1+3125550142`
      .replace(/^1\s*\+\s*(?=\d)/, '+1')
      // `++13125550142`, `+ 13125550142`
      .replace(/^\+[\s+]*/, '+')
      // `011 44 20 7946 0958`
      .replace(/^(?:0011|011|00)[\s().+-]*(?=[1-9])/, '+')
      // `+0044 20 7946 0958`
      .replace(/^\+0{1,3}[\s().-]*(?=[1-9])/, '+')
      // `+1 +1 312 555 0142`
      .replace(/^\+1\s*\+\s*1(?=[\s(]*[2-9])/, '+1')
  );
}

function readInternational(text: string): PhoneReading {
  const [run = ''] = /^\+[\d\s().[\]/-]*\d\)?/.exec(text) ?? [];
  // `+44 (0)20 7946 0958`: the zero is dialed within the country alone.
  const written = run.replace(/\(0\)/, '');
  const digits = written.replace(/\D/g, '');
  const rest = text.slice(run.length);
  if (/^1/.test(digits)) {
    if (digits.length < us_digits + 1) {
      const vanity = vanityNumber(text.slice(1));
      if (vanity !== null) return vanity;
      return { fault: `has ${countOf(digits.length - 1)} of the 10 digits of a US phone number, ${example}` };
    }
    if (digits.length > us_digits + 1)
      return { fault: `has too many digits for a phone number of its country, ${example}` };
    if (/^1[2-9]/.test(digits)) return { number: `+${digits}`, extra: extraOf(rest) };
    return { fault: `is not a US phone number: its area code ${digits.slice(1, 4)} does not exist` };
  }
  if (/^\+\(?[2-9]\d\d[)\s.-]+[2-9]\d\d[\s.-]+\d{4}$/.test(written.trim()))
    return { fault: missingOne(digits) };
  if (digits.length > max_digits) return { fault: 'has more digits than a phone number of any country' };
  // Mexico has dropped the 1 before mobile numbers.
  return { number: `+${digits.replace(/^521(?=\d{10}$)/, '52')}`, extra: extraOf(rest) };
}

/** The fault of a plus before a US number without its country code. */
export function missingOne(digits: string): string {
  return `has a plus but no country code: did you mean +1${digits}?`;
}

const keypad = ['abc', 'def', 'ghi', 'jkl', 'mno', 'pqrs', 'tuv', 'wxyz'];

/** The number of `1-800-FLOWERS` and `312-555-SOUP`; phones ignore letters behind the tenth. */
function vanityNumber(text: string): WrittenPhone | null {
  const [, area = '', rest = ''] =
    /^1?[\s.-]*\(?([2-9]\d{2})\)?[\s.-]*([\da-z][\da-z\s.-]*)$/i.exec(text) ?? [];
  const keys = rest.replace(/[\s.-]/g, '').toLowerCase();
  const letters = keys.replace(/\d/g, '').length;
  const words = rest.trim().split(/[\s.-]+/);
  const isTail = /^\d*[a-z]+\d*$/.test(keys) && letters >= 3 && keys.length >= 7 && keys.length <= 12;
  const isWord = /^[a-z]{7}$/.test(keys);
  const hasLabel = words.some((word) => new RegExp(`^(?:${label}|ext)$`, 'i').test(word));
  if (!isTail || (hasLabel && !isWord)) return null;
  const dialed = keys.replace(/[a-z]/g, (letter) =>
    String(keypad.findIndex((group) => group.includes(letter)) + 2),
  );
  return { number: `+1${area}${dialed.slice(0, 7)}`, extra: '' };
}

/** `Joe 312-555-0142`, `call after 5: (312) 555-0142`. */
function numberBehindWords(text: string): WrittenPhone | null {
  const found = numberInText.exec(text);
  if (found === null) return null;
  const before = text.slice(0, found.index);
  if (!/\p{L}/u.test(before)) return null;
  const number = `+1${found[0].replace(/\D/g, '').slice(-us_digits)}`;
  const behind = extraOf(text.slice(found.index + found[0].length));
  const words = before.replace(/[\s:;,.(-]+$/, '').trim();
  return { number, extra: [words, behind].filter((part) => part !== '').join(', ') };
}

/** What stands behind a number, in words; empty if that is nothing or only says which kind of number it is. */
function extraOf(text: string): string {
  const parts: string[] = [];
  let left = text.replace(labelBehind, ' ');
  const found = extension.exec(left);
  if (found !== null) {
    parts.push(`ext. ${found[1]}`);
    left = left.slice(found[0].length).replace(labelBehind, ' ');
  }
  const second = secondNumber.exec(left);
  if (second !== null) parts.push(`or ${left.slice(second[0].length).trim()}`);
  // ` - (lobby).`
  else parts.push(left.replace(/^[\s,;:.[\]/-]+|[\s,;:.[\]/-]+$/g, '').replace(/^\(([^()]*)\)$/, '$1'));
  return parts.filter((part) => /[\p{L}\p{N}]/u.test(part) && !/^x$/i.test(part)).join(', ');
}

function faultWithoutPlus(text: string): string {
  const digits = text.replace(/\D/g, '');
  if (digits === '' || /\p{L}{2}/u.test(text)) return `is not a phone number ${example}`;
  if (digits.length < us_digits)
    return `has ${countOf(digits.length)} of the 10 digits of a US phone number, ${example}`;
  const national = digits.replace(/^1(?=\d{10}$)/, '');
  if (national.length === us_digits && !/^[2-9]/.test(national))
    return `is not a US phone number: its area code ${national.slice(0, 3)} does not exist. A number of another country starts with a plus and its country code`;
  if (national.length === us_digits) return `is not a phone number ${example}`;
  return `has ${digits.length} digits, a US phone number 10: start a number of another country with a plus and its country code, ${example}`;
}

function countOf(digits: number): string {
  return digits === 0 ? 'none' : String(digits);
}
