import { createHash } from 'node:crypto';
import type { Header } from './journal-entries.ts';

/**
 * Returns the idempotency key of a chunk: the same import of the same file always has the same one; the rest of a chunk
 * after a refusal has another.
 */
export function chunkKey({ id, file }: Header, number: number, attempt: number): string {
  const text = [id, file.sha256, number, attempt].join('\n');
  return `import-${createHash('sha256').update(text).digest('hex').slice(0, 40)}`;
}

/** Keys expire after 24 hours and clocks may differ. After this time nothing may be repeated with its key. */
const life_ms = 23 * 60 * 60 * 1000;

/** True if it is too late to repeat a request first sent at `sent_at`, wall time. */
export function isPastKey(sent_at: number, now: number): boolean {
  return now - sent_at > life_ms;
}
