/** A request as plain data, as a transport carries it in process or over HTTP. */
export interface WireRequest {
  method: string;
  /** Path with its query string, from the leading slash. */
  path: string;
  /** Names in lower case. */
  headers: Record<string, string>;
  /** UTF-8 text; empty when there is none. */
  body: string;
}

/** A request as the service receives it: the body is read only when the service needs it. */
export interface ReceivedRequest extends Omit<WireRequest, 'body'> {
  body: string | ReadBody;
  /** The client's IP address; absent within one process. */
  client_address?: string;
}

/**
 * Reads the whole body as text while `check` limits it, into memory that `holder` has a share of. Rejects with the
 * `Problem` to respond with.
 */
export type ReadBody = (check: BodyCheck, holder: readonly string[]) => Promise<string>;

/** Limits a body while it is received, by throwing the `Problem` to respond with. */
export interface BodyCheck {
  /** Called with the number of bytes, as far as it is known in advance. */
  length(bytes: number): void;
  /** With this as its next bytes. */
  next(chunk: Uint8Array): void;
}

/** An answer as plain data. */
export interface WireResponse {
  status: number;
  /** Names in lower case. */
  headers: Record<string, string>;
  body: string;
  /** Set if the body is binary data, written in base64. */
  encoding?: 'base64';
  /** The streamed rest of the body, for responses without a fixed end. */
  stream?: WireStream;
}

/** A stream of text. The consumer must close it, even if nothing was read. */
export interface WireStream {
  chunks: AsyncIterable<string>;
  /** Closes the stream; `chunks` ends soon after. */
  close(): void;
  /** Settles once the stream has ended, whether or not it was fully read. */
  ended?: Promise<void>;
}

/** Sends one request to the service and returns its response; rejects if there was none. */
export type Transport = (request: WireRequest) => Promise<WireResponse>;

/** A log entry of the server: without key, body, query and personal data. Times are wall time. */
export type RequestLog =
  | {
      type: 'request';
      at: number;
      method: string;
      /** Null if it reached no operation. */
      operation: string | null;
      path: string;
      status: number;
      duration_ms: number;
      request_id: string | null;
      /** Null without a valid key. */
      account_id: string | null;
      mode: 'test' | 'live' | null;
      /** The last four characters of the key. */
      key_end: string | null;
    }
  | { type: 'fault'; at: number; request_id: string | null; fault: unknown };
