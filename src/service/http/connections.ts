import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Timers } from '../runtime/time.ts';
import type { ClientAddresses } from './client-addresses.ts';

/**
 * Limits the open connections. At the limit, the client address with the most of them loses its newest one, so that
 * no address keeps others out. A trusted proxy's connections are those of many clients and stay.
 */
export function limitConnections(
  http: Server,
  { find, isProxy }: ClientAddresses,
  max_connections: number,
): void {
  const clients = new Map<string, Set<Socket>>();
  let total = 0;
  http.on('connection', (socket) => {
    const { remoteAddress = '' } = socket;
    const address = find(remoteAddress);
    const own = clients.get(address) ?? new Set();
    total += 1;
    if (!isProxy(remoteAddress)) clients.set(address, own.add(socket));
    socket.once('close', () => {
      total -= 1;
      own.delete(socket);
      if (own.size === 0) clients.delete(address);
    });
    if (total <= max_connections) return;
    let most = own;
    for (const each of clients.values()) if (each.size > most.size) most = each;
    const newest = [...most].at(-1) ?? socket;
    most.delete(newest);
    newest.destroy();
  });
}

/** A connection with more pipelined requests is not read until earlier ones are answered. */
const max_pipelined = 16;

/** Of all connections: one of those that are not read is closed when its request would exceed it. */
const max_pipelined_total = 20_000;

/**
 * Clients may pipeline requests (RFC 9112, 9.3.2): each starts when the previous response has been sent. What is read
 * at once, up to 64 KiB, is parsed at once, so that more than the maximum of a connection may wait.
 */
export function createPipeline({ turn }: Timers) {
  const queues = new WeakMap<Socket, { length: number; last: Promise<void> | null }>();
  let total = 0;
  const queueOf = (socket: Socket) => {
    const known = queues.get(socket);
    if (known !== undefined) return known;
    const queue = { length: 0, last: null };
    queues.set(socket, queue);
    // Node resumes a connection after each response.
    socket.on('resume', () => {
      if (queue.length > max_pipelined) socket.pause();
    });
    socket.once('close', () => {
      total -= queue.length;
    });
    return queue;
  };
  return async ({ socket }: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const queue = queueOf(socket);
    const before = queue.length === 0 ? null : queue.last;
    queue.last = promise;
    queue.length += 1;
    total += 1;
    response.once('close', () => {
      resolve();
      if (socket.destroyed) return;
      queue.length -= 1;
      total -= 1;
      if (queue.length === max_pipelined) socket.resume();
    });
    if (queue.length > max_pipelined) {
      socket.pause();
      if (total > max_pipelined_total) socket.destroy();
    }
    if (before === null) return;
    await before;
    await turn();
  };
}
