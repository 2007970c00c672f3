/** A phone number of a record in the format that requests take. Nobody's number stays empty. */
export function withPlus(stored: string): string {
  return stored === '' || stored.startsWith('+') ? stored : `+${stored}`;
}

/** The digits of a number being searched for, whether it was typed with or without plus, spaces and signs. */
export function phoneDigits(text: string): string {
  return text.replace(/\D/g, '');
}
