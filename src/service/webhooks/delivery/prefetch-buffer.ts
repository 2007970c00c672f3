/**
 * Holds due messages that were read ahead of their sending, so that a sender does not read them one by one. Each endpoint has
 * two lanes, for first attempts and for retries. Messages that cannot be read or claimed are given up.
 */
import { findAccount } from '../../../storage/accounts.ts';
import type { WebhookEndpointRow, WebhookMessageRow } from '../../../storage/database.ts';
import { findEvents, type LoggedEvent } from '../../../storage/events.ts';
import { shifted } from '../../../storage/locks.ts';
import { StorageUnavailable } from '../../../storage/storage.ts';
import {
  claimMessage,
  type DueAt,
  dueEndpoints,
  dueMessages,
  dueSequences,
  findMessage,
} from '../../../storage/webhook-messages.ts';
import { readAccountSettings } from '../../runtime/account-settings.ts';
import type { ServiceContext } from '../../runtime/context.ts';
import type { Clock } from '../../runtime/time.ts';
import { leaseCutoff } from '../../tasks/task-leases.ts';
import type { Sendable } from './attempt.ts';
import type { FailedMessages } from './message-outcomes.ts';

/** The first attempts or the retries of one endpoint: they do not wait for each other. */
export interface Lane {
  name: string;
  endpoint_id: string;
  /** The host that is asked. */
  host: string;
  isRetry: boolean;
}

/** A message to be sent now. */
export interface Outgoing {
  endpoint: WebhookEndpointRow;
  message: WebhookMessageRow;
  sendable: Sendable;
}

/** The due messages that were read, by lane. */
export interface PrefetchBuffer {
  /** Reads due messages for the lanes with room; lanes that were read recently are skipped. */
  read: (hasRoom: (lane: Lane) => boolean) => Promise<void>;
  /**
   * Forgets which lanes were empty: all, or that of one endpoint's first attempts, as a recorded result makes the next
   * message of its queue due. A retry becomes due later.
   */
  forgetEmpty: (endpoint_id?: string) => void;
  /** Discards all messages that were read: another process may send them. */
  clear: () => void;
  lanes: () => readonly Lane[];
  /** Takes the first message of a lane and claims it; null if absent. */
  take: (lane: Lane) => Promise<Outgoing | null>;
  /** Whether, since the last call, a message that was read turned out to be claimed or changed by another worker. */
  hasMissed: () => boolean;
}

type BufferedMessage = Pick<Outgoing, 'message' | 'sendable'>;

interface BufferedLane {
  lane: Lane;
  endpoint: WebhookEndpointRow;
  read_at: number;
  messages: BufferedMessage[];
  /** Whether the read returned everything that was due, except running attempts. */
  isAll: boolean;
}

/** The number of messages read at once for a lane, in addition to those that may be running. */
const page_size = 20;
/** Messages that were read longer ago are read again. */
const fresh_ms = 1_000;
/** An empty lane is read again after this time: a retry may be due, or another process may have queued messages. */
const fresh_empty_ms = 250;
/** How long a claim holds unless it is renewed. */
export const lease_ms = 10_000;

type BufferContext = Pick<
  ServiceContext,
  'test_mode' | 'storage' | 'wall' | 'monotonic' | 'ownership' | 'publicUrl' | 'onFault'
> & {
  clock: Clock;
};

interface Excluded {
  /** The messages that this process has sent and not yet recorded. */
  running: ReadonlyMap<number, { endpoint_id: string }>;
  /** The messages that cannot be sent; newly found ones are given up. */
  failed: FailedMessages;
}

