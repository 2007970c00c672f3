/**
 * The HTTP client for webhooks. A request is one POST to an allowed address, without redirects, within 15 seconds. The
 * status of the response decides whether the message has arrived; of a failed one the start of the body is kept.
 */
import type { Dispatcher } from 'undici';
import Agent from 'undici/lib/dispatcher/agent.js';
import { readRetryAfter } from '../../../contract/errors.ts';
import { refusedAs } from '../../runtime/address-policy.ts';
import type { ServiceConfig } from '../../runtime/context.ts';
import { createConnector } from '../../runtime/network.ts';
import { explainNetworkError, NotSent } from '../../runtime/network-errors.ts';
import type { WebhookClient, WebhookRequest, WebhookResult } from '../../runtime/service-ports.ts';

/** From the start of a request to the last byte of its response. */
const limit_ms = 15_000;

/** The maximum number of response bytes that are read: more ends the connection. */
const max_response_bytes = 65_536;

type Parts = Pick<ServiceConfig, 'web' | 'timers' | 'wall' | 'loopback_webhooks'>;

/** A client over HTTP/1.1. Its connections are used again, each by one request at a time. */
export function openWebhookClient(parts: Parts): WebhookClient {
  const connector = createConnector(parts, limit_ms, (address) => {
    const refused = refusedAs(address, parts.loopback_webhooks);
    return refused === null ? null : `${refused}, which is not allowed`;
  });
  const agent = new Agent({
    allowH2: false,
    // A request has one time-out as a whole; undici's own limits cover only parts of it.
    headersTimeout: 0,
    bodyTimeout: 0,
    // Kept alive for further requests, but shorter than usual server time-outs.
    keepAliveTimeout: 4_000,
    keepAliveMaxTimeout: 30_000,
    connect: (to, connected) => {
      connector.connect(to).then(
        (connection) => connected(null, connection),
        (fault) => connected(new NotSent(explainNetworkError(fault)), null),
      );
    },
  });
  return {
    post: (post) => send(agent, post, parts),
    close: async () => {
      connector.close();
      await agent.destroy();
    },
  };
}

async function send(agent: Dispatcher, post: WebhookRequest, parts: Parts): Promise<WebhookResult> {
  const { timers, wall, loopback_webhooks } = parts;
  const started_at = wall.now();
  const exchanged = await exchange(agent, post, timers);
  const now = wall.now();
  const meaning = classifyResponse(exchanged, now, { isRead: loopback_webhooks !== 'unread' });
  return { ...meaning, duration_ms: Math.max(0, now - started_at) };
}

/** The result of a request: a response, the start of one, or none. */
interface ExchangeResult {
  reply: Reply | null;
  /** Why the exchange ended early; empty if it did not. */
  fault: string;
}

/** Sends one request and resolves with its result, within the time limit. */
function exchange(
  agent: Dispatcher,
  { url, headers, body }: WebhookRequest,
  timers: Parts['timers'],
): Promise<ExchangeResult> {
  const { promise, resolve } = Promise.withResolvers<ExchangeResult>();
  let cancel = () => {};
  const { handler, expire } = createResponseHandler(resolve, () => cancel());
  cancel = timers.after(limit_ms, expire);
  try {
    const { origin, protocol, pathname, search } = new URL(url);
    if (!/^https?:$/.test(protocol)) throw new NotSent('its URL does not start with http:// or https://');
    agent.dispatch({ origin, path: pathname + search, method: 'POST', headers, body }, handler);
  } catch (fault) {
    cancel();
    resolve({ reply: null, fault: explainNetworkError(fault) });
  }
  return promise;
}

/**
 * A response handler that reports the result once, at the latest when it expires. A success is reported at its
 * headers; the rest is read so that the connection can be kept, until `done`.
 */
function createResponseHandler(ended: (result: ExchangeResult) => void, done: () => void) {
  let reply: ExchangeResult['reply'] = null;
  let stage = 'no connection';
  let read_bytes = 0;
  let isOver = false;
  let abort = (_fault: Error): void => {};
  /** Undici calls this again for a request that has already ended. */
  const end = (fault: string): void => {
    if (isOver) return;
    isOver = true;
    ended({ reply, fault });
  };
  const endEarly = (fault: string): void => {
    end(fault);
    done();
    abort(new NotSent('the exchange has ended'));
  };
  const handler: Dispatcher.DispatchHandler = {
    onRequestStart: (controller) => {
      abort = (fault) => controller.abort(fault);
      stage = 'no response';
      // A request that gets its connection only after the time-out is not sent.
      if (isOver) endEarly('');
    },
    onResponseStart: (_controller, status, headers) => {
      if (status < 200) return;
      reply = { status, headers, body: Buffer.alloc(0) };
      if (isSuccess(status)) end('');
      stage = 'no complete response';
    },
    onResponseData: (_controller, chunk) => {
      if (reply !== null) addToReply(reply, chunk);
      read_bytes += chunk.length;
      if (read_bytes >= max_response_bytes) endEarly('');
    },
    onResponseEnd: () => {
      done();
      end('');
    },
    onResponseError: (_controller, fault) => {
      done();
      end(explainNetworkError(fault));
    },
  };
  return { handler, expire: () => endEarly(`${stage} within ${limit_ms / 1000} s`) };
}

/** The maximum number of characters stored of a failed response. */
const max_stored_characters = 500;

/** The bytes of a failed response that are read: four for each stored character, and room for removed ones. */
const max_stored_bytes = 4 * max_stored_characters * 2;

/** An endpoint's response. */
interface Reply {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  /** The start of its body, if it failed. */
  body: Buffer;
}

/** Appends to the stored part of a body. */
function addToReply(reply: Reply, chunk: Buffer): void {
  if (isSuccess(reply.status) || reply.body.length >= max_stored_bytes) return;
  reply.body = Buffer.concat([reply.body, chunk.subarray(0, max_stored_bytes)]);
}

/**
 * Classifies the result of a request; `now` is wall time. If the response is not to be read, nothing of it is stored.
 * The status decides about success, even if the body is incomplete.
 */
function classifyResponse(
  { reply, fault }: ExchangeResult,
  now: number,
  { isRead }: { isRead: boolean },
): Omit<WebhookResult, 'duration_ms'> {
  if (reply === null || isSuccess(reply.status)) {
    return {
      status_code: reply?.status ?? null,
      reason: reply === null ? fault : '',
      response: '',
      retry_after_ms: undefined,
    };
  }
  const { status, headers, body } = reply;
  const asked = { 'retry-after': first(headers['retry-after']), date: first(headers.date) };
  return {
    status_code: status,
    reason: failureOf(status, isRead ? first(headers.location) : undefined),
    response: isRead ? plain(body.toString('utf8'), max_stored_characters) : '',
    retry_after_ms: readRetryAfter(asked, now) ?? undefined,
  };
}

function isSuccess(status: number): boolean {
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
