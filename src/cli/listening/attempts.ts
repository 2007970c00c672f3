import type { Event } from '../../contract/events.ts';
import type { WireRequest } from '../../contract/wire.ts';
import type { Line } from './lines.ts';
import type { Posted, Receiver } from './receiver.ts';

/** The way of events to their receivers. */
export interface Way {
  receiverOf(url: string): Receiver;
  /** Signed as of now. */
  requestOf(event: Event, url: string): WireRequest;
  tell(line: Line): void;
  isStopped(): boolean;
}

/** How it ended with an event. */
export type End = 'arrived' | 'given_up' | 'stopped';

/** While no answer comes; the last one for ever. */
const silences_ms = [1_000, 2_000, 4_000, 5_000];
/** After an answer that refuses; after one more it is given up. */
const refusals_ms = [5_000, 15_000, 60_000];
/** A receiver is not left alone for longer than that, whatever it asks for. */
const longestWait_ms = 300_000;

/** Sends an event until it has arrived or is given up. */
export async function forward(event: Event, url: string, way: Way): Promise<End> {
  const patience = createPatience();
  const receiver = way.receiverOf(url);
  let isSilenceTold = false;
  for (let attempt = 1; !way.isStopped(); attempt += 1) {
    const posted = await receiver.post(way.requestOf(event, url));
    if (way.isStopped()) break;
    const wait_ms = patience.after(posted);
    const isSilent = posted.status_code === null;
    // It may go on for ever: it is told once.
    if (!posted.isTold && !(isSilent && isSilenceTold))
      way.tell(lineOf({ event, url, attempt }, posted, wait_ms));
    isSilenceTold ||= isSilent && !posted.isTold;
    if (posted.reason === '') return 'arrived';
    if (wait_ms === null) return 'given_up';
    await receiver.pause(wait_ms);
  }
  return 'stopped';
}

/** Sends an event once, out of its turn, and tells what came of it. */
export async function forwardOnce(event: Event, url: string, way: Way): Promise<void> {
  const posted = await way.receiverOf(url).post(way.requestOf(event, url));
  if (!way.isStopped()) way.tell({ ...lineOf({ event, url, attempt: 1 }, posted, null), resent: true });
}

function lineOf(
  sent: { event: Event; url: string; attempt: number },
  { status_code, reason, duration_ms }: Posted,
  retry_in_ms: number | null,
) {
  const outcome = { ...sent, status_code, duration_ms };
  if (reason === '') return { type: 'forwarded' as const, ...outcome };
  return { type: 'failed' as const, ...outcome, reason, retry_in_ms };
}

/** How long to wait after each attempt at an event; null: no longer. */
function createPatience(): { after(posted: Posted): number | null } {
  let refusals = 0;
  let silences = 0;
  return {
    after: ({ status_code, reason, retry_after_ms }) => {
      if (reason === '') return null;
      if (status_code === null) return silences_ms[silences++] ?? silences_ms.at(-1) ?? null;
      const wait_ms = refusals_ms[refusals++];
      if (wait_ms === undefined) return null;
      return Math.min(Math.max(wait_ms, retry_after_ms ?? 0), longestWait_ms);
    },
  };
}
