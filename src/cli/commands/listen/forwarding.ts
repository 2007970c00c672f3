import type { Event } from '../../../contract/events.ts';
import { subjectOf } from '../events/event-columns.ts';
import { forward, forwardOnce, type Sending } from './attempts.ts';
import type { Failed, Line } from './lines.ts';

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

export interface ForwarderOptions extends Omit<Sending, 'isStopped' | 'arrival'> {
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
