/** Connections through a proxy, on the proxy agent of undici. `http.ts` loads this file only if a proxy is set. */
import type { Dispatcher } from 'undici';
import connectThrough from 'undici/lib/api/api-connect.js';
import Pool from 'undici/lib/dispatcher/pool.js';
import ProxyAgent from 'undici/lib/dispatcher/proxy-agent.js';
import { ProxyRefusal } from './errors.ts';

interface ProxyOptions {
  proxy: URL;
  /** The connections to the proxy, and through it to the service. */
  limits: Pool.Options & { connect: { timeout: number; rejectUnauthorized: boolean } };
}

/**
 * Sends requests through a proxy: those for https services through a tunnel (the method CONNECT of RFC 9110, 9.3.6),
 * others as they are. A user and a password of the proxy's URL go to the proxy alone.
 */
export function openProxy({ proxy, limits }: ProxyOptions): Dispatcher {
  const { connect, ...rest } = limits;
  return new ProxyAgent({
    ...rest,
    uri: proxy.href,
    requestTls: connect,
    proxyTls: connect,
    clientFactory: (origin, options) => new TunnelPool(origin, options),
  });
}

/** Opens the tunnels. Only undici's main file gives its pools the method, and that file loads much that is not needed. */
class TunnelPool extends Pool {
  override async connect(options: Dispatcher.ConnectOptions): Promise<Dispatcher.ConnectData> {
    const connected = await connectThrough.call(this, options);
    if (connected.statusCode === 200) return connected;
    connected.socket.on('error', () => {}).destroy();
    throw new ProxyRefusal(connected.statusCode);
  }
}
