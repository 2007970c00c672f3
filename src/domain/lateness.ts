/** A delivery counts as late once it is so much past its dropoff ETA, in milliseconds: an ETA is an estimate. */
export const late_tolerance_ms = 5 * 60_000;
