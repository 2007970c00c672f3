/**
 * Sends events to webhook endpoints. A round (`sendAll`) reads due messages (`prefetch-buffer.ts`), starts attempts
 * (`attempt.ts`) and records their results in groups (`message-outcomes.ts`), until nothing is due. Events are sent
 * concurrently, except those of one delivery to one endpoint, of which one at a time is due. Each endpoint has lanes of
 * its own, so that a slow or dead one only fills those.
 */
import { shifted } from '../../../storage/locks.ts';
import { StorageUnavailable } from '../../../storage/storage.ts';
import { nextMessageDue, renewMessages } from '../../../storage/webhook-messages.ts';
import type { ServiceContext } from '../../runtime/context.ts';
import { type Counts, createCounts } from '../../runtime/counts.ts';
import { whileOwner } from '../../runtime/processes.ts';
import type { Sender } from '../../runtime/service-ports.ts';
import { createWakeup, type Wakeup } from '../../runtime/wakeup.ts';
import { createLoop } from '../../tasks/background-loop.ts';
import { leaseCutoff } from '../../tasks/task-leases.ts';
import { sendEvent } from './attempt.ts';
import {
  type CompletedAttempt,
  createFailedMessages,
  createQueueRepair,
  type FailedMessages,
  recordResults,
  releaseInterrupted,
} from './message-outcomes.ts';
import {
  createPrefetchBuffer,
  type Lane,
  lease_ms,
  type Outgoing,
  type PrefetchBuffer,
} from './prefetch-buffer.ts';

/** The maximum wait before reading again: other processes may queue messages, and retries become due. */
const poll_interval_ms = 250;
/** How long running attempts may take when the service stops. */
const grace_ms = 2_000;

export function openSender(service: ServiceContext): Sender {
  const { test_mode } = service;
  const state = createSenderState(service);
  const round = createRound(state);
  const wakeup = createWakeup(service.timers);
  const repairQueues = createQueueRepair(service);
  const loop = createLoop({
    name: 'webhooks',
    ...(service.onFault === undefined ? {} : { onFault: service.onFault }),
    clock: { ...service.clock, refresh: () => service.storage.read((db) => nextMessageDue(db, test_mode)) },
    storage: service.storage,
    monotonic: service.monotonic,
    heartbeat: service.heartbeat,
    prepare: () => repairQueues().catch((fault: unknown) => service.onFault?.(fault, null)),
    work: round.sendDue,
    wakeup,
  });
  let stopListening = () => {};
  return {
    sendDue: round.sendDue,
    sendPromptly: round.sendPromptly,
    nextDueAt: () => service.storage.run((db) => nextMessageDue(db, test_mode, waitingEndpoints(state))),
    start: () => {
      stopListening = service.changes.subscribe(wakeup.notify);
      loop.start();
    },
    stop: async () => {
      stopListening();
      // First, so that no further round starts while the last one ends.
      const ended = loop.stop();
      await round.stop();
      await ended;
    },
  };
}

type Round = Pick<Sender, 'sendDue' | 'sendPromptly' | 'stop'>;

/** Rounds of sending, one at a time: a caller during a round joins it. */
function createRound(state: SenderState): Round {
  const { service, wakeup } = state;
  let running: Promise<number> | null = null;
  let isWanted = false;
  const readAgain = () => {
    state.buffer.forgetEmpty();
    wakeup.notify();
  };
  const run = async () => {
    const stopListening = service.changes.subscribe(readAgain);
    const before = state.recorded;
    try {
      // Nothing runs between the last check for callers and the end of the round, so a caller either joins in time or
      // starts a new round.
      do {
        isWanted = false;
      } while ((await whileOwner(service, () => sendAll(state))) && isWanted && !state.isStopping);
      return state.recorded - before;
    } finally {
      stopListening();
      running = null;
      state.buffer.clear();
    }
  };
  const sendDue = () => {
    isWanted = true;
    readAgain();
    running ??= run();
    return running;
  };
  return {
    sendDue,
    sendPromptly: async () => {
      const before = state.recorded;
      const { promise: isSlow, resolve } = Promise.withResolvers<void>();
      state.waiters.add(resolve);
      // A slow round goes on without its caller, which an endpoint would hold up; the next caller joins it.
      await Promise.race([sendDue(), isSlow]).finally(() => state.waiters.delete(resolve));
      return state.recorded - before;
    },
    stop: async () => {
      state.isStopping = true;
      wakeup.notify();
      const cancelTimeout = service.timers.after(grace_ms, () => {
        state.isInterrupted = true;
        void service.webhook_client.close();
      });
      await running?.catch(() => {});
      dropUnrecorded(state);
      cancelTimeout();
      state.isStopping = false;
      state.isInterrupted = false;
    },
  };
}

