/** Streams of events, and the watermark up to which they may read the log, for which one poll serves all of them. */
import { Problem } from '../../contract/errors.ts';
import type { streamEvents } from '../../contract/events.ts';
import type { WireStream } from '../../contract/operation.ts';
import { type EventType, eventTypes } from '../../contract/vocabulary.ts';
import {
  eventsBetween,
  findEvent,
  hasGrown,
  type LogEnd,
  type LoggedEvent,
  latestPosition,
  listEvents,
  positionBefore,
  transactionsAreOver,
  visibleEnd,
} from '../../storage/events.ts';
import { type Call, type Handler, readPublicUrl } from '../http/handler.ts';
import type { ServiceContext } from '../runtime/context.ts';
import type { EventPage, EventWatermark } from '../runtime/service-ports.ts';
import { createYielder, parseInstant, pause, pollUntil, type Timers } from '../runtime/time.ts';
import { createChangeListeners, createWakeup } from '../runtime/wakeup.ts';
import { eventTypesIn, eventView } from './event-log.ts';
import { renewLocationSubscription } from './location-subscriptions.ts';
import { isSubscribedByNameOnly } from './publish-event.ts';

type StreamCall = Call<typeof streamEvents>;

/** The number of events per page. */
const page_size = 50;
/** The reconnection time of clients. */
const reconnect_ms = 1_000;

/** Streams events as server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html). */
export const followEvents: Handler<typeof streamEvents> = async (call) => {
  const { service, caller } = call;
  const types = typesOf(call.query.types);
  const head = await service.head();
  const start = await findStart(call, head);
  const follows = types.includes('delivery.location_updated');
  const renew = async () => {
    if (follows) await renewLocationSubscription(service, caller.scope);
  };
  await renew();
  const id = start.id === null ? '' : `id: ${start.id}\n`;
  return openStream(service, {
    // A client that loses the stream before the first event continues from here as well.
    opening: `: open\nretry: ${reconnect_ms}\n${id}\n`,
    listen: head.listen,
    next: createReader(call, { types, head, start: start.position }),
    mayContinue: async () => {
      if (!(await call.isAllowed())) return false;
      await renew();
      return true;
    },
  });
};

/** Where the stream starts: after a position in the log, or at `since` once the readable end of the log is known. */
interface StreamStart {
  position: number | null;
  /** The id of the event at the position. */
  id: string | null;
}

async function findStart(
  { service, caller, query, last_event_id }: StreamCall,
  head: EventWatermark,
): Promise<StreamStart> {
  const { storage } = service;
  const { scope } = caller;
  if (last_event_id !== null) {
    const row = await storage.read((db) => findEvent(db, scope, last_event_id));
    if (row === undefined) throw new Problem('record_not_found', `There is no event ${last_event_id}.`);
    return row;
  }
  if (query.since !== undefined) return { position: null, id: null };
  const { rows } = await storage.read((db) => listEvents(db, { ...scope, limit: 1 }));
  // Earlier events that are still being written are not streamed: a client that lists events now must find them.
  await head.settled();
  return rows[0] ?? { position: 0, id: null };
}

interface PageReading {
  types: readonly EventType[];
  head: EventWatermark;
  start: number | null;
}

/** Reads on from a position, page by page. */
function createReader(call: StreamCall, { types, head, start }: PageReading): () => Promise<string> {
  const { service, caller, query } = call;
  const { storage } = service;
  const publicUrl = readPublicUrl(call);
  const { delivery_id, batch_id } = query;
  const since = start === null ? parseInstant(query.since) : undefined;
  const wanted = { ...caller.scope, types, delivery_id, batch_id, since, limit: page_size };
  let position = start;
  return async () => {
    const until = head.position();
    if (until === null) return '';
    position ??= await storage.run((db) => startOf(db, until));
    if (position >= until) return '';
    const part = { ...wanted, position, until };
    const read = await head.page(JSON.stringify([publicUrl, part]), async () => {
      const rows = await storage.read((db) => eventsBetween(db, part));
      const next = rows.length < page_size ? until : (rows.at(-1)?.position ?? until);
      return { text: rows.map((row) => messageOf(row, publicUrl)).join(''), position: next };
    });
    position = read.position;
    return read.text;
  };

  // An event that is still being written may have the same time, and is after the readable end of the log.
  async function startOf(db: Parameters<typeof positionBefore>[0], until: number): Promise<number> {
    return Math.min(until, await positionBefore(db, caller.scope, since ?? 0));
  }
}

