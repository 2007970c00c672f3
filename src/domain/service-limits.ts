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

/** How long each kind of data that deliveries no longer need is kept, in milliseconds. */
export interface Retention {
  /** Events, with the records of their webhooks. */
  events_ms: number;
  /** Attempts to send webhooks. */
  attempts_ms: number;
  /** The requests of couriers as received; their content is part of the deliveries. */
  reports_ms: number;
  /** Quotes that were not dispatched. */
  quotes_ms: number;
  /** The record of changes. */
  audit_ms: number;
  /** The stored answers of geocoders. */
  places_ms: number;
  /** The people in orders and deliveries, from their end on; null: until they are erased one by one. */
  personal_data_ms: number | null;
}

const day_ms = 24 * 60 * 60_000;

export const defaultRetention: Retention = {
  events_ms: 90 * day_ms,
  attempts_ms: 30 * day_ms,
  reports_ms: 30 * day_ms,
  quotes_ms: 90 * day_ms,
  audit_ms: 400 * day_ms,
  places_ms: 365 * day_ms,
  personal_data_ms: null,
};

/** The recipients that the operator permits, so that a key cannot send mail to anyone in the operator's name. */
export interface MailRules {
  /** Whom test mode may send to: addresses, and domains such as `@shop.example`. */
  test_recipients: readonly string[];
  /** How many messages each account and mode may send on a day (UTC). */
  per_day: number;
  /** The name beside the address that messages come from; empty: none. */
  from_name: string;
  /** Where replies go; null: to the address that messages come from. */
  reply_to: string | null;
  /** Whether accounts choose these two themselves. */
  trusts_accounts: boolean;
}

export const defaultMailRules: MailRules = {
  test_recipients: [],
  per_day: 2_000,
  from_name: '',
  reply_to: null,
  trusts_accounts: false,
};

/** Whether test mode may send to an address. */
export function isTestRecipient({ test_recipients }: MailRules, address: string): boolean {
  const own = address.toLowerCase();
  const domain = own.slice(own.lastIndexOf('@'));
  return test_recipients.some((each) => [own, domain].includes(each.toLowerCase()));
}
