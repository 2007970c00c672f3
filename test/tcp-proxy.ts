import { connect, createServer, type Socket } from 'node:net';

export interface TcpProxy {
  /** The URL of the target through the proxy. */
  url: string;
  /** Stops forwarding: connections stay open and are accepted, but no byte passes. */
  silence: () => void;
  /** Closes silent connections; new ones are forwarded again. */
  restore: () => void;
  /** The number of open connections. */
  connections: () => number;
  close: () => Promise<void>;
}

/** A TCP proxy in front of a server; each byte is delayed by `latency_ms` in either direction. */
export async function startTcpProxy(target: string, { latency_ms = 0 } = {}): Promise<TcpProxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let isSilent = false;
  const destroyAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  const forward = (from: Socket, to: Socket) => {
    from.setNoDelay(true);
    sockets.add(from);
    const deliver = (act: () => void) => {
      if (latency_ms === 0) act();
      else setTimeout(act, latency_ms);
    };
    from.on('data', (bytes) => deliver(() => isSilent || to.destroyed || to.write(bytes)));
    from.on('end', () => deliver(() => isSilent || to.end()));
    from.on('error', () => {});
    from.on('close', () => {
      sockets.delete(from);
      if (!isSilent) deliver(() => to.destroy());
    });
  };
  const server = createServer((near) => {
    const far = connect({ host: hostname, port: Number(port) });
    forward(near, far);
    forward(far, near);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
  const url = new URL(target);
  url.port = String(address.port);
  return {
    url: url.href,
    silence: () => {
      isSilent = true;
    },
    restore: () => {
      isSilent = false;
      destroyAll();
    },
    connections: () => sockets.size / 2,
    close: async () => {
      destroyAll();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
