import type { Dispatcher } from 'undici';
import Pool from 'undici/lib/dispatcher/pool.js';
import {
  silence_ms,
  type Transport,
  type WireRequest,
  type WireResponse,
  type WireStream,
} from '../contract/operation.ts';
import { type Environment, parseBaseUrl, parseProxy, pathPrefix, proxyFor } from './addresses.ts';
import { ApiError, asProxyRefusal, asUnreachable, type ProxyRefusal, Unreachable } from './errors.ts';

const default_max_response_bytes = 64 * 1024 * 1024;

/** Calls `expired` after this many milliseconds, unless the returned function is called first. */
export type Timer = (ms: number, expired: () => void) => () => void;

export interface HttpTransportOptions {
  baseUrl: string;
  /** For each attempt, from connecting to the last byte; for a stream, to its first byte. */
  requestTimeout_ms: number;
  timer: Timer;
  /** The environment with the proxy variables. */
  environment?: Environment;
  /** Maximum connections; default 16. */
  connections?: number;
  /** Whether the server's certificate must be trusted; default true. */
  verify?: boolean;
  /** Maximum response size; default 64 MiB. Streams are not limited. */
  max_response_bytes?: number;
  /** Resolves at the headers of a 2xx response, whose body may be endless; no streams. */
  resolvesAtHeaders?: boolean;
}

export type HttpTransport = Transport & {
  /** Closes all connections, so that the process can end immediately. */
  close(): Promise<void>;
};

/**
 * A transport over HTTP with kept-alive connections. Throws `BadBaseUrl` and `BadProxy`; rejects with `Unreachable`.
 */
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
      const refusal = asProxyRefusal(error);
      if (refusal !== null) throw new Unreachable(refusalText(refusal, url, options), { cause: refusal });
      const unreachable = asUnreachable(error, where);
      throw unreachable === null ? error : await detailed(unreachable, request.method);
    }
  };
  /** Behind a proxy the host itself may be out of reach. */
  const detailed = async (error: Unreachable, method: string): Promise<Unreachable> => {
    const isLookedAt = where === url.origin + prefix && error.partial === null && error.code !== null;
    if (!isLookedAt) return error;
    const details = await tlsDetails(url, error.code, method === 'GET');
    return details === null ? error : new Unreachable(`${error.message} ${details}`, { cause: error.cause });
  };
  return Object.assign(transport, {
    close: async () => {
      await (await opened)?.destroy();
    },
  });
}

/** Adds what another look at the host shows: when its certificate expired, or that it expects https. */
async function tlsDetails(url: URL, code: string | null, isRead: boolean): Promise<string | null> {
  if (url.protocol === 'https:' && code === 'CERT_HAS_EXPIRED') {
    const found = await presentedCertificate(url);
    const at = new Date(found?.valid_to ?? '');
    return Number.isNaN(at.getTime()) ? null : `It expired on ${at.toISOString().slice(0, 10)}.`;
  }
  const isCut = code === 'UND_ERR_SOCKET' || code === 'ECONNRESET';
  if (url.protocol !== 'http:' || !isRead || !isCut) return null;
  return (await presentedCertificate(url)) === null
    ? null
    : 'The port expects https: use https:// in the address.';
}

const max_probe_ms = 3000;

/** The certificate that a host presents, without trusting it; null if it does not speak TLS. Nothing else is sent. */
async function presentedCertificate({ hostname, port }: URL) {
  const { connect } = await import('node:tls');
  const host = hostname.replace(/^\[|\]$/g, '');
  const { promise, resolve } = Promise.withResolvers<{ valid_to: string } | null>();
  const isName = !/^[\d.]+$|:/.test(host);
  const servername = isName ? { servername: host } : {};
  const socket = connect({ host, port: Number(port || 443), rejectUnauthorized: false, ...servername });
  socket.setTimeout(max_probe_ms, () => resolve(null));
  socket.on('error', () => resolve(null));
  socket.on('close', () => resolve(null));
  socket.once('secureConnect', () => resolve(socket.getPeerCertificate()));
  return promise.finally(() => socket.destroy());
}

/** Behind a proxy it is unknown which side failed, so the message names the proxy. Throws `BadProxy`. */
function proxyText(url: URL, environment: Environment): string {
  const found = proxyFor(url, environment);
  return found === null ? '' : ` through the proxy ${parseProxy(found).host}`;
}

/** Says what the proxy refused, and how its user and password are given. */
function refusalText({ status }: ProxyRefusal, url: URL, { environment = {} }: HttpTransportOptions): string {
  const found = proxyFor(url, environment) ?? { text: '', variable: 'HTTPS_PROXY' };
  const { host, protocol, username } = parseProxy(found);
  if (status !== 407) return `The proxy ${host} refused a connection to ${url.origin} (status ${status}).`;
  return username === ''
    ? `The proxy ${host} wants a user and a password (status 407). Set ${found.variable}=${protocol}//USER:PASSWORD@${host}.`
    : `The proxy ${host} does not accept the user and password in ${found.variable} (status 407).`;
}

