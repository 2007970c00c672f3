import type { ServedOperation } from '../../contract/operation.ts';
import type { RateLimits } from '../../domain/service-limits.ts';
import type { Scope } from '../../storage/database.ts';
import type { Clock } from '../runtime/time.ts';
import { RetryLater } from './answers.ts';
import type { Admit } from './authentication.ts';

/** The size of a burst, in seconds of requests. */
const burst_seconds = 5;
/** The least recently used entries are evicted, to limit memory. */
const max_remembered = 10_000;

export interface RateLimiter {
  /** Limits the unknown keys from an address, which is undefined within one process. */
  admitKey(client_address: string | undefined): Admit;
  /** Counts a request of an account and mode across all its keys; throws `rate_limited`. */
  takeRequest(scope: Scope): void;
  /** Counts a write by a link that is known, in every kind of service; throws `rate_limited`. */
  takeLink(write: LinkWrite): void;
  /**
   * Counts a write by an unknown link, by the address that it came from; throws `rate_limited`. Known links are not
   * counted there, so that guesses stop no link, whoever else is at that address.
   */
  takeUnknownLink(client_address: string | undefined): void;
  /** Counts a request of a courier by its push token alone: one address may serve many accounts. */
  takePush(token: string): void;
}

/** A write without a key, by a link. */
export interface LinkWrite {
  operation: Pick<ServedOperation, 'id' | 'is_frequent'>;
  /** Decoded: a path can be written in many ways. */
  token: string;
  client_address: string | undefined;
}

export function createRateLimiter(
  wall: Clock,
  { requests_per_second, wrong_keys_per_minute }: RateLimits,
): RateLimiter {
  const admitFrom = createKeyLimit(wall, wrong_keys_per_minute);
  return {
    admitKey: (client_address) => (key_hash) =>
      client_address === undefined ? () => {} : admitFrom(client_address, key_hash),
    takeLink: createLinkLimit(wall),
    takeUnknownLink: createUnknownLinkLimit(wall, wrong_keys_per_minute),
    takePush: createPushLimit(wall),
    takeRequest: requests_per_second === null ? () => {} : createRequestLimit(wall, requests_per_second),
  };
}

function createRequestLimit(wall: Clock, per_second: number): RateLimiter['takeRequest'] {
  const burst = per_second * burst_seconds;
  const buckets = createBuckets(wall, { per_second, burst });
  return ({ account_id, test_mode }) => {
    const seconds = buckets.take(`${account_id} ${test_mode}`);
    if (seconds > 0)
      throw limited('Too many requests from this account', 'default', { burst, burst_seconds, seconds });
  };
}

/** Ten writes, and then one per minute. */
const link_rate: Rate = { per_second: 1 / 60, burst: 10 };
/** A page that sends each tap and position: sixty writes, and then one per second. */
const frequent_rate: Rate = { per_second: 1, burst: 60 };
/** All links that are used at one address, such as those of the drivers of a shop. */
const links_rate: Rate = { per_second: 10, burst: 600 };
const push_rate: Rate = { per_second: 100, burst: 500 };

function createLinkLimit(wall: Clock): RateLimiter['takeLink'] {
  const takeRare = createLimit(wall, link_rate, ['Too many changes', 'changes']);
  const takeFrequent = createLimit(wall, frequent_rate, ['Too many changes', 'changes']);
  const takeAddress = createLimit(wall, links_rate, ['Too many changes from this address', 'address']);
  return ({ operation: { id, is_frequent = false }, token, client_address }) => {
    (is_frequent ? takeFrequent : takeRare)(`${id} ${token}`);
    if (client_address !== undefined) takeAddress(client_address);
  };
}

function createUnknownLinkLimit(wall: Clock, per_minute: number): RateLimiter['takeUnknownLink'] {
  const rate = { per_second: per_minute / 60, burst: per_minute };
  const take = createLimit(wall, rate, ['Too many unknown links from this address', 'unknown-links']);
  return (client_address) => {
    if (client_address !== undefined) take(client_address);
  };
}

function createPushLimit(wall: Clock): RateLimiter['takePush'] {
  return createLimit(wall, push_rate, ['Too many reports to this address', 'reports']);
}

/** Takes from buckets by name; throws `rate_limited` if one is empty. */
function createLimit(wall: Clock, rate: Rate, [what, name]: [what: string, name: string]) {
  const buckets = createBuckets(wall, rate);
  const { burst, per_second } = rate;
  return (of: string): void => {
    const seconds = buckets.take(of);
    if (seconds > 0) throw limited(what, name, { burst, burst_seconds: burst / per_second, seconds });
  };
}

/** Recently valid keys are exempt, so that a client cannot lock out others at the same address. */
function createKeyLimit(wall: Clock, per_minute: number) {
  const buckets = createBuckets(wall, { per_second: per_minute / 60, burst: per_minute });
  const known = new Map<string, true>();
  return (address: string, key_hash: string): (() => void) => {
    const isKnown = known.has(key_hash);
    const seconds = isKnown ? 0 : buckets.take(address);
    if (seconds > 0) {
      const policy = { burst: per_minute, burst_seconds: 60, seconds };
      throw limited('Too many unknown API keys from this address', 'unknown-keys', policy);
    }
    return () => {
      if (!isKnown) buckets.giveBack(address);
      moveToEnd(known, key_hash, true);
    };
  };
}

interface Policy {
  burst: number;
  burst_seconds: number;
  /** Until the next request is allowed. */
  seconds: number;
}

function limited(what: string, name: string, { burst, burst_seconds: window, seconds }: Policy): RetryLater {
  return new RetryLater('rate_limited', `${what}. Retry in ${seconds} s.`, seconds, {
    ratelimit: `"${name}";r=0;t=${seconds}`,
    'ratelimit-policy': `"${name}";q=${burst};w=${window}`,
  });
}

interface Bucket {
  tokens: number;
  filled_at: number;
}

interface Rate {
  per_second: number;
  burst: number;
}

/** Token buckets by name. */
function createBuckets(wall: Clock, { per_second, burst }: Rate) {
  const buckets = new Map<string, Bucket>();
  const tokensOf = (name: string, now: number): number => {
    const bucket = buckets.get(name);
    if (bucket === undefined) return burst;
    const gained = (Math.max(0, now - bucket.filled_at) / 1000) * per_second;
    return Math.min(burst, bucket.tokens + gained);
  };
  const put = (name: string, tokens: number, now: number) =>
    moveToEnd(buckets, name, { tokens, filled_at: now });
  return {
    /** Takes a token; if there is none, returns the seconds until the next one. */
    take: (name: string): number => {
      const now = wall.now();
      const tokens = tokensOf(name, now);
      put(name, tokens >= 1 ? tokens - 1 : tokens, now);
      return tokens >= 1 ? 0 : Math.ceil((1 - tokens) / per_second);
    },
    giveBack: (name: string): void => {
      const now = wall.now();
      put(name, Math.min(burst, tokensOf(name, now) + 1), now);
    },
  };
}

/** Moves an entry to the end, and evicts the first if there are too many. */
function moveToEnd<T>(entries: Map<string, T>, name: string, value: T): void {
  entries.delete(name);
  entries.set(name, value);
  const [oldest] = entries.keys();
  if (entries.size > max_remembered && oldest !== undefined) entries.delete(oldest);
}
