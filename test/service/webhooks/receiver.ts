import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { listenLocally } from '../../local-server.ts';

/** A received request. */
export interface Received {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  /** The body as JSON; undefined if it is invalid. */
  event: unknown;
}

/** `hang` never answers, `reset` breaks the connection. */
export type Answer =
  | { status?: number; headers?: Record<string, string>; body?: string; endless?: boolean }
  | 'hang'
  | 'reset';

export interface Receiver {
  url: string;
  port: number;
  /** In the order of their complete bodies. */
  received: Received[];
  /** The number of opened connections. */
  connections: () => number;
  close: () => Promise<void>;
}

export type Answering = (request: Received, nth: number) => Answer | Promise<Answer>;

/** A local server that records requests and responds as given: `nth` counts from 1. The default response is 200. */
export async function startReceiver(answer: Answering = () => ({})): Promise<Receiver> {
  const received: Received[] = [];
  let connections = 0;
  const server = createServer(async (request, response) => {
    const got = await read(request);
    received.push(got);
    reply(await answer(got, received.length), request, response);
  });
  server.on('connection', () => {
    connections += 1;
  });
  const { port, close } = await listenLocally(server);
  const url = `http://127.0.0.1:${port}`;
  return { url, port, received, connections: () => connections, close };
}

async function read(request: IncomingMessage): Promise<Received> {
  const body = await text(request);
  const { method = '', url = '', headers } = request;
  return { method, path: url, headers, body, event: parsed(body) };
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function reply(answer: Answer, request: IncomingMessage, response: ServerResponse): void {
  if (answer === 'hang') return;
  if (answer === 'reset') {
    request.socket.resetAndDestroy();
    return;
  }
  response.writeHead(answer.status ?? 200, answer.headers ?? {});
  if (answer.endless === true) goOn(response);
  else response.end(answer.body ?? '');
}

/** Sends for as long as the other side reads. */
function goOn(response: ServerResponse): void {
  if (response.destroyed) return;
  response.write('x'.repeat(16_384), () => goOn(response));
}
