/**
 * The system's network (`systemWeb`), connections that are made to allowed addresses only (`createConnector`), and servers
 * that listen (`listenOn`).
 */
import type { Server } from 'node:net';
import type { Duplex } from 'node:stream';
import { isAddress } from './address-policy.ts';
import { codeOf, NotSent, reasonOfLookup } from './network-errors.ts';
import type { Timers } from './time.ts';

/** The target of a connection: a checked address, never a name. */
export interface Target {
  /** An IPv4 or IPv6 address. */
  address: string;
  port: number;
  /** The name that the server's certificate must have; null: no TLS. */
  servername: string | null;
}

/** Network access to addresses that merchants name. Nothing else connects to them. */
export interface Web {
  /** Resolves a name by the system's resolver, preferred addresses first. */
  resolve: (hostname: string) => Promise<readonly string[]>;
  /** Connects; rejects on failure, and once the signal aborts. */
  connect: (target: Target, signal: AbortSignal) => Promise<Duplex>;
}

/** The system's network, loaded on first use. */
export const systemWeb: Web = {
  resolve: async (hostname) => {
    const { lookup } = await import('node:dns/promises');
    // Machines without IPv6 often notice it only by a time-out, so IPv4 goes first.
    const found = await lookup(hostname, { all: true, order: 'ipv4first' });
    return found.map(({ address }) => address);
  },
  connect: async ({ address, port, servername }, signal) => {
    const to = { host: address, port, noDelay: true };
    const opened = Promise.withResolvers<Duplex>();
    const net = await import('node:net');
    signal.throwIfAborted();
    const socket =
      servername === null
        ? net.connect(to)
        : (await import('node:tls')).connect({ ...to, ...nameFor(servername) });
    const end = () => socket.destroy(abortedBy(signal));
    signal.addEventListener('abort', end);
    // Handles errors until another listener is added.
    socket.on('error', opened.reject);
    socket.once(servername === null ? 'connect' : 'secureConnect', () => opened.resolve(socket));
    return opened.promise.finally(() => signal.removeEventListener('abort', end));
  },
};

/** TLS does not allow addresses as server names (RFC 6066, 3): the certificate is then checked against the address. */
function nameFor(servername: string) {
  return { servername: isAddress(servername) ? '' : servername, ALPNProtocols: ['http/1.1'] };
}

function abortedBy({ reason }: AbortSignal): Error {
  return reason instanceof Error ? reason : new Error('aborted');
}

/** The target of a connection as given by undici: no port means the protocol's default. */
export interface Destination {
  hostname: string;
  port: string;
  protocol: string;
}

/** Why an address is not connected to, such as `a private address, which is not allowed`; null if it is. */
type AddressRefusal = (address: string, to: Destination) => string | null;

interface Connector {
  /** Rejects with `NotSent` if the target is forbidden or times out, with the system's error if connecting fails. */
  connect: (to: Destination) => Promise<Duplex>;
  /** Aborts all connection attempts. */
  close: () => void;
}

/** The maximum number of addresses tried per name. */
const max_addresses = 4;

/**
 * Connects to addresses, never to names: each new connection resolves the name, checks all its addresses, and
 * connects to one of exactly these. A name with one forbidden address is rejected.
 */
