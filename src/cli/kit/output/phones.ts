/**
 * A phone number for people, its middle hidden: `+1 312 *** **42`. Enough to tell two apart and to ask the caller
 * about, not enough to call. What is too short to hide anything in is hidden whole.
 */
export function maskedPhone(phone: string): string {
  const digits = phone.replace(/\D/g, '');
  const end = digits.slice(-2);
  if (digits.length < 7) return '*'.repeat(digits.length);
  if (digits.length === 11 && digits.startsWith('1')) return `+1 ${digits.slice(1, 4)} *** **${end}`;
  return `+${digits.slice(0, 2)} ${'*'.repeat(digits.length - 4)}${end}`;
}

/** How numbers are shown: whole where that was asked for. */
export function phoneShown({ showPii }: { showPii: boolean }): (phone: string) => string {
  return showPii ? (phone) => phone : maskedPhone;
}

/** A number that is masked. */
export const masked = /\+\d+ (?:\d{3} )?\*+(?: \*+)?\d\d/g;

/** The words of a text where a line may end between any two of them: a masked number is one word. */
export function wordsKeptWhole(text: string): string[] {
  const bound = text.replace(masked, (number) => number.replaceAll(' ', '\u00a0'));
  return bound.split(/[^\S\u00a0]+/).map((word) => word.replaceAll('\u00a0', ' '));
}

const inJson = /("\w*phone(?:_number)?"\s*:\s*")([^"\\]*)(")/g;
const inQuery = /([?&]phone=)([^&\s]*)/g;

/** A request or an answer as it is shown to people, the values of its phone fields masked. */
export function withPhonesMasked(text: string): string {
  return text
    .replace(inJson, (_, before: string, phone: string, after: string) => before + maskedPhone(phone) + after)
    .replace(inQuery, (_, before: string, phone: string) => before + '*'.repeat(phone.length));
}
