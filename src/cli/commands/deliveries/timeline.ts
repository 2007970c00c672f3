import type { Delivery } from '../../../contract/deliveries.ts';
import type { DeliveryStatus } from '../../../contract/vocabulary.ts';
import { drivenStatuses, isEnded } from '../../../domain/delivery-states.ts';

/** One step in the timeline of a delivery. */
export interface TimelineStep {
  status: DeliveryStatus;
  /** Null if the provider did not report it. */
  at: string | null;
  /** The time until the next reported step, or until now. Null for the last step and for skipped ones. */
  lasted_seconds: number | null;
  /** True if it was not reported although a later one was. */
  skipped: boolean;
}

interface Entry {
  status: DeliveryStatus;
  at: string;
}

/**
 * The steps of a delivery in order, including driver statuses that a later one skipped, as providers need not report
 * every status. `now` is the service's time in milliseconds.
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

/** All statuses that the service reported. A new delivery has no history yet: it has been as it is since its creation. */
export function entriesOf({ status, created_at, status_history }: Delivery): Entry[] {
  if (status_history.length === 0) return [{ status, at: created_at }];
  return status_history.map((each) => ({ status: each.status, at: each.created_at }));
}

function skippedStep(status: DeliveryStatus): TimelineStep {
  return { status, at: null, lasted_seconds: null, skipped: true };
}

/** The driver statuses between this entry and the furthest earlier one that no entry reports. */
function passedOver(entries: readonly Entry[], index: number): DeliveryStatus[] {
  const before = entries.slice(0, index).map(({ status }) => place(status));
  const from = Math.max(-1, ...before);
  const to = place(entries[index]?.status ?? 'request');
  const came = new Set(entries.map(({ status }) => status));
  return drivenStatuses.filter((status, at) => at > from && at < to && !came.has(status));
}

const way: readonly DeliveryStatus[] = drivenStatuses;

/**
 * The position of a status in a driver's run; statuses that only follow a pickup come after those, and others are -1.
 */
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
