import { createHash } from 'node:crypto';
import type { Header } from './journal-entries.ts';

/**
 * The idempotency key of a chunk: the same import of the same file has the same, whoever sends it and when; what is
 * left after a refusal has another.
 */
export function chunkKey({ id, file }: Header, number: number, attempt: number): string {
  const text = [id, file.sha256, number, attempt].join('\n');
  return `import-${createHash('sha256').update(text).digest('hex').slice(0, 40)}`;
}

/** The key of an order of the chunk that is sent by itself. */
export function rowKey(header: Header, number: number, row: number): string {
  return `${chunkKey(header, number, 0)}-${row}`;
}

/** Keys live 24 hours (interface, conventions); clocks may differ. Later nothing may be sent again with its key. */
const life_ms = 23 * 60 * 60 * 1000;

/** Whether it is too late to send again what was first sent at `sent_at`, wall time. */
export function isPastKey(sent_at: number, now: number): boolean {
  return now - sent_at > life_ms;
}
