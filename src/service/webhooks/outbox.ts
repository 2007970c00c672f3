import { findAccount } from '../../storage/accounts.ts';
import type { WebhookEndpointRow, WebhookMessageRow } from '../../storage/database.ts';
import { findEvents } from '../../storage/events.ts';
import { shifted } from '../../storage/lease-time.ts';
import { claimMessage, dueEndpoints, dueMessages } from '../../storage/webhook-messages.ts';
import { settingsOf } from '../account-settings.ts';
import type { ServiceContext } from '../context.ts';
import { claimsBelieved } from '../hand.ts';
import type { Clock } from '../ports/time.ts';
import type { Sendable } from './attempting.ts';

/** What goes to one endpoint for the first time, or what goes once more: the one does not wait for the other. */
export interface Lane {
  name: string;
  endpoint_id: string;
  isRetry: boolean;
}

/** A message that is to be sent now. */
export interface Outgoing {
  endpoint: WebhookEndpointRow;
  message: WebhookMessageRow;
  sendable: Sendable;
}

/** What is due, as far as it was read, by lane. */
export interface Outbox {
  /** Reads what is due now in the lanes that have room; one of which enough was read lately is not read again. */
  read: (hasRoom: (lane: Lane) => boolean) => Promise<void>;
  /** Forgets which lanes had nothing left: of one endpoint of which something was written, or of all. */
  lookAnew: (endpoint_id?: string) => void;
  /** Forgets all that was read: where nobody looks after it, another process may send it. */
  forget: () => void;
  /** The lanes in which something was read. */
  lanes: () => readonly Lane[];
  /** Takes the first message of a lane and claims it; null where none is left of what was read. */
  take: (lane: Lane) => Promise<Outgoing | null>;
  /** Whether something that was read turned out to be in other hands, or changed, since this was asked last. */
  hasMissed: () => boolean;
}

type Waiting = Pick<Outgoing, 'message' | 'sendable'>;

interface Shelf {
  lane: Lane;
  endpoint: WebhookEndpointRow;
  read_at: number;
  messages: Waiting[];
  /** Whether nothing else was due when it was read, but what is out. */
  isAll: boolean;
}

/** So many messages of a lane are read at once, beside those that may be out. */
const page_size = 20;
/** What was read longer ago is read anew: wall time. */
const fresh_ms = 1_000;
/** And so is a lane in which nothing was left: by then a retry may be due, or another process may have written. */
const fresh_empty_ms = 250;
/** So long a claim holds, unless it is renewed. */
export const lease_ms = 10_000;

/** What an outbox needs of the service. */
export type OutboxContext = Pick<ServiceContext, 'storage' | 'wall' | 'ownership' | 'publicUrl'> & {
  clock: Clock;
};

/** An outbox that leaves out what this process has `out` already. */
export function createOutbox(
  service: OutboxContext,
  out: { has: (sequence: number) => boolean; readonly size: number },
): Outbox {
  const { storage, clock, wall } = service;
  const shelves = new Map<string, Shelf>();
  let isMissed = false;
  const readLane = async (endpoint: WebhookEndpointRow, lane: Lane) => {
    const shelf = shelves.get(lane.name);
    if (shelf !== undefined && isFresh(shelf, wall.now())) return;
    const messages = await readFor(service, { endpoint, lane, out });
    const isAll = messages.length < page_size;
    shelves.set(lane.name, { lane, endpoint, read_at: wall.now(), messages, isAll });
  };
  return {
    lanes: () => [...shelves.values()].flatMap(({ lane, messages }) => (messages.length > 0 ? [lane] : [])),
    lookAnew: (endpoint_id) => {
      const all = () => [...shelves.keys()];
      const names = endpoint_id === undefined ? all() : lanesOf({ id: endpoint_id }).map(({ name }) => name);
      for (const name of names) if (shelves.get(name)?.messages.length === 0) shelves.delete(name);
    },
    forget: () => shelves.clear(),
    read: async (hasRoom) => {
      const now = clock.now();
      const due = await storage.run((db) => dueEndpoints(db, now));
      const known = new Map(due.map((endpoint) => [endpoint.id, endpoint]));
      for (const [name, { endpoint }] of shelves)
        if (!isSameEndpoint(endpoint, known.get(endpoint.id))) shelves.delete(name);
      for (const endpoint of due) {
        for (const lane of lanesOf(endpoint)) if (hasRoom(lane)) await readLane(endpoint, lane);
      }
    },
    take: async ({ name }) => {
      const shelf = shelves.get(name);
      if (shelf === undefined) return null;
      for (let next = shelf.messages.shift(); next !== undefined; next = shelf.messages.shift()) {
        const message = await claimed(service, next.message);
        if (message !== null) return { ...next, endpoint: shelf.endpoint, message };
        isMissed = true;
        shelf.isAll = false;
      }
      return null;
    },
    hasMissed: () => {
      const before = isMissed;
      isMissed = false;
      return before;
    },
  };
}

function isFresh({ read_at, messages, isAll }: Shelf, now: number): boolean {
  if (messages.length > 0) return now - read_at < fresh_ms;
  return isAll && now - read_at < fresh_empty_ms;
}

/** Whatever was changed of an endpoint holds for all that is sent from now on. */
function isSameEndpoint(one: WebhookEndpointRow, other: WebhookEndpointRow | undefined): boolean {
  const fields = ['url', 'secret', 'previous_secrets', 'updated_at'] as const;
  return fields.every((field) => one[field] === other?.[field]);
}

function lanesOf({ id }: Pick<WebhookEndpointRow, 'id'>): Lane[] {
  return [false, true].map((isRetry) => ({ name: `${id} ${isRetry}`, endpoint_id: id, isRetry }));
}

interface Wanted {
  endpoint: WebhookEndpointRow;
  lane: Lane;
  out: { has: (sequence: number) => boolean; readonly size: number };
}

async function readFor(service: OutboxContext, { endpoint, lane, out }: Wanted): Promise<Waiting[]> {
  const { storage, clock } = service;
  const due = {
    ...lane,
    now: clock.now(),
    limit: page_size + out.size,
    wall_now: claimsBelieved(service),
  };
  const rows = await storage.run((db) => dueMessages(db, due));
  const free = rows.filter(({ sequence }) => !out.has(sequence)).slice(0, page_size);
  if (free.length === 0) return [];
  const ids = free.map(({ event_id }) => event_id);
  const events = await storage.run((db) => findEvents(db, ids));
  const account = await storage.run((db) => findAccount(db, endpoint));
  const publicUrl = (account && settingsOf(account).public_url) ?? service.publicUrl;
  const byId = new Map(events.map((event) => [event.id, event]));
  return free.flatMap((message) => {
    const event = byId.get(message.event_id);
    return event === undefined ? [] : [{ message, sendable: { event, publicUrl } }];
  });
}

/** Where several workers send side by side, each message is claimed before it is sent; null where it cannot be. */
async function claimed(
  service: OutboxContext,
  message: WebhookMessageRow,
): Promise<WebhookMessageRow | null> {
  const leased_from = claimsBelieved(service);
  if (leased_from === undefined) return message;
  const until = shifted(leased_from, lease_ms);
  const claim = await service.storage.run((db) => claimMessage(db, message, until));
  return claim === null ? null : { ...message, claim };
}
