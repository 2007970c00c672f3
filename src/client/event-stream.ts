/** Follows the stream of server-sent events (`follow`), and connects again where it broke off. */
import type { Event } from '../contract/events.ts';
import type { WireResponse } from '../contract/operation.ts';
import type { EventType } from '../contract/vocabulary.ts';
import { brokenResponse } from './error-responses.ts';
import { ApiError, Unreachable } from './errors.ts';

/** Which events to follow, and for how long. */
export interface FollowOptions {
  /** Default: all types that need not be subscribed to by name. */
  types?: readonly EventType[] | undefined;
  delivery_id?: string | undefined;
  batch_id?: string | undefined;
  /** Starts with the events at or after this service time; default: only new events. */
  since?: string | undefined;
  /** Starts after the event with this id. */
  after?: string | undefined;
  /** Ends the stream when aborted. */
  signal: AbortSignal;
  /** Whether the first connection is retried as well, like later ones. */
  retriesFirst?: boolean | undefined;
  /** Called each time the stream is open, when its first bytes arrive. */
  onOpen?: (() => void) | undefined;
  /**
   * Called each time the stream is lost or cannot be reopened; with `StreamEnded` or `EventForgotten` for these
   * cases.
   */
  onLost?: ((error: Error) => void) | undefined;
}

/** The service closed the stream in an orderly way, as it does when it stops. */
export class StreamEnded extends Unreachable {
  override name = 'StreamEnded';
}

/** The service no longer knows the event to continue after, because its data was deleted. */
export class EventForgotten extends Error {
  override name = 'EventForgotten';
}

/** The parts of the client that following uses. */
export interface Following {
  /** Opens the stream: the first time with the retries of a call, afterwards in one attempt. */
  open(opening: Opening): Promise<WireResponse>;
  /** Parses the event in a message; throws `ApiError` if it is invalid, `ModeMismatch` for the other mode. */
  read(data: string, response: WireResponse): Event;
  /** Converts a response that is not a stream to an error. */
  refusal(response: WireResponse): ApiError;
  sleep(ms: number): Promise<void>;
  /** Wall time. */
  now(): number;
}

interface Opening {
  query: Record<string, string | undefined>;
  headers: Record<string, string>;
  isFirst: boolean;
}

/** The position in the stream. */
interface Position {
  /** Whether no connection has succeeded or been given up yet. */
  isFirst: boolean;
  last_id: string | undefined;
  /** In service time; used until there is a last event. */
  since: string | undefined;
}

const first_wait_ms = 1_000;
const max_wait_ms = 15_000;
/** A connection open for at least this long counts as successful and resets the back-off. */
export const lasting_ms = 10_000;
/** The number of event ids that are remembered to drop duplicates. */
const max_remembered_ids = 500;

/**
 * Yields events as they occur, without gaps: a lost stream is reopened after the last event, or, if the service no
 * longer knows that event, from the time when the stream was first open. The first connection fails like any call,
 * unless `retriesFirst` is set. After that only a refusal ends the stream, as an `ApiError`; it ends silently when
 * the signal aborts.
 */
export async function* follow(following: Following, options: FollowOptions): AsyncGenerator<Event> {
  const { signal, onOpen, onLost } = options;
  const position: Position = { isFirst: true, last_id: options.after, since: options.since };
  const isNew = createNewIdFilter();
  for (let wait_ms = first_wait_ms; !signal.aborted; wait_ms = Math.min(max_wait_ms, 2 * wait_ms)) {
    let lost: Error = new StreamEnded('The service closed the event stream.');
    let openedAt = Number.POSITIVE_INFINITY;
    const onFirstText = () => {
      openedAt = following.now();
      onOpen?.();
    };
    try {
      const response = await openStream(following, options, position);
      if (response === null) return;
      for await (const { id, data } of messages(response, signal, onFirstText)) {
        const event = data === null ? null : following.read(data, response);
        position.last_id = event?.id ?? id ?? position.last_id;
        if (event === null || !isNew(event.id)) continue;
        // A stream that has sent a new event counts as one that was open for long.
        openedAt = Number.NEGATIVE_INFINITY;
        yield event;
      }
    } catch (error) {
      lost = temporaryError(error, position, options);
    }
    if (signal.aborted) return;
    if (following.now() - openedAt >= lasting_ms) wait_ms = first_wait_ms;
    onLost?.(lost);
    const asked_ms = lost instanceof ApiError ? (lost.retry_after_ms ?? 0) : 0;
    await unlessAborted(following.sleep(Math.max(wait_ms, asked_ms)), signal);
  }
}

