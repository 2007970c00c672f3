import { nextMessageDue } from '../../../storage/webhook-messages.ts';
import { whileOwner } from '../../runtime/background-owner.ts';
import type { ServiceContext } from '../../runtime/context.ts';
import { createWakeup } from '../../runtime/wakeup.ts';
import type { Sender } from '../../runtime/webhook-ports.ts';
import { createLoop } from '../../tasks/background-loop.ts';
import {
  createDesk,
  type Desk,
  fill,
  forgetUnwritten,
  hasOnlySlow,
  isWaitingToWrite,
  keepClaims,
  waitingEndpoints,
  writeDown,
} from './dispatcher-state.ts';
import { createQueueRepair } from './stopped-queues.ts';

// Events are sent concurrently, except those of one delivery to one endpoint, of which one at a time is due. Each
// endpoint has lanes of its own, so that a slow or dead one only fills those. Results are recorded in groups.

/** The maximum wait before reading again: other processes may queue messages, and retries become due. */
const poll_interval_ms = 250;
/** How long running attempts may take when the service stops. */
const grace_ms = 2_000;

/** A sender without running attempts. */
export function openSender(service: ServiceContext): Sender {
  const { test_mode } = service;
  const desk = createDesk(service);
  const round = createRound(desk);
  const wakeup = createWakeup(service.timers);
  const repairQueues = createQueueRepair(service);
  const loop = createLoop({
    ...(service.onFault === undefined ? {} : { onFault: service.onFault }),
    clock: { ...service.clock, refresh: () => service.storage.run((db) => nextMessageDue(db, test_mode)) },
    work: async () => {
      await repairQueues().catch((fault: unknown) => service.onFault?.(fault, null));
      await round.sendDue();
    },
    wakeup,
    pulse: service.heartbeat.of('webhooks'),
  });
  let stopListening = () => {};
  return {
    ...{ sendDue: round.sendDue, sendPromptly: round.sendPromptly },
    nextDueAt: () => service.storage.run((db) => nextMessageDue(db, test_mode, waitingEndpoints(desk))),
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
function createRound(desk: Desk): Round {
  const { service, wakeup } = desk;
  let running: Promise<number> | null = null;
  let isWanted = false;
  let isStopping = false;
  const waiters = createWaiters();
  const look: Look = { isStopping: () => isStopping, begun: waiters.begun };
  const lookAnew = () => {
    desk.outbox.lookAnew();
    wakeup.notify();
  };
  const run = async () => {
    const stopListening = service.changes.subscribe(lookAnew);
    const before = desk.written;
    try {
      // Nothing runs between the last check for callers and the end of the round, so a caller either joins in time or
      // starts a new round.
      do {
        isWanted = false;
      } while ((await whileOwner(service, () => sendAll(desk, look))) && isWanted && !isStopping);
      return desk.written - before;
    } finally {
      stopListening();
      running = null;
      desk.outbox.forget();
    }
  };
  const sendDue = () => {
    isWanted = true;
    lookAnew();
    running ??= run();
    return running;
  };
  return {
    sendDue,
    sendPromptly: async () => {
      const before = desk.written;
      const { seen, leave } = waiters.wait();
      const all = sendDue();
      await Promise.race([all, seen]).finally(leave);
      // A running round is awaited by the next caller.
      all.catch(() => {});
      return desk.written - before;
    },
    stop: async () => {
      isStopping = true;
      wakeup.notify();
      const takeBack = service.timers.after(grace_ms, () => {
        desk.isCut = true;
        void service.poster.close();
      });
      await running?.catch(() => {});
      forgetUnwritten(desk);
      takeBack();
      isStopping = false;
      desk.isCut = false;
    },
  };
}

/** The callers that wait for a read after which only slow endpoints remain, until they leave. */
function createWaiters(): { wait: () => { seen: Promise<void>; leave: () => void }; begun: Look['begun'] } {
  const waiting = new Set<() => void>();
  return {
    wait: () => {
      const { promise: seen, resolve } = Promise.withResolvers<void>();
      waiting.add(resolve);
      return { seen, leave: () => waiting.delete(resolve) };
    },
    begun: () => {
      const asked = [...waiting];
      return () => {
        for (const go of asked) go();
      };
    },
  };
}

interface Look {
  isStopping: () => boolean;
  /** Notes the callers that wait when a read starts; the returned function resolves them. */
  begun: () => () => void;
}

/** Resolves when nothing is due and nothing is running. Throws storage errors after the running attempts have ended. */
async function sendAll(desk: Desk, look: Look): Promise<void> {
  const { wakeup, out, back } = desk;
  if (isWaitingToWrite(desk)) return;
  try {
    for (;;) {
      const release = look.begun();
      await writeDown(desk);
      await keepClaims(desk);
      const isTaken = !look.isStopping() && (await fill(desk));
      desk.service.heartbeat.beat('webhooks');
      if (out.size === 0 && !isTaken) return;
      if (back.length > 0) continue;
      if (!isTaken && hasOnlySlow(desk)) release();
      await wakeup.wait(poll_interval_ms);
    }
  } finally {
    while (out.size > back.length) await wakeup.wait(poll_interval_ms);
    // Unrecorded results are not sent again: the next round starts by recording them.
  }
}
