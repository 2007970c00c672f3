import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { onEndOfFile } from '../end-of-file.ts';
import { listenLocally } from '../local-server.ts';

/** A received webhook. */
export interface Arrival {
  path: string;
  headers: Record<string, string>;
  body: string;
}

export interface Receiver {
  url: string;
  came: Arrival[];
  /** Sets its response. */
  answer(status: number, body?: string): void;
  close(): Promise<void>;
}

/** A local server for webhooks, on a free or given port, until the tests of the file end. */
export async function receiver(port = 0): Promise<Receiver> {
  const came: Arrival[] = [];
  let answer = { status: 200, body: '' };
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    );
    came.push({ path: request.url ?? '', headers, body });
    response.writeHead(answer.status).end(answer.body);
  });
  const { port: opened, close } = await listenLocally(server, port);
  onEndOfFile(close);
  return {
    url: `http://127.0.0.1:${opened}`,
    came,
    answer: (status, body = '') => {
      answer = { status, body };
    },
    close,
  };
}
