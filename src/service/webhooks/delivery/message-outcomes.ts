/**
 * The outcomes of webhook messages: attempts are recorded; messages that cannot be recorded, read or claimed are given
 * up and can be queued again.
 */
import { Problem } from '../../../contract/errors.ts';
import { minute_ms } from '../../../domain/durations.ts';
import { requestedWait, waitAfterAttempt } from '../../../domain/retries.ts';
import type {
  Connection,
  FailedTaskRow,
  WebhookEndpointRow,
  WebhookMessageRow,
} from '../../../storage/database.ts';
import { findEvents } from '../../../storage/events.ts';
import { failMessage } from '../../../storage/failed-tasks.ts';
import { StorageUnavailable } from '../../../storage/storage.ts';
import {
  disableWebhookEndpoint,
  findWebhookEndpoint,
  holdWebhookEndpoint,
  insertWebhookAttempts,
  type NewAttempt,
} from '../../../storage/webhook-endpoints.ts';
import {
  deleteMessages,
  findEventMessages,
  insertResent,
  lockMessages,
  nameResentQueue,
  promoteNext,
  releaseMessage,
  requeueMessage,
  stoppedQueues,
  updateMessage,
} from '../../../storage/webhook-messages.ts';
import { createTaskQuarantine } from '../../runtime/background-state.ts';
import type { ServiceContext } from '../../runtime/context.ts';
import { exactPart, newId } from '../../runtime/ids.ts';
import { whileOwner } from '../../runtime/processes.ts';
import { type Chance, fraction } from '../../runtime/random.ts';
import type { WebhookResult } from '../../runtime/service-ports.ts';
import type { Clock } from '../../runtime/time.ts';
import { type FailureParts, failedTaskRow } from '../../tasks/failed-work.ts';

/** A sent message and its result. */
export interface CompletedAttempt {
  endpoint: WebhookEndpointRow;
  message: WebhookMessageRow;
  result: WebhookResult;
  /** Service time when it was sent, and when its response arrived. */
  began_at: number;
  ended_at: number;
}

/** The waits after attempts that could not be recorded, in service time; after the last the message is given up. */
const unrecorded_waits_ms = [1_000, 4_000, 16_000];

/** Messages that this process cannot read, claim or record. */
export interface FailedMessages {
  /**
   * Gives a message up, so that its queue continues without it; if that fails too, the message is skipped for a
   * while. Throws `StorageUnavailable`.
   */
  expel: (message: KnownMessage, fault: unknown) => Promise<void>;
  /** Whether a message is skipped for now. */
  has: (sequence: number) => boolean;
  /** How many messages may be skipped. */
  size: () => number;
  /** The endpoints of the skipped messages. */
  endpoints: () => string[];
}

/**
 * Records the results of several attempts in one transaction, and makes the next messages of their queues due. If one
 * result cannot be recorded, each is recorded individually. Throws `StorageUnavailable`.
 */
export async function recordResults(
  service: ServiceContext,
  failed: FailedMessages,
  all: readonly CompletedAttempt[],
): Promise<void> {
  try {
    const arrived = await recordTogether(service, all);
    for (const { message, ended_at } of arrived) {
      const mode = message.test_mode === 1 ? 'test' : 'live';
      service.observe?.({ type: 'event_delivered', mode, seconds: (ended_at - message.created_at) / 1_000 });
    }
  } catch (fault) {
    if (fault instanceof StorageUnavailable) throw fault;
    const [sent] = all;
    if (sent !== undefined && all.length === 1) return recordFailure(service, failed, { sent, fault });
    for (const each of all) await recordResults(service, failed, [each]);
  }
}

interface Recorded {
  sent: CompletedAttempt;
  outcome: Outcome;
}

/** Records the results, and returns those whose message has arrived. */
async function recordTogether(
  service: ServiceContext,
  all: readonly CompletedAttempt[],
): Promise<CompletedAttempt[]> {
  const chance = await service.chance();
  const now = service.clock.now();
  // Read committed: it locks the messages that it ends, and then sees those that others have queued after them.
  return service.storage.transaction(async (db) => {
    const sequences = all.map(({ message }) => message.sequence);
    const held = await lockMessages(db, sequences);
    const claims = new Map(held.map(({ sequence, claim }) => [sequence, claim]));
    // Deleted messages went with their endpoint; a message claimed by another worker is recorded by that one.
    const there = all.filter(({ message }) => claims.has(message.sequence));
    const recorded = there.map((sent): Recorded => ({ sent, outcome: outcomeOf(sent, chance) }));
    await insertWebhookAttempts(
      db,
      recorded.map(({ sent, outcome }) => attemptRow(sent, outcome, chance)),
    );
    await updateQueues(
      db,
      recorded.filter(({ sent: { message } }) => claims.get(message.sequence) === message.claim),
      now,
    );
    return recorded.flatMap(({ sent, outcome }) => (outcome.kind === 'arrived' ? sent : []));
  }, 'read committed');
}

