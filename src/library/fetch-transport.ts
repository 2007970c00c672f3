import { parseBaseUrl, pathPrefix } from '../client/addresses.ts';
import { asUnreachable, Unreachable } from '../client/errors.ts';
import {
  type AttemptLimits,
  silence_ms,
  type Transport,
  type WireRequest,
  type WireResponse,
  type WireStream,
} from '../contract/operation.ts';
import type { Fetch, FetchBody, FetchInit, FetchResponse } from './calls.ts';
import { timer } from './ports.ts';

interface FetchTransportOptions {
  baseUrl: string;
  /** For each attempt, to its last byte; for a stream, to its first byte. */
  timeout_ms: number;
  fetch: Fetch;
}

/** A transport over `fetch`. Throws `BadBaseUrl`; rejects with `Unreachable`, and with the reason of the signal. */
export function fetchTransport({ baseUrl, timeout_ms, fetch }: FetchTransportOptions): Transport {
  const url = parseBaseUrl(baseUrl);
  const root = url.origin + pathPrefix(url);
  return async (request, { signal, timeout_ms: own = timeout_ms }: AttemptLimits = {}) => {
    checkHeaders(request);
    const attempt = startAttempt(signal);
    const cancel = timer(own, () => attempt.end(`No response from ${root} within ${own / 1000} s.`));
    let partial: WireResponse | null = null;
    try {
      const response = await fetch(root + request.path, initOf(request, attempt.signal));
      const head = { status: response.status, headers: headersOf(response) };
      partial = { ...head, body: '' };
      const isStream = head.status === 200 && head.headers['content-type']?.startsWith('text/event-stream');
      if (isStream && response.body !== null) {
        return { ...partial, stream: streamOf(response.body, attempt, root) };
      }
      return { ...head, body: await response.text() };
    } catch (error) {
      signal?.throwIfAborted();
      throw asLost(attempt.late() ?? error, root, partial);
    } finally {
      cancel();
      attempt.letGo();
    }
  };
}

/** Refuses an invalid header without its value: the error of `fetch` would repeat it, and it may be a key. */
function checkHeaders({ headers }: WireRequest): void {
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value))
      throw new TypeError(`The header ${name} has characters that a header cannot have.`);
  }
}

function initOf({ method, headers, body }: WireRequest, signal: AbortSignal): FetchInit {
  return { method, headers, redirect: 'manual', signal, ...(body === '' ? {} : { body }) };
}

function headersOf({ headers }: FetchResponse): Record<string, string> {
  const found: Record<string, string> = {};
  headers.forEach((value, name) => {
    found[name.toLowerCase()] = value;
  });
  return found;
}

/** The signal of one attempt, which ends with that of the call or by itself. */
interface Attempt {
  signal: AbortSignal;
  end(why: string): void;
  /** The error with which it ended by itself; null if it did not. */
  late(): Unreachable | null;
  /** Stops listening to the signal of the call. */
  letGo(): void;
}

function startAttempt(outer: AbortSignal | undefined): Attempt {
  const controller = new AbortController();
  let late: Unreachable | null = null;
  const follow = () => controller.abort(outer?.reason);
  outer?.addEventListener('abort', follow, { once: true });
  if (outer?.aborted === true) follow();
  return {
    signal: controller.signal,
    end: (why) => {
      late ??= new Unreachable(why);
      controller.abort(late);
    },
    late: () => late,
    letGo: () => outer?.removeEventListener('abort', follow),
  };
}

/** Turns any rejection of `fetch` into `Unreachable`. Node has the code of the network error in the cause. */
function asLost(error: unknown, root: string, partial: WireResponse | null): Unreachable {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const known = asUnreachable(cause, root);
  const words = cause instanceof Error ? cause.message : String(cause);
  const message = known?.message ?? `No response from ${root}: ${words.replace(/\.$/, '')}.`;
  return new Unreachable(message, { cause: known?.cause ?? cause, partial });
}

/** The text of a body as it arrives. */
function streamOf(body: FetchBody, attempt: Attempt, root: string): WireStream {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let isClosed = false;
  const close = () => {
    isClosed = true;
    attempt.end('The stream was closed.');
  };
  async function* chunks(): AsyncGenerator<string> {
    try {
      for (;;) {
        const cancel = timer(silence_ms, () =>
          attempt.end(`The stream was silent for ${silence_ms / 1000} s.`),
        );
        const { done, value } = await reader.read().finally(cancel);
        if (done) return;
        yield decoder.decode(value, { stream: true });
      }
    } catch (error) {
      if (!isClosed) throw asLost(attempt.late() ?? error, root, null);
    } finally {
      close();
    }
  }
  return { chunks: chunks(), close };
}
