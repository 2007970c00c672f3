import { readRetryAfter } from '../../../contract/errors.ts';
import type { WebhookResult } from '../../runtime/webhook-ports.ts';

/** The maximum number of characters stored of a failed response. */
const max_characters = 500;

/** Their longest form in UTF-8, with room for removed characters. */
const max_bytes = 4 * max_characters * 2;

/** An endpoint's response. */
export interface Reply {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  /** The start of its body, if it failed. */
  body: Buffer;
}

/** The result of a request: a response, the start of one, or none. */
export interface ExchangeResult {
  reply: Reply | null;
  /** Why the exchange ended early; empty if it did not. */
  fault: string;
}

export function createReply(status: number, headers: Reply['headers']): Reply {
  return { status, headers, body: Buffer.alloc(0) };
}

/** Appends to the stored part of a body. */
export function addToReply(reply: Reply, chunk: Buffer): void {
  if (isSuccess(reply.status) || reply.body.length >= max_bytes) return;
  reply.body = Buffer.concat([reply.body, chunk.subarray(0, max_bytes)]);
}

/**
 * Classifies the result of a request; `now` is wall time. If the response is not to be read, nothing of it is stored.
 * The status decides about success, even if the body is incomplete.
 */
export function classifyResponse(
  { reply, fault }: ExchangeResult,
  now: number,
  { isRead }: { isRead: boolean },
): Omit<WebhookResult, 'duration_ms'> {
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
    response: isRead ? plain(body.toString('utf8'), max_characters) : '',
    retry_after_ms: readRetryAfter(first(headers['retry-after']), now) ?? undefined,
  };
}

/** Whether a status means that the event was delivered. */
export function isSuccess(status: number): boolean {
  return status >= 200 && status <= 299;
}

function failureOf(status: number, location: string | undefined): string {
  if (status < 300 || status > 399) return `the endpoint returned ${status}`;
  const target = location === undefined ? '' : ` to ${plain(location, 200)}`;
  return `redirects are not followed (${status}${target})`;
}

/** Text on one line, without control characters and bidirectional marks. */
function plain(text: string, length: number): string {
  const shown = text.replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+/gu, ' ').trim();
  return [...shown.slice(0, 2 * length)].slice(0, length).join('');
}

function first(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value[0] : value;
}
