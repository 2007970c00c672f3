import type { Duplex } from 'node:stream';

/** Where a connection goes: an address that was checked, never a name. */
export interface Target {
  /** An IPv4 or IPv6 address. */
  address: string;
  port: number;
  /** The name that the other side's certificate must have; null: no TLS. */
  servername: string | null;
}

/** The way out of the service to addresses that others have named. Nothing else connects to them. */
export interface Web {
  /** The addresses of a name, as the system knows them, the better ones first. */
  resolve: (hostname: string) => Promise<readonly string[]>;
  /** Connects; rejects where it cannot, and once the signal aborts. */
  connect: (target: Target, signal: AbortSignal) => Promise<Duplex>;
}

/** The system's own; what it needs is loaded when something is sent. */
export const systemWeb: Web = {
  resolve: async (hostname) => {
    const { lookup } = await import('node:dns/promises');
    // A machine without a way to IPv6 addresses often learns it by waiting.
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
    // Stays for what happens before somebody else listens.
    socket.on('error', opened.reject);
    socket.once(servername === null ? 'connect' : 'secureConnect', () => opened.resolve(socket));
    return opened.promise.finally(() => signal.removeEventListener('abort', end));
  },
};

/** TLS knows no addresses as names (RFC 6066, 3): a certificate is held against the address itself then. */
function nameFor(servername: string, isAddress: boolean) {
  return { servername: isAddress ? '' : servername, ALPNProtocols: ['http/1.1'] };
}

function abortedBy({ reason }: AbortSignal): Error {
  return reason instanceof Error ? reason : new Error('aborted');
}
