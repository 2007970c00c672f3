import type { Delivery } from '../../../contract/deliveries.ts';
import type { DeliveryStatus } from '../../../contract/vocabulary.ts';
import { drivenStatuses, isEnded } from '../../../domain/delivery-states.ts';

/** One part of a delivery's life. */
export interface TimelineStep {
  status: DeliveryStatus;
  /** When it came; null where the provider never reported it. */
  at: string | null;
  /** How long it stayed: until the next one that was reported, or until now. Null for the end, and for what was skipped. */
  lasted_seconds: number | null;
  /** Whether it never came, though a later one did. */
  skipped: boolean;
}

interface Entry {
  status: DeliveryStatus;
  at: string;
}

/**
 * The life of a delivery in order, with the statuses of a driver's way that a later one passed over; providers need
 * not report every status. `now` is the service's, in milliseconds.
 */
export function timelineOf(delivery: Delivery, now: number): TimelineStep[] {
  const entries = entriesOf(delivery);
  return entries.flatMap((entry, index) => [
    ...passedOver(entries, index).map(skippedStep),
    {
      status: entry.status,
      at: entry.at,
      lasted_seconds: lasted(entry, entries[index + 1], now),
      skipped: false,
    },
  ]);
}

/** All that it entered. A new delivery has no history yet: it is a request from when it was made. */
export function entriesOf({ status, created_at, status_history }: Delivery): Entry[] {
  const entries = status_history.map((each) => ({ status: each.status, at: each.created_at }));
  const [first] = entries;
  const waited = first === undefined || Date.parse(first.at) > Date.parse(created_at);
  if (!waited || first?.status === 'request') return entries;
  return [{ status: first === undefined ? status : 'request', at: created_at }, ...entries];
}

function skippedStep(status: DeliveryStatus): TimelineStep {
  return { status, at: null, lasted_seconds: null, skipped: true };
}

/** The driven statuses between this entry and the furthest before it that no entry has at all. */
function passedOver(entries: readonly Entry[], index: number): DeliveryStatus[] {
  const before = entries.slice(0, index).map(({ status }) => place(status));
  const from = Math.max(-1, ...before);
  const to = place(entries[index]?.status ?? 'request');
  const came = new Set(entries.map(({ status }) => status));
  return drivenStatuses.filter((status, at) => at > from && at < to && !came.has(status));
}

const way: readonly DeliveryStatus[] = drivenStatuses;

/** Where a status stands on a driver's way; what only follows a pickup comes after that, -1 what is not on the way. */
function place(status: DeliveryStatus): number {
  if (status === 'delivered') return drivenStatuses.length;
  if (status === 'enroute_to_return') return drivenStatuses.indexOf('pickup_complete') + 1;
  return way.indexOf(status);
}

function lasted({ status, at }: Entry, next: Entry | undefined, now: number): number | null {
  if (next === undefined && isEnded(status)) return null;
  const until = next === undefined ? now : Date.parse(next.at);
  return Math.max(0, Math.floor((until - Date.parse(at)) / 1000));
}
