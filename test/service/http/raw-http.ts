import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';
import type { RequestLog } from '../../../src/contract/operation.ts';
import { type RunningServer, type ServerOptions, startServer } from '../../../src/service/server.ts';

export interface Served extends RunningServer {
  key: string;
  log: RequestLog[];
}

/** A server on a new database until the end of the test. */
export async function serve(options: Partial<ServerOptions> = {}): Promise<Served> {
  const log: RequestLog[] = [];
  const server = await startServer({
    ...{ host: '127.0.0.1', port: 0, publicUrl: null, sandbox: null, seed: null, database: ':memory:' },
    log: (line) => log.push(line),
    ...options,
  });
  onTestFinished(server.stop);
  return { ...server, key: server.keys?.test ?? '', log };
}

export interface Talk {
  socket: Socket;
  seen: () => string;
  closed: Promise<void>;
}

/** Opens a connection and sends headers; collects the response as text. */
export function open({ url }: Pick<Served, 'url'>, head = '', localAddress = '127.0.0.1'): Talk {
  const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', localAddress });
  let text = '';
  socket.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
  });
  socket.on('error', () => {});
  if (head !== '') socket.write(`${head}\r\n\r\n`);
  onTestFinished(() => void socket.destroy());
  const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()));
  return { socket, seen: () => text, closed };
}

/** The headers of a POST. */
export function post(path: string, key: string, header: string): string {
  return `POST ${path} HTTP/1.1\r\nHost: shop.example\r\nX-API-Key: ${key}\r\nContent-Type: application/json\r\n${header}`;
}
