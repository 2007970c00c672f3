import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { ClientAddresses } from './client-address.ts';

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
