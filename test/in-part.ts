/**
 * Tables whose rows differ little: the everyday run takes a part of one, as said here, and the heavy run, which finds the
 * files by their import of this one, takes all of it.
 */

/** Whether each table is taken as a whole. */
export const isWhole = process.env.WHOLE_TABLES === 'true';

/** Filters the rows whose place, counted from 0, leaves `rest` when divided by `step`. */
export const oneOf =
  (step: number, rest = 0) =>
  (_: unknown, place: number): boolean =>
    isWhole || place % step === rest;
