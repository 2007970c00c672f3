import { escapeOf, sanitized } from '../../../kit/output/sanitize.ts';

/**
 * A text whose control characters, which no file of ours has, are written as in JSON: `\u001b`. `unescaped` gives
 * the text back.
 */
export function escaped(text: string): string {
  return escapedControls(text.replace(/\\(?=u[0-9a-f]{4})/g, escapeOf('\\')));
}

/** The same of JSON, which means what it meant. */
export function escapedControls(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}]/gu, (found) => (sanitized(found) === found ? found : escapeOf(found)));
}

export function unescaped(text: string): string {
  return text.replace(/\\u([0-9a-f]{4})/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}
