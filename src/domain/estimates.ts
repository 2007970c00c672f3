/**
 * How exact expected times are, and how people read those that are not. Companies know where their couriers go; the times
 * of own drivers rest on the places of the stops, of which only the street or the ZIP code may be known. Such a time is a
 * window (10:12 is `10:05` to `10:20`), and what is left until it is rounded (13 minutes are `about 15 min`).
 */
import type { AnyDelivery } from '../contract/deliveries.ts';
import type { CoarsePrecision, DeliveryStatus, fleet_provider, Precision } from '../contract/vocabulary.ts';
import { isEnded, isPickedUp } from './delivery-states.ts';
import { minute_ms } from './durations.ts';

/** `domain` imports only types of the contract: the type of its constant keeps the two the same. */
const own_drivers: typeof fleet_provider = 'fleet';
const coarsest: readonly CoarsePrecision[] = ['zip', 'street'];

/**
 * How coarse the places are that the expected times of an own driver rest on: those of both ends, after the pickup that
 * of the dropoff. Null if the houses are known, and for couriers of companies, which know where they go.
 */
export function etaPrecision(
  { service, status }: { service: string; status: DeliveryStatus },
  { pickup, dropoff }: { pickup: Precision; dropoff: Precision },
): CoarsePrecision | null {
  if (service !== own_drivers || isEnded(status)) return null;
  return coarsestOf(isPickedUp(status) ? [dropoff] : [pickup, dropoff]);
}

/** The coarsest precision; null if the houses are known. */
export function coarsestOf(known: readonly Precision[]): CoarsePrecision | null {
  return coarsest.find((coarse) => known.includes(coarse)) ?? null;
}

/** How coarse the places are that the times of a quote rest on; a quote without the field may rest on ZIP codes only. */
export function quotePrecision(quote: {
  provider: string;
  eta_precision?: CoarsePrecision | null | undefined;
}) {
  const { provider, eta_precision = 'zip' } = quote;
  return provider === own_drivers ? eta_precision : null;
}

/** How coarse the expected time of a record is; one without the field, as of version 1, may rest on ZIP codes only. */
export function knownEtaPrecision({ service, status, details }: AnyDelivery): CoarsePrecision | null {
  const { eta_precision } = details ?? {};
  if (eta_precision !== undefined) return eta_precision;
  return etaPrecision({ service, status }, { pickup: 'zip', dropoff: 'zip' });
}

/** The step of windows and rough lengths. */
export const window_step_ms = 5 * minute_ms;
/** The length of a window. */
export const window_ms = 3 * window_step_ms;

/** The quarter of an hour around an expected time that people read instead of a minute. */
export function etaWindow(eta: number): { from: number; to: number } {
  const from = Math.floor(eta / window_step_ms - 1) * window_step_ms;
  return { from, to: from + window_ms };
}

/** The window as an ISO interval: `2026-03-02T10:05:00.000Z/2026-03-02T10:20:00.000Z`. */
export function formatEtaWindow(eta: string): string {
  const { from, to } = etaWindow(Date.parse(eta));
  return [from, to].map((at) => new Date(at).toISOString()).join('/');
}

/** The time until an expected time as people read it, in steps of five minutes. */
export function roughLeft(left_ms: number): number {
  return Math.max(1, Math.round(left_ms / window_step_ms)) * window_step_ms;
}
