import type { Dispatcher } from 'undici';
import Agent from 'undici/lib/dispatcher/agent.js';
import { refusedAs } from '../../runtime/address-policy.ts';
import { reasonOf, WebhookNotSent } from '../../runtime/connection-faults.ts';
import { createConnector } from '../../runtime/connector.ts';
import type { ServiceConfig } from '../../runtime/context.ts';
import type { WebhookClient, WebhookRequest, WebhookResult } from '../../runtime/webhook-ports.ts';
import {
  addToReply,
  classifyResponse,
  createReply,
  type ExchangeResult,
  isSuccess,
} from './classify-response.ts';

/** From the start of a request to the last byte of its response. */
const limit_ms = 15_000;
const limit = `within ${limit_ms / 1000} s`;

/** The maximum number of response bytes that are read. */
const max_response_bytes = 65_536;

type Parts = Pick<ServiceConfig, 'web' | 'timers' | 'wall' | 'loopback_webhooks'>;

/** Sends requests with undici, HTTP/1.1 only, each on its own connection. */
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
        (fault) => connected(new WebhookNotSent(reasonOf(fault)), null),
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
    if (!/^https?:$/.test(protocol))
      throw new WebhookNotSent('its URL does not start with http:// or https://');
    agent.dispatch({ origin, path: pathname + search, method: 'POST', headers, body }, handler);
  } catch (fault) {
    cancel();
    resolve({ reply: null, fault: reasonOf(fault) });
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
    abort(new WebhookNotSent('the exchange has ended'));
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
      reply = createReply(status, headers);
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
      end(reasonOf(fault));
    },
  };
  return { handler, expire: () => endEarly(`${stage} ${limit}`) };
}
