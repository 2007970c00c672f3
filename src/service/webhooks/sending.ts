import { nextMessageDue } from '../../storage/webhook-messages.ts';
import { type Bell, createBell } from '../bell.ts';
import type { ServiceContext } from '../context.ts';
import { createLoop } from '../loop.ts';
import { whileOwner } from '../ownership.ts';
import { attempt } from './attempting.ts';
import { createOutbox, type Outbox, type Outgoing } from './outbox.ts';
import type { Sent } from './outcomes.ts';
import { giveBack, record } from './recording.ts';
import type { Sender } from './sender.ts';

// Events go out side by side, but for those of one delivery to one endpoint, of which one at a time is due. Each
// endpoint has a lane of its own, so that one that is slow or dead fills that lane only. What came of the attempts is
// written down several at once.

/** So many attempts at one endpoint are out at once; at one that has just failed, a single one. */
const lane_width = 10;
const lane_width_failing = 1;
/** So many are out in all. */
const most_out = 512;
/** The longest wait before looking again: what others write, and retries that become due meanwhile. */
const look_ms = 250;
/** So long what is out may take when the service stops. */
const grace_ms = 2_000;

interface Desk {
  service: ServiceContext;
  outbox: Outbox;
  bell: Bell;
  /** How many attempts at each endpoint are out. */
  lanes: Map<string, number>;
  /** The sequences of the messages that are out, or back and not yet written down. */
  out: Set<number>;
  /** Endpoints whose last attempt failed. */
  failing: Set<string>;
  /** Attempts that are back and not yet written down. */
  back: Sent[];
  /** Whether what is out was cut off: it counts for no attempt, and is sent again. */
  isCut: boolean;
}

/** A sender that has nothing out. */
export function openSender(service: ServiceContext): Sender {
  const round = createRound(service);
  const bell = createBell(service.timers);
  const nextDueAt = () => service.storage.run(nextMessageDue);
  const loop = createLoop({
    ...(service.onFault === undefined ? {} : { onFault: service.onFault }),
    clock: { ...service.clock, refresh: nextDueAt },
    work: () => whileOwner(service, round.sendDue),
    bell,
  });
  let stopListening = () => {};
  return {
    ...{ sendDue: round.sendDue, nextDueAt },
    start: () => {
      stopListening = service.told.listen(bell.ring);
      loop.start();
    },
    stop: async () => {
      stopListening();
      await round.stop();
      await loop.stop();
    },
  };
}

/** Rounds of sending, of which one goes on at a time: who asks for one while it does joins it. */
function createRound(service: ServiceContext): Pick<Sender, 'sendDue' | 'stop'> {
  const out = new Set<number>();
  const desk: Desk = {
    ...{ service, out, lanes: new Map(), failing: new Set(), back: [], isCut: false },
    outbox: createOutbox(service, out),
    bell: createBell(service.timers),
  };
  let running: Promise<number> | null = null;
  let isWanted = false;
  let isStopping = false;
  const run = async () => {
    const stopListening = service.told.listen(desk.bell.ring);
    try {
      let done = 0;
      do {
        isWanted = false;
        done += await sendAll(desk, () => isStopping);
      } while (isWanted && !isStopping);
      return done;
    } finally {
      stopListening();
      running = null;
    }
  };
  return {
    sendDue: () => {
      isWanted = true;
      desk.bell.ring();
      running ??= run();
      return running;
    },
    stop: async () => {
      isStopping = true;
      desk.bell.ring();
      const takeBack = service.timers.after(grace_ms, () => {
        desk.isCut = true;
        void service.poster.close();
      });
      await running?.catch(() => {});
      takeBack();
      isStopping = false;
      desk.isCut = false;
    },
  };
}

/** Ends when nothing is due and nothing is out. Throws what storage throws, once what is out is back. */
async function sendAll(desk: Desk, isStopping: () => boolean): Promise<number> {
  let done = 0;
  try {
    for (;;) {
      done += await writeDown(desk);
      const isTaken = !isStopping() && (await fill(desk));
      if (desk.out.size === 0 && desk.back.length === 0) {
        if (!isTaken) return done;
      } else if (desk.back.length === 0) await desk.bell.heard(look_ms);
    }
  } finally {
    while (desk.out.size > desk.back.length) await desk.bell.heard(look_ms);
    // Where it could not be written down, it is sent once more.
    for (const { message } of desk.back.splice(0)) desk.out.delete(message.sequence);
  }
}

async function writeDown({ service, back, out, isCut }: Desk): Promise<number> {
  if (back.length === 0) return 0;
  // Those whose answers came at the same time are written down together.
  await service.timers.turn();
  const some = back.splice(0);
  try {
    await (isCut ? giveBack : record)(service, some);
  } finally {
    for (const { message } of some) out.delete(message.sequence);
  }
  return some.length;
}

/** Sends what there is room for; whether anything was. */
async function fill(desk: Desk): Promise<boolean> {
  const { outbox, out } = desk;
  await outbox.read();
  let isAny = false;
  for (const endpoint_id of outbox.endpoints()) {
    while (out.size < most_out && hasRoom(desk, endpoint_id)) {
      const next = await outbox.take(endpoint_id);
      if (next === null) break;
      isAny = true;
      out.add(next.message.sequence);
      void send(desk, next);
    }
  }
  return isAny;
}

function hasRoom({ lanes, failing }: Desk, endpoint_id: string): boolean {
  const width = failing.has(endpoint_id) ? lane_width_failing : lane_width;
  return (lanes.get(endpoint_id) ?? 0) < width;
}

async function send(desk: Desk, { endpoint, message, sendable }: Outgoing): Promise<void> {
  const { service, lanes, failing, back, bell } = desk;
  const { id } = endpoint;
  lanes.set(id, (lanes.get(id) ?? 0) + 1);
  const began_at = service.clock.now();
  service.crash('webhook.before_send');
  const posted = await attempt(service, endpoint, sendable);
  service.crash('webhook.after_send');
  const isLast = lanes.get(id) === 1;
  if (isLast) lanes.delete(id);
  else lanes.set(id, (lanes.get(id) ?? 1) - 1);
  if (posted.reason === '') failing.delete(id);
  else failing.add(id);
  back.push({ endpoint, message, posted, began_at, ended_at: service.clock.now() });
  bell.ring();
}
