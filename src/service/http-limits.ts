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
  /** Bytes of all bodies that are being read or worked on. */
  max_body_bytes: number;
}

export const defaultLimits: HttpLimits = {
  max_connections: 2_000,
  request_timeout_ms: 15_000,
  response_timeout_ms: 30_000,
  idle_timeout_ms: 5_000,
  max_body_bytes: 32 * 1024 * 1024,
};
