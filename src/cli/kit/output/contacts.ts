import { withEmailsMasked } from './emails.ts';
import { withPhonesMasked } from './phones.ts';

/** Masks phone numbers and e-mail addresses in a request or response shown to people. */
export function withContactsMasked(text: string): string {
  return withEmailsMasked(withPhonesMasked(text));
}
