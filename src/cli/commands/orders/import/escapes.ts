import { escapeOf, sanitized } from '../../../kit/output/sanitize.ts';

/** Writes control characters, which our files never contain, as in JSON: `\u001b`. `unescaped` reverses it. */
export function escaped(text: string): string {
  return escapedControls(text.replace(/\\(?=u[0-9a-f]{4})/g, escapeOf('\\')));
}

/** Escapes control characters in JSON, which keeps its meaning. */
export function escapedControls(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]/gu, (found) => (sanitized(found) === found ? found : escapeOf(found)));
}

export function unescaped(text: string): string {
  return text.replace(/\\u([0-9a-f]{4})/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}
