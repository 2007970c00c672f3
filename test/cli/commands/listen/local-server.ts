import { createServer } from 'node:http';
import { onTestFinished } from 'vitest';
import { listenLocally } from '../../../local-server.ts';

/** A received webhook. */
export interface Arrival {
  path: string;
  headers: Record<string, string>;
  body: string;
}

export interface LocalServer {
  url: string;
  arrivals: Arrival[];
  /** Sets its response. */
  answer(status: number, body?: string): void;
  close(): Promise<void>;
}

/** A developer's server on this machine, on a free or given port. */
export async function localServer(port = 0): Promise<LocalServer> {
  const arrivals: Arrival[] = [];
  let [status, said] = [200, ''];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const headers = Object.fromEntries(
      Object.entries(request.headers).map(([name, value]) => [name, `${value}`]),
    );
    arrivals.push({ path: request.url ?? '', headers, body });
    response.writeHead(status).end(said);
  });
  const { port: opened, close } = await listenLocally(server, port);
  onTestFinished(close);
  return {
    url: `http://127.0.0.1:${opened}`,
    arrivals,
    answer: (next, next_body = '') => {
      [status, said] = [next, next_body];
    },
    close,
  };
}
