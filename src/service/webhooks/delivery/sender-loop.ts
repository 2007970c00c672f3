import { nextMessageDue } from '../../../storage/webhook-messages.ts';
import type { Sender, ServiceContext } from '../../runtime/context.ts';
import { whileOwner } from '../../runtime/heartbeat.ts';
import { createWakeup } from '../../runtime/wakeup.ts';
import { createLoop } from '../../tasks/background-loop.ts';
import { createQueueRepair } from './record-attempts.ts';
import {
  createSenderState,
  dropUnrecorded,
  isOnlySlowRunning,
  isWaitingToRecord,
  recordCompleted,
  renewClaims,
  type SenderState,
  startAttempts,
  waitingEndpoints,
} from './sender-state.ts';

// Events are sent concurrently, except those of one delivery to one endpoint, of which one at a time is due. Each
// endpoint has lanes of its own, so that a slow or dead one only fills those. Results are recorded in groups.

/** The maximum wait before reading again: other processes may queue messages, and retries become due. */
const poll_interval_ms = 250;
/** How long running attempts may take when the service stops. */
const grace_ms = 2_000;

/** A sender without running attempts. */
export function openSender(service: ServiceContext): Sender {
  const { test_mode } = service;
  const state = createSenderState(service);
  const round = createRound(state);
  const wakeup = createWakeup(service.timers);
  const repairQueues = createQueueRepair(service);
  const loop = createLoop({
    ...(service.onFault === undefined ? {} : { onFault: service.onFault }),
    clock: { ...service.clock, refresh: () => service.storage.read((db) => nextMessageDue(db, test_mode)) },
    ...{ storage: service.storage, monotonic: service.monotonic },
    prepare: () => repairQueues().catch((fault: unknown) => service.onFault?.(fault, null)),
    work: round.sendDue,
    wakeup,
    pulse: service.heartbeat.of('webhooks'),
  });
  let stopListening = () => {};
  return {
    ...{ sendDue: round.sendDue, sendPromptly: round.sendPromptly },
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
  let isStopping = false;
  const waiters = createWaiters();
  const signals: RoundSignals = { isStopping: () => isStopping, readStarted: waiters.readStarted };
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
      } while ((await whileOwner(service, () => sendAll(state, signals))) && isWanted && !isStopping);
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
      const { seen, leave } = waiters.wait();
      // A running round is awaited by the next caller.
      await Promise.race([sendDue(), seen]).finally(leave);
      return state.recorded - before;
    },
    stop: async () => {
      isStopping = true;
      wakeup.notify();
      const cancelTimeout = service.timers.after(grace_ms, () => {
        state.isInterrupted = true;
        void service.webhook_client.close();
      });
      await running?.catch(() => {});
      dropUnrecorded(state);
      cancelTimeout();
      isStopping = false;
      state.isInterrupted = false;
    },
  };
}

/** The callers that wait for a read after which only slow endpoints remain, until they leave. */
function createWaiters(): {
  wait: () => { seen: Promise<void>; leave: () => void };
  readStarted: RoundSignals['readStarted'];
} {
  const waiting = new Set<() => void>();
  return {
    wait: () => {
      const { promise: seen, resolve } = Promise.withResolvers<void>();
      waiting.add(resolve);
      return { seen, leave: () => waiting.delete(resolve) };
    },
    readStarted: () => {
      const asked = [...waiting];
      return () => {
        for (const go of asked) go();
      };
    },
  };
}

interface RoundSignals {
  isStopping: () => boolean;
  /** Notes the callers that wait when a read starts; the returned function resolves them. */
  readStarted: () => () => void;
}

/** Resolves when nothing is due and nothing is running. Throws storage errors after the running attempts have ended. */
async function sendAll(state: SenderState, signals: RoundSignals): Promise<void> {
  const { wakeup, running, completed } = state;
  if (isWaitingToRecord(state)) return;
  try {
    for (;;) {
      const release = signals.readStarted();
      await recordCompleted(state);
      await renewClaims(state);
      const isAnyStarted = !signals.isStopping() && (await startAttempts(state));
      state.service.heartbeat.beat('webhooks');
      if (running.size === 0 && !isAnyStarted) return;
      if (completed.length > 0) continue;
      if (!isAnyStarted && isOnlySlowRunning(state)) release();
      await wakeup.wait(poll_interval_ms);
    }
  } finally {
    while (running.size > completed.length) await wakeup.wait(poll_interval_ms);
    // Unrecorded results are not sent again: the next round starts by recording them.
  }
}
