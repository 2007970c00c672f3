import { BadValue, type Flag, type FlagOptions, text } from '../../kit/args/flags.ts';
import type { Context } from '../../session/context.ts';

/** A phone number as people write one: `+13125550142`, `13125550142`, `(312) 555-0142`. */
export function isPhone(typed: string): boolean {
  return /^\+?[\d\s().-]+$/.test(typed) && typed.replace(/\D/g, '').length >= 7;
}

/** A flag that takes a phone number. */
export function phone(options: FlagOptions): Flag<string | undefined> {
  const base = text({ placeholder: 'PHONE', ...options });
  return { ...base, read: (texts) => readPhone(texts.at(-1) ?? ''), absent: () => undefined };
}

/** With its area code: a shorter one would find nothing, as if there were nothing. */
function readPhone(typed: string): string {
  const isWhole = typed.startsWith('+') || typed.replace(/\D/g, '').length >= 10;
  if (isPhone(typed) && isWhole) return typed;
  throw new BadValue(
    `must be a complete phone number such as +13125550142 or (312) 555-0142, not "${typed}"`,
  );
}

/** The digits that a number may be kept as; ten of them may be a number at home, without its country. */
export function phonesLike(typed: string): string[] {
  const digits = typed.replace(/\D/g, '');
  return digits.length === 10 && !typed.startsWith('+') ? [digits, `1${digits}`] : [digits];
}

/** The one of them that deliveries are there of; the last where there are none. */
export async function phoneInUse({ client }: Pick<Context, 'client'>, typed: string): Promise<string> {
  const [abroad = '', home] = phonesLike(typed);
  if (home === undefined) return abroad;
  const { data } = await (await client()).deliveries.list({ query: { phone: abroad, limit: 1 } });
  return data.data.length > 0 ? abroad : home;
}