function messageOf(row: LoggedEvent, publicUrl: string): string {
  return `id: ${row.id}\nevent: ${row.type}\ndata: ${JSON.stringify(eventView(row, publicUrl))}\n\n`;
}

/** The requested types; by default, those that need not be subscribed to by name. */
function typesOf(text: string | undefined): readonly EventType[] {
  if (text === undefined) return eventTypes.filter((type) => !isSubscribedByNameOnly(type));
  return eventTypesIn(text, 'types');
}

interface StreamSource {
  /** Sent immediately, so that the client knows that the stream is open. */
  opening: string;
  /** Calls `onMore` when there may be more to send, until the returned function is called. */
  listen: (onMore: () => void) => () => void;
  /** The next chunk to send; empty if there is nothing to send now. */
  next: () => Promise<string>;
  /** Checked at each heartbeat, and each second while there is something to send; false ends the stream. */
  mayContinue: () => Promise<boolean>;
}

type StreamContext = Pick<ServiceContext, 'timers' | 'monotonic' | 'streams' | 'onFault'>;

/** The maximum silence on a stream, in real time. */
const heartbeat_ms = 15_000;
/** How often permission is checked while there is something to send. */
const permission_check_ms = 1_000;
/** Longer than any wait for a heartbeat. */
const max_wait_ms = 2 * heartbeat_ms;
const heartbeat = ': nothing new\n\n';

/**
 * A stream that is open until it is closed, may not continue, or the service stops. The next page is read once the
 * previous one was consumed, so a slow reader costs no memory.
 */
function openStream(
  service: StreamContext,
  { opening, listen, next, mayContinue }: StreamSource,
): WireStream {
  const { timers, streams } = service;
  const wakeup = createWakeup(timers);
  const yieldToEventLoop = createYielder(service);
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  const silence = createSpan(timers, heartbeat_ms, wakeup.notify);
  const trust = createSpan(timers, permission_check_ms);
  let isClosed = false;
  let unsubscribe = () => {};
  let forget = () => {};
  const close = () => {
    isClosed = true;
    forget();
    silence.stop();
    trust.stop();
    unsubscribe();
    wakeup.notify();
    resolve();
  };
  const begin = () => {
    unsubscribe = listen(wakeup.notify);
    silence.begin();
    trust.begin();
  };

  async function* chunks(): AsyncGenerator<string> {
    if (!isClosed) begin();
    try {
      if (!isClosed) yield opening;
      while (!isClosed) {
        // A reader in this process never waits for I/O: without this nothing else would run, not even the heartbeat.
        await yieldToEventLoop();
        const text = await next();
        const isDoubted = text !== '' && trust.isOver();
        if (!isClosed && isDoubted) {
          if (!(await mayContinue())) return;
          trust.begin();
        }
        if (!isClosed && text !== '') yield text;
        if (!isClosed && text === '') await wakeup.wait(max_wait_ms);
        if (isClosed || !silence.isOver()) continue;
        if (!(await mayContinue())) return;
        silence.begin();
        yield heartbeat;
      }
    } catch (fault) {
      if (!isClosed) service.onFault?.(fault, null);
    } finally {
      close();
    }
  }

  forget = streams.add(close);
  return { chunks: chunks(), close, ended };
}

