/** Phone numbers as arguments of searches: whole ones, or their last digits. */
import { storedPhoneForms } from '../../domain/phone-text.ts';
import { BadValue, type Flag, type FlagOptions, parsedTextFlag } from '../kit/args/flags.ts';
import type { Context } from '../session/command.ts';

/** Declares a flag that takes a phone number, or the last digits of one, which a search finds. */
export function phone(options: FlagOptions): Flag<string | undefined> {
  return parsedTextFlag(readPhone, { placeholder: 'PHONE', ...options });
}

const us_digits = 10;
/** The longest number of any country (ITU-T E.164). */
const max_digits = 15;

/** Whether a phone number can be searched: without its area code it would silently match nothing. */
export function isCompletePhone(typed: string): boolean {
  return phoneFacts(typed).isComplete;
}

function phoneFacts(typed: string) {
  const number = typed.trim();
  const digits = number.replace(/\D/g, '').length;
  const isShort = digits < us_digits;
  const isNumber = digits > 0 && /^\+?[\d\s().-]+$/.test(number);
  return { number, digits, isShort, isNumber, isComplete: storedPhoneForms(number).length > 0 };
}

function readPhone(typed: string): string {
  const { number, digits, isShort, isNumber, isComplete } = phoneFacts(typed);
  if (isComplete) return number;
  const example = 'must be a phone number such as +13125550142, or its last digits, at least four';
  if (isNumber && isShort && digits >= min_ending_digits) return number.replace(/\D/g, '');
  throw new BadValue(`${example}, not "${typed}"${isNumber ? digitCountText(digits, isShort) : ''}`, []);
}

function digitCountText(digits: number, isShort: boolean): string {
  const limit = isShort
    ? `a US phone number has ${us_digits}`
    : `no phone number has more than ${max_digits}`;
  return `, which has ${digits} digit${digits === 1 ? '' : 's'}: ${limit}`;
}

const min_ending_digits = 4;

/** Returns the form of the number that has deliveries, or the last one if none has. */
export async function phoneInUse({ client }: Pick<Context, 'client'>, typed: string): Promise<string> {
  const [abroad = typed, home] = storedPhoneForms(typed);
  if (home === undefined) return abroad;
  const { data } = await (await client()).deliveries.list({ query: { phone: abroad, limit: 1 } });
  return data.data.length > 0 ? abroad : home;
}
