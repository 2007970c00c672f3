/** Orders the requests that a client pipelines: that it sends before it has the response to an earlier one. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Timers } from '../runtime/time.ts';

/** A connection with more pipelined requests is not read until earlier ones are answered. */
const max_pipelined = 16;

/** The most pipelined requests of all connections together: a connection that exceeds it, and is not read, is closed. */
const max_pipelined_total = 20_000;

/**
 * Clients may pipeline requests (RFC 9112, 9.3.2): each starts when the previous response has been sent. What is read
 * at once, up to 64 KiB, is parsed at once, so that more than the maximum of a connection may wait.
 */
export function createPipeline({ turn }: Timers) {
  /** The requests of a connection without a response yet, from its first request to its end. */
  const queues = new WeakMap<Socket, { length: number; last: Promise<void> | null }>();
  /** The sum of the lengths of all queues. */
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
