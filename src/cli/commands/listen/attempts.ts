import type { Event } from '../../../contract/events.ts';
import type { WireRequest } from '../../../contract/operation.ts';
import type { Line } from './lines.ts';
import { isAway, type Posted, type Receiver } from './receiver.ts';

/** The dependencies for forwarding events. */
export interface Sending {
  receiverOf(url: string): Receiver;
  /** Signs the request at the current time. */
  requestOf(event: Event, url: string): WireRequest;
  print(line: Line): void;
  isStopped(): boolean;
  /** Resolves when the event has arrived by another attempt in the meantime. */
  arrival(event: Event): Promise<void>;
}

/** The outcome of an event. */
export type End = 'arrived' | 'given_up' | 'stopped';

/** Delays while the server is unreachable; the last one repeats. */
const outage_delays_ms = [1_000, 2_000, 4_000, 5_000];
/** Delays after an error response; the event is given up after one more attempt. */
const refusal_delays_ms = [5_000, 15_000, 60_000];
/** The upper limit for a Retry-After of the receiver. */
const max_wait_ms = 300_000;

/** Sends an event until it arrives or is given up. */
export async function forward(event: Event, url: string, sending: Sending): Promise<End> {
  const patience = createBackoff();
  const receiver = sending.receiverOf(url);
  let isOutageReported = false;
  let hasArrived = false;
  const arrival = sending.arrival(event).then(() => {
    hasArrived = true;
  });
  for (let attempt = 1; !sending.isStopped() && !hasArrived; attempt += 1) {
    const posted = await receiver.post(sending.requestOf(event, url), attempt);
    if (sending.isStopped() || hasArrived) break;
    const wait_ms = patience.after(posted);
    const isSilent = isAway(posted.status_code);
    // The outage may last; it is reported once.
    if (!posted.isReported && !(isSilent && isOutageReported))
      sending.print(lineOf({ event, url, attempt }, posted, wait_ms));
    isOutageReported ||= isSilent && !posted.isReported;
    if (posted.reason === '') return 'arrived';
    if (wait_ms === null) return 'given_up';
    await Promise.race([receiver.pause(wait_ms), arrival]);
  }
  return sending.isStopped() ? 'stopped' : 'arrived';
}

/** Sends an event once, outside its queue, and reports the outcome; true if it arrived. */
export async function forwardOnce(
  event: Event,
  url: string,
  sending: Omit<Sending, 'arrival'>,
): Promise<boolean> {
  const posted = await sending.receiverOf(url).post(sending.requestOf(event, url), 1);
  if (!sending.isStopped())
    sending.print({ ...lineOf({ event, url, attempt: 1 }, posted, null), resent: true });
  return posted.reason === '';
}

function lineOf(
  sent: { event: Event; url: string; attempt: number },
  { status_code, reason, response, duration_ms }: Posted,
  retry_in_ms: number | null,
) {
  const outcome = { ...sent, status_code, duration_ms };
  if (reason === '') return { type: 'forwarded' as const, ...outcome };
  return { type: 'failed' as const, ...outcome, reason, response, retry_in_ms };
}

/** Computes the delay after each attempt at an event; null: give up. */
function createBackoff(): { after(posted: Posted): number | null } {
  let refusals = 0;
  let silences = 0;
  return {
    after: ({ status_code, reason, retry_after_ms }) => {
      if (reason === '') return null;
      const wait_ms = isAway(status_code)
        ? (outage_delays_ms[silences++] ?? outage_delays_ms.at(-1))
        : refusal_delays_ms[refusals++];
      if (wait_ms === undefined) return null;
      return Math.min(Math.max(wait_ms, retry_after_ms ?? 0), max_wait_ms);
    },
  };
}
