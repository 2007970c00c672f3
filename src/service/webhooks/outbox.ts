import { findAccount } from '../../storage/accounts.ts';
import type { WebhookMessageRow } from '../../storage/database.ts';
import { findEvents } from '../../storage/events.ts';
import { claimMessage, type DueEndpoint, dueEndpoints, dueMessages } from '../../storage/webhook-messages.ts';
import { settingsOf } from '../account-settings.ts';
import type { ServiceContext } from '../context.ts';
import { claimsBelieved } from '../hand.ts';
import type { Sendable } from './attempting.ts';

/** A message that is to be sent now. */
export interface Outgoing {
  endpoint: DueEndpoint;
  message: WebhookMessageRow;
  sendable: Sendable;
}

/** What is due, as far as it was read, by endpoint. */
export interface Outbox {
  /** Reads what is due now; an endpoint of which enough was read lately is not read again. */
  read: () => Promise<void>;
  /** The endpoints for which something was read. */
  endpoints: () => readonly string[];
  /** Takes the first message to an endpoint and claims it; null where there is none that is not in other hands. */
  take: (endpoint_id: string) => Promise<Outgoing | null>;
}

interface Shelf {
  read_at: number;
  messages: Outgoing[];
}

/** So many messages to one endpoint are read at once. */
const page_size = 20;
/** What was read longer ago is read anew, as its endpoint may have changed: wall time. */
const fresh_ms = 1_000;
/** A claim outlives the time-out of an attempt. */
const lease_ms = 30_000;

/** An outbox that leaves out what this process has `out` already. */
export function createOutbox(service: ServiceContext, out: ReadonlySet<number>): Outbox {
  const { storage, clock, wall } = service;
  const shelves = new Map<string, Shelf>();
  const isFresh = (shelf: Shelf | undefined) =>
    shelf !== undefined && shelf.messages.length > 0 && wall.now() - shelf.read_at < fresh_ms;
  return {
    endpoints: () => [...shelves.keys()],
    read: async () => {
      const now = clock.now();
      const due = await storage.run((db) => dueEndpoints(db, now));
      const known = new Set(due.map(({ id }) => id));
      for (const id of shelves.keys()) if (!known.has(id)) shelves.delete(id);
      for (const endpoint of due) {
        if (isFresh(shelves.get(endpoint.id))) continue;
        const messages = await readFor(service, endpoint, out);
        if (messages.length === 0) shelves.delete(endpoint.id);
        else shelves.set(endpoint.id, { read_at: wall.now(), messages });
      }
    },
    take: async (endpoint_id) => {
      const shelf = shelves.get(endpoint_id);
      for (let next = shelf?.messages.shift(); next !== undefined; next = shelf?.messages.shift()) {
        const outgoing = await claimed(service, next);
        if (outgoing !== null) return outgoing;
      }
      shelves.delete(endpoint_id);
      return null;
    },
  };
}

async function readFor(
  service: ServiceContext,
  endpoint: DueEndpoint,
  out: ReadonlySet<number>,
): Promise<Outgoing[]> {
  const { storage, clock } = service;
  const wanted = {
    endpoint_id: endpoint.id,
    now: clock.now(),
    limit: page_size + out.size,
    wall_now: claimsBelieved(service),
  };
  const rows = await storage.run((db) => dueMessages(db, wanted));
  const free = rows.filter(({ sequence }) => !out.has(sequence)).slice(0, page_size);
  const events = await storage.run((db) =>
    findEvents(
      db,
      free.map(({ event_id }) => event_id),
    ),
  );
  const account = await storage.run((db) => findAccount(db, endpoint.account_id));
  const publicUrl = (account && settingsOf(account).public_url) ?? service.publicUrl;
  const byId = new Map(events.map((event) => [event.id, event]));
  return free.flatMap((message) => {
    const event = byId.get(message.event_id);
    return event === undefined ? [] : [{ endpoint, message, sendable: { event, publicUrl } }];
  });
}

/** Where several workers send side by side, each message is claimed before it is sent. */
async function claimed(service: ServiceContext, outgoing: Outgoing): Promise<Outgoing | null> {
  if (claimsBelieved(service) === undefined) return outgoing;
  const { message } = outgoing;
  const until = service.wall.now() + lease_ms;
  const claim = await service.storage.run((db) => claimMessage(db, message, until));
  return claim === null ? null : { ...outgoing, message: { ...message, claim } };
}
