/** Converts a stored phone number to the format of requests. An empty number stays empty. */
export function withPlus(stored: string): string {
  return stored === '' || stored.startsWith('+') ? stored : `+${stored}`;
}

/** The digits of a searched phone number, typed with or without plus, spaces and separators. */
export function phoneDigits(text: string): string {
  return text.replace(/\D/g, '');
}
