import type { IncomingMessage } from 'node:http';
import { Problem } from '../../contract/errors.ts';
import { operationPlaces } from '../../contract/operations.ts';
import type { BodyCheck, ReceivedRequest } from '../../contract/wire.ts';
import type { Timers } from '../runtime/time.ts';
import { RetryLater } from './answers.ts';
import type { FindClientAddress } from './client-address.ts';

/** A request as plain data, with an unread body. */
export function receivedRequest(
  message: IncomingMessage,
  share: BodyShare,
  findClientAddress: FindClientAddress,
): ReceivedRequest {
  const headers: Record<string, string> = {};
  for (const name in message.headers) {
    const value = message.headers[name];
    headers[name] = Array.isArray(value) ? value.join(', ') : (value ?? '');
  }
  // HEAD is handled as GET, without the body.
  const method = message.method === 'HEAD' ? 'GET' : (message.method ?? 'GET');
  const body = hasBody(message) ? (check: BodyCheck) => readBody(message, check, share) : '';
  const client_address = findClientAddress(message.socket.remoteAddress ?? '', headers['x-forwarded-for']);
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

async function readBody(message: IncomingMessage, check: BodyCheck, share: BodyShare): Promise<string> {
  check.length(declaredLength(message.headers));
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of message.iterator({ destroyOnReturn: false })) {
      if (!Buffer.isBuffer(chunk)) continue;
      check.next(chunk);
      share.take(chunk.length);
      chunks.push(chunk);
    }
  } catch (fault) {
    if (message.errored === null) throw fault;
    throw new Problem('invalid_request', 'The connection ended before the body was complete.');
  }
  return Buffer.concat(chunks).toString('utf8');
}

/**
 * The maximum number of connections whose bodies are discarded at a time: reading a body to discard it takes memory
 * as well.
 */
const max_discarding = 8;

/**
 * Discards the rest of a body within a time limit, in chunks that yield to other work. Returns immediately if too
 * many bodies are being discarded.
 */
export function createBodyDiscarder(
  timers: Timers,
  max_ms: number,
): (message: IncomingMessage) => Promise<void> {
  let discarding = 0;
  return async (message) => {
    if (message.complete || message.destroyed || discarding >= max_discarding) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = timers.after(max_ms, resolve);
    message.once('end', resolve);
    message.once('close', resolve);
    message.on('data', () => {
      message.pause();
      void timers.turn().then(() => message.resume());
    });
    discarding += 1;
    message.resume();
    await promise;
    discarding -= 1;
    cancel();
  };
}

/** The share of one request in the memory for bodies. */
export interface BodyShare {
  /** Throws `rate_limited` if no memory is left. */
  take: (bytes: number) => void;
  release: () => void;
}

/** The memory shared by the bodies of all requests. */
export function createBodyMemory(max_bytes: number): () => BodyShare {
  let total = 0;
  return () => {
    let own = 0;
    return {
      take: (bytes) => {
        if (total + bytes > max_bytes) {
          const message = 'The service is receiving too many large requests. Retry in a moment.';
          throw new RetryLater('rate_limited', message, 1);
        }
        own += bytes;
        total += bytes;
      },
      release: () => {
        total -= own;
        own = 0;
      },
    };
  };
}
