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

/** An answer as plain data. */
export interface WireResponse {
  status: number;
  /** Names in lower case. */
  headers: Record<string, string>;
  body: string;
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
