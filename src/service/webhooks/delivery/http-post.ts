import type { Dispatcher } from 'undici';
import Agent from 'undici/lib/dispatcher/agent.js';
import type { ServiceConfig } from '../../runtime/context.ts';
import type { Post, Posted, Poster } from '../../runtime/webhook-ports.ts';
import { addToReply, createReply, type Heard, isSuccess, meaningOf } from './classify-response.ts';
import { createConnector } from './connector.ts';
import { reasonOf, Unsendable } from './failure-reasons.ts';

/** From the beginning of a post to the last byte of its answer (interface, events and webhooks). */
const limit_ms = 15_000;
const limit = `within ${limit_ms / 1000} s`;

/** Of an answer no more is read. */
const longestAnswer_bytes = 65_536;

type Parts = Pick<ServiceConfig, 'web' | 'timers' | 'wall' | 'loopback_webhooks'>;

/** Sends with undici, HTTP/1.1 alone; as many posts at once as are asked for, each on a connection of its own. */
export function openPoster(parts: Parts): Poster {
  const connector = createConnector(parts, limit_ms);
  const agent = new Agent({
    allowH2: false,
    // A post as a whole has its timer; undici's own limits are for parts of it.
    headersTimeout: 0,
    bodyTimeout: 0,
    // Kept for what comes next, though not until the other side is likely to close them.
    keepAliveTimeout: 4_000,
    keepAliveMaxTimeout: 30_000,
    connect: (to, connected) => {
      connector.connect(to).then(
        (connection) => connected(null, connection),
        (fault) => connected(new Unsendable(reasonOf(fault)), null),
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

async function send(agent: Dispatcher, post: Post, parts: Parts): Promise<Posted> {
  const { timers, wall, loopback_webhooks } = parts;
  const begun = wall.now();
  const heard = await exchange(agent, post, timers);
  const now = wall.now();
  const meaning = meaningOf(heard, now, { isRead: loopback_webhooks !== 'unread' });
  return { ...meaning, duration_ms: Math.max(0, now - begun) };
}

/** One request and what comes back; it ends in time, whatever the other side does. */
function exchange(agent: Dispatcher, { url, headers, body }: Post, timers: Parts['timers']): Promise<Heard> {
  const { promise, resolve } = Promise.withResolvers<Heard>();
  let cancel = () => {};
  const { handler, expire } = listener(resolve, () => cancel());
  cancel = timers.after(limit_ms, expire);
  try {
    const { origin, protocol, pathname, search } = new URL(url);
    if (!/^https?:$/.test(protocol)) throw new Unsendable('its URL begins with neither http:// nor https://');
    agent.dispatch({ origin, path: pathname + search, method: 'POST', headers, body }, handler);
  } catch (fault) {
    cancel();
    resolve({ reply: null, fault: reasonOf(fault) });
  }
  return promise;
}

/**
 * Hears what comes back and ends with it once, or when it expires. A yes is heard at its headers; what follows is read
 * so that the connection can be kept, until it is `done`.
 */
function listener(ended: (heard: Heard) => void, done: () => void) {
  let reply: Heard['reply'] = null;
  let stage = 'no connection';
  let read_bytes = 0;
  let isOver = false;
  let abort = (_fault: Error): void => {};
  /** Undici ends a request that is over by itself. */
  const end = (fault: string): void => {
    if (isOver) return;
    isOver = true;
    ended({ reply, fault });
  };
  const cut = (fault: string): void => {
    end(fault);
    done();
    abort(new Unsendable('it is over'));
  };
  const handler: Dispatcher.DispatchHandler = {
    onRequestStart: (controller) => {
      abort = (fault) => controller.abort(fault);
      stage = 'no answer';
      // What only gets its connection when it is too late is not sent any more.
      if (isOver) cut('');
    },
    onResponseStart: (_controller, status, headers) => {
      if (status < 200) return;
      reply = createReply(status, headers);
      if (isSuccess(status)) end('');
      stage = 'no end of the answer';
    },
    onResponseData: (_controller, chunk) => {
      if (reply !== null) addToReply(reply, chunk);
      read_bytes += chunk.length;
      if (read_bytes >= longestAnswer_bytes) cut('');
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
  return { handler, expire: () => cut(`${stage} ${limit}`) };
}
