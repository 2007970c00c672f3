/** What a server allows its clients, so that none of them takes what the others need. */
export interface HttpLimits {
  /** Connections at a time; the server closes what comes on top. */
  max_connections: number;
  /** From the first byte of a request to its last. */
  request_timeout_ms: number;
  /** For a client to take an answer; of a stream, each piece of it. */
  response_timeout_ms: number;
  /** How long a connection stays open without a request. */
  idle_timeout_ms: number;
  /** Networks whose X-Forwarded-For header is believed: `10.0.0.0/8`, or one address. */
  trusted_proxies: readonly string[];
  /** Bytes of all bodies that are being read or worked on. */
  max_body_bytes: number;
}

export const defaultLimits: HttpLimits = {
  max_connections: 2_000,
  request_timeout_ms: 15_000,
  response_timeout_ms: 30_000,
  idle_timeout_ms: 5_000,
  trusted_proxies: [],
  max_body_bytes: 32 * 1024 * 1024,
};

/** How many requests a service takes from whom. */
export interface RateLimits {
  /** A second, for each account and mode; null: as many as come. */
  requests_per_second: number | null;
  /** A minute, for each address of a client. */
  wrong_keys_per_minute: number;
}

/** A sandbox takes as many requests as come. */
export function defaultRateLimits({ sandbox }: { sandbox: boolean }): RateLimits {
  return { requests_per_second: sandbox ? null : 20, wrong_keys_per_minute: 60 };
}
