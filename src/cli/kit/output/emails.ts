/** Masks the name in an e-mail address but for its first character: `j***@diner.example`. */
export function maskedEmail(address: string): string {
  const at = address.lastIndexOf('@');
  const [first = ''] = address.slice(0, Math.max(0, at));
  return at < 1 ? '***' : `${first}***${address.slice(at)}`;
}

/** Returns the formatter of e-mail addresses: unmasked on request. */
export function emailShown({ showPii }: { showPii: boolean }): (address: string) => string {
  return showPii ? (address) => address : maskedEmail;
}

const inJson = /("\w*email"\s*:\s*")([^"\\]*)(")/g;
/** An address in a query, where the at sign may be encoded. */
const inQuery = /([?&]q=)([^&\s]*(?:@|%40)[^&\s]*)/gi;

/** Masks the values of e-mail fields in a request or response shown to people. */
export function withEmailsMasked(text: string): string {
  return text
    .replace(
      inJson,
      (_, before: string, address: string, after: string) =>
        before + (address === '' ? '' : maskedEmail(address)) + after,
    )
    .replace(inQuery, (_, before: string, address: string) => before + '*'.repeat(address.length));
}
