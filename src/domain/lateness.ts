/** How long after its dropoff ETA a delivery counts as late, in milliseconds. */
export const late_tolerance_ms = 5 * 60_000;