/** Resolves when nothing is due and nothing is running. Throws storage errors after the running attempts have ended. */
async function sendAll(state: SenderState): Promise<void> {
  const { wakeup, running, completed } = state;
  if (isWaitingToRecord(state)) return;
  try {
    for (;;) {
      // Callers that start to wait during the read wait for the next one.
      const waiters = [...state.waiters];
      await recordCompleted(state);
      await renewClaims(state);
      const isAnyStarted = !state.isStopping && (await startAttempts(state));
      state.service.heartbeat.beat('webhooks');
      if (running.size === 0 && !isAnyStarted) return;
      if (completed.length > 0) continue;
      if (!isAnyStarted && isOnlySlowRunning(state)) for (const resolve of waiters) resolve();
      await wakeup.wait(poll_interval_ms);
    }
  } finally {
    while (running.size > completed.length) await wakeup.wait(poll_interval_ms);
    // Unrecorded results are not sent again: the next round starts by recording them.
  }
}

/** The maximum number of concurrent attempts; a lane without any always gets one. */
const max_running = 1_000;
/** An attempt that takes longer counts as slow: other work continues without it. */
const slow_ms = 500;
/** The wait between two attempts to record outcomes while the storage is unavailable. */
const min_record_wait_ms = 500;
const max_record_wait_ms = 8_000;

/** The running attempts, and the results to record. */
interface SenderState {
  service: ServiceContext;
  buffer: PrefetchBuffer;
  /** Messages that cannot be sent or recorded. */
  failed: FailedMessages;
  wakeup: Wakeup;
  limits: ConcurrencyLimits;
  pace: HostPace;
  /** The number of running attempts in each lane. */
  lanes: Counts;
  /** The messages being sent or recorded, by sequence. */
  running: Map<number, RunningAttempt>;
  /** Results that are not recorded yet. */
  completed: CompletedAttempt[];
  recorded: number;
  /** While outcomes cannot be recorded: the number of failures, and the time of the next attempt. */
  unrecorded: { failures: number; retry_at: number } | null;
  /** When the claims of running attempts were last made or renewed. */
  renewed_at: number;
  /** The callers that wait for a read after which only slow endpoints have running attempts. */
  waiters: Set<() => void>;
  /** Whether no further attempt is started. */
  isStopping: boolean;
  /** Whether running attempts were interrupted: they do not count, and are repeated. */
  isInterrupted: boolean;
}

interface RunningAttempt {
  endpoint_id: string;
  since: number;
}

function createSenderState(service: ServiceContext): SenderState {
  const running = new Map<number, RunningAttempt>();
  const failed = createFailedMessages(service);
  return {
    service,
    buffer: createPrefetchBuffer(service, { running, failed }),
    failed,
    wakeup: createWakeup(service.timers),
    limits: createConcurrencyLimits(),
    pace: createHostPace(service),
    lanes: createCounts(),
    running,
    completed: [],
    recorded: 0,
    unrecorded: null,
    renewed_at: 0,
    waiters: new Set(),
    isStopping: false,
    isInterrupted: false,
  };
}

/** The endpoints that are not waited for: with a slow attempt or a skipped message. */
function waitingEndpoints(state: SenderState): string[] {
  return [...new Set([...slowEndpoints(state), ...state.failed.endpoints()])];
}

function slowEndpoints({ running, service }: SenderState): string[] {
  const before = service.monotonic.now() - slow_ms;
  const slow = [...running.values()].filter(({ since }) => since <= before);
  return [...new Set(slow.map(({ endpoint_id }) => endpoint_id))];
}

/** Whether only slow endpoints have running attempts. */
function isOnlySlowRunning(state: SenderState): boolean {
  const slow = new Set(slowEndpoints(state));
  return [...state.running.values()].every(({ endpoint_id }) => slow.has(endpoint_id));
}

/** Starts as many attempts as there is room for; returns whether it started any, or another read may find some. */
async function startAttempts(state: SenderState): Promise<boolean> {
  const { buffer, lanes, running, limits, pace } = state;
  const hasRoom = ({ name, endpoint_id, host }: Lane) => {
    const count = lanes.of(name);
    if (!pace.mayPost(host)) return false;
    return count < limits.of(endpoint_id) && (running.size < max_running || count === 0);
  };
  await buffer.read(hasRoom);
  let isAny = false;
  for (const lane of buffer.lanes()) {
    while (hasRoom(lane)) {
      const next = await buffer.take(lane);
      if (next === null) break;
      isAny = true;
      void send(state, lane, next);
    }
  }
  return buffer.hasMissed() || isAny;
}

async function send(
  state: SenderState,
  { name, host }: Lane,
  { endpoint, message, sendable }: Outgoing,
): Promise<void> {
  const { service, lanes, running, limits, pace, completed, wakeup } = state;
  pace.notePost(host);
  running.set(message.sequence, { endpoint_id: endpoint.id, since: service.monotonic.now() });
  lanes.add(name, 1);
  const began_at = service.clock.now();
  service.crash('webhook.before_send');
  const result = await sendEvent(service, endpoint, sendable);
  service.crash('webhook.after_send');
  lanes.add(name, -1);
  if (!state.isInterrupted) limits.recordResult(endpoint.id, result.reason === '');
  completed.push({ endpoint, message, result, began_at, ended_at: service.clock.now() });
  wakeup.notify();
}

