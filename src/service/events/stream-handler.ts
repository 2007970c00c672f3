import { Problem } from '../../contract/errors.ts';
import type { streamEvents } from '../../contract/events.ts';
import { type EventType, eventTypes } from '../../contract/vocabulary.ts';
import {
  eventsBehind,
  findEvent,
  type LoggedEvent,
  listEvents,
  positionBefore,
} from '../../storage/events.ts';
import { type Call, type Handler, publicUrlOf } from '../http/handler.ts';
import type { EventWatermark } from '../runtime/context.ts';
import { parseInstant } from '../runtime/timestamps.ts';
import { eventTypesIn } from './event-types.ts';
import { eventView } from './event-view.ts';
import { renewLocationSubscription } from './location-subscriptions.ts';
import { isSubscribedByNameOnly } from './publish-event.ts';
import { openStream } from './sse-stream.ts';

type StreamCall = Call<typeof streamEvents>;

/** So many are read at a time. */
const page = 50;
/** How long a client waits before it opens a stream again. */
const reopening_ms = 1_000;

/** Events as they happen, as server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html). */
export const followEvents: Handler<typeof streamEvents> = async (call) => {
  const { service, caller } = call;
  const types = typesOf(call.query.types);
  const head = await service.head();
  const begun = await beginning(call, head);
  const follows = types.includes('delivery.location_updated');
  const renew = async () => {
    if (follows) await renewLocationSubscription(service, caller.scope);
  };
  await renew();
  const id = begun.id === null ? '' : `id: ${begun.id}\n`;
  return openStream(service, {
    // A client that loses the stream before the first event goes on from here as well.
    opening: `: open\nretry: ${reopening_ms}\n${id}\n`,
    listen: head.listen,
    next: reader(call, { types, head, start: begun.position }),
    mayContinue: async () => {
      if (!(await call.isAllowed())) return false;
      await renew();
      return true;
    },
  });
};

/** Where it begins: behind a place in the log, or where `since` says once it is known how far the log can be read. */
interface Beginning {
  position: number | null;
  /** The event there. */
  id: string | null;
}

async function beginning(
  { service, caller, query, last_event_id }: StreamCall,
  head: EventWatermark,
): Promise<Beginning> {
  const { storage } = service;
  const { scope } = caller;
  if (last_event_id !== null) {
    const row = await storage.run((db) => findEvent(db, scope, last_event_id));
    if (row === undefined) throw new Problem('record_not_found', `There is no event ${last_event_id}.`);
    return row;
  }
  if (query.since !== undefined) return { position: null, id: null };
  const { rows } = await storage.run((db) => listEvents(db, { ...scope, unasked: [], limit: 1 }));
  // What comes before that and is still being written does not come here: whoever looks from now on must find it.
  await head.settled();
  return rows[0] ?? { position: 0, id: null };
}

interface Reading {
  types: readonly EventType[];
  head: EventWatermark;
  start: number | null;
}

/** Reads on from a place, page by page. */
function reader(call: StreamCall, { types, head, start }: Reading): () => Promise<string> {
  const { service, caller, query } = call;
  const { storage } = service;
  const publicUrl = publicUrlOf(call);
  const { delivery_id, batch_id } = query;
  const since = start === null ? parseInstant(query.since) : undefined;
  const wanted = { ...caller.scope, types, delivery_id, batch_id, since, limit: page };
  let position = start;
  return async () => {
    const until = head.position();
    if (until === null) return '';
    position ??= await storage.run((db) => startOf(db, until));
    if (position >= until) return '';
    const after = position;
    const rows = await storage.run((db) => eventsBehind(db, { ...wanted, position: after, until }));
    position = rows.length < page ? until : (rows.at(-1)?.position ?? until);
    return rows.map((row) => messageOf(row, publicUrl)).join('');
  };

  // What is still being written may be of that instant too, and lies behind the place up to which the log can be read.
  async function startOf(db: Parameters<typeof positionBefore>[0], until: number): Promise<number> {
    return Math.min(until, await positionBefore(db, caller.scope, since ?? 0));
  }
}

function messageOf(row: LoggedEvent, publicUrl: string): string {
  return `id: ${row.id}\nevent: ${row.type}\ndata: ${JSON.stringify(eventView(row, publicUrl))}\n\n`;
}

/** The types that are asked for; those that are told by name only are not among them where none is named. */
function typesOf(text: string | undefined): readonly EventType[] {
  if (text === undefined) return eventTypes.filter((type) => !isSubscribedByNameOnly(type));
  return eventTypesIn(text, 'types');
}
