import { parseDollars } from '../../../../domain/money.ts';
import { withCountry } from '../../../nouns/order-flags.ts';

/** The parts of an address that may have a column each. */
export interface AddressParts {
  street: string;
  city: string;
  state: string;
  zip: string;
}

/** One line: street, city, state, ZIP. Excel drops the zeros with which a ZIP code begins. */
export function addressLineOf({ street, city, state, zip }: AddressParts): string {
  const code = /^\d{3,4}$/.test(zip) ? zip.padStart(5, '0') : zip;
  return [street, city, `${state} ${code}`.trim()].filter((part) => part !== '').join(', ');
}

/** A cell that cannot be read. `why` continues a sentence that begins with the name of the field. */
export class Unreadable {
  readonly why: string;
  constructor(why: string) {
    this.why = why;
  }
}

/** A phone number as the service takes it. Excel writes long numbers as 3.12556E+10, mostly without their last digits. */
export function phoneIn(text: string): string | Unreadable {
  const [, first = '', more = '', zeros = '0'] = /^(\d)(?:[.,](\d+))?E\+?(\d+)$/i.exec(text) ?? [];
  if (first === '') return withCountry(text);
  if (more.length === Number(zeros)) return withCountry(`${first}${more}`);
  return new Unreadable(
    `is "${text}": Excel has shortened the number. Format the column as text in the spreadsheet, enter the numbers again, and save it as CSV`,
  );
}

/** The cents of `$1,234.50`, `37.9`, `12`, or `4,50` as Excel writes it in other countries; null for any other text. */
export function centsIn(text: string): number | null {
  return parseDollars(text.replace(/^(\d{1,10}),(\d{1,2})$/, '$1.$2'));
}
