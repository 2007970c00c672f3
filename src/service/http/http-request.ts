import type { IncomingMessage } from 'node:http';
import type { ReceivedRequest } from '../../contract/operation.ts';
import { operationPlaces } from '../../contract/operations.ts';
import type { ClientAddresses } from './client-addresses.ts';
import { type BodyReading, hasBody, readBody } from './request-body.ts';

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