/** Records the results. If the storage is unavailable, the next call records them. */
async function recordCompleted(state: SenderState): Promise<void> {
  const { service, completed, running, buffer } = state;
  if (completed.length === 0) return;
  // Results that arrive at the same time are recorded together.
  await service.timers.turn();
  const recording = completed.splice(0);
  try {
    await (state.isInterrupted
      ? releaseInterrupted(service, recording)
      : recordResults(service, state.failed, recording));
  } catch (fault) {
    completed.unshift(...recording);
    noteRecordingFailed(state);
    throw fault;
  }
  state.unrecorded = null;
  for (const { message } of recording) running.delete(message.sequence);
  for (const id of new Set(recording.map(({ endpoint }) => endpoint.id))) buffer.forgetEmpty(id);
  state.recorded += recording.length;
}

/**
 * Messages whose results cannot be recorded stay reserved, so that they are not sent again, and are recorded once the
 * storage is back.
 */
function noteRecordingFailed(state: SenderState): void {
  const failures = (state.unrecorded?.failures ?? 0) + 1;
  const wait_ms = Math.min(max_record_wait_ms, min_record_wait_ms * 2 ** (failures - 1));
  state.unrecorded = { failures, retry_at: state.service.monotonic.now() + wait_ms };
}

/** Whether recording failed and its next attempt is not due yet: nothing else is sent meanwhile. */
function isWaitingToRecord({ unrecorded, service }: SenderState): boolean {
  return unrecorded !== null && service.monotonic.now() < unrecorded.retry_at;
}

/** Drops unrecorded results: the messages are sent again by the next sender. */
function dropUnrecorded(state: SenderState): void {
  for (const { message } of state.completed.splice(0)) state.running.delete(message.sequence);
  state.unrecorded = null;
}

/** Renews the claims of running attempts, if other workers rely on them. */
async function renewClaims(state: SenderState): Promise<void> {
  const { service, running } = state;
  const now = service.monotonic.now();
  const leased_from = leaseCutoff(service);
  if (running.size === 0 || leased_from === undefined) return;
  if (now - state.renewed_at < lease_ms / 4) return;
  state.renewed_at = now;
  try {
    await service.storage.run((db) => renewMessages(db, [...running.keys()], shifted(leased_from, lease_ms)));
  } catch (fault) {
    if (fault instanceof StorageUnavailable) throw fault;
    // A worker that takes a message over sends it twice, which is allowed.
    service.onFault?.(fault, null);
  }
}

/** The posts of this process to one host, whoever has endpoints there: a stranger must not be flooded. */
const max_posts_a_second = 10;

interface HostPace {
  mayPost: (host: string) => boolean;
  notePost: (host: string) => void;
}

/** A sandbox, and what runs on this machine, are not limited. */
function createHostPace({ sandbox, monotonic }: ServiceContext): HostPace {
  /** The times of the latest posts to each host. */
  const posts = new Map<string, number[]>();
  const isLimited = (host: string) => !sandbox && !/^(localhost|127\.[\d.]+|\[::1\])$/.test(host);
  const recent = (host: string) => (posts.get(host) ?? []).filter((at) => at > monotonic.now() - 1_000);
  return {
    mayPost: (host) => !isLimited(host) || recent(host).length < max_posts_a_second,
    notePost: (host) => {
      if (!isLimited(host)) return;
      for (const known of posts.keys()) if (recent(known).length === 0) posts.delete(known);
      posts.set(host, [...recent(host), monotonic.now()]);
    },
  };
}

// The maximum number of concurrent attempts of an endpoint in each of its lanes. An endpoint that has not responded yet
// gets few, one that only fails gets one, so that dead endpoints leave room for the others.

const max_attempts = 20;
const max_attempts_new = 4;
const max_attempts_failing = 1;
/** The number of failures in a row after which an endpoint counts as failing. */
const min_failures = 10;

/** The concurrency limits, based on how endpoints respond. */
interface ConcurrencyLimits {
  of: (endpoint_id: string) => number;
  recordResult: (endpoint_id: string, isDelivered: boolean) => void;
}

function createConcurrencyLimits(): ConcurrencyLimits {
  /** The failures of each endpoint since its last success; absent before the first result. */
  const failures = new Map<string, number>();
  const known = new Set<string>();
  return {
    of: (id) => {
      if ((failures.get(id) ?? 0) >= min_failures) return max_attempts_failing;
      return known.has(id) ? max_attempts : max_attempts_new;
    },
    recordResult: (id, isArrived) => {
      if (isArrived) {
        known.add(id);
        failures.delete(id);
      } else failures.set(id, (failures.get(id) ?? 0) + 1);
    },
  };
}
