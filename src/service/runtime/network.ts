import type { Duplex } from 'node:stream';

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
        : (await import('node:tls')).connect({ ...to, ...nameFor(servername, net.isIP(servername) > 0) });
    const end = () => socket.destroy(abortedBy(signal));
    signal.addEventListener('abort', end);
    // Handles errors until another listener is added.
    socket.on('error', opened.reject);
    socket.once(servername === null ? 'connect' : 'secureConnect', () => opened.resolve(socket));
    return opened.promise.finally(() => signal.removeEventListener('abort', end));
  },
};

/** TLS does not allow addresses as server names (RFC 6066, 3): the certificate is then checked against the address. */
function nameFor(servername: string, isAddress: boolean) {
  return { servername: isAddress ? '' : servername, ALPNProtocols: ['http/1.1'] };
}

function abortedBy({ reason }: AbortSignal): Error {
  return reason instanceof Error ? reason : new Error('aborted');
}
