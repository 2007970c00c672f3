import type { Duplex } from 'node:stream';
import { isAddress } from './address-policy.ts';
import { reasonOfLookup, WebhookNotSent } from './connection-faults.ts';
import type { ServiceConfig } from './context.ts';
import type { Target, Web } from './network.ts';

/** The target of a connection as given by undici: no port means the protocol's default. */
export interface Destination {
  hostname: string;
  port: string;
  protocol: string;
}

/** Why an address is not connected to, such as `a private address, which is not allowed`; null if it is. */
export type AddressRefusal = (address: string, to: Destination) => string | null;

export interface Connector {
  /** Rejects with `Unsendable` if the target is forbidden or times out, with the system's error if connecting fails. */
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
  { web, timers }: Pick<ServiceConfig, 'web' | 'timers'>,
  limit_ms: number,
  refusalOf: AddressRefusal,
): Connector {
  const resolve = shareLookups(web.resolve);
  const running = new Set<AbortController>();
  const abortAfter = (ending: AbortController, ms: number) =>
    timers.after(ms, () => ending.abort(new WebhookNotSent('the connection timed out')));
  /** One attempt at one address, which ends with `whole` at the latest. */
  const attempt = async (target: Target, ms: number, whole: AbortSignal): Promise<Duplex> => {
    const timer = new AbortController();
    const cancel = abortAfter(timer, ms);
    const signal = AbortSignal.any([whole, timer.signal]);
    const connecting = web.connect(target, signal);
    // A connection that is established too late is closed.
    connecting.then((connection) => signal.aborted && connection.destroy(), ignore);
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
      for (const ending of running) ending.abort(new WebhookNotSent('sending was stopped'));
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
  if (addresses.length === 0) throw new WebhookNotSent(`${hostname} has no address`);
  const refused = addresses.map((address) => refusalOf(address, to)).find((each) => each !== null);
  if (refused === undefined) return addresses;
  // The address is not revealed, because the name may be internal.
  throw new WebhookNotSent(`${hostname} ${isLiteral ? 'is' : 'resolves to'} ${refused}`);
}

/**
 * Shares concurrent lookups of one name: the system runs only a few lookups concurrently, and one name could use them
 * all.
 */
function shareLookups(resolve: Web['resolve']): Web['resolve'] {
  const lookups = new Map<string, Promise<readonly string[]>>();
  const lookUp = async (hostname: string): Promise<readonly string[]> => {
    try {
      return await resolve(hostname);
    } catch (fault) {
      throw new WebhookNotSent(reasonOfLookup(hostname, fault));
    } finally {
      lookups.delete(hostname);
    }
  };
  return (hostname) => {
    const lookup = lookups.get(hostname) ?? lookUp(hostname);
    lookups.set(hostname, lookup);
    return lookup;
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

function ignore(): void {}
