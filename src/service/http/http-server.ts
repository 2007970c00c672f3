import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import { BlockList, isIP, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Problem } from '../../contract/errors.ts';
import type { ReceivedRequest, RequestLog, WireResponse } from '../../contract/operation.ts';
import { operationPlaces } from '../../contract/operations.ts';
import type { HttpLimits } from '../../domain/service-limits.ts';
import { newRequestId } from '../runtime/ids.ts';
import { type Clock, instant, type Timers } from '../runtime/time.ts';
import { failureOf } from './answers.ts';
import type { HandledRequest } from './fetch.ts';
import {
  type BodyReading,
  createBodyDiscarder,
  createBodyMemory,
  hasBody,
  readBody,
} from './request-body.ts';
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

function faultOf(code: string | undefined): { status: number; message: string } {
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
  return { method, path: pathOf(message), headers, body, client_address };
}

/** The path with its query; a request to a proxy has an absolute URL (RFC 9112, 3.2.2). */
function pathOf({ url = '/' }: IncomingMessage): string {
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
  const path = pathOf(message).split('?')[0] ?? '';
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

/**
 * Limits the open connections. At the limit, the client address with the most of them loses its newest one, so that
 * no address keeps others out. A trusted proxy's connections are those of many clients and stay.
 */
function limitConnections(http: Server, { find, isProxy }: ClientAddresses, max_connections: number): void {
  const clients = new Map<string, Set<Socket>>();
  let total = 0;
  http.on('connection', (socket) => {
    const { remoteAddress = '' } = socket;
    const address = find(remoteAddress);
    const own = clients.get(address) ?? new Set();
    total += 1;
    if (!isProxy(remoteAddress)) clients.set(address, own.add(socket));
    socket.once('close', () => {
      total -= 1;
      own.delete(socket);
      if (own.size === 0) clients.delete(address);
    });
    if (total <= max_connections) return;
    let most = own;
    for (const each of clients.values()) if (each.size > most.size) most = each;
    const newest = [...most].at(-1) ?? socket;
    most.delete(newest);
    newest.destroy();
  });
}

/** A connection with more pipelined requests is not read until earlier ones are answered. */
const max_pipelined = 16;

/** Of all connections: one of those that are not read is closed when its request would exceed it. */
const max_pipelined_total = 20_000;

/**
 * Clients may pipeline requests (RFC 9112, 9.3.2): each starts when the previous response has been sent. What is read
 * at once, up to 64 KiB, is parsed at once, so that more than the maximum of a connection may wait.
 */
function createPipeline({ turn }: Timers) {
  const queues = new WeakMap<Socket, { length: number; last: Promise<void> | null }>();
  let total = 0;
  const queueOf = (socket: Socket) => {
    const known = queues.get(socket);
    if (known !== undefined) return known;
    const queue = { length: 0, last: null };
    queues.set(socket, queue);
    // Node resumes a connection after each response.
    socket.on('resume', () => {
      if (queue.length > max_pipelined) socket.pause();
    });
    socket.once('close', () => {
      total -= queue.length;
    });
    return queue;
  };
  return async ({ socket }: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const queue = queueOf(socket);
    const before = queue.length === 0 ? null : queue.last;
    queue.last = promise;
    queue.length += 1;
    total += 1;
    response.once('close', () => {
      resolve();
      if (socket.destroyed) return;
      queue.length -= 1;
      total -= 1;
      if (queue.length === max_pipelined) socket.resume();
    });
    if (queue.length > max_pipelined) {
      socket.pause();
      if (total > max_pipelined_total) socket.destroy();
    }
    if (before === null) return;
    await before;
    await turn();
  };
}

/** Determines the addresses of clients. */
interface ClientAddresses {
  /** The address of a client, from its connection and the X-Forwarded-For header. */
  find: (connected: string, forwarded_for?: string) => string;
  /** Whether a connection is from a trusted proxy, and so may be any client's. */
  isProxy: (connected: string) => boolean;
}

/**
 * The header is trusted as far as trusted proxies wrote it: from its end to the first address that is not a trusted
 * proxy. IPv6 addresses are reduced to their /64 network, which belongs to one client. Networks are `10.0.0.0/8` or
 * one address.
 */
export function createClientAddresses(trusted_proxies: readonly string[]): ClientAddresses {
  const trusted = new BlockList();
  for (const network of trusted_proxies) addNetwork(trusted, network);
  const isTrusted = (address: string) =>
    isIP(address) !== 0 && trusted.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
  const find: ClientAddresses['find'] = (connected, forwarded_for) => {
    let client = plainAddress(connected);
    const hops = forwarded_for?.split(',') ?? [];
    for (const hop of hops.reverse()) {
      const address = plainAddress(hop);
      if (!isTrusted(client) || isIP(address) === 0) break;
      client = address;
    }
    return isIP(client) === 6 ? networkOf(client) : client;
  };
  return { find, isProxy: (connected) => isTrusted(plainAddress(connected)) };
}

function addNetwork(list: BlockList, network: string): void {
  const [address = '', prefix] = network.split('/');
  const type = isIP(address) === 6 ? 'ipv6' : 'ipv4';
  if (prefix === undefined) list.addAddress(address, type);
  else list.addSubnet(address, Number(prefix), type);
}

/** Removes brackets, port and zone; converts an IPv4-mapped IPv6 address to IPv4. */
function plainAddress(text: string): string {
  const host = /^\s*\[?([^\]%]*?)(?:%[^\]]*)?(?:\]:\d+|\])?\s*$/.exec(text)?.[1] ?? '';
  const withoutPort = /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(host)?.[1] ?? host;
  return withoutPort.replace(/^::ffff:(?=\d+\.)/i, '');
}

/** The first four of the eight groups of an IPv6 address. */
function networkOf(address: string): string {
  const [head = '', tail] = address.split('::');
  const first = groupsOf(head);
  const last = tail === undefined ? [] : groupsOf(tail);
  const zeros = Array.from({ length: Math.max(0, 8 - first.length - last.length) }, () => '0');
  const groups = [...first, ...zeros, ...last].slice(0, 4);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}

function groupsOf(part: string): string[] {
  return part === '' ? [] : part.split(':');
}
