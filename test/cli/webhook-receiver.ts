import { createServer } from 'node:http';
import { afterAll } from 'vitest';
import { listenLocally } from '../local-server.ts';

/** A received webhook. */
export interface Came {
  headers: Record<string, string>;
  body: string;
}

export interface Receiver {
  url: string;
  came: Came[];
  /** Sets its response. */
  answer(status: number, body?: string): void;
}

/** A local server for webhooks, until the tests of the file end. */
export async function receiver(): Promise<Receiver> {
  const came: Came[] = [];
  let answer = { status: 200, body: '' };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
    );
    came.push({ headers, body: Buffer.concat(chunks).toString() });
    response.writeHead(answer.status).end(answer.body);
  });
  const { port, close } = await listenLocally(server);
  afterAll(close);
  return {
    url: `http://127.0.0.1:${port}/hooks`,
    came,
    answer: (status, body = '') => {
      answer = { status, body };
    },
  };
}
