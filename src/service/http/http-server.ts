/**
 * Serves the service's `fetch` with Node's HTTP server. `serveHttp` converts each message to a `ReceivedRequest`, and sends
 * the response or stream as fast as the client reads it. Invalid HTTP is answered in the error format of all others.
 */
import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Duplex } from 'node:stream';
import { Problem } from '../../contract/errors.ts';
import type { ReceivedRequest, RequestLog, WireResponse, WireStream } from '../../contract/operation.ts';
import { operationPlaces } from '../../contract/operations.ts';
import type { HttpLimits } from '../../domain/operator-settings.ts';
import { newRequestId } from '../runtime/ids.ts';
import { type Clock, instant, type Timers } from '../runtime/time.ts';
import { errorAnswer } from './answers.ts';
import { type ClientAddresses, createClientAddresses } from './client-addresses.ts';
import { limitConnections } from './connection-limit.ts';
import type { HandledRequest } from './fetch.ts';
import { createPipeline } from './pipelining.ts';
import {
  type BodyReading,
  createBodyDiscarder,
  createBodyMemory,
  hasBody,
  isPartlyReceived,
  readBody,
} from './request-body.ts';

interface Tools {
  timers: Timers;
  limits: HttpLimits;
  /** Whether each connection is closed after its next response. */
  isStopping: () => boolean;
  log: (line: RequestLog) => void;
  clock: Clock;
  wall: Clock;
  monotonic: Clock;
}

/** How long a client whose request was not fully read may take to read the response. */
const close_delay_ms = 3_000;

/** The time limit for the headers, if a whole request may take longer. */
const headers_timeout_ms = 10_000;

/** Creates a server with the limits that Node enforces. A missing Host header is left to `serveHttp`. */
export function createHttpServer(limits: HttpLimits): Server {
  return createServer({
    requireHostHeader: false,
    requestTimeout: limits.request_timeout_ms,
    headersTimeout: Math.min(headers_timeout_ms, limits.request_timeout_ms),
    connectionsCheckingInterval: Math.min(1_000, limits.request_timeout_ms),
    keepAliveTimeout: limits.idle_timeout_ms,
  });
}

export type MountedFetch = (request: ReceivedRequest) => Promise<LoggedResponse>;

type Reply = (message: IncomingMessage, response: ServerResponse) => Promise<LoggedResponse>;

/** The code of Node's error for a request that is not received in time. */
const receive_timeout = 'ERR_HTTP_REQUEST_TIMEOUT';

/** Serves the service's `fetch` over HTTP. Protocol errors get the same error format as all others. */
export function serveHttp(http: Server, fetch: MountedFetch, given: Tools): void {
  const tools = { ...given, discardBody: createBodyDiscarder(given.timers, close_delay_ms) };
  const memoryOfBody = createBodyMemory(tools, tools.limits.max_body_bytes);
  const clients = createClientAddresses(tools.limits.trusted_proxies);
  const noteRequest = limitConnections(http, clients, tools.limits.max_connections);
  const awaitTurn = createPipeline(tools.timers);
  const listen = (reply: Reply) => async (message: IncomingMessage, response: ServerResponse) => {
    noteRequest(message, response);
    await awaitTurn(message, response);
    await answer(() => reply(message, response), tools, message, response).catch((fault: unknown) => {
      // A client that disconnects during its request is not an error of the service.
      if (message.errored === null)
        tools.log({ type: 'fault', at: tools.wall.now(), request_id: null, fault });
      response.destroy();
    });
  };
  const withoutHost = async () => refusal(400, 'The request must have exactly one Host header.', tools);
  const unexpected = async () =>
    refusal(417, 'Unsupported Expect header: only 100-continue is supported.', tools);
  /** A client that expects a 100 response sends its body after that. */
  const serve = (expectsContinue: boolean) =>
    listen((message, response) => {
      if (!hasOneHost(message)) return withoutHost();
      const memory = memoryOfBody();
      const onStart = () => (expectsContinue ? response.writeContinue() : undefined);
      const onSlow = () => refuseConnection(receive_timeout, message.socket, tools);
      const reading = { memory, timers: tools.timers, onStart, onSlow };
      return fetch(receivedRequest(message, clients, reading)).finally(memory.release);
    });
  http.on('request', serve(false));
  http.on('checkContinue', serve(true));
  http.on('checkExpectation', listen(unexpected));
  http.on('clientError', (fault: NodeJS.ErrnoException, socket) =>
    refuseConnection(fault.code, socket, tools),
  );
}

/** A response, and for the log the operation and caller that the service has found. */
type LoggedResponse = WireResponse & { handled?: HandledRequest };

/** A request that did not reach the service. */
const unhandled: HandledRequest = { operation: null, account_id: null, mode: null, key_end: null };

