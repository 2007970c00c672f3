import type { FailureDetails } from '../errors/failure.ts';
import type { TimeStyle } from './times.ts';

/** The context of transforming data to text. */
export interface Place {
  /** The service's time in milliseconds since the epoch. */
  now: number;
  times: TimeStyle;
  isTerminal: boolean;
}

/** The text made of data, up to the limit. */
export interface Shaped {
  text: string;
  fault: { message: string; details: FailureDetails } | null;
}

/** Transforms data to text as the user requested. */
export interface Shape {
  /** Whether records of a list are transformed one by one; otherwise a list is one document, except in NDJSON. */
  isEach: boolean;
  /** Transforms documents one by one. Throws UsageError if a document fails. */
  made(documents: readonly unknown[], place: Place): Promise<Shaped>;
}
