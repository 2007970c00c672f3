/** The transport over HTTP, on undici. Its errors name the proxy, or what is wrong with the certificate. */
import type { Dispatcher } from 'undici';
import Pool from 'undici/lib/dispatcher/pool.js';
import type { Transport, WireRequest, WireResponse } from '../contract/operation.ts';
import { decodeBody } from '../domain/encoded-body.ts';
import { type Environment, parseBaseUrl, parseProxy, pathPrefix, proxyFor } from './addresses.ts';
import { brokenResponse } from './error-responses.ts';
import { asProxyRefusal, asUnreachable, type ProxyRefusal, Unreachable } from './errors.ts';
import { receiveStream, type Timer } from './response-stream.ts';

const default_max_response_bytes = 64 * 1024 * 1024;
/** How long an unwanted body is read, so that its connection can be kept alive. */
const unwanted_body_timeout_ms = 1_000;

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
  /** Whether it resolves at the headers of a 2xx response, whose body may be endless. There are no streams then. */
  resolvesAtHeaders?: boolean;
}

export type HttpTransport = Transport & {
  /** Closes all connections, so that the process can end immediately. */
  close(): Promise<void>;
};

/** A transport over HTTP with kept-alive connections. Throws `BadBaseUrl`, `BadProxy`; rejects with `Unreachable`. */
export function httpTransport(options: HttpTransportOptions): HttpTransport {
  const url = parseBaseUrl(options.baseUrl);
  const prefix = pathPrefix(url);
  const address = url.origin + prefix;
  const addressText = address + proxyText(url, options.environment ?? {});
  let opened: Promise<Dispatcher> | null = null;
  const transport = async (request: WireRequest): Promise<WireResponse> => {
    opened ??= openDispatcher(url, options);
    const path = prefix + request.path;
    try {
      return await exchange(await opened, { ...request, path, origin: url.origin }, options);
    } catch (error) {
      const refusal = asProxyRefusal(error);
      if (refusal !== null) throw new Unreachable(refusalText(refusal, url, options), { cause: refusal });
      const unreachable = asUnreachable(error, addressText);
      throw unreachable === null ? error : await withTlsDetails(unreachable, request.method);
    }
  };
  /** Behind a proxy the host itself may be out of reach, so it is not examined. */
  const withTlsDetails = async (error: Unreachable, method: string): Promise<Unreachable> => {
    const isExamined = addressText === address && error.partial === null && error.code !== null;
    if (!isExamined) return error;
    const details = await tlsDetails(url, error.code, method === 'GET');
    return details === null ? error : new Unreachable(`${error.message} ${details}`, { cause: error.cause });
  };
  return Object.assign(transport, {
    close: async () => {
      await (await opened)?.destroy();
    },
  });
}

/** Connects again to find out when the certificate of a host expired, or that it expects https; null if it is neither. */
async function tlsDetails(url: URL, code: string | null, isRead: boolean): Promise<string | null> {
  if (url.protocol === 'https:' && code === 'CERT_HAS_EXPIRED') {
    const certificate = await presentedCertificate(url);
    const expiry = new Date(certificate?.valid_to ?? '');
    return Number.isNaN(expiry.getTime()) ? null : `It expired on ${expiry.toISOString().slice(0, 10)}.`;
  }
  const isCut = code === 'UND_ERR_SOCKET' || code === 'ECONNRESET';
  if (url.protocol !== 'http:' || !isRead || !isCut) return null;
  return (await presentedCertificate(url)) === null
    ? null
    : 'The port expects https: use https:// in the address.';
}

const probe_timeout_ms = 3000;

/** The certificate that a host presents, without trusting it; null if it does not speak TLS. Nothing else is sent. */
async function presentedCertificate({ hostname, port }: URL) {
  const { connect } = await import('node:tls');
  const host = hostname.replace(/^\[|\]$/g, '');
  const { promise, resolve } = Promise.withResolvers<{ valid_to: string } | null>();
  const isName = !/^[\d.]+$|:/.test(host);
  const servername = isName ? { servername: host } : {};
  const socket = connect({ host, port: Number(port || 443), rejectUnauthorized: false, ...servername });
  socket.setTimeout(probe_timeout_ms, () => resolve(null));
  socket.on('error', () => resolve(null));
  socket.on('close', () => resolve(null));
  socket.once('secureConnect', () => resolve(socket.getPeerCertificate()));
  return promise.finally(() => socket.destroy());
}

/** Names the proxy in an error, as it is unknown which side of it failed; empty without a proxy. Throws `BadProxy`. */
function proxyText(url: URL, environment: Environment): string {
  const proxy = proxyFor(url, environment);
  return proxy === null ? '' : ` through the proxy ${parseProxy(proxy).host}`;
}

/** Says what the proxy refused, and how its user and password are given. */
function refusalText({ status }: ProxyRefusal, url: URL, { environment = {} }: HttpTransportOptions): string {
  const proxy = proxyFor(url, environment) ?? { text: '', variable: 'HTTPS_PROXY' };
  const { host, protocol, username } = parseProxy(proxy);
  if (status !== 407) return `The proxy ${host} refused a connection to ${url.origin} (status ${status}).`;
  return username === ''
    ? `The proxy ${host} wants a user and a password (status 407). Set ${proxy.variable}=${protocol}//USER:PASSWORD@${host}.`
    : `The proxy ${host} does not accept the user and password in ${proxy.variable} (status 407).`;
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
  const proxy = proxyFor(url, options.environment ?? {});
  if (proxy === null) return new Pool(url.origin, limits);
  const { openProxy } = await import('./proxy.ts');
  return openProxy({ proxy: parseProxy(proxy), limits });
}

