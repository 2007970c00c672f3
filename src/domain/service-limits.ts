/** Limits for HTTP clients, so that none of them exhausts the server. */
export interface HttpLimits {
  /** Maximum open connections; for another one, the client address with the most of them loses one. */
  max_connections: number;
  /** From the first byte of a request to its last. */
  request_timeout_ms: number;
  /** Time limit for a client to read a response, or each chunk of a stream. */
  response_timeout_ms: number;
  /** How long a connection stays open without a request. */
  idle_timeout_ms: number;
  /** Networks whose X-Forwarded-For header is trusted: `10.0.0.0/8`, or one address. */
  trusted_proxies: readonly string[];
  /** Maximum bytes of all bodies being received or processed, divided among accounts. */
  max_body_bytes: number;
}

export const defaultLimits: HttpLimits = {
  max_connections: 2_000,
  request_timeout_ms: 15_000,
  response_timeout_ms: 30_000,
  idle_timeout_ms: 5_000,
  trusted_proxies: [],
  max_body_bytes: 64 * 1024 * 1024,
};

/** Request rate limits. */
export interface RateLimits {
  /** Per second for each account and mode; null: unlimited. */
  requests_per_second: number | null;
  /** Per minute for each client address. */
  wrong_keys_per_minute: number;
}

/** A sandbox has no request limit. */
export function defaultRateLimits({ sandbox }: { sandbox: boolean }): RateLimits {
  return { requests_per_second: sandbox ? null : 20, wrong_keys_per_minute: 60 };
}
