import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { Problem } from '../contract/errors.ts';
import type { RequestLog, WireRequest, WireResponse } from '../contract/wire.ts';
import { failureOf } from './answers.ts';
import type { Fetch } from './fetch.ts';
import { pour } from './http-stream.ts';
import { newRequestId } from './ids.ts';
import type { Clock, Timers } from './ports/time.ts';
import { largestBody } from './request-body.ts';
import { instant } from './times.ts';

interface Tools {
  log: (line: RequestLog) => void;
  clock: Clock;
  wall: Clock;
  timers: Timers;
}

/** How long a client that sent no proper request may take to read what was wrong with it. */
const linger_ms = 1_000;

/**
 * Puts HTTP around the service's `fetch`. What the protocol itself refuses is answered like any other
 * refusal; a server made with `requireHostHeader: false` leaves that one to this as well.
 */
export function serveHttp(http: Server, fetch: Fetch, tools: Tools): void {
  const listen = (reply: Reply) => (message: IncomingMessage, response: ServerResponse) => {
    answer(reply, tools, message, response).catch((fault: unknown) => {
      // A client that leaves in the middle of its request is no fault of the service.
      if (message.errored === null) tools.log({ type: 'fault', request_id: null, fault });
      response.destroy();
    });
  };
  const withoutHost = async () => refusal(400, 'The request has no Host header.', tools);
  const unexpected = async () => refusal(417, 'The service meets no expectation but 100-continue.', tools);
  const serve: Reply = async (message) => fetch(await readRequest(message));
  http.on(
    'request',
    listen((message) => (lacksHost(message) ? withoutHost() : serve(message))),
  );
  http.on('checkExpectation', listen(unexpected));
  http.on('clientError', (fault, socket) => refuseConnection(fault, socket, tools));
}

type Reply = (message: IncomingMessage) => Promise<WireResponse>;

async function answer(
  reply: Reply,
  { log, wall }: Tools,
  message: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const started_at = wall.now();
  const answered = await reply(message);
  send(message, response, answered);
  log({
    type: 'request',
    method: message.method ?? '-',
    path: pathOf(message).split('?')[0] ?? '',
    status: answered.status,
    duration_ms: wall.now() - started_at,
    request_id: answered.headers['x-request-id'] ?? null,
  });
  if (answered.stream !== undefined) await pour(answered.stream, message, response);
}

/** RFC 9112, 3.2: a request of HTTP/1.1 must have one. */
function lacksHost({ headers, httpVersion }: IncomingMessage): boolean {
  return headers.host === undefined && httpVersion === '1.1';
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
    return { status: 408, message: 'The request took too long to come.' };
  return { status: 400, message: 'What was sent is not an HTTP request.' };
}

async function readRequest(message: IncomingMessage): Promise<WireRequest> {
  const headers = Object.fromEntries(
    Object.entries(message.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]),
  );
  // HEAD asks for what GET would answer, without the body.
  const method = message.method === 'HEAD' ? 'GET' : (message.method ?? 'GET');
  return { method, path: pathOf(message), headers, body: await readBody(message) };
}

/** The path with its query; a request to a proxy has the whole URL in its place (RFC 9112, 3.2.2). */
function pathOf({ url = '/' }: IncomingMessage): string {
  const path = url.replace(/^https?:\/\/[^/?#]*/i, '');
  return path === url || path.startsWith('/') ? path : `/${path}`;
}

/** A body is read to just past the largest that any operation takes; `fetch` then refuses it. */
async function readBody(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of message) {
    if (!Buffer.isBuffer(chunk)) continue;
    if (size <= largestBody) chunks.push(chunk);
    size += chunk.length;
    if (size > 4 * largestBody) break;
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Sends an answer, of a stream all that comes before it. */
function send(message: IncomingMessage, response: ServerResponse, answered: WireResponse) {
  const { status, headers, body, stream } = answered;
  response.writeHead(status, {
    ...headers,
    ...(stream === undefined ? { 'content-length': Buffer.byteLength(body) } : {}),
    // What was not read of a body would be taken for the next request; and a server that stops ends its streams, but
    // would wait for their connections.
    ...(message.complete && stream === undefined ? {} : { connection: 'close' }),
  });
  if (stream === undefined) response.end(message.method === 'HEAD' ? undefined : body);
}
