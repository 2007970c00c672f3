import type { HttpTransport } from '../../../client/http.ts';
import type { Exchange } from '../../../client/retries.ts';
import type { Host } from '../../kit/host/host.ts';
import type { Line } from './lines.ts';
import { createReceiver, type Receiver } from './receiver.ts';

/** The servers that events are forwarded to. */
export interface Receivers {
  /** The one at the address of a URL. */
  of(url: string): Receiver;
  close(): Promise<void>;
}

interface ReceiversOptions {
  host: Pick<Host, 'now' | 'timer'>;
  /** Whether certificates are checked. */
  verify: boolean;
  tell(line: Line): void;
  /** Sees each attempt. */
  observe?: ((exchange: Exchange) => void) | undefined;
}

/** As long as the service waits for an endpoint. */
const timeout_ms = 15_000;

/** Opens a receiver for each address at its first use. */
export async function openReceivers({ host, verify, tell, observe }: ReceiversOptions): Promise<Receivers> {
  const { httpTransport } = await import('../../../client/http.ts');
  const opened = new Map<string, { receiver: Receiver; transport: HttpTransport }>();
  const open = (origin: string) => {
    // What a server of somebody's own answers may have no end.
    const taking = { timer: host.timer, verify, beginnings: true };
    const transport = httpTransport({ baseUrl: origin, requestTimeout_ms: timeout_ms, ...taking });
    return { transport, receiver: createReceiver({ origin, transport, host, tell, observe }) };
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
