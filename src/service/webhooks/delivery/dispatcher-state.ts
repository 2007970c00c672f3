import { StorageUnavailable } from '../../../storage/errors.ts';
import { shifted } from '../../../storage/lease-time.ts';
import { renewMessages } from '../../../storage/webhook-messages.ts';
import type { ServiceContext } from '../../runtime/context.ts';
import { createWakeup, type Wakeup } from '../../runtime/wakeup.ts';
import { leaseCutoff } from '../../tasks/task-leases.ts';
import { attempt } from './attempt.ts';
import type { Sent } from './attempt-outcome.ts';
import { createWidths, type Widths } from './concurrency-limits.ts';
import { createFailedMessages, type FailedMessages } from './failed-messages.ts';
import { createOutbox, type Lane, lease_ms, type Outbox, type Outgoing } from './prefetch-buffer.ts';
import { giveBack, record } from './record-attempts.ts';

/** So many attempts are out in all; a lane that has none out gets one all the same. */
const most_out = 1_000;
/** An attempt that is out for longer is slow: what does not depend on it goes on. */
const slow_ms = 500;
/** Between two tries to write outcomes while the storage does not take them. */
const min_write_wait_ms = 500;
const max_write_wait_ms = 8_000;

/** What is out, and what is back. */
export interface Desk {
  service: ServiceContext;
  outbox: Outbox;
  /** What cannot be sent or written down. */
  failed: FailedMessages;
  wakeup: Wakeup;
  widths: Widths;
  /** How many attempts are out in each lane. */
  lanes: Map<string, number>;
  /** The messages that are out, or back and not yet written down, by their sequence. */
  out: Map<number, Out>;
  /** Attempts that are back and not yet written down. */
  back: Sent[];
  /** How many were written down. */
  written: number;
  /** While outcomes cannot be written: how often that has failed, and when it is tried again. */
  unwritten: { failures: number; retry_at: number } | null;
  /** When the claims of what is out were made or renewed last. */
  renewed_at: number;
  /** Whether what is out was cut off: it counts for no attempt, and is sent again. */
  isCut: boolean;
}

interface Out {
  endpoint_id: string;
  since: number;
}

/** A desk with nothing on it. */
export function createDesk(service: ServiceContext): Desk {
  const out = new Map<number, Out>();
  const failed = createFailedMessages(service);
  return {
    ...{ service, out, lanes: new Map(), back: [], written: 0, unwritten: null, renewed_at: 0, isCut: false },
    outbox: createOutbox(service, { out, failed }),
    failed,
    wakeup: createWakeup(service.timers),
    widths: createWidths(),
  };
}

/** The endpoints that nobody waits for: an attempt has been out there for long, or a message is left alone. */
export function waitingEndpoints(desk: Desk): string[] {
  return [...new Set([...slowEndpoints(desk), ...desk.failed.endpoints()])];
}

/** The endpoints at which an attempt has been out for long. */
function slowEndpoints({ out, service }: Desk): string[] {
  const before = service.monotonic.now() - slow_ms;
  const slow = [...out.values()].filter(({ since }) => since <= before);
  return [...new Set(slow.map(({ endpoint_id }) => endpoint_id))];
}

/** Whether there is nothing to wait for but endpoints that are slow. */
export function hasOnlySlow(desk: Desk): boolean {
  const slow = new Set(slowEndpoints(desk));
  return [...desk.out.values()].every(({ endpoint_id }) => slow.has(endpoint_id));
}

/** Sends what there is room for; whether anything was, or may be at another look. */
export async function fill(desk: Desk): Promise<boolean> {
  const { outbox, lanes, out, widths } = desk;
  const hasRoom = ({ name, endpoint_id }: Lane) => {
    const count = lanes.get(name) ?? 0;
    return count < widths.of(endpoint_id) && (out.size < most_out || count === 0);
  };
  await outbox.read(hasRoom);
  let isAny = false;
  for (const lane of outbox.lanes()) {
    while (hasRoom(lane)) {
      const next = await outbox.take(lane);
      if (next === null) break;
      isAny = true;
      void send(desk, lane, next);
    }
  }
  return outbox.hasMissed() || isAny;
}

async function send(desk: Desk, { name }: Lane, { endpoint, message, sendable }: Outgoing): Promise<void> {
  const { service, lanes, out, widths, back, wakeup } = desk;
  out.set(message.sequence, { endpoint_id: endpoint.id, since: service.monotonic.now() });
  lanes.set(name, (lanes.get(name) ?? 0) + 1);
  const began_at = service.clock.now();
  service.crash('webhook.before_send');
  const posted = await attempt(service, endpoint, sendable);
  service.crash('webhook.after_send');
  const left = (lanes.get(name) ?? 1) - 1;
  if (left === 0) lanes.delete(name);
  else lanes.set(name, left);
  if (!desk.isCut) widths.note(endpoint.id, posted.reason === '');
  back.push({ endpoint, message, posted, began_at, ended_at: service.clock.now() });
  wakeup.notify();
}

/** Writes down what is back. What cannot be written as the storage is away is written by the next call. */
export async function writeDown(desk: Desk): Promise<void> {
  const { service, back, out, outbox } = desk;
  if (back.length === 0) return;
  // Those whose answers came at the same time are written down together.
  await service.timers.turn();
  const some = back.splice(0);
  try {
    await (desk.isCut ? giveBack(service, some) : record(service, desk.failed, some));
  } catch (fault) {
    back.unshift(...some);
    noteUnwritten(desk);
    throw fault;
  }
  desk.unwritten = null;
  for (const { message } of some) out.delete(message.sequence);
  for (const { endpoint } of some) outbox.lookAnew(endpoint.id);
  desk.written += some.length;
}

/** What cannot be written stays out, so that it is not sent again, and is written once the storage takes it. */
function noteUnwritten(desk: Desk): void {
  const failures = (desk.unwritten?.failures ?? 0) + 1;
  const wait_ms = Math.min(max_write_wait_ms, min_write_wait_ms * 2 ** (failures - 1));
  desk.unwritten = { failures, retry_at: desk.service.monotonic.now() + wait_ms };
}

/** Whether outcomes could not be written and it is not yet time to try that again: nothing else is sent meanwhile. */
export function isWaitingToWrite({ unwritten, service }: Desk): boolean {
  return unwritten !== null && service.monotonic.now() < unwritten.retry_at;
}

/** Forgets what is back and not written: it is sent again by whoever comes next. */
export function forgetUnwritten(desk: Desk): void {
  for (const { message } of desk.back.splice(0)) desk.out.delete(message.sequence);
  desk.unwritten = null;
}

/** Keeps the claims of what is out alive, where others go by them. */
export async function keepClaims(desk: Desk): Promise<void> {
  const { service, out } = desk;
  const now = service.monotonic.now();
  const leased_from = leaseCutoff(service);
  if (out.size === 0 || leased_from === undefined) return;
  if (now - desk.renewed_at < lease_ms / 4) return;
  desk.renewed_at = now;
  try {
    await service.storage.run((db) => renewMessages(db, [...out.keys()], shifted(leased_from, lease_ms)));
  } catch (fault) {
    if (fault instanceof StorageUnavailable) throw fault;
    // Whoever takes one over then sends it twice, which is allowed.
    service.onFault?.(fault, null);
  }
}
