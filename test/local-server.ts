import type { Server } from 'node:http';
import type { Server as SecureServer } from 'node:https';
import { createServer } from 'node:net';

export interface LocalServer {
  port: number;
  /** Ends all connections, too. */
  close: () => Promise<void>;
}

/** Lets a server listen on a free or given port of 127.0.0.1. */
export async function listenLocally(server: Server | SecureServer, port = 0): Promise<LocalServer> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(port, '127.0.0.1', resolve);
  });
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return { port: portOf(server.address()), close };
}

function portOf(address: ReturnType<Server['address']>): number {
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return address.port;
}

/** A port of 127.0.0.1 on which nothing listens. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject).listen(0, '127.0.0.1', () => {
      const port = portOf(probe.address());
      probe.close(() => resolve(port));
    });
  });
}
