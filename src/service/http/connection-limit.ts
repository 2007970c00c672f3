/** The limit of open connections, shared fairly between the addresses of clients. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ClientAddresses } from './client-addresses.ts';

/**
 * The most connections of proxies that have not sent a request yet. They do not count, because it is not known whose they
 * are: a proxy opens many at once, and the one that is closed must not be that of an innocent client.
 */
const max_unread = 1_024;

/**
 * Limits the open connections. At the limit, the client address with the most of them loses its newest one, so that
 * no address keeps others out. A trusted proxy's connection belongs to the client whose request it last passed on. If no
 * client has two, a proxy's connection without a request is closed. Returns the function that is told of each request.
 */
export function limitConnections(
  http: Server,
  { find, isProxy }: ClientAddresses,
  max_connections: number,
): (message: IncomingMessage, response: ServerResponse) => void {
  /** Every connection, from its start to its end. */
  const open = new Set<Socket>();
  /** The connections of proxies from their start to their first request. */
  const unread = new Set<Socket>();
  /**
   * The connections of each client address: its own from the start, a proxy's from a request that it passes on for the
   * address to the next request. The newest is last.
   */
  const clients = new Map<string, Set<Socket>>();
  /** The address under which a connection stands in `clients`. */
  const addresses = new WeakMap<Socket, string>();
  /** The connections of proxies from the end of a response to the next request, the longest waiting first. */
  const idle = new Set<Socket>();
  const forget = (socket: Socket) => {
    const address = addresses.get(socket) ?? '';
    const sockets = clients.get(address);
    sockets?.delete(socket);
    if (sockets?.size === 0) clients.delete(address);
    addresses.delete(socket);
    idle.delete(socket);
    unread.delete(socket);
  };
  const assign = (socket: Socket, address: string) => {
    clients.set(address, (clients.get(address) ?? new Set()).add(socket));
    addresses.set(socket, address);
  };
  const victimFor = (socket: Socket): Socket => {
    let most = clients.get(addresses.get(socket) ?? '') ?? new Set();
    for (const each of clients.values()) if (each.size > most.size) most = each;
    const [unused = socket] = idle;
    return most.size > 1 ? ([...most].at(-1) ?? socket) : unused;
  };
  const makeRoomFor = (socket: Socket) => {
    if (open.size - unread.size <= max_connections) return;
    const victim = victimFor(socket);
    forget(victim);
    victim.destroy();
  };
  http.on('connection', (socket) => {
    const { remoteAddress = '' } = socket;
    open.add(socket);
    socket.once('close', () => {
      open.delete(socket);
      forget(socket);
    });
    if (isProxy(remoteAddress)) {
      unread.add(socket);
      if (unread.size > max_unread) socket.destroy();
      return;
    }
    assign(socket, find(remoteAddress));
    makeRoomFor(socket);
  });
  return ({ socket, headers }, response) => {
    const { remoteAddress = '' } = socket;
    if (!isProxy(remoteAddress) || socket.destroyed) return;
    const client = find(remoteAddress, String(headers['x-forwarded-for'] ?? ''));
    forget(socket);
    if (client !== find(remoteAddress)) assign(socket, client);
    makeRoomFor(socket);
    response.once('close', () => {
      if (!socket.destroyed) idle.add(socket);
    });
  };
}