/**
 * The outcome of an attempt: the message was delivered, is retried at a time, was given up, or waits for an endpoint
 * that is gone.
 */
type Outcome =
  | { kind: 'arrived' }
  | { kind: 'again'; due_at: number; held_until: number | null }
  | { kind: 'exhausted' }
  | { kind: 'gone'; due_at: number };

/** RFC 9110, 15.5.11: the endpoint wants no more events. */
export const status_gone = 410;

/** The outcome by the retry schedule, in service time. */
function outcomeOf({ message, endpoint, result, ended_at }: CompletedAttempt, chance: Chance): Outcome {
  if (result.reason === '') return { kind: 'arrived' };
  if (result.status_code === status_gone) return { kind: 'gone', due_at: ended_at };
  const number = message.attempts + 1;
  const drawn = fraction(chance('webhook retry', message.event_id, endpoint.id, String(number)));
  const wait_ms = waitAfterAttempt(number, { chance: drawn, retry_after_ms: result.retry_after_ms });
  const held_until = isAskingForQuiet(result) ? ended_at + requestedWait(result.retry_after_ms) : null;
  return wait_ms === null ? { kind: 'exhausted' } : { kind: 'again', due_at: ended_at + wait_ms, held_until };
}

/** RFC 9110, 10.2.3: 429 and 503 are about the endpoint, not about one event. */
function isAskingForQuiet({ status_code, retry_after_ms }: WebhookResult): boolean {
  return retry_after_ms !== undefined && (status_code === 429 || status_code === 503);
}

/**
 * The row of an attempt. Its id is derived from the event, the endpoint, the number of earlier attempts and the
 * claim, which are unique together.
 */
export function attemptRow(sent: CompletedAttempt, outcome: Outcome, chance: Chance): NewAttempt {
  const { message, endpoint, result, began_at } = sent;
  const { account_id, test_mode, event_id, sends, claim, attempts } = message;
  const parts = [exactPart(event_id), exactPart(endpoint.id), String(sends), String(claim)];
  return {
    id: newId(chance, 'att', began_at, ...parts),
    account_id,
    test_mode,
    endpoint_id: endpoint.id,
    event_id,
    number: attempts + 1,
    status: outcome.kind === 'arrived' ? 'succeeded' : 'failed',
    status_code: result.status_code,
    reason: result.reason,
    response: result.response,
    duration_ms: result.duration_ms,
    next_attempt_at: outcome.kind === 'again' ? outcome.due_at : null,
    created_at: began_at,
  };
}

async function updateQueues(db: Connection, ours: readonly Recorded[], now: number): Promise<void> {
  const arrived = ours.filter(({ outcome }) => outcome.kind === 'arrived');
  const sequences = arrived.map(({ sent }) => sent.message.sequence);
  await deleteMessages(db, sequences);
  for (const { sent, outcome } of ours) await updateFailedMessage(db, sent, outcome, now);
  const ended = ours.filter(({ outcome: { kind } }) => kind === 'arrived' || kind === 'exhausted');
  await promoteNext(
    db,
    ended.map(({ sent }) => sent.message.queue),
    now,
  );
}

async function updateFailedMessage(
  db: Connection,
  sent: CompletedAttempt,
  outcome: Outcome,
  now: number,
): Promise<void> {
  const { message, endpoint } = sent;
  const counted = { attempts: message.attempts + 1, sends: message.sends + 1 };
  if (outcome.kind === 'again') {
    await updateMessage(db, message.sequence, { ...counted, due_at: outcome.due_at });
    if (outcome.held_until !== null) await holdWebhookEndpoint(db, endpoint.id, outcome.held_until);
  } else if (outcome.kind === 'exhausted') {
    await updateMessage(db, message.sequence, { ...counted, status: 'exhausted', due_at: null });
  } else if (outcome.kind === 'gone') {
    // If the endpoint is enabled again, the attempts of its messages start over.
    await updateMessage(db, message.sequence, { attempts: 0, sends: counted.sends, due_at: outcome.due_at });
    await disableGone(db, endpoint, now);
  }
}

/** Disables an endpoint that returned 410: its messages wait until it is enabled again. */
export async function disableGone(db: Connection, endpoint: WebhookEndpointRow, now: number): Promise<void> {
  await disableWebhookEndpoint(db, endpoint, { reason: 'it returned 410 Gone', now });
}

