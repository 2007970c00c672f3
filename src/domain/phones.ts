/** The one file that loads the table of the world's phone numbers: import it where numbers are taken in. */
import { parsePhoneNumberFromString, validatePhoneNumberLength } from 'libphonenumber-js/min';
import { missingOne, type PhoneReading, readPhoneText } from './phone-text.ts';

/**
 * Reads a phone number as people write it: of the USA, or of another country with its code. A number with the country
 * code 1 must exist in its numbering plan, others must be possible. `fault` is the end of a sentence that begins with
 * the field.
 */
export function readPhone(text: string): PhoneReading {
  const written = readPhoneText(text);
  if ('fault' in written) return written;
  const fault = numberFault(written.number);
  return fault === null ? canonical(written) : { fault };
}

const americanNumber = /^\+1[2-9]\d{9}$/;

function numberFault(number: string): string | null {
  if (/^\+1?(\d)\1+$/.test(number)) return 'repeats one digit: it is not a phone number';
  if (number.startsWith('+1')) {
    if (isInPlan(number)) return null;
    return `is not a phone number in use: its area code ${number.slice(2, 5)} does not exist`;
  }
  const phone = parsePhoneNumberFromString(number, { extract: false });
  const digits = number.slice(1);
  if (phone?.isValid() !== true && americanNumber.test(`+1${digits}`)) return missingOne(digits);
  return phone?.isPossible() === true ? null : lengthFault(number);
}

/** Whether numbers with the country code 1 exist, by their area code and the first digit behind it. */
const plan = new Map<string, boolean>();

/** The table is asked once for each area code: most files have numbers of few. */
function isInPlan(number: string): boolean {
  const area = number.slice(0, 6);
  const known = plan.get(area);
  // Of personal numbers, 52x, only some blocks are in use.
  if (known !== undefined && !area.startsWith('+152')) return known;
  const isValid = parsePhoneNumberFromString(number, { extract: false })?.isValid() === true;
  plan.set(area, isValid);
  return isValid;
}

const faults: Readonly<Record<string, string>> = {
  TOO_SHORT: 'has too few digits for a phone number of its country',
  TOO_LONG: 'has too many digits for a phone number of its country',
  INVALID_LENGTH: 'has a number of digits that no phone number of its country has',
  INVALID_COUNTRY: 'begins with a country code that does not exist',
};

function lengthFault(number: string): string {
  return faults[validatePhoneNumberLength(number) ?? ''] ?? 'is not a phone number such as +13125550142';
}

/** The number without the digit that its own country dials in front, as in `+44 020 7946 0958`. */
function canonical<T extends { number: string }>(written: T): T {
  if (written.number.startsWith('+1')) return written;
  return { ...written, number: parsePhoneNumberFromString(written.number)?.number ?? written.number };
}
