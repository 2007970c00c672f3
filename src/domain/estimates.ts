/** How far people may rely on an expected time. */
import type { AnyDelivery } from '../contract/deliveries.ts';
import type { CoarsePrecision, DeliveryStatus, fleet_provider, Precision } from '../contract/vocabulary.ts';
import { isEnded, isPickedUp } from './delivery-states.ts';
import { minute_ms } from './durations.ts';

/** `domain` imports types of the contract alone: this one lets no other text be written here. */
const own_drivers: typeof fleet_provider = 'fleet';
const coarsest: readonly CoarsePrecision[] = ['zip', 'street'];
const known_by_zip = { pickup: 'zip', dropoff: 'zip' } as const;

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
export function quotePrecision({
  provider,
  eta_precision = 'zip',
}: {
  provider: string;
  eta_precision?: CoarsePrecision | null | undefined;
}): CoarsePrecision | null {
  return provider === own_drivers ? eta_precision : null;
}

/** How coarse the expected time of a record is; one without the field, as of version 1, may rest on ZIP codes only. */
export function knownEtaPrecision({ service, status, details }: AnyDelivery): CoarsePrecision | null {
  const { eta_precision } = details ?? {};
  return eta_precision === undefined ? etaPrecision({ service, status }, known_by_zip) : eta_precision;
}

/** The step of windows and rough lengths. */
export const window_step_ms = 5 * minute_ms;
/** The length of a window. */
export const window_ms = 3 * window_step_ms;

/** The window around an expected time, as an ISO interval. */
export function formatEtaWindow(eta: string): string {
  const { from, to } = etaWindow(Date.parse(eta));
  return [from, to].map((at) => new Date(at).toISOString()).join('/');
}

/** The quarter of an hour around an expected time that people read instead of a minute. */
export function etaWindow(eta: number): { from: number; to: number } {
  const from = Math.floor(eta / window_step_ms - 1) * window_step_ms;
  return { from, to: from + window_ms };
}

/** The time until an expected time as people read it, in steps of five minutes. */
export function roughLeft(left_ms: number): number {
  return Math.max(1, Math.round(left_ms / window_step_ms)) * window_step_ms;
}
