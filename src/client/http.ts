import type { Dispatcher } from 'undici';
import Pool from 'undici/lib/dispatcher/pool.js';
import type { Transport, WireRequest, WireResponse } from '../contract/wire.ts';
import { type Environment, isExcepted, parseBaseUrl, parseProxy, pathPrefix, proxyFor } from './addresses.ts';
import { beginning, flat, type Settling, type Taking } from './beginnings.ts';
import { ApiError, asUnreachable, Unreachable } from './errors.ts';
import { type Incoming, incoming } from './incoming.ts';

const default_max_response_bytes = 64 * 1024 * 1024;

/** Calls `expired` after so many milliseconds, unless what it returns is called before. */
export type Timer = (ms: number, expired: () => void) => () => void;

export interface HttpTransportOptions {
  baseUrl: string;
  /** For each attempt, from connecting to the last byte; of a stream, to its beginning. */
  requestTimeout_ms: number;
  timer: Timer;
  /** Where the proxy variables are looked up. */
  environment?: Environment;
  /** Connections at most; 16 when not given. */
  connections?: number;
  /** Whether the certificate of the server must be one that is trusted; yes when not given. */
  verify?: boolean;
  /** A longer answer is refused; 64 MiB when not given. A stream may be longer. */
  max_response_bytes?: number;
  /** Only what an answer says at its beginning counts, as it may have no end: of a 2xx its head; no streams. */
  beginnings?: boolean;
}

export type HttpTransport = Transport & {
  /** Drops all connections, so that the process can end at once. */
  close(): Promise<void>;
};

/** A transport over HTTP with kept-alive connections. Throws `BadBaseUrl` and `BadProxy`; rejects with `Unreachable`. */
export function httpTransport(options: HttpTransportOptions): HttpTransport {
  const url = parseBaseUrl(options.baseUrl);
  const prefix = pathPrefix(url);
  const where = url.origin + prefix + proxyText(url, options.environment ?? {});
  let opened: Promise<Dispatcher> | null = null;
  const transport = async (request: WireRequest): Promise<WireResponse> => {
    opened ??= openDispatcher(url, options);
    const path = prefix + request.path;
    try {
      return await exchange(await opened, { ...request, path, origin: url.origin }, options);
    } catch (error) {
      throw asUnreachable(error, where) ?? error;
    }
  };
  return Object.assign(transport, {
    close: async () => {
      await (await opened)?.destroy();
    },
  });
}

/** Whose fault it is that no answer comes cannot be told where a proxy is in between. Throws `BadProxy`. */
function proxyText(url: URL, environment: Environment): string {
  const found = proxyFor(url, environment);
  if (found === null || isExcepted(url, found.exceptions)) return '';
  return ` through the proxy ${parseProxy(found.proxy).host}`;
}

async function openDispatcher(url: URL, options: HttpTransportOptions): Promise<Dispatcher> {
  const { requestTimeout_ms: timeout, connections = 16, verify: rejectUnauthorized = true } = options;
  // The attempt as a whole has its timer; undici's own limits are for parts of it.
  const limits = {
    connections,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout, rejectUnauthorized },
    allowH2: false,
  };
  const found = proxyFor(url, options.environment ?? {});
  if (found === null || isExcepted(url, found.exceptions)) return new Pool(url.origin, limits);
  const { default: EnvHttpProxyAgent } = await import('undici/lib/dispatcher/env-http-proxy-agent.js');
  return new EnvHttpProxyAgent({
    ...limits,
    httpProxy: found.proxy,
    httpsProxy: found.proxy,
    noProxy: found.exceptions,
  });
}

function exchange(
  dispatcher: Dispatcher,
  request: WireRequest & { origin: string },
  {
    requestTimeout_ms,
    timer,
    beginnings = false,
    max_response_bytes = default_max_response_bytes,
  }: HttpTransportOptions,
): Promise<WireResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<WireResponse>();
  let late: Unreachable | null = null;
  let abort = (_reason: Error): void => {};
  const cancelTimer = timer(requestTimeout_ms, () => {
    late = new Unreachable(`No answer from ${request.origin} within ${requestTimeout_ms / 1000} s.`);
    taken.expire(late);
    abort(late);
  });
  /** A request that only gets its connection when it is too late is not sent any more. */
  const started = (given: (reason: Error) => void): void => {
    abort = given;
    if (late !== null) given(late);
  };
  const streamOf = (control: Dispatcher.DispatchController) =>
    incoming(control, { timer, unreachable: (error) => asUnreachable(error, request.origin) ?? error });
  const settling = { resolve, reject, started };
  const taken = beginnings
    ? beginning(settling, timer)
    : whole({ ...settling, streamOf, max_response_bytes });
  const begin = async () => {
    const body = request.body === '' ? null : request.body;
    dispatcher.dispatch({ ...request, body }, taken.handler);
  };
  begin().catch(reject);
  return promise.finally(cancelTimer);
}

/** An answer is never a network fault: it is not asked for again. */
function tooLong(status: number, max_bytes: number): ApiError {
  const message = `The response of the service is longer than ${max_bytes / 1024 / 1024} MiB: the rest is not read.`;
  return new ApiError(message, { code: 'unexpected_answer', status });
}

interface SettlingWhole extends Settling {
  /** What comes of an answer that is a stream. */
  streamOf(control: Dispatcher.DispatchController): Incoming;
  max_response_bytes: number;
}

function whole({ resolve, reject, started, streamOf, max_response_bytes }: SettlingWhole): Taking {
  let status = 0;
  let bytes = 0;
  let headers: Record<string, string> = {};
  let streamed: Incoming | null = null;
  const chunks: Buffer[] = [];
  const handler: Dispatcher.DispatchHandler = {
    onRequestStart: (controller) => started((reason) => controller.abort(reason)),
    onResponseStart: (controller, statusCode, received) => {
      status = statusCode;
      headers = flat(received);
      if (status !== 200 || headers['content-type']?.startsWith('text/event-stream') !== true) return;
      streamed = streamOf(controller);
      resolve({ status, headers, body: '', stream: streamed.stream });
    },
    onResponseData: (controller, chunk) => {
      if (streamed !== null) return streamed.take(chunk);
      bytes += chunk.length;
      if (bytes <= max_response_bytes) return void chunks.push(chunk);
      const error = tooLong(status, max_response_bytes);
      chunks.length = 0;
      reject(error);
      controller.abort(error);
    },
    onResponseEnd: () => {
      if (streamed === null) resolve({ status, headers, body: Buffer.concat(chunks).toString('utf8') });
      else streamed.end(null);
    },
    onResponseError: (_controller, error) => {
      if (streamed === null) reject(error);
      else streamed.end(error);
    },
  };
  return { handler, expire: reject };
}
