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

/** The maximum number of concurrent attempts; a lane without any always gets one. */
const most_out = 1_000;
/** An attempt that takes longer counts as slow: other work continues without it. */
const slow_ms = 500;
/** The wait between two attempts to record outcomes while the storage is unavailable. */
const min_write_wait_ms = 500;
const max_write_wait_ms = 8_000;

/** The running attempts, and the results to record. */
export interface Desk {
  service: ServiceContext;
  outbox: Outbox;
  /** Messages that cannot be sent or recorded. */
  failed: FailedMessages;
  wakeup: Wakeup;
  widths: Widths;
  /** The number of running attempts in each lane. */
  lanes: Map<string, number>;
  /** The messages being sent or recorded, by sequence. */
  out: Map<number, Out>;
  /** Results that are not recorded yet. */
  back: Sent[];
  /** The number of recorded attempts. */
  written: number;
  /** While outcomes cannot be recorded: the number of failures, and the time of the next attempt. */
  unwritten: { failures: number; retry_at: number } | null;
  /** When the claims of running attempts were last made or renewed. */
  renewed_at: number;
  /** Whether running attempts were interrupted: they do not count, and are repeated. */
  isCut: boolean;
}

interface Out {
  endpoint_id: string;
  since: number;
}

/** A state without attempts. */
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

/** The endpoints that are not waited for: with a slow attempt or a skipped message. */
export function waitingEndpoints(desk: Desk): string[] {
  return [...new Set([...slowEndpoints(desk), ...desk.failed.endpoints()])];
}

/** The endpoints with a slow attempt. */
function slowEndpoints({ out, service }: Desk): string[] {
  const before = service.monotonic.now() - slow_ms;
  const slow = [...out.values()].filter(({ since }) => since <= before);
  return [...new Set(slow.map(({ endpoint_id }) => endpoint_id))];
}

/** Whether only slow endpoints have running attempts. */
export function hasOnlySlow(desk: Desk): boolean {
  const slow = new Set(slowEndpoints(desk));
  return [...desk.out.values()].every(({ endpoint_id }) => slow.has(endpoint_id));
}

/** Starts as many attempts as there is room for; returns whether it started any, or another read may find some. */
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

/** Records the results. If the storage is unavailable, the next call records them. */
export async function writeDown(desk: Desk): Promise<void> {
  const { service, back, out, outbox } = desk;
  if (back.length === 0) return;
  // Results that arrive at the same time are recorded together.
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

/**
 * Messages whose results cannot be recorded stay reserved, so that they are not sent again, and are recorded once the
 * storage is back.
 */
function noteUnwritten(desk: Desk): void {
  const failures = (desk.unwritten?.failures ?? 0) + 1;
  const wait_ms = Math.min(max_write_wait_ms, min_write_wait_ms * 2 ** (failures - 1));
  desk.unwritten = { failures, retry_at: desk.service.monotonic.now() + wait_ms };
}

/** Whether recording failed and its next attempt is not due yet: nothing else is sent meanwhile. */
export function isWaitingToWrite({ unwritten, service }: Desk): boolean {
  return unwritten !== null && service.monotonic.now() < unwritten.retry_at;
}

/** Drops unrecorded results: the messages are sent again by the next sender. */
export function forgetUnwritten(desk: Desk): void {
  for (const { message } of desk.back.splice(0)) desk.out.delete(message.sequence);
  desk.unwritten = null;
}

/** Renews the claims of running attempts, if other workers rely on them. */
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
    // A worker that takes a message over sends it twice, which is allowed.
    service.onFault?.(fault, null);
  }
}
