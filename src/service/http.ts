import type { IncomingMessage, ServerResponse } from 'node:http';
import type { WireRequest, WireResponse } from '../contract/wire.ts';
import type { Fetch } from './fetch.ts';
import type { Clock } from './ports/time.ts';
import { largestBody } from './request-body.ts';

/** What a server tells of its work: no key, no body, no query. */
export type RequestLog =
  | {
      type: 'request';
      method: string;
      path: string;
      status: number;
      duration_ms: number;
      request_id: string | null;
    }
  | { type: 'fault'; request_id: string | null; fault: unknown };

interface Tools {
  log: (line: RequestLog) => void;
  wall: Clock;
}

/** Puts HTTP around the service's `fetch`. */
export function answerHttp(fetch: Fetch, tools: Tools) {
  return (message: IncomingMessage, response: ServerResponse): void => {
    answer(fetch, tools, message, response).catch((fault: unknown) => {
      tools.log({ type: 'fault', request_id: null, fault });
      response.destroy();
    });
  };
}

async function answer(
  fetch: Fetch,
  { log, wall }: Tools,
  message: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const started_at = wall.now();
  const request = await readRequest(message);
  const answered = await fetch(request);
  send(message, response, answered);
  log({
    type: 'request',
    method: request.method,
    path: request.path.split('?')[0] ?? '',
    status: answered.status,
    duration_ms: wall.now() - started_at,
    request_id: answered.headers['x-request-id'] ?? null,
  });
}

async function readRequest(message: IncomingMessage): Promise<WireRequest> {
  const headers = Object.fromEntries(
    Object.entries(message.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : (value ?? ''),
    ]),
  );
  const { method = 'GET', url: path = '/' } = message;
  return { method, path, headers, body: await readBody(message) };
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

function send(message: IncomingMessage, response: ServerResponse, { status, headers, body }: WireResponse) {
  response.writeHead(status, {
    ...headers,
    'content-length': Buffer.byteLength(body),
    // What was not read of a body would be taken for the next request.
    ...(message.complete ? {} : { connection: 'close' }),
  });
  response.end(message.method === 'HEAD' ? undefined : body);
}
