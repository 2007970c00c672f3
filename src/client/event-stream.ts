import type { Event } from '../contract/events.ts';
import type { EventType } from '../contract/vocabulary.ts';
import type { WireResponse } from '../contract/wire.ts';
import { ApiError, Unreachable } from './errors.ts';
import { messages } from './messages.ts';

/** What is followed, and for how long. */
export interface FollowOptions {
  /** None: all but those that are told by name only. */
  types?: readonly EventType[] | undefined;
  delivery_id?: string | undefined;
  batch_id?: string | undefined;
  /** Begins with the events of this instant, by service time; without it, with what happens from now on. */
  since?: string | undefined;
  /** Begins behind the event with this id. */
  after?: string | undefined;
  /** Ends it. */
  signal: AbortSignal;
  /** Whether a service that is away at the first opening is tried again, as it is later on. */
  retriesFirst?: boolean | undefined;
  /** Each time that the stream is open, which its first bytes tell: the first time, and again after each loss. */
  onOpen?: (() => void) | undefined;
  /** Each time that the stream was lost, and that it could not be opened again; `StreamEnded`, `EventForgotten`. */
  onLost?: ((error: Error) => void) | undefined;
}

/** The service ended the stream in good order, as it does when it stops. */
export class StreamEnded extends Unreachable {
  override name = 'StreamEnded';
}

/** The service does not know the event any more that it was to go on behind: what it had was taken away. */
export class EventForgotten extends Error {
  override name = 'EventForgotten';
}

/** What following needs of the client. */
export interface Following {
  /** Opens the stream: the first time with the patience of every call, then in one attempt. */
  open(opening: Opening): Promise<WireResponse>;
  /** The event in a message; throws `ApiError` where it is none, `ModeMismatch` where it is of the other mode. */
  read(data: string, response: WireResponse): Event;
  /** The error that an answer amounts to which is no stream. */
  refusal(response: WireResponse): ApiError;
  sleep(ms: number): Promise<void>;
  /** Wall time. */
  now(): number;
}

export interface Opening {
  query: Record<string, string | undefined>;
  headers: Record<string, string>;
  isFirst: boolean;
}

/** Where following has come to. */
interface Place {
  isFirst: boolean;
  /** What it goes on behind. */
  last_id: string | undefined;
  /** By service time, as long as there is nothing to go on behind. */
  since: string | undefined;
}

const firstWait_ms = 1_000;
const longestWait_ms = 15_000;
/** A stream that was open for so long was no mere try. */
export const lasting_ms = 10_000;
/** So many ids are remembered, so that no event is given twice. */
const remembered = 500;

/**
 * Events as they happen, none left out: a stream that is lost is opened again behind the last event, or where the
 * service has forgotten that one, with what happened since it was first open. The first opening fails as any call does,
 * unless `retriesFirst`. After that only a refusal ends it, as an `ApiError`; it ends quietly when the signal aborts.
 */
export async function* follow(following: Following, options: FollowOptions): AsyncGenerator<Event> {
  const { signal, onOpen, onLost } = options;
  const place: Place = { isFirst: true, last_id: options.after, since: options.since };
  const isNew = memory();
  for (let wait_ms = firstWait_ms; !signal.aborted; wait_ms = Math.min(longestWait_ms, 2 * wait_ms)) {
    let lost: Error = new StreamEnded('The service ended the stream of events.');
    let openedAt = Number.POSITIVE_INFINITY;
    const flows = () => {
      openedAt = following.now();
      onOpen?.();
    };
    try {
      const response = await opened(following, options, place);
      if (response === null) return;
      for await (const { id, data } of messages(response, signal, flows)) {
        const event = data === null ? null : following.read(data, response);
        place.last_id = event?.id ?? id ?? place.last_id;
        if (event === null || !isNew(event.id)) continue;
        openedAt = Number.NEGATIVE_INFINITY;
        yield event;
      }
    } catch (error) {
      lost = temporary(error, place, options);
    }
    if (signal.aborted) return;
    if (following.now() - openedAt >= lasting_ms) wait_ms = firstWait_ms;
    onLost?.(lost);
    await unlessAborted(following.sleep(Math.max(wait_ms, askedWait(lost))), signal);
  }
}

/** The error where another attempt may succeed; any other is thrown. */
function temporary(error: unknown, place: Place, { retriesFirst = false }: FollowOptions): Error {
  if (place.isFirst && !retriesFirst) throw error;
  place.isFirst = false;
  if (isTemporary(error)) return error;
  const isForgotten = error instanceof ApiError && error.code === 'record_not_found';
  if (!isForgotten || place.last_id === undefined) throw error;
  place.last_id = undefined;
  return new EventForgotten('The service does not know the last event any more.', { cause: error });
}

/** The open stream, or null where the signal aborted before. */
async function opened(
  following: Following,
  { types, delivery_id, batch_id, signal }: FollowOptions,
  place: Place,
): Promise<WireResponse | null> {
  const { last_id, since, isFirst } = place;
  const headers: Record<string, string> = last_id === undefined ? {} : { 'last-event-id': last_id };
  const named = types === undefined || types.length === 0 ? undefined : types.join(',');
  const query = { types: named, delivery_id, batch_id, since: last_id === undefined ? since : undefined };
  const answer = following.open({ query, headers, isFirst });
  const response = await unlessAborted(answer, signal);
  // What comes too late is nobody's.
  if (response === null) answer.then(({ stream }) => stream?.close()).catch(() => {});
  if (response === null) return null;
  if (response.stream === undefined) throw following.refusal(response);
  place.isFirst = false;
  place.since ??= response.headers['x-service-time'];
  return response;
}

function isTemporary(error: unknown): error is Error {
  if (error instanceof ApiError) return error.status === 429 || error.status > 499;
  return error instanceof Unreachable;
}

function askedWait(error: Error): number {
  return error instanceof ApiError ? (error.retry_after_ms ?? 0) : 0;
}

/** Whether an id comes for the first time, as far as it is remembered. */
function memory(): (id: string) => boolean {
  const known = new Set<string>();
  return (id) => {
    if (known.has(id)) return false;
    known.add(id);
    const [oldest] = known;
    if (known.size > remembered && oldest !== undefined) known.delete(oldest);
    return true;
  };
}

/** What a promise gives, or null where the signal aborts before. */
async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | null> {
  const { promise: aborted, resolve } = Promise.withResolvers<null>();
  const stop = () => resolve(null);
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  try {
    return await Promise.race([promise, aborted]);
  } catch (error) {
    if (signal.aborted) return null;
    throw error;
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
