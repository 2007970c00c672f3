import type { Event } from '../../../src/contract/events.ts';
import type { Transport, WireRequest, WireResponse } from '../../../src/contract/operation.ts';
import { jsonOf } from '../harness.ts';
import type { Sandbox } from '../sandbox.ts';
import { createFeed, type Feed } from './feed.ts';

/** The state of streams in a run. */
export interface Conditions {
  /** Responds instead of a stream, or rejects; null lets it open. */
  refuse?: () => Promise<WireResponse | null>;
  /** Runs between the request for a stream and its opening. */
  beforeOpening?: () => Promise<unknown>;
  /** The first stream breaks this long after it has opened, in milliseconds of service time. */
  breaksAfter_ms?: number;
  /** Handles all other requests. */
  around?: Transport;
}

/** The event streams of a service, fed from its log. */
export interface EventStream {
  asked: WireRequest[];
  open(request: WireRequest): Promise<WireResponse>;
  /** Sends new events; returns whether there were any. */
  tell(): Promise<boolean>;
  /** The time since the last event, in milliseconds of service time. */
  lag(): Promise<number>;
  /** The number of open streams. */
  opened(): number;
  /** Whether a stream has been requested and is not open yet. */
  isOpening(): boolean;
}

interface Reader {
  feed: Feed;
  query: URLSearchParams;
  known: Set<string>;
  opened_at: number;
}

export function eventStream({ transport }: Sandbox, conditions: Conditions): EventStream {
  const { refuse, beforeOpening, breaksAfter_ms = Number.POSITIVE_INFINITY } = conditions;
  const asked: WireRequest[] = [];
  const readers: Reader[] = [];
  let opening = 0;
  const open = async (request: WireRequest) => {
    asked.push(request);
    const refused = (await refuse?.()) ?? null;
    if (refused !== null) return refused;
    await beforeOpening?.();
    const events = await eventsOf(transport);
    const now = await nowOf(transport);
    const feed = createFeed(new Date(now).toISOString());
    const query = new URLSearchParams(request.path.split('?')[1]);
    const known = new Set(beforeOf(events, request, query).map(({ id }) => id));
    readers.push({ feed, query, known, opened_at: now });
    return feed.response;
  };
  const tell = async () => {
    const events = await eventsOf(transport);
    const now = await nowOf(transport);
    let sent = 0;
    for (const [index, reader] of readers.entries()) {
      if (index === 0 && now - reader.opened_at >= breaksAfter_ms) reader.feed.cut();
      sent += await tellOf(reader, events);
    }
    return sent > 0;
  };
  return {
    asked,
    tell,
    open: (request) => {
      opening += 1;
      return open(request).finally(() => {
        opening -= 1;
      });
    },
    lag: async () =>
      (await nowOf(transport)) - Date.parse((await eventsOf(transport)).at(-1)?.created_at ?? ''),
    isOpening: () => opening > 0,
    opened: () => readers.filter(({ feed }) => !feed.isClosed()).length,
  };
}

async function tellOf({ feed, query, known }: Reader, events: readonly Event[]): Promise<number> {
  let sent = 0;
  const types = query.get('types')?.split(',') ?? [];
  for (const event of events.filter(({ id }) => !known.has(id))) {
    known.add(event.id);
    const { id, batch_id } = jsonOf(JSON.stringify(event.data));
    const isOther = (name: string, value: unknown) => query.has(name) && query.get(name) !== value;
    if (!types.includes(event.type) || isOther('delivery_id', id) || isOther('batch_id', batch_id)) continue;
    await feed.tell(event);
    sent += 1;
  }
  return sent;
}

/** The events that are skipped. */
function beforeOf(events: readonly Event[], request: WireRequest, query: URLSearchParams): readonly Event[] {
  const last = request.headers['last-event-id'];
  const since = query.get('since');
  if (last !== undefined) return events.slice(0, events.findIndex(({ id }) => id === last) + 1);
  return since === null ? events : events.filter(({ created_at }) => created_at < since);
}

/** Service time. */
async function nowOf(transport: Transport): Promise<number> {
  return Date.parse(String((await answerOf(transport, '/v2/sandbox/clock')).now));
}

/** All events, newest last. */
async function eventsOf(transport: Transport): Promise<Event[]> {
  const { data } = await answerOf<{ data: Event[] }>(transport, '/v2/events?limit=100');
  return data.toReversed();
}

export async function answerOf<T = Record<string, unknown>>(transport: Transport, path: string): Promise<T> {
  const headers = { 'content-type': 'application/json', 'x-api-key': '' };
  const { status, body } = await transport({ method: 'GET', path, headers, body: '' });
  if (status !== 200) throw new Error(`${path}: ${status} ${body}`);
  return JSON.parse(body);
}
