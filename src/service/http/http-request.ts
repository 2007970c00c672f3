import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { Problem } from '../../contract/errors.ts';
import type { BodyCheck, Operation, ReceivedRequest } from '../../contract/operation.ts';
import { operationPlaces } from '../../contract/operations.ts';
import type { Scope } from '../../storage/database.ts';
import type { Timers } from '../runtime/time.ts';
import {
  type Admission,
  addressHolder,
  createAdmission,
  createFairShare,
  executionLimits,
  type Holder,
  linkHolder,
} from './admission.ts';
import { type Answer, RetryLater } from './answers.ts';
import type { RateLimiter } from './rate-limits.ts';

/** A request as plain data, with an unread body. */
export function receivedRequest(
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
export function loggedPath(message: IncomingMessage): string {
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

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || declaredLength(headers) > 0;
}

function declaredLength(headers: IncomingMessage['headers']): number {
  return Number(headers['content-length'] ?? 0);
}

/** Whether more of the body is expected. */
export function isIncomplete(message: IncomingMessage): boolean {
  return hasBody(message) && !message.complete;
}

/** How bodies are read. */
interface BodyReading {
  memory: BodyMemory;
  timers: Timers;
  /** Called before the body is read. */
  onStart: () => void;
  /** Called if the body arrives too slowly; ends the connection. */
  onSlow: () => void;
}

/** A body of which less arrives in this time is too slow, unless it is complete: 1 KiB a second. */
const slow_body = { bytes: 4 * 1024, time_ms: 4_000 };

async function readBody(
  message: IncomingMessage,
  { check, holder, memory, timers, onStart, onSlow }: BodyReading & { check: BodyCheck; holder: Holder },
): Promise<string> {
  const length = declaredLength(message.headers);
  check.length(length);
  await memory.take(holder, length);
  const chunks: Buffer[] = [];
  const { socket } = message;
  let cancel = () => {};
  let isSlow = false;
  const watch = () => {
    const before = socket.bytesRead;
    cancel = timers.after(slow_body.time_ms, () => {
      isSlow = socket.bytesRead - before < slow_body.bytes;
      if (isSlow) onSlow();
      else watch();
    });
  };
  onStart();
  watch();
  try {
    for await (const chunk of message.iterator({ destroyOnReturn: false })) {
      if (!Buffer.isBuffer(chunk)) continue;
      if (length === 0) await memory.take(holder, chunk.length);
      check.next(chunk);
      chunks.push(chunk);
    }
  } catch (fault) {
    if (message.errored === null) throw fault;
    throw new Problem('invalid_request', 'The connection ended before the body was complete.');
  } finally {
    cancel();
  }
  if (isSlow) throw new Problem('invalid_request', 'The body arrived too late.');
  return utf8Text(Buffer.concat(chunks));
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Throws `invalid_request` for other encodings: their letters would be stored as replacement characters. */
function utf8Text(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    const fault = { path: 'body', message: 'is not UTF-8' };
    throw new Problem('invalid_request', 'The body is not UTF-8. Send it as UTF-8.', [fault]);
  }
}

/**
 * The number of connections whose bodies are discarded at a time, shared by addresses: reading a body to discard it
 * takes memory as well.
 */
const max_discarding = 32;

/**
 * Discards the rest of a body within a time limit, in chunks that yield to other work. Returns immediately if too
 * many bodies are being discarded.
 */
export function createBodyDiscarder(
  timers: Timers,
  max_ms: number,
): (message: IncomingMessage) => Promise<void> {
  const discarding = createFairShare(max_discarding);
  return async (message) => {
    const holder = [message.socket.remoteAddress ?? ''];
    if (message.complete || message.destroyed || !discarding.take(holder, 1)) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = timers.after(max_ms, resolve);
    message.once('end', resolve);
    message.once('close', resolve);
    message.on('data', () => {
      message.pause();
      void timers.turn().then(() => message.resume());
    });
    message.resume();
    await promise;
    discarding.release(holder, 1);
    cancel();
  };
}

/** The memory for the body of one request. */
interface BodyMemory {
  /** Waits for room in the holder's share. Throws `rate_limited` if there is none in time. */
  take: (holder: Holder, bytes: number) => Promise<void>;
  release: () => void;
}

/** Divides the memory for the bodies of all requests. A body with a known length is read once there is room for all of it. */
export function createBodyMemory(
  parts: Parameters<typeof createAdmission>[0],
  max_bytes: number,
): () => BodyMemory {
  const { enter } = createAdmission(parts, { ...executionLimits, max_used: max_bytes }, () => {
    const message = 'The service is receiving too many large requests. Retry in a moment.';
    return new RetryLater('rate_limited', message, 1);
  });
  return () => {
    const taken: (() => void)[] = [];
    return {
      take: async (holder, bytes) => {
        taken.push(await enter(holder, bytes));
      },
      release: () => {
        for (const release of taken) release();
      },
    };
  };
}

/** Determines the addresses of clients. */
export interface ClientAddresses {
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

const mebibyte = 1024 * 1024;
const standard_limit = mebibyte;

/** More than any valid request: 300 orders of 50 items each have 67,000 values. */
const max_values = 75_000;

/**
 * Reads the body as JSON; `{}` if it is empty. Excessive headers and sizes are rejected before the body is read and
 * parsed, because parsing cannot be interrupted. Throws `unsupported_media_type`, `payload_too_large` and
 * `invalid_request`.
 */
export async function readJsonBody(
  request: Pick<ReceivedRequest, 'headers' | 'body'>,
  operation: Pick<Operation, 'body_limit'>,
  holder: Holder,
  timers: Timers,
): Promise<unknown> {
  if (request.body === '') return {};
  refuseMediaType(request.headers);
  const text = await readText(request, operation.body_limit ?? standard_limit, holder);
  if (text === '') return {};
  const value = parse(text);
  // Parsing blocks the event loop for as long as counting did: other requests run first.
  if (text.length > mebibyte) await timers.turn();
  return value;
}

function refuseMediaType(headers: Record<string, string>): void {
  const type = headers['content-type'];
  if (type !== undefined && !/^application\/json\s*(;|$)/i.test(type)) {
    throw new Problem('unsupported_media_type', `The body must be application/json, not ${type}.`);
  }
  const encoding = headers['content-encoding'] ?? 'identity';
  if (!/^\s*identity\s*$/i.test(encoding)) {
    const message = `Unsupported Content-Encoding ${encoding}: send the body uncompressed.`;
    throw new Problem('unsupported_media_type', message);
  }
}

/** Reads the body as text of any media type. Throws `payload_too_large`. */
async function readText(
  { body }: Pick<ReceivedRequest, 'body'>,
  max_bytes: number,
  holder: Holder,
): Promise<string> {
  const check = createBodyCheck(max_bytes);
  if (typeof body === 'function') return body(check, holder);
  const bytes = Buffer.from(body);
  check.length(bytes.length);
  check.next(bytes);
  return body;
}

const [quote, value_start, backslash] = [1, 2, 3];
/** The effect of a byte of JSON on the number of values; 0: none. */
const kinds = new Uint8Array(256);
for (const byte of Buffer.from(',[{')) kinds[byte] = value_start;
for (const byte of Buffer.from('"')) kinds[byte] = quote;
for (const byte of Buffer.from('\\')) kinds[byte] = backslash;

/** Counts the bytes and values of a JSON text: each value follows a comma or opens an array or object. */
function createBodyCheck(max_bytes: number): BodyCheck {
  let size = 0;
  let values = 1;
  let isInString = false;
  /** How many bytes of the next chunk are part of an escape. */
  let escaped = 0;
  const length = (bytes: number) => {
    if (bytes <= max_bytes) return;
    throw new Problem('payload_too_large', `The body is larger than ${max_bytes / mebibyte} MiB.`);
  };
  const next = (chunk: Uint8Array) => {
    size += chunk.length;
    length(size);
    // Every byte of every body passes here: a loop over an iterator, or without the table, takes three times as long.
    let index = escaped;
    for (; index < chunk.length; index++) {
      const kind = kinds[chunk[index] ?? 0];
      if (kind === 0) continue;
      if (kind === quote) isInString = !isInString;
      else if (!isInString && kind === value_start) values += 1;
      else if (isInString && kind === backslash) index += 1;
    }
    escaped = index - chunk.length;
    if (values > max_values) {
      throw new Problem('invalid_request', `The body has more than ${max_values} values.`);
    }
  };
  return { length, next };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const fault = { path: 'body', message: 'is not valid JSON' };
    throw new Problem('invalid_request', 'The body is not valid JSON.', [fault]);
  }
}

/** The address of a connected courier, to which it sends requests that are not operations of the contract. */
export interface PushAddress {
  owner: Scope;
  /** The maximum size of a request. */
  max_bytes: number;
  receive: (push: CourierPush) => Promise<Answer>;
}

export interface CourierPush {
  headers: Record<string, string>;
  body: string;
  client_address: string | null;
}

interface PushParts {
  token: string;
  admission: Admission;
  find: FindPushAddress;
  limiter: RateLimiter;
}

/** Finds the address with a push token. Throws `record_not_found`. */
export type FindPushAddress = (push_token: string) => Promise<PushAddress>;

/** The token of the address that a courier reports to; null for other requests. */
export function pushTokenOf(method: string, path: string): string | null {
  const [, token = null] = /^\/couriers\/([\w-]+)$/.exec(path) ?? [];
  return method === 'POST' ? token : null;
}

/** Answers a courier's request, whose body is read once its address is found. */
export async function answerPush(
  given: ReceivedRequest,
  { token, admission, find, limiter }: PushParts,
): Promise<Answer> {
  const { headers, client_address = null } = given;
  const { owner, max_bytes, receive } = await admission.run(addressHolder(given), () => find(token));
  limiter.takePush(token);
  const holder = linkHolder(owner, token);
  const body = await readText(given, max_bytes, holder);
  return admission.run(holder, () => receive({ headers, body, client_address }));
}
