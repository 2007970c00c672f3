import { readRetryAfter } from '../../../contract/retry-after.ts';
import type { Posted } from '../../runtime/webhook-ports.ts';

/** Of the answer to a failed attempt this many characters are kept. */
const kept_characters = 500;

/** The longest form of them in UTF-8, with room for what is taken out. */
const kept_bytes = 4 * kept_characters * 2;

/** What an endpoint answered. */
export interface Reply {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  /** The beginning of its body, where it failed. */
  body: Buffer;
}

/** What came of a post: an answer, or the beginning of one, or none. */
export interface Heard {
  reply: Reply | null;
  /** Why it did not come to its end; empty where it did. */
  fault: string;
}

export function createReply(status: number, headers: Reply['headers']): Reply {
  return { status, headers, body: Buffer.alloc(0) };
}

/** Keeps what is kept of a body, bit by bit. */
export function addToReply(reply: Reply, chunk: Buffer): void {
  if (isSuccess(reply.status) || reply.body.length >= kept_bytes) return;
  reply.body = Buffer.concat([reply.body, chunk.subarray(0, kept_bytes)]);
}

/** What was heard means; `now` is wall time. Where it is not read, nothing of what the endpoint wrote is kept. An answer has said yes or no with its status, however it ends. */
export function meaningOf(
  { reply, fault }: Heard,
  now: number,
  { isRead }: { isRead: boolean },
): Omit<Posted, 'duration_ms'> {
  if (reply === null || isSuccess(reply.status)) {
    return {
      ...{ status_code: reply?.status ?? null, reason: reply === null ? fault : '' },
      ...{ response: '', retry_after_ms: undefined },
    };
  }
  const { status, headers, body } = reply;
  return {
    status_code: status,
    reason: failureOf(status, isRead ? first(headers.location) : undefined),
    response: isRead ? plain(body.toString('utf8'), kept_characters) : '',
    retry_after_ms: readRetryAfter(first(headers['retry-after']), now) ?? undefined,
  };
}

/** Whether an answer says that the event has arrived. */
export function isSuccess(status: number): boolean {
  return status >= 200 && status <= 299;
}

function failureOf(status: number, location: string | undefined): string {
  if (status < 300 || status > 399) return `the endpoint answered ${status}`;
  const target = location === undefined ? '' : ` to ${plain(location, 200)}`;
  return `redirects are not followed (${status}${target})`;
}

/** Text without control characters and marks of writing direction, on one line. */
function plain(text: string, length: number): string {
  const shown = text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu, ' ').trim();
  return [...shown.slice(0, 2 * length)].slice(0, length).join('');
}

function first(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
