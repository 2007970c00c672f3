import { BadValue, type Flag, type FlagOptions, text } from '../../kit/args/flags.ts';
import type { Context } from '../../session/context.ts';

/** True for a phone number as people write it: `+13125550142`, `13125550142`, `(312) 555-0142`. */
export function isPhone(typed: string): boolean {
  return /^\+?[\d\s().-]+$/.test(typed) && typed.replace(/\D/g, '').length >= 7;
}

/** Declares a flag that takes a phone number. */
export function phone(options: FlagOptions): Flag<string | undefined> {
  const base = text({ placeholder: 'PHONE', ...options });
  return { ...base, read: (texts) => readPhone(texts.at(-1) ?? ''), absent: () => undefined };
}

/** Requires the area code: a shorter number would silently match nothing. */
function readPhone(typed: string): string {
  const isWhole = typed.startsWith('+') || typed.replace(/\D/g, '').length >= 10;
  if (isPhone(typed) && isWhole) return typed;
  throw new BadValue(
    `must be a complete phone number such as +13125550142 or (312) 555-0142, not "${typed}"`,
  );
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
