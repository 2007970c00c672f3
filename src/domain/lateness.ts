/**
 * An ETA at the dropoff is the courier's arrival there; the handover takes some minutes after it. So much later than its
 * ETA a delivery may be there without being late, in milliseconds.
 */
export const handover_ms = 5 * 60_000;
