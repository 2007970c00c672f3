/**
 * Returns the milliseconds that a `Retry-After` header asks to wait, in either form (RFC 9110, 10.2.3): seconds, or
 * an HTTP date measured on the wall clock; 0 for a past date. Null if the header is absent or invalid.
 */
export function readRetryAfter(header: string | undefined, wall_now: number): number | null {
  const text = header?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  if (!/^[A-Z][a-z]{2,8},? .*\d\d:\d\d:\d\d/.test(text)) return null;
  const instant = Date.parse(text.endsWith(' GMT') ? text : `${text} GMT`);
  return Number.isNaN(instant) ? null : Math.max(0, instant - wall_now);
}
