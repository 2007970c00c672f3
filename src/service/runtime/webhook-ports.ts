/** A webhook request. */
export interface WebhookRequest {
  url: string;
  /** Names in lower case. */
  headers: Record<string, string>;
  body: string;
}

/** The result of a webhook request. */
export interface WebhookResult {
  /** Null if there was no response. */
  status_code: number | null;
  /** Empty if it succeeded. */
  reason: string;
  /** The start of the response body, if it failed. */
  response: string;
  /** The wait that the endpoint requested, if any. */
  retry_after_ms: number | undefined;
  /** Wall time. */
  duration_ms: number;
}

/** Sends requests to addresses that merchants name. Never rejects. */
export interface WebhookClient {
  post: (post: WebhookRequest) => Promise<WebhookResult>;
  close: () => Promise<void>;
}

/** Sends events to subscribed endpoints. */
export interface Sender {
  /** Sends everything that is due, including what becomes due meanwhile; resolves with the number of attempts. */
  sendDue: () => Promise<number>;
  /** The same without waiting for slow endpoints; resolves with the number of recorded attempts. */
  sendPromptly: () => Promise<number>;
  /**
   * The due time of the first message, in service time, to an enabled endpoint that is not slow; null if there is
   * none.
   */
  nextDueAt: () => Promise<number | null>;
  /** Sends messages as they become due until stopped, if this process does the background work. */
  start: () => void;
  /** Starts no further attempt; resolves once the running ones are recorded. */
  stop: () => Promise<void>;
}
