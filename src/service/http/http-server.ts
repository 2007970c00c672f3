import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Duplex } from 'node:stream';
import { Problem } from '../../contract/errors.ts';
import type { RequestLog, WireResponse } from '../../contract/wire.ts';
import type { HttpLimits } from '../../domain/service-limits.ts';
import { newRequestId } from '../runtime/ids.ts';
import type { Clock, Timers } from '../runtime/time.ts';
import { instant } from '../runtime/timestamps.ts';
import { failureOf } from './answers.ts';
import { createFindClientAddress } from './client-address.ts';
import type { Fetch } from './fetch.ts';
import {
  createBodyDiscarder,
  createBodyMemory,
  isIncomplete,
  loggedPath,
  receivedRequest,
} from './http-request.ts';
import { pour, sendText } from './write-stream.ts';

interface Tools {
  log: (line: RequestLog) => void;
  clock: Clock;
  wall: Clock;
  timers: Timers;
  limits: HttpLimits;
  /** Whether each connection ends with its next answer. */
  isStopping: () => boolean;
}

interface AnswerTools extends Tools {
  /** Drops what still comes of a body that was not read. */
  discardBody: (message: IncomingMessage) => Promise<void>;
}

/** How long a client whose request was not read to its end may take to read the answer. */
const linger_ms = 3_000;

/** For the headers alone, where a whole request may take longer. */
const headers_timeout_ms = 10_000;

/** A server with the limits that Node itself holds. It leaves a missing Host header to `serveHttp`. */
export function createHttpServer(limits: HttpLimits): Server {
  const http = createServer({
    requireHostHeader: false,
    requestTimeout: limits.request_timeout_ms,
    headersTimeout: Math.min(headers_timeout_ms, limits.request_timeout_ms),
    connectionsCheckingInterval: Math.min(1_000, limits.request_timeout_ms),
    keepAliveTimeout: limits.idle_timeout_ms,
  });
  http.maxConnections = limits.max_connections;
  return http;
}

/** Puts HTTP around the service's `fetch`. What the protocol itself refuses is answered like any other refusal. */
export function serveHttp(http: Server, fetch: Fetch, given: Tools): void {
  const tools = { ...given, discardBody: createBodyDiscarder(given.timers, linger_ms) };
  const shareOfMemory = createBodyMemory(tools.limits.max_body_bytes);
  const findClientAddress = createFindClientAddress(tools.limits.trusted_proxies);
  const awaitTurn = createTurns(tools.timers);
  const listen = (reply: Reply) => async (message: IncomingMessage, response: ServerResponse) => {
    await awaitTurn(message, response);
    await answer(reply, tools, message, response).catch((fault: unknown) => {
      // A client that leaves in the middle of its request is no fault of the service.
      if (message.errored === null) tools.log({ type: 'fault', request_id: null, fault });
      response.destroy();
    });
  };
  const withoutHost = async () => refusal(400, 'The request must have one Host header.', tools);
  const unexpected = async () => refusal(417, 'The service meets no expectation but 100-continue.', tools);
  const serve: Reply = async (message) => {
    const share = shareOfMemory();
    return fetch(receivedRequest(message, share, findClientAddress)).finally(share.release);
  };
  http.on(
    'request',
    listen((message) => (hasOneHost(message) ? serve(message) : withoutHost())),
  );
  http.on('checkExpectation', listen(unexpected));
  http.on('clientError', (fault, socket) => refuseConnection(fault, socket, tools));
}

type Reply = (message: IncomingMessage) => Promise<WireResponse>;

/** Requests of one connection that wait for the answers before them; hardly any client sends a second. */
const max_pipelined = 16;

/**
 * A client may send requests before it has read the answer to the first (RFC 9112, 9.3.2): each begins when the answer
 * before it has been taken. A connection with too many of them is closed.
 */
