import { Unreachable } from '../../client/errors.ts';
import { retryAfter } from '../../client/retries.ts';
import type { Transport, WireRequest } from '../../contract/wire.ts';
import type { Host } from '../host.ts';
import type { Line } from './lines.ts';
import { createOutage } from './outages.ts';
import { createPlaces } from './places.ts';

/** What came of one attempt. */
export interface Posted {
  /** Null where no answer came. */
  status_code: number | null;
  /** Empty where it took the event. */
  reason: string;
  /** Whether the reason was told as that of all events which go there. */
  isTold: boolean;
  duration_ms: number;
  /** How long it asks to be left alone. */
  retry_after_ms: number | null;
}

/** A server that events are forwarded to. */
export interface Receiver {
  /** Sends one event once a place is free. Rejects only for faults of the program. */
  post(request: WireRequest): Promise<Posted>;
  /** Waits, until it answers again at the longest where it did not before. */
  pause(milliseconds: number): Promise<void>;
  /** Ends all pauses. */
  stop(): void;
}

export interface ReceiverOptions {
  /** Its address, as it is told. */
  origin: string;
  transport: Transport;
  host: Pick<Host, 'now' | 'timer'>;
  tell(line: Line): void;
}

/** So many requests are out at once. */
const placesOfReceiver = 16;

/** A receiver, of which is told once when it answers no more, and once when it does again. */
export function createReceiver({ origin, transport, host, tell }: ReceiverOptions): Receiver {
  const inPlace = createPlaces(placesOfReceiver);
  const outage = createOutage({
    timer: host.timer,
    began: (reason) => tell({ type: 'down', url: origin, reason }),
    over: () => tell({ type: 'up', url: origin }),
  });
  const exchange = async (request: WireRequest): Promise<Posted> => {
    const [began, before] = [host.now(), outage.answers()];
    const duration = () => ({ duration_ms: Math.max(0, Math.round(host.now() - began)) });
    try {
      const response = await transport(request);
      outage.answered();
      const { status } = response;
      const reason = status >= 200 && status < 300 ? '' : `it answered ${status}`;
      const retry_after_ms = reason === '' ? null : retryAfter(response, host.now());
      return { status_code: status, reason, isTold: false, ...duration(), retry_after_ms };
    } catch (error) {
      const reason = reasonOf(error);
      if (reason === null) throw error;
      const isTold = outage.silent(before, reason);
      return { status_code: null, reason, isTold, ...duration(), retry_after_ms: null };
    }
  };
  return {
    post: (request) => inPlace(() => exchange(request)),
    pause: outage.pause,
    stop: outage.end,
  };
}

/** Why no answer came; null where the fault is the program's own. */
function reasonOf(error: unknown): string | null {
  if (error instanceof Unreachable) return error.message;
  const isSystems = error instanceof Error && 'code' in error && /^E[A-Z]+$/.test(String(error.code));
  return isSystems ? error.message : null;
}
