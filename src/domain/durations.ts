/** Lengths of time in milliseconds. */
export const second_ms = 1000;
export const minute_ms = 60 * second_ms;
export const hour_ms = 60 * minute_ms;
export const day_ms = 24 * hour_ms;
/** The longest delay of a timer: a longer one would be over at once. */
export const max_timer_ms = 2_147_483_647;
