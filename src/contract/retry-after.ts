/**
 * Milliseconds that a `Retry-After` header asks to wait, in both of its forms (RFC 9110, 10.2.3): seconds, or an HTTP
 * date, measured on the wall clock; 0 after that date. Null without a header, or with one that cannot be read.
 */
export function readRetryAfter(header: string | undefined, wall_now: number): number | null {
  const text = header?.trim() ?? '';
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  if (!/^[A-Z][a-z]{2,8},? .*\d\d:\d\d:\d\d/.test(text)) return null;
  const instant = Date.parse(text.endsWith(' GMT') ? text : `${text} GMT`);
  return Number.isNaN(instant) ? null : Math.max(0, instant - wall_now);
}
