import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Duplex } from 'node:stream';
import { Problem } from '../../contract/errors.ts';
import type { ReceivedRequest, RequestLog, WireResponse } from '../../contract/operation.ts';
import type { HttpLimits } from '../../domain/service-limits.ts';
import { newRequestId } from '../runtime/ids.ts';
import { type Clock, instant } from '../runtime/time.ts';
import { failureOf } from './answers.ts';
import { createClientAddresses } from './client-addresses.ts';
import { createPipeline, limitConnections } from './connections.ts';
import type { HandledRequest } from './fetch.ts';
import { loggedPath, receivedRequest } from './http-request.ts';
import { createBodyDiscarder, createBodyMemory } from './request-body.ts';
import { type SendingTools, sendResponse } from './send-response.ts';

interface Tools extends Omit<SendingTools, 'discardBody'> {
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

/** Serves the service's `fetch` over HTTP. Protocol errors get the same error format as all others. */
export function serveHttp(
  http: Server,
  fetch: (request: ReceivedRequest) => Promise<LoggedResponse>,
  given: Tools,
): void {
  const tools = { ...given, discardBody: createBodyDiscarder(given.timers, close_delay_ms) };
  const memoryOfBody = createBodyMemory(tools, tools.limits.max_body_bytes);
  const clients = createClientAddresses(tools.limits.trusted_proxies);
  limitConnections(http, clients, tools.limits.max_connections);
  const awaitTurn = createPipeline(tools.timers);
  const listen = (reply: Reply) => async (message: IncomingMessage, response: ServerResponse) => {
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

/** A response, and what the service took the request for. */
type LoggedResponse = WireResponse & { handled?: HandledRequest };

type Reply = (message: IncomingMessage, response: ServerResponse) => Promise<LoggedResponse>;

/** A request that did not reach the service. */
const unhandled: HandledRequest = { operation: null, account_id: null, mode: null, key_end: null };

async function answer(
  reply: () => Promise<LoggedResponse>,
  tools: Tools & SendingTools,
  message: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { log, wall } = tools;
  const started_at = wall.now();
  const answered = await reply();
  // The client disconnected during its request, or was rejected as too slow.
  if (message.errored !== null || message.socket.writable === false) return;
  log({
    type: 'request',
    at: started_at,
    ...(answered.handled ?? unhandled),
    method: message.method ?? '-',
    path: loggedPath(message),
    status: answered.status,
    duration_ms: wall.now() - started_at,
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
  const { body } = failureOf(new Problem('invalid_request', message), request_id, () => {});
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'x-request-id': request_id,
    'x-service-time': instant(clock.now()),
    connection: 'close',
  };
  return { status, headers, body };
}

/** The code of Node's error for a request that is not received in time. */
const receive_timeout = 'ERR_HTTP_REQUEST_TIMEOUT';

/** Responds to invalid HTTP and closes the connection. */
function refuseConnection(code: string | undefined, socket: Duplex, tools: Tools): void {
  if (code === 'ECONNRESET') socket.destroy();
  // Bytes after the first error are not a request either.
  if (!socket.writable) return;
  const { status, message } = faultOf(code);
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
    ...{ type: 'request', at: tools.wall.now(), ...unhandled, method: '-', path: '-' },
    ...{ status, duration_ms: 0, request_id },
  });
}

function faultOf(code: string | undefined): { status: number; message: string } {
  if (code === 'HPE_HEADER_OVERFLOW') return { status: 431, message: 'The URL or the headers are too long.' };
  if (code === receive_timeout) return { status: 408, message: 'Timed out while receiving the request.' };
  return { status: 400, message: 'Invalid HTTP request.' };
}