interface SendingTools extends Pick<Tools, 'timers' | 'limits' | 'isStopping'> {
  /** Discards the rest of an unread body. */
  discardBody: (message: IncomingMessage) => Promise<void>;
}

async function answer(
  reply: () => Promise<LoggedResponse>,
  tools: Tools & SendingTools,
  message: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { log, wall, monotonic } = tools;
  const [at, started_at] = [wall.now(), monotonic.now()];
  const answered = await reply();
  // The client disconnected during its request, or was rejected as too slow.
  if (message.errored !== null || message.socket.writable === false) return answered.stream?.close();
  log({
    type: 'request',
    at,
    ...(answered.handled ?? unhandled),
    method: message.method ?? '-',
    path: loggedPath(message),
    status: answered.status,
    duration_ms: monotonic.now() - started_at,
    request_id: answered.headers['x-request-id'] ?? null,
  });
  await sendResponse(message, response, answered, tools);
}

/** RFC 9112, 3.2: an HTTP/1.1 request has exactly one Host header, an HTTP/1.0 request at most one. */
function hasOneHost({ rawHeaders, httpVersion }: IncomingMessage): boolean {
  // Names and values in turn. `headers` would show one of several.
  const { length } = rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === 'host');
  return length === 1 || (length === 0 && httpVersion === '1.0');
}

/** An error response to a request that did not reach the service. */
function refusal(
  status: number,
  message: string,
  { clock, wall }: Pick<Tools, 'clock' | 'wall'>,
): WireResponse {
  const request_id = newRequestId(wall.now());
  const { body } = errorAnswer(new Problem('invalid_request', message), request_id, () => {});
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'x-request-id': request_id,
    'x-service-time': instant(clock.now()),
    connection: 'close',
  };
  return { status, headers, body };
}

