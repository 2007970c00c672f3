import { BadValue, type Flag, type FlagOptions, text } from '../../kit/args/flags.ts';
import { type Invocation, invocation, phrase } from '../../kit/result/message.ts';
import type { Context } from '../../session/command.ts';

/** True for a phone number as people write it: `+13125550142`, `13125550142`, `(312) 555-0142`. */
export function isPhone(typed: string): boolean {
  return /^\+?[\d\s().-]+$/.test(typed) && typed.replace(/\D/g, '').length >= 7;
}

/** Declares a flag that takes a phone number. */
export function phone(options: FlagOptions): Flag<string | undefined> {
  const base = text({ placeholder: 'PHONE', ...options });
  return { ...base, read: (texts) => readPhone(texts.at(-1) ?? ''), absent: () => undefined };
}

const us_digits = 10;
/** The longest number of any country (ITU-T E.164). */
const max_digits = 15;

/** Requires the area code: a shorter number would silently match nothing. */
function readPhone(typed: string): string {
  const digits = typed.replace(/\D/g, '').length;
  const isShort = typed.startsWith('+') ? !isPhone(typed) : digits < us_digits;
  const isNumber = digits > 0 && /^\+?[\d\s().-]+$/.test(typed);
  if (isNumber && !isShort && digits <= max_digits) return typed;
  const example = 'must be a complete phone number such as +13125550142 or (312) 555-0142';
  const isEnding = isNumber && isShort && digits >= min_ending_digits;
  const hint = isEnding ? phrase`Search the last digits: ${searchLine(typed)}` : null;
  throw new BadValue(
    `${example}, not "${typed}"${isNumber ? countText(digits, isShort) : ''}`,
    [],
    null,
    hint,
  );
}

function countText(digits: number, isShort: boolean): string {
  const limit = isShort
    ? `a US phone number has ${us_digits}`
    : `no phone number has more than ${max_digits}`;
  return `, which has ${digits} digit${digits === 1 ? '' : 's'}: ${limit}`;
}

const min_ending_digits = 4;

/** A search finds numbers by their last digits. */
function searchLine(typed: string): Invocation {
  return invocation('deliveries list', [], { search: typed });
}

/** The forms in which a number may be stored; ten digits may be a national number without its country code. */
export function phonesLike(typed: string): string[] {
  const digits = typed.replace(/\D/g, '');
  return digits.length === 10 && !typed.startsWith('+') ? [digits, `1${digits}`] : [digits];
}

/** Returns the form of the number that has deliveries, or the last one if none has. */
export async function phoneInUse({ client }: Pick<Context, 'client'>, typed: string): Promise<string> {
  const [abroad = '', home] = phonesLike(typed);
  if (home === undefined) return abroad;
  const { data } = await (await client()).deliveries.list({ query: { phone: abroad, limit: 1 } });
  return data.data.length > 0 ? abroad : home;
}
