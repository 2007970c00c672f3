/** The types of calls that programs use: their options and answers, and the part of `fetch` that sends them. */

/** The options of each call besides its own fields. */
export interface CallOptions {
  /**
   * Repeats of a call with the same key change nothing and give the first answer. Default: a fresh key for a POST.
   */
  idempotencyKey?: string | undefined;
  /** More headers of the request, such as `x-simulation`. */
  headers?: Record<string, string>;
  /** Ends the call: it rejects with the reason of the signal. What a write has done by then is unknown. */
  signal?: AbortSignal | undefined;
  /** For each attempt of the request; default: the client's. */
  timeout_ms?: number | undefined;
  /** How often the request is sent again at most; default: the client's. */
  maxNetworkRetries?: number | undefined;
}

/** The answer to a call. */
export interface Answer<T> {
  data: T;
  /** The service's own clock when it answered, in milliseconds since 1970. */
  service_time: number | null;
  request_id: string | null;
  status: number;
  /** Whether this is the stored answer of an earlier request with the same idempotency key. */
  replayed: boolean;
  /** Set if a list may have more records: it looks like a full page, and the service does not say whether it is all. */
  may_have_more?: boolean;
  /** How many records of a list were searched, where the service ignores the filters. */
  searched?: number;
}

/** One page of records. */
export interface Page<T> {
  object: 'list';
  data: T[];
  has_more: boolean;
  /** Null at the end; null too if the service has more records and no way to read them. */
  next_cursor: string | null;
}

/** A page of a list when it is awaited; all records, page by page, in `for await`. */
export interface List<T> extends Promise<Answer<Page<T>>>, AsyncIterable<T> {}

/** The part of `fetch` that the client uses: the one of Node, browsers and edge runtimes fits, or one of your own. */
export type Fetch = (url: string, init: FetchInit) => Promise<FetchResponse>;

export interface FetchInit {
  method: string;
  headers: Record<string, string>;
  body?: string;
  redirect: 'manual';
  signal: AbortSignal;
}

export interface FetchResponse {
  status: number;
  headers: { forEach(each: (value: string, name: string) => void): void };
  /** Read for streams only. */
  body: FetchBody | null;
  text(): Promise<string>;
}

export interface FetchBody {
  getReader(): { read(): Promise<{ done: boolean; value?: Uint8Array | undefined }> };
}