/** A buffer that excludes the messages that this process is sending or skipping. */
export function createPrefetchBuffer(service: BufferContext, excluded: Excluded): PrefetchBuffer {
  const { test_mode, storage, clock, monotonic } = service;
  const buffered = new Map<string, BufferedLane>();
  let isMissed = false;
  const isToBeRead = ({ name }: Lane) => {
    const entry = buffered.get(name);
    return entry === undefined || !isFresh(entry, monotonic.now());
  };
  return {
    lanes: () => [...buffered.values()].flatMap(({ lane, messages }) => (messages.length > 0 ? [lane] : [])),
    forgetEmpty: (endpoint_id) => {
      const names = endpoint_id === undefined ? [...buffered.keys()] : [laneName(endpoint_id, false)];
      for (const name of names) if (buffered.get(name)?.messages.length === 0) buffered.delete(name);
    },
    clear: () => buffered.clear(),
    read: async (hasRoom) => {
      const now = clock.now();
      const due = await storage.run((db) => dueEndpoints(db, test_mode, now));
      const known = new Map(due.map((endpoint) => [endpoint.id, endpoint]));
      for (const [name, { endpoint }] of buffered)
        if (!isSameEndpoint(endpoint, known.get(endpoint.id))) buffered.delete(name);
      const isWanted = (lane: Lane) => hasRoom(lane) && isToBeRead(lane);
      for (const lane of await readLanes(service, excluded, due, isWanted))
        buffered.set(lane.lane.name, lane);
    },
    take: async ({ name }) => {
      const entry = buffered.get(name);
      if (entry === undefined) return null;
      for (let next = entry.messages.shift(); next !== undefined; next = entry.messages.shift()) {
        const message = await claimForSending(service, excluded.failed, next.message);
        if (message !== null) return { ...next, endpoint: entry.endpoint, message };
        isMissed = true;
        entry.isAll = false;
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

function isFresh({ read_at, messages, isAll }: BufferedLane, now: number): boolean {
  if (messages.length > 0) return now - read_at < fresh_ms;
  return isAll && now - read_at < fresh_empty_ms;
}

/** A changed endpoint applies to everything that is sent from now on. */
function isSameEndpoint(one: WebhookEndpointRow, other: WebhookEndpointRow | undefined): boolean {
  const fields = ['url', 'secret', 'previous_secrets', 'updated_at'] as const;
  return fields.every((field) => one[field] === other?.[field]);
}

function lanesOf({ id, url }: Pick<WebhookEndpointRow, 'id' | 'url'>): Lane[] {
  const { hostname: host } = new URL(url);
  return [false, true].map((isRetry) => ({ name: laneName(id, isRetry), endpoint_id: id, host, isRetry }));
}

function laneName(endpoint_id: string, isRetry: boolean): string {
  return `${endpoint_id} ${isRetry}`;
}

/** The due messages of a lane, without their events. */
interface LaneMessages {
  endpoint: WebhookEndpointRow;
  lane: Lane;
  rows: readonly WebhookMessageRow[];
}

/** Reads the messages of the wanted lanes of endpoints, with their events. */
async function readLanes(
  service: BufferContext,
  excluded: Excluded,
  endpoints: readonly WebhookEndpointRow[],
  isWanted: (lane: Lane) => boolean,
): Promise<BufferedLane[]> {
  const found: LaneMessages[] = [];
  for (const endpoint of endpoints) {
    for (const lane of lanesOf(endpoint).filter(isWanted))
      found.push({ lane, endpoint, rows: await readLaneMessages(service, { endpoint, lane, ...excluded }) });
  }
  const sendables = await readSendables(service, excluded.failed, found);
  return found.map(({ lane, endpoint, rows }) => {
    const messages = rows.flatMap((message) => {
      const sendable = sendables.get(message.event_id);
      return sendable === undefined ? [] : [{ message, sendable }];
    });
    const isAll = messages.length < page_size;
    return { lane, endpoint, read_at: service.monotonic.now(), messages, isAll };
  });
}

interface LaneRead extends Excluded {
  endpoint: WebhookEndpointRow;
  lane: Lane;
}

async function readLaneMessages(service: BufferContext, wanted: LaneRead): Promise<WebhookMessageRow[]> {
  const { endpoint, lane, running, failed } = wanted;
  // Attempts at other endpoints are not part of the read.
  const runningHere = [...running.values()].filter(({ endpoint_id }) => endpoint_id === endpoint.id).length;
  const due = {
    ...lane,
    now: service.clock.now(),
    limit: page_size + runningHere + failed.size(),
    wall_now: leaseCutoff(service),
  };
  const rows = await readMessages(service, failed, due);
  return rows.filter(({ sequence }) => !running.has(sequence) && !failed.has(sequence)).slice(0, page_size);
}

/** The due messages; an unreadable one is given up. */
async function readMessages(
  { storage }: BufferContext,
  failed: FailedMessages,
  due: DueAt,
): Promise<WebhookMessageRow[]> {
  try {
    return await storage.run((db) => dueMessages(db, due));
  } catch (fault) {
    if (fault instanceof StorageUnavailable) throw fault;
    const { endpoint_id } = due;
    const sequences = await storage.run((db) => dueSequences(db, due));
    return readEach(sequences, {
      read: (sequence) => storage.run((db) => findMessage(db, sequence)),
      expel: (sequence, cause) => failed.expel({ sequence, endpoint_id }, cause),
    });
  }
}

/** If several workers send concurrently, each message is claimed before it is sent; null if the claim fails. */
async function claimForSending(
  service: BufferContext,
  failed: FailedMessages,
  message: WebhookMessageRow,
): Promise<WebhookMessageRow | null> {
  const leased_from = leaseCutoff(service);
  if (leased_from === undefined) return message;
  const until = shifted(leased_from, lease_ms);
  try {
    const claim = await service.storage.run((db) => claimMessage(db, message, until));
    return claim === null ? null : { ...message, claim };
  } catch (fault) {
    await failed.expel(message, fault);
    return null;
  }
}

type Parts = Pick<ServiceContext, 'storage' | 'publicUrl' | 'onFault'>;

interface EndpointMessages {
  endpoint: WebhookEndpointRow;
  rows: readonly WebhookMessageRow[];
}

/**
 * The events of the messages, by id. One that is sent to several endpoints is read once; messages whose event is
 * unreadable or missing are given up. Throws `StorageUnavailable`.
 */
async function readSendables(
  service: Parts,
  failed: FailedMessages,
  all: readonly EndpointMessages[],
): Promise<Map<string, Sendable>> {
  const messages = all.flatMap(({ rows }) => rows);
  if (messages.length === 0) return new Map();
  const events = await readEvents(service, failed, messages);
  const urls = new Map<string, string>();
  for (const { endpoint, rows } of all) {
    const { account_id } = endpoint;
    if (rows.length > 0 && !urls.has(account_id)) urls.set(account_id, await publicUrlOf(service, endpoint));
  }
  const sendables = [...events.values()].map((event): [string, Sendable] => [
    event.id,
    { event, publicUrl: urls.get(event.account_id) ?? service.publicUrl },
  ]);
  return new Map(sendables);
}

/** The events of messages, by id; a message whose event is unreadable or missing is given up. */
async function readEvents(
  { storage }: Parts,
  failed: FailedMessages,
  messages: readonly WebhookMessageRow[],
): Promise<Map<string, LoggedEvent>> {
  const readOne = async (id: string) => (await storage.run((db) => findEvents(db, [id])))[0];
  const ids = [...new Set(messages.map(({ event_id }) => event_id))];
  const events = await storage
    .run((db) => findEvents(db, ids))
    .catch((fault: unknown) => {
      if (fault instanceof StorageUnavailable) throw fault;
      return readEach(messages, {
        read: ({ event_id }) => readOne(event_id),
        expel: failed.expel,
      });
    });
  const byId = new Map(events.map((event) => [event.id, event]));
  for (const message of messages) {
    const { event_id } = message;
    if (!byId.has(event_id)) await failed.expel(message, new Error(`event ${event_id} does not exist`));
  }
  return byId;
}

/** Reads items individually; an unreadable one is expelled. */
async function readEach<T, R>(
  all: readonly T[],
  {
    read,
    expel,
  }: { read: (one: T) => Promise<R | undefined>; expel: (one: T, fault: unknown) => Promise<void> },
): Promise<R[]> {
  const found: R[] = [];
  for (const one of all) {
    try {
      const row = await read(one);
      if (row !== undefined) found.push(row);
    } catch (fault) {
      await expel(one, fault);
    }
  }
  return found;
}

/** The public URL in the settings of an endpoint's account; the service's own if they are unreadable. */
async function publicUrlOf(service: Parts, endpoint: WebhookEndpointRow): Promise<string> {
  const { storage, publicUrl, onFault } = service;
  try {
    const account = await storage.run((db) => findAccount(db, endpoint));
    return (account && readAccountSettings(account).public_url) ?? publicUrl;
  } catch (fault) {
    if (fault instanceof StorageUnavailable) throw fault;
    onFault?.(fault, null);
    return publicUrl;
  }
}
