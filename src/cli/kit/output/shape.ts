import type { FailureDetails } from '../errors/failure.ts';
import type { TimeStyle } from './times.ts';

/** What is known where text is made of data. */
export interface Place {
  /** By the service's clock, milliseconds since the epoch. */
  now: number;
  times: TimeStyle;
  isTerminal: boolean;
}

/** What was made of data, up to where it did not fit. */
export interface Shaped {
  text: string;
  fault: { message: string; details: FailureDetails } | null;
}

/** Makes text of data as the person wants it. */
export interface Shape {
  /** It takes the records of a list one by one; else a list is one document, but in NDJSON. */
  isEach: boolean;
  /** The text of documents, each by itself. Throws UsageError where it must be given up. */
  made(documents: readonly unknown[], place: Place): Promise<Shaped>;
}