async function openDispatcher(url: URL, options: HttpTransportOptions): Promise<Dispatcher> {
  const { requestTimeout_ms: timeout, connections = 16, verify: rejectUnauthorized = true } = options;
  // The attempt has one time-out as a whole; undici's own limits cover only parts of it.
  const limits = {
    connections,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout, rejectUnauthorized },
    allowH2: false,
    // With undici's other parser, V8 optimizes one long function after a few responses, and the process waits for that
    // at its end.
    useMilo: true,
  };
  const found = proxyFor(url, options.environment ?? {});
  if (found === null) return new Pool(url.origin, limits);
  const { openProxy } = await import('./proxy.ts');
  return openProxy({ proxy: parseProxy(found), limits });
}

function exchange(
  dispatcher: Dispatcher,
  request: WireRequest & { origin: string },
  {
    requestTimeout_ms,
    timer,
    resolvesAtHeaders = false,
    max_response_bytes = default_max_response_bytes,
  }: HttpTransportOptions,
): Promise<WireResponse> {
  const { promise, resolve, reject } = Promise.withResolvers<WireResponse>();
  let late: Unreachable | null = null;
  let abort = (_reason: Error): void => {};
  const cancelTimer = timer(requestTimeout_ms, () => {
    late = new Unreachable(`No response from ${request.origin} within ${requestTimeout_ms / 1000} s.`);
    response.expire(late);
    abort(late);
  });
  /** A request that gets its connection only after the time-out is not sent. */
  const started = (given: (reason: Error) => void): void => {
    abort = given;
    if (late !== null) given(late);
  };
  const streamOf = (control: Dispatcher.DispatchController) =>
    incoming(control, { timer, unreachable: (error) => asUnreachable(error, request.origin) ?? error });
  const callbacks = { resolve, reject, started };
  const response = resolvesAtHeaders
    ? headersHandler(callbacks, timer)
    : wholeResponseHandler({ ...callbacks, request, streamOf, max_response_bytes });
  const begin = async () => {
    const body = request.body === '' ? null : request.body;
    dispatcher.dispatch({ ...request, body }, response.handler);
  };
  begin().catch(reject);
  return promise.finally(cancelTimer);
}

/** A response is never a network error, so the request is not retried. */
function tooLong(status: number, max_bytes: number): ApiError {
  const message = `The response of the service is longer than ${max_bytes / 1024 / 1024} MiB.`;
  return new ApiError(message, { code: 'unexpected_answer', status });
}

interface WholeResponseOptions extends ResponseCallbacks {
  request: Pick<WireRequest, 'method'> & { origin: string };
  /** Creates the stream of a streamed response. */
  streamOf(control: Dispatcher.DispatchController): Incoming;
  max_response_bytes: number;
}

function wholeResponseHandler(options: WholeResponseOptions): ResponseHandler {
  const { resolve, request, started, streamOf, max_response_bytes } = options;
  let status = 0;
  let bytes = 0;
  let headers: Record<string, string> = {};
  let streamed: Incoming | null = null;
  const chunks: Buffer[] = [];
  const responseOf = (body: Uint8Array) => ({ status, headers, body: textOf(body) });
  const response = () => responseOf(Buffer.concat(chunks));
  const resolveDecoded = async (encodings: string) => {
    const received = Buffer.concat(chunks);
    resolve(responseOf((await decodedBody(received, encodings, max_response_bytes)) ?? received));
  };
  /** A broken-off response goes with the error: its status alone says that a write was accepted. */
  const reject = (error: Error) => {
    const unreachable = status === 0 ? null : asUnreachable(error, request.origin);
    if (unreachable === null) return options.reject(error);
    options.reject(new Unreachable(unreachable.message, { cause: error, partial: response() }));
  };
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
      const isAccepted = request.method !== 'GET' && status < 300;
      if (isAccepted) resolve(response());
      chunks.length = 0;
      reject(error);
      controller.abort(error);
    },
    onResponseEnd: () => {
      const encodings = headers['content-encoding'];
      if (streamed !== null) streamed.end(null);
      else if (encodings === undefined || encodings === '') resolve(response());
      else resolveDecoded(encodings).catch(options.reject);
    },
    onResponseError: (_controller, error) => {
      if (streamed === null) reject(error);
      else streamed.end(error);
    },
  };
  return { handler, expire: reject };
}

/** Without the byte order mark that some services write first. */
function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

/** A stream received over the network. */
export interface Incoming {
  stream: WireStream;
  /** Receives bytes. */
  take(chunk: Buffer): void;
  /** Ends the stream, with an error unless it was closed properly. */
  end(error: Error | null): void;
}

/** The connection's flow control. */
interface Control {
  pause(): void;
  resume(): void;
  abort(reason: Error): void;
}

interface Tools {
  /** Calls `expired` after this many milliseconds, unless the returned function is called first. */
  timer(ms: number, expired: () => void): () => void;
  /** Converts a network error to the error that readers receive. */
  unreachable(error: Error): Error;
}

/** The maximum number of unread characters; beyond it the connection is paused. */
const most = 65_536;