/** Returns the error if a retry may succeed, and throws it otherwise. A forgotten event is removed from the position. */
function temporaryError(error: unknown, position: Position, { retriesFirst = false }: FollowOptions): Error {
  if (position.isFirst && !retriesFirst) throw error;
  position.isFirst = false;
  if (isTemporary(error)) return error;
  const isForgotten = error instanceof ApiError && error.code === 'record_not_found';
  if (!isForgotten || position.last_id === undefined) throw error;
  position.last_id = undefined;
  return new EventForgotten('The service no longer knows the last event.', { cause: error });
}

/** The open stream, or null if the signal was aborted first. */
async function openStream(
  following: Following,
  { types, delivery_id, batch_id, signal }: FollowOptions,
  position: Position,
): Promise<WireResponse | null> {
  const { last_id, since, isFirst } = position;
  const headers: Record<string, string> = last_id === undefined ? {} : { 'last-event-id': last_id };
  const typeList = types === undefined || types.length === 0 ? undefined : types.join(',');
  const query = { types: typeList, delivery_id, batch_id, since: last_id === undefined ? since : undefined };
  const answer = following.open({ query, headers, isFirst });
  const response = await unlessAborted(answer, signal);
  // A response that arrives after the abort is closed.
  if (response === null) {
    answer.then(({ stream }) => stream?.close()).catch(() => {});
    return null;
  }
  if (response.stream === undefined) throw following.refusal(response);
  position.isFirst = false;
  position.since ??= response.headers['x-service-time'];
  return response;
}

function isTemporary(error: unknown): error is Error {
  if (error instanceof ApiError) return error.status === 429 || error.status > 499;
  return error instanceof Unreachable;
}

/** Creates a filter that is true for ids not seen recently. */
function createNewIdFilter(): (id: string) => boolean {
  const ids = new Set<string>();
  return (id) => {
    if (ids.has(id)) return false;
    ids.add(id);
    const [oldest] = ids;
    if (ids.size > max_remembered_ids && oldest !== undefined) ids.delete(oldest);
    return true;
  };
}

/** The value of a promise, or null if the signal aborts first. */
async function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T | null> {
  let stop = () => {};
  const aborted = new Promise<null>((resolve) => {
    stop = () => resolve(null);
  });
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

/** One block of a stream of server-sent events. */
interface Message {
  /** The event id, if the message has one. */
  id: string | undefined;
  /** Null: the message only carries the position. */
  data: string | null;
}

/** The limit of an event; waybill's own service sends no more than 20,000 bytes. */
const max_event_characters = 1024 * 1024;
const tooLongText = `is not valid: an event is longer than ${max_event_characters} characters`;

/**
 * Yields the messages of an open stream; closes it when the consumer stops or the signal aborts. Calls `onFirstText` when
 * the first text arrives, which may be long after the headers if a proxy in between holds the text back.
 */
async function* messages(
  { stream, status }: WireResponse,
  signal: AbortSignal,
  onFirstText: () => void,
): AsyncGenerator<Message> {
  if (stream === undefined) return;
  const close = () => stream.close();
  signal.addEventListener('abort', close, { once: true });
  if (signal.aborted) close();
  try {
    const { createParser } = await import('eventsource-parser');
    const parsed: Message[] = [];
    const parser = createParser({
      maxBufferSize: max_event_characters,
      onError: (error) => {
        if (error.type === 'max-buffer-size-exceeded') throw brokenResponse(tooLongText, status);
      },
      onId: (id) => parsed.push({ id, data: null }),
      onEvent: ({ id, data }) => parsed.push({ id, data }),
    });
    let hasText = false;
    for await (const chunk of stream.chunks) {
      if (signal.aborted) return;
      if (!hasText) onFirstText();
      hasText = true;
      parser.feed(chunk);
      yield* parsed.splice(0);
    }
  } finally {
    signal.removeEventListener('abort', close);
    close();
  }
}
