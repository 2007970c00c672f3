/** A request as plain data: what a transport carries, in process or over HTTP. */
export interface WireRequest {
  method: string;
  /** Path with its query string, from the leading slash. */
  path: string;
  /** Names in lower case. */
  headers: Record<string, string>;
  /** UTF-8 text; empty when there is none. */
  body: string;
}

/** A request as a service receives it: a server leaves the body unread until the service wants it. */
export interface ReceivedRequest extends Omit<WireRequest, 'body'> {
  body: string | ReadBody;
  /** Names the client by its IP address; absent within one process. */
  client_address?: string;
}

/** Reads a whole body as text while the check is asked about it. Rejects with the `Problem` to answer with. */
export type ReadBody = (check: BodyCheck) => Promise<string>;

/** Refuses a body while it comes, by throwing the `Problem` to answer with. */
export interface BodyCheck {
  /** Of so many bytes, as far as that is known beforehand. */
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
  /** What comes after the body, bit by bit, where an answer has no end of its own. */
  stream?: WireStream;
}

/** Text that comes bit by bit. Whoever takes it must close it, also where nothing was read. */
export interface WireStream {
  chunks: AsyncIterable<string>;
  /** Ends it: `chunks` ends soon after. */
  close(): void;
  /** Settles once nothing more comes, whether all was taken or not. */
  ended?: Promise<void>;
}

/** Carries one request to the service and brings its answer, or rejects when no answer came. */
export type Transport = (request: WireRequest) => Promise<WireResponse>;

/** What a server tells of its work: no key, no body, no query. */
export type RequestLog =
  | {
      type: 'request';
      method: string;
      path: string;
      status: number;
      duration_ms: number;
      request_id: string | null;
    }
  | { type: 'fault'; request_id: string | null; fault: unknown };
