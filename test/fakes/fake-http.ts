import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { listenLocally } from '../local-server.ts';

/** A request as a fake courier received it. */
export interface FakeRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
  body: string;
}

/** An answer of a fake courier; null closes the connection without one. */
export type FakeAnswer = {
  status: number;
  body?: unknown;
  headers?: Readonly<Record<string, string>>;
} | null;

/** A server on a free port of the loopback interface that answers with what `answer` gives. */
export async function fakeHttp(answer: (request: FakeRequest) => FakeAnswer | Promise<FakeAnswer>) {
  const server = createServer((incoming, response) => {
    void text(incoming).then(async (body) => {
      const { pathname, searchParams } = new URL(incoming.url ?? '/', 'http://courier');
      const given = await answer({
        method: incoming.method ?? 'GET',
        path: pathname,
        query: searchParams,
        headers: incoming.headers,
        body,
      });
      if (given === null) {
        incoming.socket.destroy();
        return;
      }
      response.writeHead(given.status, { 'content-type': 'application/json', ...given.headers });
      response.end(given.body === undefined ? '' : JSON.stringify(given.body));
    });
  });
  const { port, close } = await listenLocally(server);
  return { url: `http://127.0.0.1:${port}`, port, close };
}