/** Sends a request and receives its response within the time-out. */
function exchange(
  dispatcher: Dispatcher,
  request: WireRequest & { origin: string },
  options: HttpTransportOptions,
): Promise<WireResponse> {
  const { requestTimeout_ms, timer } = options;
  const { promise, resolve, reject } = Promise.withResolvers<WireResponse>();
  let late: Unreachable | null = null;
  let abort = (_reason: Error): void => {};
  const cancelTimer = timer(requestTimeout_ms, () => {
    late = new Unreachable(`No response from ${request.origin} within ${requestTimeout_ms / 1000} s.`);
    response.fail(late);
    abort(late);
  });
  /** A request that gets its connection only after the time-out is not sent. */
  const started = (abortRequest: (reason: Error) => void): void => {
    abort = abortRequest;
    if (late !== null) abortRequest(late);
  };
  const response = responseHandler({ ...options, request, resolve, reject, started });
  const begin = async () => {
    const body = request.body === '' ? null : request.body;
    dispatcher.dispatch({ ...request, body }, response.handler);
  };
  begin().catch(reject);
  return promise.finally(cancelTimer);
}

interface ResponseHandlerOptions extends HttpTransportOptions {
  request: Pick<WireRequest, 'method'> & { origin: string };
  resolve(response: WireResponse): void;
  reject(error: Error): void;
  /** Receives the function that aborts the request. */
  started(abort: (reason: Error) => void): void;
}

/**
 * Receives a response; `fail` ends it with an error. It resolves at one of three times: at the headers, if only they are
 * wanted; at the headers of a stream, whose text follows; or at the end.
 */
function responseHandler(options: ResponseHandlerOptions) {
  const { resolve, reject, request, started, timer, resolvesAtHeaders = false } = options;
  const { max_response_bytes = default_max_response_bytes } = options;
  let status = 0;
  let bytes = 0;
  let headers: Record<string, string> = {};
  let streamed: ReturnType<typeof receiveStream> | null = null;
  let cancelBodyTimer = () => {};
  const chunks: Buffer[] = [];
  /** The decoder leaves out the byte order mark that some services write first. */
  const responseOf = (body: Uint8Array) => ({ status, headers, body: new TextDecoder().decode(body) });
  const response = () => responseOf(Buffer.concat(chunks));
  /** A broken-off response goes with the error: its status alone says that a write was accepted. */
  const fail = (error: Error) => {
    const unreachable = status === 0 ? null : asUnreachable(error, request.origin);
    if (resolvesAtHeaders && status !== 0) resolve(response());
    else if (unreachable === null) reject(error);
    else reject(new Unreachable(unreachable.message, { cause: error, partial: response() }));
  };
  const handler: Dispatcher.DispatchHandler = {
    onRequestStart: (controller) => started((reason) => controller.abort(reason)),
    onResponseStart: (controller, statusCode, received) => {
      status = statusCode;
      headers = joinedHeaders(received);
      if (resolvesAtHeaders && status > 199 && status < 300) {
        resolve(response());
        const unread = new Unreachable('The rest of the response is not read.');
        cancelBodyTimer = timer(unwanted_body_timeout_ms, () => controller.abort(unread));
      }
      const isStream = status === 200 && headers['content-type']?.startsWith('text/event-stream') === true;
      if (!isStream || resolvesAtHeaders) return;
      streamed = receiveStream(controller, timer, (error) => asUnreachable(error, request.origin) ?? error);
      resolve({ status, headers, body: '', stream: streamed.stream });
    },
    onResponseData: (controller, chunk) => {
      if (streamed !== null) return streamed.take(chunk);
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes <= max_response_bytes) return;
      // This is no network error, so that the request is not retried.
      const error = brokenResponse(`is longer than ${max_response_bytes / 1024 / 1024} MiB`, status);
      // An accepted write has had its effect, even if its response is cut.
      if (request.method !== 'GET' && status < 300) resolve(response());
      fail(error);
      controller.abort(error);
    },
    onResponseEnd: () => {
      cancelBodyTimer();
      const encoding = headers['content-encoding'] ?? '';
      if (streamed !== null) streamed.end(null);
      else if (encoding === '') resolve(response());
      else
        decodeBody(Buffer.concat(chunks), encoding, max_response_bytes)
          .then(responseOf)
          .then(resolve, reject);
    },
    onResponseError: (_controller, error) => {
      cancelBodyTimer();
      if (streamed === null) fail(error);
      else streamed.end(error);
    },
  };
  return { handler, fail };
}

/** The headers of a response as texts; repeated ones are joined with commas. */
function joinedHeaders(received: Record<string, string | string[] | undefined>): Record<string, string> {
  const entries = Object.entries(received).map(([name, value]) => [name, [value ?? ''].flat().join(', ')]);
  return Object.fromEntries(entries);
}
