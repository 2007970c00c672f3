import { Unreachable } from '../../../client/errors.ts';
import type { HttpTransport } from '../../../client/http.ts';
import type { Exchange } from '../../../client/retries.ts';
import { readRetryAfter } from '../../../contract/errors.ts';
import type { Transport, WireRequest, WireResponse } from '../../../contract/operation.ts';
import type { Host } from '../../kit/host/host.ts';
import { isAway, type Line } from './lines.ts';

/** The outcome of one attempt. */
export interface Posted {
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

/** A server that receives forwarded events. */
export interface Receiver {
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

/** The limit of concurrent requests. */
const placesOfReceiver = 16;
/** The length of the error response that is kept. */
const kept_characters = 500;
/** Creates a receiver that reports an outage once when it starts and once when it ends. */
export function createReceiver({ origin, transport, host, print, observe }: ReceiverOptions): Receiver {
  const inPlace = createPlaces(placesOfReceiver);
  const outage = createOutage({
    timer: host.timer,
    onStart: (reason) => print({ type: 'down', url: origin, reason }),
    onEnd: () => print({ type: 'up', url: origin }),
  });
  const outcomeOf = (response: WireResponse, before: number): Omit<Posted, 'duration_ms'> => {
    const { status, body } = response;
    const isAnswer = !isAway(status);
    if (isAnswer) outage.answered();
    const isReported = !isAnswer && outage.silent(before, `${origin} answered ${status}.`);
    const status_code = status;
    if (status > 199 && status < 300)
      return { status_code, reason: '', response: '', isReported, retry_after_ms: null };
    const kept = body.slice(0, kept_characters);
    const retry_after_ms = readRetryAfter(response.headers['retry-after'], host.now());
    return { status_code, reason: `it answered ${status}`, response: kept, isReported, retry_after_ms };
  };
  const exchange = async (request: WireRequest, attempt: number): Promise<Posted> => {
    const [started_at, before] = [host.now(), outage.answers()];
    const duration = () => Math.max(0, Math.round(host.now() - started_at));
    const seen = (response: WireResponse | null, error: Error | null) => {
      const path = origin + request.path;
      const duration_ms = duration();
      observe?.({ request: { ...request, path }, response, error, attempt, duration_ms, retry_in_ms: null });
    };
    try {
      const response = await transport(request);
      seen(response, null);
      return { ...outcomeOf(response, before), duration_ms: duration() };
    } catch (error) {
      const reason = reasonOf(error);
      if (reason === null) throw error;
      if (error instanceof Error) seen(null, error);
      const isReported = outage.silent(before, reason);
      const nothing = { status_code: null, response: '', retry_after_ms: null };
      return { ...nothing, reason, isReported, duration_ms: duration() };
    }
  };
  return {
    post: (request, attempt) => inPlace(() => exchange(request, attempt)),
    pause: outage.pause,
    stop: outage.end,
  };
}

/** The reason for a missing response; null for an internal error. */
function reasonOf(error: unknown): string | null {
  if (error instanceof Unreachable) return error.message;
  const isSystems = error instanceof Error && 'code' in error && /^E[A-Z]+$/.test(String(error.code));
  return isSystems ? error.message : null;
}

/** Limits concurrency; waiting work starts in order. */
function createPlaces(count: number): <T>(work: () => Promise<T>) => Promise<T> {
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

/** The servers that receive forwarded events. */
interface Receivers {
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

/** Tracks whether a server is reachable. */
interface Outage {
  /** The number of responses so far. */
  answers(): number;
  answered(): void;
  /**
   * Records an attempt without a response that started at `answersBefore` responses. Returns true if the server is
   * unreachable; false if it answered other attempts since, so that only this one failed.
   */
  silent(answersBefore: number, reason: string): boolean;
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
    answers: () => answers,
    answered: () => {
      answers += 1;
      if (!isOn) return;
      isOn = false;
      onEnd();
      end();
    },
    silent: (answersBefore, reason) => {
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