/** Decodes the received bytes to text, with back-pressure. */
function incoming(control: Control, { timer, unreachable }: Tools): Incoming {
  const decoder = new TextDecoder();
  let waiting = '';
  let isOver = false;
  let isPaused = false;
  let fault: Error | null = null;
  let wake = () => {};

  const end = (error: Error | null) => {
    silence.stop();
    if (!isOver && error !== null) fault = unreachable(error);
    isOver = true;
    wake();
  };
  const silence = silenceWatch(timer, (lost) => giveUp(lost, lost));
  const giveUp = (reason: Unreachable, error: Error | null) => {
    if (isOver) return;
    end(error);
    control.abort(reason);
  };
  const close = () => giveUp(new Unreachable('The stream was closed.'), null);
  const taken = (): string => {
    const text = waiting;
    waiting = '';
    const goesOn = isPaused && !isOver;
    isPaused = false;
    if (goesOn) silence.start();
    // More data may arrive before this returns.
    if (goesOn) control.resume();
    return text;
  };

  async function* chunks(): AsyncGenerator<string> {
    try {
      for (;;) {
        const text = taken();
        if (text !== '') yield text;
        else if (fault !== null) throw fault;
        else if (isOver) return;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    } finally {
      close();
    }
  }

  silence.start();
  const take = (chunk: Buffer) => {
    if (isOver) return;
    waiting += decoder.decode(chunk, { stream: true });
    wake();
    silence.start();
    if (waiting.length < most) return;
    isPaused = true;
    silence.stop();
    control.pause();
  };
  return { stream: { chunks: chunks(), close }, end, take };
}

/** Calls `lost` if `start` is not followed by another `start` or a `stop` in time. */
function silenceWatch(timer: Tools['timer'], lost: (reason: Unreachable) => void) {
  let cancel = () => {};
  const stop = () => {
    cancel();
    cancel = () => {};
  };
  const start = () => {
    stop();
    cancel = timer(silence_ms, () => {
      cancel = () => {};
      lost(new Unreachable(`The stream was silent for ${silence_ms / 1000} s.`));
    });
  };
  return { start, stop };
}

/** Receives the result of a request. */
export interface ResponseCallbacks {
  resolve(response: WireResponse): void;
  reject(error: Error): void;
  /** Receives the function that aborts the request. */
  started(abort: (reason: Error) => void): void;
}

/** Receives a response. */
export interface ResponseHandler {
  handler: Dispatcher.DispatchHandler;
  /** Called when the time-out expires. */
  expire(late: Error): void;
}

/** The maximum number of body bytes that are read. */
const max_body_bytes = 65_536;
/** How long the rest of a response is read, so that its connection can be kept alive. */
const rest_ms = 1_000;

/** Resolves a 2xx response at its headers, and any other with the start of its body; an endless body is cut off. */
function headersHandler({ resolve, reject, started }: ResponseCallbacks, timer: Timer): ResponseHandler {
  let head: Pick<WireResponse, 'status' | 'headers'> | null = null;
  let length = 0;
  const chunks: Buffer[] = [];
  let cut = () => {};
  let cancelCut = () => {};
  const end = (error: Error | null) => {
    if (head !== null) resolve({ ...head, body: Buffer.concat(chunks).toString('utf8') });
    else if (error !== null) reject(error);
  };
  const handler: Dispatcher.DispatchHandler = {
    onRequestStart: (controller) => {
      cut = () => controller.abort(new Unreachable('The rest of the response is not read.'));
      started((reason) => controller.abort(reason));
    },
    onResponseStart: (_controller, status, received) => {
      head = { status, headers: flat(received) };
      if (status < 200 || status > 299) return;
      end(null);
      cancelCut = timer(rest_ms, () => cut());
    },
    onResponseData: (_controller, chunk) => {
      chunks.push(chunk);
      length += chunk.length;
      if (length < max_body_bytes) return;
      end(null);
      cut();
    },
    onResponseEnd: () => {
      cancelCut();
      end(null);
    },
    onResponseError: (_controller, error) => {
      cancelCut();
      end(error);
    },
  };
  return { handler, expire: end };
}

/** The headers of a response as plain data. */
function flat(received: Record<string, string | string[] | undefined>): Record<string, string> {
  const entries = Object.entries(received).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]);
  return Object.fromEntries(entries);
}

/**
 * A body without its content encodings, which a service may use although no request asks for one. Null if an encoding
 * is not known, the bytes are not valid, or the body is longer than the limit.
 */
async function decodedBody(bytes: Buffer, encodings: string, max_bytes: number): Promise<Buffer | null> {
  // Loaded here, as few services encode a response without being asked.
  const { brotliDecompressSync, gunzipSync, inflateSync } = await import('node:zlib');
  const decoders: Readonly<Record<string, typeof gunzipSync>> = {
    gzip: gunzipSync,
    'x-gzip': gunzipSync,
    deflate: inflateSync,
    br: brotliDecompressSync,
  };
  let body = bytes;
  for (const encoding of encodings.toLowerCase().split(',').reverse()) {
    const decode = decoders[encoding.trim()];
    if (decode === undefined) return null;
    try {
      body = decode(body, { maxOutputLength: max_bytes });
    } catch {
      return null;
    }
  }
  return body;
}
