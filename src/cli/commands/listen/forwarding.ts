/**
 * Posting events to the server that receives them: in sequence for one delivery, with retries, and with one report of an
 * outage.
 */
import { Unreachable } from '../../../client/errors.ts';
import type { Exchange } from '../../../client/retries.ts';
import { readRetryAfter } from '../../../contract/errors.ts';
import type { Event } from '../../../contract/events.ts';
import type { Transport, WireRequest, WireResponse } from '../../../contract/operation.ts';
import type { Host } from '../../kit/host/host.ts';
import { subjectOf } from '../../nouns/event.ts';
import { isAway, type Line } from './lines.ts';

/** Forwards events: those of one delivery in sequence, all others concurrently. */
export interface Forwarder {
  /** Takes an event; resolves when there is room for the next one. */
  take(event: Event): Promise<void>;
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

interface ForwarderOptions extends Omit<Sending, 'isStopped'> {
  /** Receives internal errors. */
  failed(error: unknown): void;
}

/** At the limit no more events are read; later ones stay at the service. */
export const max_open_events = 1_000;

export function createForwarder({ failed, ...parts }: ForwarderOptions): Forwarder {
  const queues = new Map<string, Event[]>();
  const count = createEventCount();
  let isStopped = false;
  const sending: Sending = { ...parts, isStopped: () => isStopped };

  async function forwardOne(event: Event): Promise<void> {
    const outcome = await forward(event, sending);
    if (outcome !== 'stopped') count.close(event, outcome === 'given_up');
  }

  async function forwardQueue(name: string, queue: Event[]): Promise<void> {
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
        forwardQueue(name, queue).catch(failed);
      }
      await count.room();
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

/** Counts the events that were taken and have not arrived. */
function createEventCount() {
  const open = new Set<Event>();
  /** The times of the events that were given up. */
  const givenUp: string[] = [];
  const blocked: (() => void)[] = [];
  let isReleased = false;
  return {
    open: (event: Event) => void open.add(event),
    close: (event: Event, isGivenUp: boolean) => {
      open.delete(event);
      if (isGivenUp) givenUp.push(event.created_at);
      blocked.shift()?.();
    },
    /** Resolves when there is room for more. */
    room: async () => {
      while (open.size >= max_open_events && !isReleased)
        await new Promise<void>((resolve) => blocked.push(resolve));
    },
    release: () => {
      isReleased = true;
      for (const resume of blocked.splice(0)) resume();
    },
    remaining: (): Remaining => {
      const times = [...[...open].map(({ created_at }) => created_at), ...givenUp].sort();
      return { waiting: open.size, given_up: givenUp.length, since: times[0] ?? null };
    },
  };
}

/** The dependencies for forwarding events. */
interface Sending {
  url: string;
  receiver: Receiver;
  /** Signs the request at the current time. */
  requestOf(event: Event): WireRequest;
  print(line: Line): void;
  isStopped(): boolean;
}

type ForwardOutcome = 'arrived' | 'given_up' | 'stopped';

/** Delays while the server is unreachable; the last one repeats. */
const outage_delays_ms = [1_000, 2_000, 4_000, 5_000];
/** Delays after an error response; the event is given up after one more attempt. */
const refusal_delays_ms = [5_000, 15_000, 60_000];
/** The upper limit for a Retry-After of the receiver. */
const max_wait_ms = 300_000;

/** Sends an event until it arrives or is given up. */
async function forward(event: Event, sending: Sending): Promise<ForwardOutcome> {
  const { url, receiver } = sending;
  const backoff = createBackoff();
  let isOutageReported = false;
  for (let attempt = 1; !sending.isStopped(); attempt += 1) {
    const posted = await receiver.post(sending.requestOf(event), attempt);
    if (sending.isStopped()) break;
    const wait_ms = backoff.after(posted);
    const isSilent = isAway(posted.status_code);
    // The outage may last; it is reported once.
    if (!posted.isReported && !(isSilent && isOutageReported))
      sending.print(lineOf({ event, url, attempt }, posted, wait_ms));
    isOutageReported ||= isSilent && !posted.isReported;
    if (posted.reason === '') return 'arrived';
    if (wait_ms === null) return 'given_up';
    await receiver.pause(wait_ms);
  }
  return 'stopped';
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

interface Posted {
  /** Null without a response. */
  status_code: number | null;
  /** Empty if the receiver accepted the event. */
  reason: string;
  /** The start of the response body if the receiver refused. */
  response: string;
  /** True if the reason was already reported for all events to this receiver. */
  isReported: boolean;
  duration_ms: number;
  /** The delay requested by the receiver. */
  retry_after_ms: number | null;
}

interface Receiver {
  /** Sends an event when a slot is free; attempts count from 1. Rejects only for internal errors. */
  post(request: WireRequest, attempt: number): Promise<Posted>;
  /** Waits; during an outage, until the server responds at the latest. */
  pause(milliseconds: number): Promise<void>;
  /** Ends all pauses. */
  stop(): void;
}

interface ReceiverOptions {
  /** The origin as shown to the user. */
  origin: string;
  transport: Transport;
  host: Pick<Host, 'now' | 'timer'>;
  print(line: Line): void;
  /** Observes each attempt. */
  observe?: ((exchange: Exchange) => void) | undefined;
}

/** The most requests to the receiver at one time. */
const max_requests = 16;
/** The length of the error response that is kept. */
const kept_characters = 500;
/** Creates a receiver that reports an outage once when it starts and once when it ends. */
export function createReceiver({ origin, transport, host, print, observe }: ReceiverOptions): Receiver {
  const withSlot = createSemaphore(max_requests);
  const outage = createOutage({
    timer: host.timer,
    onStart: (reason) => print({ type: 'down', url: origin, reason }),
    onEnd: () => print({ type: 'up', url: origin }),
  });
  const exchange = async (request: WireRequest, attempt: number): Promise<Posted> => {
    const [started_at, before] = [host.now(), outage.answerCount()];
    const { response, error } = await responseTo(request, transport);
    const duration_ms = Math.max(0, Math.round(host.now() - started_at));
    const path = origin + request.path;
    observe?.({ request: { ...request, path }, response, error, attempt, duration_ms, retry_in_ms: null });
    if (response === null) {
      const isReported = outage.reportSilence(before, error.message);
      const nothing = { status_code: null, response: '', retry_after_ms: null };
      return { ...nothing, reason: error.message, isReported, duration_ms };
    }
    const isSilent = isAway(response.status);
    if (!isSilent) outage.reportAnswer();
    const isReported = isSilent && outage.reportSilence(before, `${origin} answered ${response.status}.`);
    return { ...readAnswer(response, host.now()), isReported, duration_ms };
  };
  return {
    post: (request, attempt) => withSlot(() => exchange(request, attempt)),
    pause: outage.pause,
    stop: outage.end,
  };
}

/** What a response says about an event; any status but 200 to 299 is a refusal. */
function readAnswer(
  { status, body, headers }: WireResponse,
  now: number,
): Omit<Posted, 'duration_ms' | 'isReported'> {
  if (status > 199 && status < 300)
    return { status_code: status, reason: '', response: '', retry_after_ms: null };
  const response = body.slice(0, kept_characters);
  const retry_after_ms = readRetryAfter(headers, now);
  return { status_code: status, reason: `it answered ${status}`, response, retry_after_ms };
}

/** The response, or why there is none. Rejects for internal errors. */
async function responseTo(
  request: WireRequest,
  transport: Transport,
): Promise<{ response: WireResponse; error: null } | { response: null; error: Error }> {
  try {
    return { response: await transport(request), error: null };
  } catch (error) {
    if (isUnanswered(error)) return { response: null, error };
    throw error;
  }
}

/** Whether an error is that of the network or the server, and not an internal one. */
function isUnanswered(error: unknown): error is Error {
  if (error instanceof Unreachable) return true;
  return error instanceof Error && 'code' in error && /^E[A-Z]+$/.test(String(error.code));
}

/** Limits concurrency; waiting work starts in order. */
function createSemaphore(count: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let free = count;
  return async (work) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}

interface ServerOptions extends Omit<ReceiverOptions, 'origin' | 'transport'> {
  url: string;
  /** Whether to verify certificates. */
  verify: boolean;
}

/** The same timeout as for a webhook endpoint. */
const timeout_ms = 15_000;

/** Creates the receiver for a URL, with its connection. */
export async function openReceiver({
  url,
  verify,
  ...parts
}: ServerOptions): Promise<{ receiver: Receiver; close: () => Promise<void> }> {
  const { httpTransport } = await import('../../../client/http.ts');
  const { origin } = new URL(url);
  // A user's server may send an endless body, so a response resolves at its headers.
  const limits = { timer: parts.host.timer, verify, resolvesAtHeaders: true, max_response_bytes: 65_536 };
  const transport = httpTransport({ baseUrl: origin, requestTimeout_ms: timeout_ms, ...limits });
  const receiver = createReceiver({ origin, transport, ...parts });
  const close = async () => {
    receiver.stop();
    await transport.close();
  };
  return { receiver, close };
}

/** Tracks whether a server is reachable. */
interface Outage {
  /** The number of responses so far. */
  answerCount(): number;
  reportAnswer(): void;
  /**
   * Records an attempt without a response that started at `answersBefore` responses. Returns true if the server is
   * unreachable; false if it answered other attempts since, so that only this one failed.
   */
  reportSilence(answersBefore: number, reason: string): boolean;
  /** Waits; during an outage, until the next response at the latest. */
  pause(milliseconds: number): Promise<void>;
  /** Ends all pauses. */
  end(): void;
}

interface OutageOptions {
  timer: Host['timer'];
  /** Called once when an outage starts and once when it is over. */
  onStart(reason: string): void;
  onEnd(): void;
}

function createOutage({ timer, onStart, onEnd }: OutageOptions): Outage {
  const pausing = new Set<() => void>();
  let answers = 0;
  let isOn = false;
  const end = () => {
    for (const resume of [...pausing]) resume();
  };
  return {
    answerCount: () => answers,
    reportAnswer: () => {
      answers += 1;
      if (!isOn) return;
      isOn = false;
      onEnd();
      end();
    },
    reportSilence: (answersBefore, reason) => {
      if (answers > answersBefore) return false;
      if (!isOn) onStart(reason);
      isOn = true;
      return true;
    },
    pause: (milliseconds) => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const cancel = timer(milliseconds, resolve);
      pausing.add(resolve);
      return promise.finally(() => {
        cancel();
        pausing.delete(resolve);
      });
    },
    end,
  };
}