/** Handles a message whose attempt cannot be recorded: it is retried later, or given up. */
async function recordFailure(
  service: ServiceContext,
  failed: FailedMessages,
  { sent: { message, ended_at }, fault }: { sent: CompletedAttempt; fault: unknown },
): Promise<void> {
  const { sequence, claim, attempts, sends } = message;
  const wait_ms = unrecorded_waits_ms[attempts];
  const tried = { ...message, attempts: attempts + 1 };
  if (wait_ms === undefined) return failed.expel(tried, fault);
  service.onFault?.(fault, null);
  try {
    await service.storage.transaction(async (db) => {
      const [held] = await lockMessages(db, [sequence]);
      if (held?.claim !== claim) return;
      const counted = { attempts: attempts + 1, sends: sends + 1 };
      await updateMessage(db, sequence, { ...counted, due_at: ended_at + wait_ms });
    }, 'read committed');
  } catch (other) {
    await failed.expel(tried, other);
  }
}

/** Releases messages whose attempts were interrupted: they do not count. */
export async function releaseInterrupted(
  { storage }: ServiceContext,
  all: readonly CompletedAttempt[],
): Promise<void> {
  for (const { message } of all) await storage.run((db) => releaseMessage(db, message));
}

/** The known fields of a message, which may be unreadable. */
type KnownMessage = Pick<WebhookMessageRow, 'sequence' | 'endpoint_id'> &
  Partial<Pick<WebhookMessageRow, 'claim' | 'attempts' | 'due_at'>>;

type FailedMessagesContext = Omit<FailureParts, 'quarantine' | 'clock'> & { clock: Clock; monotonic: Clock };

export function createFailedMessages(service: FailedMessagesContext): FailedMessages {
  const quarantine = createTaskQuarantine(service.monotonic);
  const endpoints = new Map<number, string>();
  const expel = async (message: KnownMessage, fault: unknown) => {
    const { sequence, endpoint_id, claim, attempts = 0, due_at } = message;
    const now = service.clock.now();
    const row = { id: `${sequence} ${endpoint_id}`, due_at: due_at ?? now, attempts };
    const failure = await failedTaskRow(service, { row, fault, is_concluded: 0 });
    const ours = { sequence, claim };
    // Read committed, as everything that ends a message: see `headDue` of storage/webhook-messages.ts.
    await service.storage.transaction((db) => failMessage(db, ours, { ...failure, now }), 'read committed');
  };
  return {
    has: (sequence) => quarantine.has(String(sequence)),
    size: quarantine.size,
    endpoints: () =>
      [...endpoints].flatMap(([sequence, id]) => (quarantine.has(String(sequence)) ? [id] : [])),
    expel: async (message, fault) => {
      if (fault instanceof StorageUnavailable) throw fault;
      service.onFault?.(fault, null);
      try {
        await expel(message, fault);
      } catch (other) {
        if (other instanceof StorageUnavailable) throw other;
        service.onFault?.(other, null);
        quarantine.add(String(message.sequence));
        endpoints.set(message.sequence, message.endpoint_id);
      }
    },
  };
}

/** Queues a message again that was given up, unless it is already queued. Throws `failed_task_not_retryable`. */
export async function retryMessage(db: Connection, row: FailedTaskRow, now: number): Promise<void> {
  const { endpoint_id }: { endpoint_id: string } = JSON.parse(row.payload);
  const [event] = await findEvents(db, [row.subject]);
  const endpoint = await findWebhookEndpoint(db, row, endpoint_id);
  if (event === undefined || endpoint === undefined) {
    const message = `The event or webhook endpoint of failed task ${row.id} no longer exists. Dismiss the task.`;
    throw new Problem('failed_task_not_retryable', message);
  }
  const messages = await findEventMessages(db, event.id);
  const resent = messages.find((message) => message.endpoint_id === endpoint_id);
  if (resent?.status === 'pending') return;
  const { account_id, test_mode } = row;
  const queue = nameResentQueue(event);
  if (resent !== undefined) return requeueMessage(db, resent, { queue, now });
  await insertResent(db, { account_id, test_mode, event_id: event.id, endpoint_id, queue, created_at: now });
}

const repair_interval_ms = 5 * minute_ms;
/** The maximum number of queues restarted by one search. */
const max_queues = 1_000;

/**
 * A search for queues without a due message, which must never occur. Restarts such queues and reports their number.
 * Calls within the interval do nothing.
 */
export function createQueueRepair(service: ServiceContext): () => Promise<void> {
  const { test_mode, storage, monotonic, clock } = service;
  let searched_at: number | null = null;
  const repair = async () => {
    const queues = await storage.run((db) => stoppedQueues(db, test_mode, max_queues));
    if (queues.length === 0) return;
    // Read committed: one statement decides and writes.
    const count = await storage.transaction((db) => promoteNext(db, queues, clock.now()), 'read committed');
    const message = `${count} stalled webhook queues were restarted; please report this`;
    if (count > 0) service.onFault?.(new Error(message), null);
  };
  return async () => {
    const now = monotonic.now();
    if (searched_at !== null && now - searched_at < repair_interval_ms) return;
    if (await whileOwner(service, repair)) searched_at = now;
  };
}
