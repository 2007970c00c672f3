import { createServer, type Server } from 'node:http';
import type { Metrics } from './registry.ts';

export interface MetricsServer {
  url: string;
  close: () => void;
}

/** Serves `/metrics` on an address of its own, so that the public one does not show it. Rejects if it cannot listen. */
export async function serveMetrics(
  { text, content_type }: Pick<Metrics, 'text' | 'content_type'>,
  { host, port }: { host: string; port: number },
  onFault: (fault: unknown) => void,
): Promise<MetricsServer> {
  const server = createServer((request, response) => {
    const isScrape =
      request.url?.split('?')[0] === '/metrics' && ['GET', 'HEAD'].includes(request.method ?? '');
    if (!isScrape) {
      response.writeHead(404).end();
      return;
    }
    text().then(
      (body) => response.writeHead(200, { 'content-type': content_type }).end(body),
      (fault: unknown) => {
        onFault(fault);
        response.writeHead(503).end();
      },
    );
  });
  const bound = await listen(server, { host, port });
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}/metrics`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

function listen(server: Server, place: { host: string; port: number }): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(place, () => {
      const address = server.address();
      resolve(typeof address === 'object' && address !== null ? address.port : place.port);
    });
  });
}