function createTurns({ turn }: Timers) {
  const waiting = new WeakMap<Duplex, Promise<void>[]>();
  return async ({ socket }: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const others = waiting.get(socket) ?? [];
    waiting.set(socket, others);
    const before = others.at(-1);
    others.push(promise);
    response.once('close', () => {
      others.shift();
      resolve();
    });
    if (others.length > max_pipelined) socket.destroy();
    if (before === undefined) return;
    await before;
    await turn();
  };
}

async function answer(
  reply: Reply,
  tools: AnswerTools,
  message: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { log, wall } = tools;
  const started_at = wall.now();
  const answered = await reply(message);
  // The client left in the middle of its request, or was refused as too slow.
  if (message.errored !== null || message.socket.writable === false) return;
  log({
    type: 'request',
    method: message.method ?? '-',
    path: loggedPath(message),
    status: answered.status,
    duration_ms: wall.now() - started_at,
    request_id: answered.headers['x-request-id'] ?? null,
  });
  await send(message, response, answered, tools);
}

/** RFC 9112, 3.2: a request of HTTP/1.1 has one Host header, one of HTTP/1.0 at most one. */
function hasOneHost({ headersDistinct, httpVersion }: IncomingMessage): boolean {
  const { length } = headersDistinct.host ?? [];
  return length === 1 || (length === 0 && httpVersion === '1.0');
}

/** An answer of the interface to what never reached it. */
function refusal(
  status: number,
  message: string,
  { clock, wall }: Pick<Tools, 'clock' | 'wall'>,
): WireResponse {
  const request_id = newRequestId(wall.now());
  const { body } = failureOf(new Problem('invalid_request', message), request_id, () => {});
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'x-request-id': request_id,
    'x-service-time': instant(clock.now()),
    connection: 'close',
  };
  return { status, headers, body };
}

/** Answers on a connection whose bytes made no request, and ends it. */
function refuseConnection(fault: NodeJS.ErrnoException, socket: Duplex, tools: Tools): void {
  if (fault.code === 'ECONNRESET') socket.destroy();
  // What comes after the first fault is not a request either.
  if (!socket.writable) return;
  const { status, message } = faultOf(fault.code);
  const { headers, body } = refusal(status, message, tools);
  const lines = Object.entries({ ...headers, 'content-length': Buffer.byteLength(body) });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n${body}`);
  // At once would take the answer back from a client that is still sending.
  socket.once(
    'close',
    tools.timers.after(linger_ms, () => socket.destroy()),
  );
  const request_id = headers['x-request-id'] ?? null;
  tools.log({ type: 'request', method: '-', path: '-', status, duration_ms: 0, request_id });
}

function faultOf(code: string | undefined): { status: number; message: string } {
  if (code === 'HPE_HEADER_OVERFLOW') return { status: 431, message: 'The URL or the headers are too long.' };
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT')
    return { status: 408, message: 'Timed out while receiving the request.' };
  return { status: 400, message: 'Invalid HTTP request.' };
}

/** Sends an answer whole, or all of a stream. */
async function send(
  message: IncomingMessage,
  response: ServerResponse,
  { status, headers, body, stream }: WireResponse,
  { timers, limits, isStopping, discardBody }: AnswerTools,
): Promise<void> {
  const deadline = { timers, timeout_ms: limits.response_timeout_ms };
  const isUnread = isIncomplete(message);
  response.writeHead(status, {
    ...headers,
    ...(stream === undefined ? { 'content-length': Buffer.byteLength(body) } : {}),
    // What was not read of a body would be taken for the next request; and a server that stops ends its streams, but
    // would wait for their connections.
    ...(isUnread || stream !== undefined || isStopping() ? { connection: 'close' } : {}),
  });
  if (stream !== undefined) return pour(stream, message, response, deadline);
  if (message.method !== 'HEAD') await sendText(body, response, deadline);
  // Closing at once would take the answer back from a client that is still sending.
  if (isUnread) await discardBody(message);
  response.end();
}
