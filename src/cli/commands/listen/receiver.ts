import { Unreachable } from '../../../client/errors.ts';
import type { Exchange } from '../../../client/retries.ts';
import { readRetryAfter } from '../../../contract/retry-after.ts';
import type { Transport, WireRequest, WireResponse } from '../../../contract/wire.ts';
import type { Host } from '../../kit/host/host.ts';
import type { Line } from './lines.ts';
import { createOutage } from './outages.ts';

/** What came of one attempt. */
export interface Posted {
  /** Null where no answer came. */
  status_code: number | null;
  /** Empty where it took the event. */
  reason: string;
  /** The beginning of the answer's body where it refused. */
  response: string;
  /** Whether the reason was told as that of all events which go there. */
  isTold: boolean;
  duration_ms: number;
  /** How long it asks to be left alone. */
  retry_after_ms: number | null;
}

/** A server that events are forwarded to. */
export interface Receiver {
  /** Sends one event, the attempt at it counted from 1, once a place is free. Rejects only for faults of the program. */
  post(request: WireRequest, attempt: number): Promise<Posted>;
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
  /** Sees each attempt. */
  observe?: ((exchange: Exchange) => void) | undefined;
}

/** So many requests are out at once. */
const placesOfReceiver = 16;
/** Of an answer that refuses so many characters are kept. */
const kept_characters = 500;
/** What a proxy answers while the server behind it is away. */
const awayStatuses: ReadonlySet<number> = new Set([502, 503, 504]);

/** Whether nobody was there to answer, or only a proxy that says so. */
export function isAway(status_code: number | null): boolean {
  return status_code === null || awayStatuses.has(status_code);
}

/** A receiver, of which is told once when it answers no more, and once when it does again. */
export function createReceiver({ origin, transport, host, tell, observe }: ReceiverOptions): Receiver {
  const inPlace = createPlaces(placesOfReceiver);
  const outage = createOutage({
    timer: host.timer,
    began: (reason) => tell({ type: 'down', url: origin, reason }),
    over: () => tell({ type: 'up', url: origin }),
  });
  const heard = (response: WireResponse, before: number): Omit<Posted, 'duration_ms'> => {
    const { status, body } = response;
    const isAnswer = !isAway(status);
    if (isAnswer) outage.answered();
    const isTold = !isAnswer && outage.silent(before, `${origin} answered ${status}.`);
    const status_code = status;
    if (status > 199 && status < 300)
      return { status_code, reason: '', response: '', isTold, retry_after_ms: null };
    const kept = body.slice(0, kept_characters);
    const retry_after_ms = readRetryAfter(response.headers['retry-after'], host.now());
    return { status_code, reason: `it answered ${status}`, response: kept, isTold, retry_after_ms };
  };
  const exchange = async (request: WireRequest, attempt: number): Promise<Posted> => {
    const [began, before] = [host.now(), outage.answers()];
    const duration = () => Math.max(0, Math.round(host.now() - began));
    const seen = (response: WireResponse | null, error: Error | null) => {
      const path = origin + request.path;
      const duration_ms = duration();
      observe?.({ request: { ...request, path }, response, error, attempt, duration_ms, retry_in_ms: null });
    };
    try {
      const response = await transport(request);
      seen(response, null);
      return { ...heard(response, before), duration_ms: duration() };
    } catch (error) {
      const reason = reasonOf(error);
      if (reason === null) throw error;
      if (error instanceof Error) seen(null, error);
      const isTold = outage.silent(before, reason);
      const nothing = { status_code: null, response: '', retry_after_ms: null };
      return { ...nothing, reason, isTold, duration_ms: duration() };
    }
  };
  return {
    post: (request, attempt) => inPlace(() => exchange(request, attempt)),
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

/** Lets so many pieces of work go on side by side, the others in the order in which they came. */
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