/** Responds to invalid HTTP and closes the connection. */
function refuseConnection(code: string | undefined, socket: Duplex, tools: Tools): void {
  if (code === 'ECONNRESET') socket.destroy();
  // Bytes after the first error are not a request either.
  if (!socket.writable) return;
  const { status, message } = parseErrorAnswer(code);
  const { headers, body } = refusal(status, message, tools);
  const lines = Object.entries({ ...headers, 'content-length': Buffer.byteLength(body) });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n${body}`);
  // Closing immediately would discard the response of a client that is still sending.
  socket.once(
    'close',
    tools.timers.after(close_delay_ms, () => socket.destroy()),
  );
  const request_id = headers['x-request-id'] ?? null;
  tools.log({
    type: 'request',
    at: tools.wall.now(),
    ...unhandled,
    method: '-',
    path: '-',
    status,
    duration_ms: 0,
    request_id,
  });
}

function parseErrorAnswer(code: string | undefined): { status: number; message: string } {
  if (code === 'HPE_HEADER_OVERFLOW') return { status: 431, message: 'The URL or the headers are too long.' };
  if (code === receive_timeout) return { status: 408, message: 'Timed out while receiving the request.' };
  return { status: 400, message: 'Invalid HTTP request.' };
}

/** A request as plain data, with an unread body. */
function receivedRequest(
  message: IncomingMessage,
  clients: ClientAddresses,
  reading: BodyReading,
): ReceivedRequest {
  const headers: Record<string, string> = {};
  for (const name in message.headers) {
    const value = message.headers[name];
    headers[name] = Array.isArray(value) ? value.join(', ') : (value ?? '');
  }
  // HEAD is handled as GET, without the body.
  const method = message.method === 'HEAD' ? 'GET' : (message.method ?? 'GET');
  const body: ReceivedRequest['body'] = hasBody(message)
    ? (check, holder) => readBody(message, { check, holder, ...reading })
    : '';
  const client_address = clients.find(message.socket.remoteAddress ?? '', headers['x-forwarded-for']);
  return { method, path: requestPath(message), headers, body, client_address };
}

/** The path with its query; a request to a proxy has an absolute URL (RFC 9112, 3.2.2). */
function requestPath({ url = '/' }: IncomingMessage): string {
  const path = url.replace(/^https?:\/\/[^/?#]*/i, '');
  return path === url || path.startsWith('/') ? path : `/${path}`;
}

/** The prefixes of paths that end with a secret token. */
const secret_starts = [
  ...operationPlaces
    .flatMap(({ paths }) => paths)
    .filter((path) => path.includes('{token}'))
    .map((path) => path.slice(0, path.indexOf('{'))),
  '/couriers/',
];

/** A part of a path that may be a phone number, a name or an address instead of an ID. */
const personal = /[+@%\s]|\d{7}/;
const record_id = /^[a-z]+_[0-9A-Z]+$/;

/**
 * The path for the log, without its query. Tokens of tracking pages are removed, because they give access, and parts
 * that may be personal data.
 */
function loggedPath(message: IncomingMessage): string {
  const path = requestPath(message).split('?')[0] ?? '';
  const plain = decoded(path);
  const start = secret_starts.find((each) => plain.toLowerCase().includes(each));
  if (start === undefined)
    return path.replace(/[^/]+/g, (part) => (record_id.test(part) || !personal.test(part) ? part : '...'));
  return `${plain.slice(0, plain.toLowerCase().indexOf(start))}${start}...`;
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** The number of characters written to a connection at a time: whole groups of base64. */
const piece_length = 16 * 1024;

/** Sends a whole response or a stream. */
async function sendResponse(
  message: IncomingMessage,
  response: ServerResponse,
  { status, headers, body, encoding, stream }: WireResponse,
  { timers, limits, isStopping, discardBody }: SendingTools,
): Promise<void> {
  const deadline = { timers, timeout_ms: limits.response_timeout_ms };
  const isUnread = isPartlyReceived(message);
  response.writeHead(status, {
    ...headers,
    ...(stream === undefined ? { 'content-length': Buffer.byteLength(body, encoding) } : {}),
    // The unread rest of a body would be parsed as the next request; and a stopping server ends its streams, but would
    // wait for their connections.
    ...(isUnread || stream !== undefined || isStopping() ? { connection: 'close' } : {}),
  });
  if (stream !== undefined) return sendStream(stream, message, response, deadline);
  const text = message.method === 'HEAD' ? '' : body;
  if (!isUnread && text.length <= piece_length) return sendPiece({ text, encoding }, response, deadline);
  await sendText({ text, encoding }, response, deadline);
  // Closing immediately would discard the response of a client that is still sending.
  if (isUnread) await discardBody(message);
  response.end();
}

/** A time limit for the client, and the timers that measure it. */
interface Deadline {
  timers: Timers;
  timeout_ms: number;
}

/** A body as text, in base64 if it is binary data. */
interface TextBody {
  text: string;
  encoding?: BufferEncoding | undefined;
}

/** Sends a short text with the headers. Its connection is closed if the client does not read it in time. */
function sendPiece(
  { text, encoding = 'utf8' }: TextBody,
  response: ServerResponse,
  { timers, timeout_ms }: Deadline,
): void {
  response.end(text, encoding);
  // The system has usually taken all of it by now, and the client cannot delay anything.
  if (response.destroyed || !response.socket?.writableLength) return;
  response.once(
    'close',
    timers.after(timeout_ms, () => response.destroy()),
  );
}

/**
 * Sends a text in pieces as fast as the client reads it: a client that does not read costs one piece of memory. Its
 * connection is closed if it does not finish in time.
 */
async function sendText(
  { text, encoding = 'utf8' }: TextBody,
  response: ServerResponse,
  { timers, timeout_ms }: Deadline,
): Promise<void> {
  response.once(
    'close',
    timers.after(timeout_ms, () => response.destroy()),
  );
  for (let from = 0; from < text.length && !response.destroyed; ) {
    const to = endOfPiece(text, from);
    const piece = from === 0 && to === text.length ? text : text.slice(from, to);
    if (!response.write(piece, encoding)) await awaitDrain(response);
    from = to;
    // Large responses yield to other work between their pieces.
    if (from < text.length) await timers.turn();
  }
}

/** A surrogate pair is one character and stays in one piece. */
function endOfPiece(text: string, from: number): number {
  const to = Math.min(from + piece_length, text.length);
  const last = text.charCodeAt(to - 1);
  return to < text.length && last >= 0xd800 && last <= 0xdbff ? to + 1 : to;
}

/**
 * Sends a stream as fast as the client reads it, until it ends or the client disconnects. HEAD skips it. A client
 * that does not read for too long is disconnected; so is any client when the stream ends.
 */
async function sendStream(
  stream: WireStream,
  { method }: IncomingMessage,
  response: ServerResponse,
  { timers, timeout_ms }: Deadline,
): Promise<void> {
  response.once('close', stream.close);
  stream.ended?.then(() => {
    if (response.writableNeedDrain) response.destroy();
  });
  try {
    if (method === 'HEAD' || response.destroyed) return;
    for await (const chunk of stream.chunks) {
      if (response.destroyed) return;
      if (response.write(chunk)) continue;
      const cancel = timers.after(timeout_ms, () => response.destroy());
      await awaitDrain(response);
      cancel();
    }
  } finally {
    stream.close();
    response.end();
  }
}

/** Settles when the client has read the written data, or has disconnected. */
async function awaitDrain(response: ServerResponse): Promise<void> {
  if (response.destroyed) return;
  const { promise, resolve } = Promise.withResolvers<void>();
  response.once('drain', resolve);
  response.once('close', resolve);
  await promise;
  response.off('drain', resolve);
  response.off('close', resolve);
}
