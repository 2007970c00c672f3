/** The connections of the HTTP server: their limits, client addresses, pipelined requests, and the shutdown. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { BlockList, isIP, Server as NetServer, type Socket } from 'node:net';
import { atMost, pause, type Timers } from '../runtime/time.ts';

/**
 * The connections of proxies that have not sent a request yet. They do not count, because it is not known whose they
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
  const open = new Set<Socket>();
  const clients = new Map<string, Set<Socket>>();
  const unread = new Set<Socket>();
  const addresses = new WeakMap<Socket, string>();
  /** The connections of proxies that wait for a request, the longest waiting first. */
  const idle = new Set<Socket>();
  const forget = (socket: Socket) => {
    const address = addresses.get(socket) ?? '';
    const own = clients.get(address);
    own?.delete(socket);
    if (own?.size === 0) clients.delete(address);
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

export interface ClientAddresses {
  /** The address of a client, from its connection and the X-Forwarded-For header. */
  find: (connected: string, forwarded_for?: string) => string;
  /** Whether a connection is from a trusted proxy, and so may be any client's. */
  isProxy: (connected: string) => boolean;
}

/**
 * The header is trusted as far as trusted proxies wrote it: from its end to the first address that is not a trusted
 * proxy. IPv6 addresses are reduced to their /64 network, which belongs to one client. Networks are `10.0.0.0/8` or
 * one address.
 */
export function createClientAddresses(trusted_proxies: readonly string[]): ClientAddresses {
  const trusted = new BlockList();
  for (const network of trusted_proxies) addNetwork(trusted, network);
  const isTrusted = (address: string) =>
    isIP(address) !== 0 && trusted.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
  const find: ClientAddresses['find'] = (connected, forwarded_for) => {
    let client = plainAddress(connected);
    const hops = forwarded_for?.split(',') ?? [];
    for (const hop of hops.reverse()) {
      const address = plainAddress(hop);
      if (!isTrusted(client) || isIP(address) === 0) break;
      client = address;
    }
    return isIP(client) === 6 ? networkOf(client) : client;
  };
  return { find, isProxy: (connected) => isTrusted(plainAddress(connected)) };
}

function addNetwork(list: BlockList, network: string): void {
  const [address = '', prefix] = network.split('/');
  const type = isIP(address) === 6 ? 'ipv6' : 'ipv4';
  if (prefix === undefined) list.addAddress(address, type);
  else list.addSubnet(address, Number(prefix), type);
}

/** Removes brackets, port and zone; converts an IPv4-mapped IPv6 address to IPv4. */
function plainAddress(text: string): string {
  const host = /^\s*\[?([^\]%]*?)(?:%[^\]]*)?(?:\]:\d+|\])?\s*$/.exec(text)?.[1] ?? '';
  const withoutPort = /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(host)?.[1] ?? host;
  return withoutPort.replace(/^::ffff:(?=\d+\.)/i, '');
}

/** The first four of the eight groups of an IPv6 address. */
function networkOf(address: string): string {
  const [head = '', tail] = address.split('::');
  const first = groupsOf(head);
  const last = tail === undefined ? [] : groupsOf(tail);
  const zeros = Array.from({ length: Math.max(0, 8 - first.length - last.length) }, () => '0');
  const groups = [...first, ...zeros, ...last].slice(0, 4);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}

function groupsOf(part: string): string[] {
  return part === '' ? [] : part.split(':');
}

/** For running requests. */
const grace_ms = 5_000;
/** For requests that are still waiting. */
const waiting_grace_ms = 2_000;
/** Containers are killed after ten seconds. */
const stop_timeout_ms = 9_000;
/** For the requests of connections accepted just before the listener closed. */
const last_requests_ms = 100;

/** The service behind the server. */
interface Stoppable {
  /** Ends all open streams, and those that are opened later. */
  endStreams: () => void;
  /** Stops the background work. */
  stop: () => Promise<void>;
}

/** How a server shuts down: it optionally drains, then it stops. */
interface Shutdown {
  /** Whether the shutdown has started. Each connection is then closed after its next response. */
  hasStarted: () => boolean;
  /** Ends streams, keeps accepting connections for a while, and then closes the listener. */
  drain: (service: Stoppable, ms: number) => Promise<void>;
  /** Lets running requests finish and stops the service; resolves within nine seconds in any case. */
  stop: (service: Stoppable) => Promise<void>;
}

export function createShutdown(http: Server, timers: Timers): Shutdown {
  let hasBegun = false;
  const begin = (service: Stoppable) => {
    hasBegun = true;
    service.endStreams();
  };
  return {
    hasStarted: () => hasBegun,
    drain: async (service, ms) => {
      begin(service);
      await pause(timers, ms);
      // All pending connections have been accepted; those that arrive before the next line would be reset.
      await timers.turn();
      // Unlike the close() of HTTP, this keeps connections that are about to send their request.
      NetServer.prototype.close.call(http);
      await pause(timers, last_requests_ms);
    },
    stop: async (service) => {
      begin(service);
      // Requests that are still waiting are ended, so that they get a response.
      const ending = timers.after(waiting_grace_ms, () => void service.stop());
      const ended = closeServer(http, timers).then(async () => {
        ending();
        await service.stop();
      });
      await atMost(timers, stop_timeout_ms, ended, () => {});
    },
  };
}

/** A request that is still being received after the grace period is dropped. */
function closeServer(http: Server, timers: Timers): Promise<void> {
  return new Promise((resolve) => {
    const takeBack = timers.after(grace_ms, () => http.closeAllConnections());
    http.close(() => {
      takeBack();
      resolve();
    });
    http.closeIdleConnections();
  });
}
