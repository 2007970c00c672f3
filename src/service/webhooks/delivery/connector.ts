import type { Duplex } from 'node:stream';
import type { LoopbackWebhooks, ServiceConfig } from '../../runtime/context.ts';
import type { Target, Web } from '../../runtime/network.ts';
import { isAddress, refusedAs } from './address-policy.ts';
import { reasonOfLookup, Unsendable } from './failure-reasons.ts';

/** Where somebody wants to be connected to, as undici says it: no port is the protocol's own. */
export interface Destination {
  hostname: string;
  port: string;
  protocol: string;
}

export interface Connector {
  /** Rejects with `Unsendable` where it may not be or takes too long, with the system's fault where it cannot. */
  connect: (to: Destination) => Promise<Duplex>;
  /** Gives up all that is being connected. */
  close: () => void;
}

/** Of a name's addresses no more are tried. */
const mostTried = 4;

/**
 * Connects to addresses, never to names: for each new connection the name is looked up, all the addresses found are
 * judged, and those very addresses are connected to. A name with one address that is refused is refused.
 */
export function createConnector(
  { web, timers, loopback_webhooks }: Pick<ServiceConfig, 'web' | 'timers' | 'loopback_webhooks'>,
  limit_ms: number,
): Connector {
  const resolve = sharing(web.resolve);
  const begun = new Set<AbortController>();
  const abortAfter = (ending: AbortController, ms: number) =>
    timers.after(ms, () => ending.abort(new Unsendable('no connection came about in time')));
  /** One try at one address, which goes on until `whole` ends at most. */
  const attempt = async (target: Target, ms: number, whole: AbortSignal): Promise<Duplex> => {
    const trial = new AbortController();
    const cancel = abortAfter(trial, ms);
    const signal = AbortSignal.any([whole, trial.signal]);
    const connecting = web.connect(target, signal);
    // What comes too late is nobody's.
    connecting.then((connection) => signal.aborted && connection.destroy(), noMatter);
    return Promise.race([connecting, endOf(signal)]).finally(cancel);
  };
  const connect = async (to: Destination, whole: AbortSignal): Promise<Duplex> => {
    const found = await Promise.race([addressesOf(to.hostname, resolve, loopback_webhooks), endOf(whole)]);
    const addresses = found.slice(0, mostTried);
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
      begun.add(ending);
      try {
        return await connect(to, ending.signal);
      } finally {
        cancel();
        begun.delete(ending);
      }
    },
    close: () => {
      for (const ending of begun) ending.abort(new Unsendable('sending was stopped'));
    },
  };
}

/** The addresses of a host, all of which may be sent to. */
async function addressesOf(
  hostname: string,
  resolve: Web['resolve'],
  loopback: LoopbackWebhooks,
): Promise<readonly string[]> {
  const isLiteral = isAddress(hostname);
  const addresses = isLiteral ? [hostname] : await resolve(hostname);
  if (addresses.length === 0) throw new Unsendable(`${hostname} has no address`);
  const refused = addresses.map((address) => refusedAs(address, loopback)).find((each) => each !== null);
  if (refused === undefined) return addresses;
  // Where a name leads to is not told: it may be known inside alone.
  throw new Unsendable(`${hostname} ${isLiteral ? 'is' : 'leads to'} ${refused}: nothing is sent there`);
}

/** Looks a name up once at a time: the system does but a few look-ups side by side, and one name could take them all. */
function sharing(resolve: Web['resolve']): Web['resolve'] {
  const asked = new Map<string, Promise<readonly string[]>>();
  const ask = async (hostname: string): Promise<readonly string[]> => {
    try {
      return await resolve(hostname);
    } catch (fault) {
      throw new Unsendable(reasonOfLookup(hostname, fault));
    } finally {
      asked.delete(hostname);
    }
  };
  return (hostname) => {
    const asking = asked.get(hostname) ?? ask(hostname);
    asked.set(hostname, asking);
    return asking;
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
function endOf(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

function noMatter(): void {}
