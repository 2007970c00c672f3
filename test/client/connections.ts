import type { Server } from 'node:http';
import type { Server as SecureServer } from 'node:https';
import { onTestFinished } from 'vitest';
import { timer } from '../../src/cli/kit/system/streams.ts';
import { type HttpTransport, type HttpTransportOptions, httpTransport } from '../../src/client/http.ts';
import { listenLocally } from '../local-server.ts';

/** The host and port of a server that listens until the test ends. */
export async function listening(server: Server | SecureServer): Promise<string> {
  const { port, close } = await listenLocally(server);
  onTestFinished(close);
  return `127.0.0.1:${port}`;
}

/** A transport that is closed as the test ends. */
export function opened(baseUrl: string, options: Partial<HttpTransportOptions> = {}): HttpTransport {
  const transport = httpTransport({ baseUrl, requestTimeout_ms: 2000, timer, ...options });
  onTestFinished(() => transport.close());
  return transport;
}
