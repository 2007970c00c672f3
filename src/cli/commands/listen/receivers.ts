import type { HttpTransport } from '../../../client/http.ts';
import type { Exchange } from '../../../client/retries.ts';
import type { Host } from '../../kit/host/host.ts';
import type { Line } from './lines.ts';
import { createReceiver, type Receiver } from './receiver.ts';

/** The servers that receive forwarded events. */
export interface Receivers {
  /** The receiver for the origin of a URL. */
  of(url: string): Receiver;
  close(): Promise<void>;
}

interface ReceiversOptions {
  host: Pick<Host, 'now' | 'timer'>;
  /** Whether to verify certificates. */
  verify: boolean;
  print(line: Line): void;
  /** Observes each attempt. */
  observe?: ((exchange: Exchange) => void) | undefined;
}

/** The same timeout as for a webhook endpoint. */
const timeout_ms = 15_000;

/** Creates a receiver for each origin on first use. */
export async function openReceivers({ host, verify, print, observe }: ReceiversOptions): Promise<Receivers> {
  const { httpTransport } = await import('../../../client/http.ts');
  const opened = new Map<string, { receiver: Receiver; transport: HttpTransport }>();
  const open = (origin: string) => {
    // A user's server may send an endless body, so a response resolves at its headers.
    const taking = { timer: host.timer, verify, resolvesAtHeaders: true };
    const transport = httpTransport({ baseUrl: origin, requestTimeout_ms: timeout_ms, ...taking });
    return { transport, receiver: createReceiver({ origin, transport, host, print, observe }) };
  };
  return {
    of: (url) => {
      const { origin } = new URL(url);
      const found = opened.get(origin) ?? open(origin);
      opened.set(origin, found);
      return found.receiver;
    },
    close: async () => {
      for (const { receiver, transport } of opened.values()) {
        receiver.stop();
        await transport.close();
      }
    },
  };
}