export function createConnector(
  { web, timers }: { web: Web; timers: Timers },
  limit_ms: number,
  refusalOf: AddressRefusal,
): Connector {
  const { resolve, cancel: cancelWaits } = shareLookups({ web, timers });
  const running = new Set<AbortController>();
  const abortAfter = (ending: AbortController, ms: number) =>
    timers.after(ms, () => ending.abort(new NotSent('the connection timed out')));
  /** One attempt at one address, which ends with `whole` at the latest. */
  const attempt = async (target: Target, attempt_limit_ms: number, whole: AbortSignal): Promise<Duplex> => {
    const timer = new AbortController();
    const cancel = abortAfter(timer, attempt_limit_ms);
    const signal = AbortSignal.any([whole, timer.signal]);
    const connecting = web.connect(target, signal);
    // A connection that is established too late is closed.
    connecting.then(
      (connection) => signal.aborted && connection.destroy(),
      () => {},
    );
    return Promise.race([connecting, rejectOnAbort(signal)]).finally(cancel);
  };
  const connect = async (to: Destination, whole: AbortSignal): Promise<Duplex> => {
    const found = await Promise.race([addressesOf(to, resolve, refusalOf), rejectOnAbort(whole)]);
    const addresses = found.slice(0, max_addresses);
    let fault: unknown;
    for (const address of addresses) {
      whole.throwIfAborted();
      try {
        return await attempt(targetOf(to, address), limit_ms / addresses.length, whole);
      } catch (error) {
        fault = error;
      }
    }
    throw fault;
  };
  return {
    connect: async (to) => {
      const ending = new AbortController();
      const cancel = abortAfter(ending, limit_ms);
      running.add(ending);
      try {
        return await connect(to, ending.signal);
      } finally {
        cancel();
        running.delete(ending);
      }
    },
    close: () => {
      cancelWaits();
      for (const ending of running) ending.abort(new NotSent('sending was stopped'));
    },
  };
}

/** The addresses of a host, all of them allowed. */
async function addressesOf(
  to: Destination,
  resolve: Web['resolve'],
  refusalOf: AddressRefusal,
): Promise<readonly string[]> {
  const { hostname } = to;
  const isLiteral = isAddress(hostname);
  const addresses = isLiteral ? [hostname] : await resolve(hostname);
  if (addresses.length === 0) throw new NotSent(`${hostname} has no address`);
  const refused = addresses.map((address) => refusalOf(address, to)).find((each) => each !== null);
  if (refused === undefined) return addresses;
  // The address is not revealed, because the name may be internal.
  throw new NotSent(`${hostname} ${isLiteral ? 'is' : 'resolves to'} ${refused}`);
}

/** A name that has no address is not looked up again for this time: some resolvers take seconds to say so. */
const failed_lookup_ms = 5_000;

/**
 * Shares concurrent lookups of one name: the system runs only a few lookups concurrently, and one name could use them
 * all. That there is no such name is shared a little longer; a resolver that failed is asked again at once.
 */
function shareLookups({ web, timers }: { web: Web; timers: Timers }): {
  resolve: Web['resolve'];
  cancel: () => void;
} {
  const lookups = new Map<string, Promise<readonly string[]>>();
  const waits = new Map<string, () => void>();
  const forget = (hostname: string) => {
    lookups.delete(hostname);
    waits.delete(hostname);
  };
  const lookUp = async (hostname: string): Promise<readonly string[]> => {
    try {
      const found = await web.resolve(hostname);
      forget(hostname);
      return found;
    } catch (fault) {
      if (codeOf(fault) === 'ENOTFOUND')
        waits.set(
          hostname,
          timers.after(failed_lookup_ms, () => forget(hostname)),
        );
      else forget(hostname);
      throw new NotSent(reasonOfLookup(hostname, fault));
    }
  };
  return {
    resolve: (hostname) => {
      const lookup = lookups.get(hostname) ?? lookUp(hostname);
      lookups.set(hostname, lookup);
      return lookup;
    },
    cancel: () => {
      for (const cancel of waits.values()) cancel();
    },
  };
}

function targetOf({ hostname, port, protocol }: Destination, address: string): Target {
  const isSecure = protocol === 'https:';
  return {
    address,
    port: port === '' ? (isSecure ? 443 : 80) : Number(port),
    servername: isSecure ? hostname : null,
  };
}

/** Rejects with its reason once the signal aborts. */
function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

/** Makes a server listen. Resolves with its URL and the address that it is bound to; rejects if it cannot listen. */
export function listenOn(
  server: Server,
  { host, port }: { host: string; port: number },
): Promise<{ url: string; address: string }> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => {
      server.off('error', reject);
      const address = server.address();
      const bound = typeof address === 'object' && address !== null ? address : { address: '', port };
      const url = `http://${host.includes(':') ? `[${host}]` : host}:${bound.port}`;
      resolve({ url, address: bound.address });
    });
  });
}
