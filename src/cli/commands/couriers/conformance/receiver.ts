import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Timer } from '../../../../client/http.ts';
import type { Callback, Callbacks } from './probe.ts';

export interface ReceiverOptions {
  /** 0 for a free one. */
  port: number;
  /** The address that leads here; null: this machine's own. */
  url: string | null;
  /** How long to wait for a request. */
  timeout_ms: number;
  timer: Timer;
}

/** Receives the events of a courier under an address for each delivery. */
export async function startReceiver(
  options: ReceiverOptions,
): Promise<Callbacks & { close(): Promise<void> }> {
  const received = new Map<string, Callback[]>();
  const failures = new Map<string, number>();
  const waiting = new Set<() => void>();
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const orderId = request.url?.split('/').at(-1) ?? '';
      const left = failures.get(orderId) ?? 0;
      failures.set(orderId, left - 1);
      received.set(orderId, [...(received.get(orderId) ?? []), { headers: headersOf(request), body }]);
      response.writeHead(left > 0 ? 500 : 204).end();
      for (const wake of waiting) wake();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: '127.0.0.1', port: options.port }, resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : options.port;
  const base = (options.url ?? `http://127.0.0.1:${port}`).replace(/\/+$/, '');
  return {
    addressFor: (orderId, count = 0) => {
      failures.set(orderId, count);
      return `${base}/${orderId}`;
    },
    received: async (orderId, count) => {
      const { promise: expired, resolve: expire } = Promise.withResolvers<void>();
      let isExpired = false;
      const cancel = options.timer(options.timeout_ms, () => {
        isExpired = true;
        expire();
      });
      while ((received.get(orderId)?.length ?? 0) < count && !isExpired) {
        const { promise, resolve } = Promise.withResolvers<void>();
        waiting.add(resolve);
        await Promise.race([promise, expired]);
        waiting.delete(resolve);
      }
      cancel();
      return received.get(orderId) ?? [];
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function headersOf({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}
