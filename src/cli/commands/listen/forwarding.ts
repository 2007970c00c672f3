import type { Event } from '../../../contract/events.ts';
import type { WireRequest } from '../../../contract/operation.ts';
import { subjectOf } from '../../nouns/event.ts';
import { type Failed, isAway, type Line } from './lines.ts';
import type { Posted, Receiver } from './receiver.ts';

/** Forwards events: those of one delivery in sequence, all others concurrently. */
export interface Forwarder {
  /** Takes an event; resolves when there is room for the next one. */
  take(event: Event): Promise<void>;
  /** The latest event taken; null if there is none yet. */
  last(): Event | null;
  /** The failure of the latest attempt at that event, if it failed. */
  lastFailure(): Failed | null;
  /** Resends an event outside its queue; false if events of its type have no destination. */
  again(event: Event): Promise<boolean>;
  /** The events that have not arrived. */
  remaining(): Remaining;
  /** Gives up the waiting events. */
  stop(): void;
}

export interface Remaining {
  waiting: number;
  given_up: number;
  /** Service time of the oldest undelivered event; null if there is none. */
  since: string | null;
}

interface ForwarderOptions extends Omit<Sending, 'isStopped' | 'arrival'> {
  /** Null: its type has no destination. */
  targetOf(event: Event): string | null;
  /** Receives internal errors. */
  failed(error: unknown): void;
}

/** At the limit no more events are read; later ones stay at the service. */
export const most = 1_000;

export function createForwarder({ targetOf, failed, print, ...parts }: ForwarderOptions): Forwarder {
  const queues = new Map<string, Event[]>();
  const underWay = new Map<string, PromiseWithResolvers<void>>();
  const count = createCount();
  let isStopped = false;
  const latest = createLatest();
  const report = (line: Line) => {
    latest.hear(line);
    print(line);
  };
  const arrival = async ({ id }: Event) => underWay.get(id)?.promise;
  const sending: Sending = { ...parts, print: report, isStopped: () => isStopped, arrival };

  async function forwardOne(event: Event): Promise<void> {
    const url = targetOf(event);
    latest.take(event);
    underWay.set(event.id, Promise.withResolvers());
    if (url === null) sending.print({ type: 'event', event });
    const end = url === null ? 'arrived' : await forward(event, url, sending);
    underWay.delete(event.id);
    if (end !== 'stopped') count.close(event, end === 'given_up');
  }

  async function work(name: string, queue: Event[]): Promise<void> {
    for (let event = queue[0]; event !== undefined && !isStopped; event = queue[0]) {
      await forwardOne(event);
      queue.shift();
    }
    queues.delete(name);
  }

  return {
    take: async (event) => {
      count.open(event);
      const name = queueOf(event);
      const queue = queues.get(name) ?? [];
      queue.push(event);
      if (!queues.has(name)) {
        queues.set(name, queue);
        work(name, queue).catch(failed);
      }
      await count.room();
    },
    last: latest.event,
    lastFailure: latest.failure,
    again: async (event) => {
      const url = targetOf(event);
      if (url !== null && (await forwardOnce(event, url, sending))) {
        count.arrived(event);
        underWay.get(event.id)?.resolve();
      }
      return url !== null;
    },
    remaining: count.remaining,
    stop: () => {
      isStopped = true;
      count.release();
    },
  };
}

/** Events of one delivery are numbered and stay in order; all others are independent. */
function queueOf(event: Event): string {
  return event.sequence === null ? event.id : subjectOf(event);
}

/** Keeps the latest event and its outcome. */
function createLatest() {
  let event: Event | null = null;
  let failure: Failed | null = null;
  return {
    take: (taken: Event) => {
      event = taken;
      failure = null;
    },
    hear: (line: Line) => {
      if ('event' in line && line.event.id === event?.id) failure = line.type === 'failed' ? line : null;
    },
    event: () => event,
    failure: () => failure,
  };
}

/** Counts the events that were taken and have not arrived. */
function createCount() {
  const open = new Set<Event>();
  /** By event ID, the time of the event. */
  const givenUp = new Map<string, string>();
  const blocked: (() => void)[] = [];
  let isReleased = false;
  return {
    open: (event: Event) => void open.add(event),
    close: (event: Event, isGivenUp: boolean) => {
      open.delete(event);
      if (isGivenUp) givenUp.set(event.id, event.created_at);
      blocked.shift()?.();
    },
    /** A resend after the event was given up. */
    arrived: ({ id }: Event) => void givenUp.delete(id),
    /** Resolves when there is room for more. */
    room: async () => {
      while (open.size >= most && !isReleased) await new Promise<void>((resolve) => blocked.push(resolve));
    },
    release: () => {
      isReleased = true;
      for (const resume of blocked.splice(0)) resume();
    },
    remaining: (): Remaining => {
      const times = [...[...open].map(({ created_at }) => created_at), ...givenUp.values()].sort();
      return { waiting: open.size, given_up: givenUp.size, since: times[0] ?? null };
    },
  };
}

/** The dependencies for forwarding events. */
interface Sending {
  receiverOf(url: string): Receiver;
  /** Signs the request at the current time. */
  requestOf(event: Event, url: string): WireRequest;
  print(line: Line): void;
  isStopped(): boolean;
  /** Resolves when the event has arrived by another attempt in the meantime. */
  arrival(event: Event): Promise<void>;
}

/** The outcome of an event. */
type End = 'arrived' | 'given_up' | 'stopped';

/** Delays while the server is unreachable; the last one repeats. */
const outage_delays_ms = [1_000, 2_000, 4_000, 5_000];
/** Delays after an error response; the event is given up after one more attempt. */
const refusal_delays_ms = [5_000, 15_000, 60_000];
/** The upper limit for a Retry-After of the receiver. */
const max_wait_ms = 300_000;

/** Sends an event until it arrives or is given up. */
async function forward(event: Event, url: string, sending: Sending): Promise<End> {
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
async function forwardOnce(event: Event, url: string, sending: Omit<Sending, 'arrival'>): Promise<boolean> {
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