/** A restartable timer in real time; calls back when it expires. */
function createSpan(timers: StreamContext['timers'], ms: number, over = () => {}) {
  let hasExpired = false;
  let stop = () => {};
  return {
    isOver: () => hasExpired,
    stop: () => stop(),
    begin: () => {
      stop();
      hasExpired = false;
      stop = timers.after(ms, () => {
        hasExpired = true;
        over();
      });
    },
  };
}

type WatermarkContext = Pick<ServiceContext, 'storage' | 'timers' | 'onFault' | 'changes'>;

/** The minimum wait between two polls, however much happens. */
const min_poll_interval_ms = 20;
/** The maximum wait between two polls: other processes may write events to the same database. */
const poll_interval_ms = 500;

/** Polls while there are listeners; `before` is called before each poll. */
export function createWatermark(service: WatermarkContext, before: () => Promise<void>): EventWatermark {
  const { storage, timers, onFault, changes } = service;
  const wakeup = createWakeup(timers);
  const moved = createChangeListeners();
  const reading = storage.engine === 'postgres' ? settledEnd(service) : latestEnd(service);
  const listeners = new Set<() => void>();
  let position: number | null = null;
  let isRunning = false;

  async function run(): Promise<void> {
    isRunning = true;
    const unsubscribe = changes.subscribe(wakeup.notify);
    while (listeners.size > 0) {
      const rest = pause(timers, min_poll_interval_ms);
      const wait_ms = await poll();
      await wakeup.wait(wait_ms);
      await rest;
    }
    unsubscribe();
    isRunning = false;
  }

  /** Polls once; resolves with the maximum wait before the next poll. */
  async function poll(): Promise<number> {
    try {
      await before();
      const end = await reading();
      if (end.position !== position) {
        position = end.position;
        moved.notify();
      }
      return end.isSettled ? poll_interval_ms : min_poll_interval_ms;
    } catch (fault) {
      // Without listeners the storage may already be closed.
      if (listeners.size > 0) onFault?.(fault, null);
      return poll_interval_ms;
    }
  }

  return {
    position: () => position,
    listen: (onMove) => {
      const unsubscribe = moved.subscribe(onMove);
      listeners.add(onMove);
      wakeup.notify();
      if (!isRunning) void run();
      return () => {
        unsubscribe();
        listeners.delete(onMove);
        wakeup.notify();
      };
    },
    settled: async () => {
      if (storage.engine !== 'postgres') return;
      const end = await storage.run(visibleEnd);
      await pollUntil(service, () => storage.run((db) => transactionsAreOver(db, end)));
    },
    page: createSharedPages(timers),
  };
}

/** The position up to which the log can be read, and whether that is its end. */
interface End {
  position: number;
  isSettled: boolean;
}

/** For a database file, which has one writer at a time. */
function latestEnd({ storage }: WatermarkContext): () => Promise<End> {
  return async () => ({ position: await storage.run(latestPosition), isSettled: true });
}

/** For a database with concurrent writers. */
function settledEnd({ storage }: WatermarkContext): () => Promise<End> {
  let settled = 0;
  let seen: LogEnd | null = null;
  return async () => {
    if (seen === null && (await storage.run((db) => hasGrown(db, settled))))
      seen = await storage.run(visibleEnd);
    const next = seen;
    if (next === null) return { position: settled, isSettled: true };
    if (!(await storage.run((db) => transactionsAreOver(db, next))))
      return { position: settled, isSettled: false };
    settled = next.position;
    seen = null;
    return { position: settled, isSettled: true };
  };
}

/** How long a page is kept for the streams that read it a little later. */
const page_kept_ms = 250;

function createSharedPages(timers: Timers): EventWatermark['page'] {
  const pages = new Map<string, Promise<EventPage>>();
  return (key, read) => {
    const known = pages.get(key);
    if (known !== undefined) return known;
    const page = read();
    pages.set(key, page);
    timers.after(page_kept_ms, () => pages.delete(key));
    return page;
  };
}
