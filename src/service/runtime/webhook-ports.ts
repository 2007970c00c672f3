/** What is sent to an endpoint. */
export interface Post {
  url: string;
  /** Names in lower case. */
  headers: Record<string, string>;
  body: string;
}

/** What came of it. */
export interface Posted {
  /** Null where no answer came. */
  status_code: number | null;
  /** Empty where it succeeded. */
  reason: string;
  /** The beginning of the answer, where it failed. */
  response: string;
  /** How long the endpoint asks to be left alone, where it does. */
  retry_after_ms: number | undefined;
  /** Wall time. */
  duration_ms: number;
}

/** Sends to the addresses that merchants have named. Never rejects. */
export interface Poster {
  post: (post: Post) => Promise<Posted>;
  close: () => Promise<void>;
}

/** Sends events to the endpoints that ask for them. */
export interface Sender {
  /** Sends all that is due now, and what becomes due meanwhile; tells how many attempts there were. */
  sendDue: () => Promise<number>;
  /** The same, but does not wait for endpoints that are slow; tells how many attempts were written down meanwhile. */
  sendPromptly: () => Promise<number>;
  /** When the first message is due, in service time, to an enabled endpoint that is not slow; null where there is none. */
  nextDueAt: () => Promise<number | null>;
  /** Goes on sending whatever becomes due, where this process does the background work, until it is stopped. */
  start: () => void;
  /** Takes no further message; ends once what is out is written down. */
  stop: () => Promise<void>;
}
