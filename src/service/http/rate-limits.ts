/**
 * Limits how many requests an account, a link, a courier or an address may send. Each limit is a token bucket: a burst of
 * requests, which is allowed again in the course of its window. A refusal and an answer have the same `ratelimit` headers.
 */
import type { ServedOperation } from '../../contract/operation.ts';
import type { RateLimits } from '../../domain/operator-settings.ts';
import type { Scope } from '../../storage/database.ts';
import type { Clock } from '../runtime/time.ts';
import { RetryLater } from './answers.ts';
import type { Admit } from './authentication.ts';

export interface RateLimiter {
  /** Limits the unknown keys from an address, which is undefined within one process. */
  admitKey(client_address: string | undefined): Admit;
  /** Counts a request of an account and mode across all its keys; throws `rate_limited`. */
  takeRequest(scope: Scope): LimitHeaders;
  /** Counts a write by a link that is known, in every kind of service; throws `rate_limited`. */
  takeLink(write: LinkWrite): LimitHeaders;
  /**
   * Counts a write by an unknown link, by the address that it came from; throws `rate_limited`. Known links are not
   * counted there, so that guesses stop no link, whoever else is at that address.
   */
  takeUnknownLink(client_address: string | undefined): void;
  /** Counts a request of a courier by its push token alone: one address may serve many accounts. */
  takePush(token: string): LimitHeaders;
}

/** What is left of a limit, as headers of every answer to which it applies; empty without a limit. */
type LimitHeaders = Readonly<Record<string, string>>;

/** A write without a key, by a link. */
interface LinkWrite {
  operation: Pick<ServedOperation, 'id' | 'is_frequent'>;
  /** Decoded: a path can be written in many ways. */
  token: string;
  client_address: string | undefined;
}

/** A burst of requests, and the time in which as many are allowed again. */
interface Rate {
  burst: number;
  window_seconds: number;
}

interface Limit extends Rate {
  /** The name of its policy in the headers of a refusal. */
  name: string;
  /** The beginning of the message of a refusal. */
  excess: string;
}

/** Ten writes, and then one per minute. */
const link_limit: Limit = { name: 'changes', excess: 'Too many changes', burst: 10, window_seconds: 600 };
/** A page that sends each tap and position: sixty writes, and then one per second. */
const frequent_limit: Limit = { ...link_limit, burst: 60, window_seconds: 60 };
/** All links that are used at one address, such as those of the drivers of a shop. */
const links_limit: Limit = {
  name: 'address',
  excess: 'Too many changes from this address',
  burst: 600,
  window_seconds: 60,
};
const push_limit: Limit = {
  name: 'reports',
  excess: 'Too many reports to this address',
  burst: 500,
  window_seconds: 5,
};
const account_window_seconds = 5;
/** The least recently used entries are evicted, to limit memory. */
const max_remembered = 10_000;

export function createRateLimiter(
  clock: Clock,
  { requests_per_second, wrong_keys_per_minute }: RateLimits,
): RateLimiter {
  const wrong_rate = { burst: wrong_keys_per_minute, window_seconds: 60 };
  const admitFrom = createKeyLimit(clock, wrong_rate);
  const takeUnknown = createLimit(clock, {
    name: 'unknown-links',
    excess: 'Too many unknown links from this address',
    ...wrong_rate,
  });
  const takeRare = createLimit(clock, link_limit);
  const takeFrequent = createLimit(clock, frequent_limit);
  const takeAddress = createLimit(clock, links_limit);
  return {
    admitKey: (client_address) => (key_hash) =>
      client_address === undefined ? () => {} : admitFrom(client_address, key_hash),
    takeRequest: requests_per_second === null ? () => ({}) : createAccountLimit(clock, requests_per_second),
    takeLink: ({ operation: { id, is_frequent = false }, token, client_address }) => {
      const take = is_frequent ? takeFrequent : takeRare;
      const left = take(`${id} ${token}`);
      if (client_address !== undefined) takeAddress(client_address);
      return left;
    },
    takeUnknownLink: (client_address) => {
      if (client_address !== undefined) takeUnknown(client_address);
    },
    takePush: createLimit(clock, push_limit),
  };
}

function createAccountLimit(clock: Clock, per_second: number): RateLimiter['takeRequest'] {
  const take = createLimit(clock, {
    name: 'default',
    excess: 'Too many requests from this account',
    burst: per_second * account_window_seconds,
    window_seconds: account_window_seconds,
  });
  return ({ account_id, test_mode }) => take(`${account_id} ${test_mode}`);
}

/** Takes from buckets by name; throws `rate_limited` if one is empty. */
function createLimit(clock: Clock, limit: Limit): (name: string) => LimitHeaders {
  const buckets = createBuckets(clock, limit);
  return (name) => {
    const { seconds, left } = buckets.take(name);
    if (seconds > 0) throw refusal(limit, seconds);
    return limitHeaders(limit, left, Math.ceil(((limit.burst - left) * limit.window_seconds) / limit.burst));
  };
}

/** Recently valid keys are exempt, so that a client cannot lock out others at the same address. */
function createKeyLimit(clock: Clock, rate: Rate): (address: string, key_hash: string) => ReturnType<Admit> {
  const limit = { name: 'unknown-keys', excess: 'Too many unknown API keys from this address', ...rate };
  const buckets = createBuckets(clock, limit);
  const known = new Map<string, true>();
  return (address, key_hash) => {
    const isExempt = known.has(key_hash);
    const seconds = isExempt ? 0 : buckets.take(address).seconds;
    if (seconds > 0) throw refusal(limit, seconds);
    return (isKnown) => {
      if (!isExempt) buckets.giveBack(address);
      if (isKnown) moveToEnd(known, key_hash, true);
    };
  };
}

/** The refusal of a request; the next one is allowed in so many seconds. */
function refusal(limit: Limit, seconds: number): RetryLater {
  const message = `${limit.excess}. Retry in ${seconds} s.`;
  return new RetryLater('rate_limited', message, seconds, limitHeaders(limit, 0, seconds));
}

/** How many requests are left, and the seconds until there are more: until all are, if some are left. */
function limitHeaders({ name, burst, window_seconds }: Limit, left: number, seconds: number) {
  return {
    ratelimit: `"${name}";r=${left};t=${seconds}`,
    'ratelimit-policy': `"${name}";q=${burst};w=${window_seconds}`,
  };
}

interface Bucket {
  tokens: number;
  filled_at: number;
}

/** Token buckets by name. */
function createBuckets(clock: Clock, { burst, window_seconds }: Rate) {
  const per_second = burst / window_seconds;
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
    /** Takes a token, and returns how many whole ones are left; if there is none, with the seconds until the next one. */
    take: (name: string): { left: number; seconds: number } => {
      const now = clock.now();
      const tokens = tokensOf(name, now);
      const isLeft = tokens >= 1;
      put(name, isLeft ? tokens - 1 : tokens, now);
      return isLeft
        ? { left: Math.floor(tokens - 1), seconds: 0 }
        : { left: 0, seconds: Math.ceil((1 - tokens) / per_second) };
    },
    giveBack: (name: string): void => {
      const now = clock.now();
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
