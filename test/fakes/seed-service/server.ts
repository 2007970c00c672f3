import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { listenLocally } from '../../local-server.ts';
import type { Reply } from './answers.ts';
import { answer } from './operations.ts';
import { createStore, type Fields, type Store } from './records.ts';
import { defaults, type Fault, type Switches } from './switches.ts';

export interface SeedService {
  url: string;
  store: Store;
  /** Can be changed between requests. */
  switches: Switches;
  /** `POST /orders/create`, in the order in which they came. */
  requests: string[];
  close(): Promise<void>;
}

/**
 * A delivery service over HTTP that has the operations of the public interface and no others: orders, routes, quotes,
 * dispatch, and the three calls of version 1. It knows nothing of this program's own service.
 */
export async function seedService(changes: Partial<Switches> = {}): Promise<SeedService> {
  const switches = { ...defaults, ...changes, faults: [...(changes.faults ?? [])] };
  const store = createStore();
  const requests: string[] = [];
  const server = createServer((request, response) => {
    serve(request, response, { switches, store, requests }).catch(() => response.destroy());
  });
  const { port, close } = await listenLocally(server);
  return { url: `http://127.0.0.1:${port}`, store, switches, requests, close };
}

type Parts = Pick<SeedService, 'switches' | 'store' | 'requests'>;

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  { switches, store, requests }: Parts,
): Promise<void> {
  const url = new URL(request.url ?? '/', `http://${request.headers.host}`);
  const method = request.method ?? 'GET';
  const body = parsed(await text(request));
  requests.push(`${method} ${url.pathname}`);
  const fault = faultFor(method, url.pathname, switches);
  const key = [request.headers['x-api-key']].flat()[0];
  const asked = { method, path: url.pathname, query: url.searchParams, key, body };
  const reply = answer(asked, store, switches);
  if (fault === undefined) send(response, reply);
  else faulty(response, reply, fault);
}

function faultFor(method: string, path: string, { faults }: Switches): Fault | undefined {
  const fault = faults.find((each) => each.method === method && each.path.test(path) && each.times !== 0);
  if (fault?.times !== undefined) fault.times -= 1;
  return fault;
}

function send(response: ServerResponse, { status, type, body, headers = {} }: Reply): void {
  response.writeHead(status, { 'content-type': type, ...headers }).end(body);
}

function faulty(response: ServerResponse, { status, type, body }: Reply, { kind }: Fault): void {
  if (kind === 'lost') return void response.destroy();
  response.writeHead(status, { 'content-type': type, 'content-length': body.length + 100 });
  response.write(body.slice(0, body.length / 2), () => response.destroy());
}

function parsed(body: string): Fields {
  try {
    const data: unknown = JSON.parse(body);
    return typeof data === 'object' && data !== null ? { ...data } : {};
  } catch {
    return {};
  }
}
