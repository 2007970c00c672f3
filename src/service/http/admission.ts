import type { ReceivedRequest, ServedOperation } from '../../contract/operation.ts';
import type { RateLimits } from '../../domain/service-limits.ts';
import type { Scope } from '../../storage/database.ts';
import type { ServiceConfig } from '../runtime/context.ts';
import type { Clock } from '../runtime/time.ts';
import { RetryLater } from './answers.ts';
import type { Admit } from './authentication.ts';

interface AdmissionLimits {
  /** The shares that a request uses: by default each uses one. */
  max_used: number;
  /** Requests that wait for their turn. */
  max_waiting: number;
  max_wait_ms: number;
}

/**
 * On one core even the slowest writes take a few milliseconds each: what is admitted is answered within a second, and
 * memory does not grow with the load.
 */
export const executionLimits: AdmissionLimits = { max_used: 256, max_waiting: 1_024, max_wait_ms: 500 };
const retry_after_seconds = 1;
/**
 * On SQLite a request is executed without returning to the event loop. After this time the next request waits for a
 * turn of the loop, which accepts new connections: requests then wait in this queue, whose length is limited, and not
 * in the sockets.
 */
const max_block_ms = 10;
/** Requests admitted in one turn: writes among them share a commit, and together they take some milliseconds. */
const max_in_turn = 16;

/** Limits the shares in use, and lets their holders take turns. */
export interface Admission {
  /**
   * Waits for the turn of a request; resolves with the function that ends its use. Throws the refusal if the queue is
   * full or the turn does not come in time.
   */
  enter: (holder: Holder, amount?: number) => Promise<() => void>;
  /** Executes a request in its turn. */
  run: <T>(holder: Holder, execute: () => Promise<T>) => Promise<T>;
}

interface Waiting {
  amount: number;
  admit: () => void;
}

/** The waiting requests of a holder, in order of arrival. */
interface Queue {
  holder: Holder;
  requests: Set<Waiting>;
}

export function createAdmission(
  { timers, monotonic }: Pick<ServiceConfig, 'timers' | 'monotonic'>,
  { max_used, max_waiting, max_wait_ms }: AdmissionLimits = executionLimits,
  refusal: () => RetryLater = overloaded,
): Admission {
  const used = createFairShare(max_used);
  const waiting = createFairShare(max_waiting);
  let turned_at = Number.NEGATIVE_INFINITY;
  let isAdmitting = false;
  /** By holder: the next one first. */
  const queues = new Map<string, Queue>();
  /** Admits the first request of the next holder whose share has room; false if there is none. */
  const admitNext = (): boolean => {
    for (const [name, queue] of queues) {
      const [first] = queue.requests;
      if (first === undefined || !used.take(queue.holder, first.amount)) continue;
      first.admit();
      // The turn of this holder comes again after all others.
      queues.delete(name);
      if (queue.requests.size > 0) queues.set(name, queue);
      return true;
    }
    return false;
  };
  /** Admits a few requests in each turn of the event loop, so that others can arrive, be refused or be answered. */
  const admitInTurn = async () => {
    isAdmitting = true;
    let admitted = max_in_turn;
    while (queues.size > 0 && admitted > 0) {
      await timers.turn();
      turned_at = monotonic.now();
      admitted = 0;
      while (admitted < max_in_turn && admitNext()) admitted += 1;
    }
    isAdmitting = false;
  };
  const waitForTurn = async (holder: Holder, amount: number) => {
    if (!waiting.take(holder, 1)) throw refusal();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const name = holder.join('\n');
    const queue = queues.get(name) ?? { holder, requests: new Set() };
    queues.set(name, queue);
    const leave = () => {
      cancel();
      queue.requests.delete(request);
      if (queue.requests.size === 0) queues.delete(name);
      waiting.release(holder, 1);
    };
    const request = {
      amount,
      admit: () => {
        leave();
        resolve();
      },
    };
    const cancel = timers.after(max_wait_ms, () => {
      leave();
      reject(refusal());
    });
    queue.requests.add(request);
    if (!isAdmitting) void admitInTurn();
    await promise;
  };
  const enter: Admission['enter'] = async (holder, amount = 1) => {
    const isFree = queues.size === 0 && monotonic.now() - turned_at < max_block_ms;
    if (!isFree || !used.take(holder, amount)) await waitForTurn(holder, amount);
    return () => {
      used.release(holder, amount);
      if (!isAdmitting && queues.size > 0) void admitInTurn();
    };
  };
  return {
    enter,
    run: async (holder, execute) => {
      const leave = await enter(holder);
      return execute().finally(leave);
    },
  };
}

function overloaded(): RetryLater {
  const message = 'The service has more requests than it can answer in time. Retry in a moment.';
  return new RetryLater('overloaded', message, retry_after_seconds);
}

/**
 * Who uses a part of something limited, from a group to its member. The part of a group is divided among its members
 * as the whole is among groups.
 */
export type Holder = readonly string[];

/** A limited amount that is divided among its holders. */
interface FairShare {
  /** Takes a part; false if the holder would have more than its share. */
  take: (holder: Holder, amount: number) => boolean;
  /** Gives a part back. */
  release: (holder: Holder, amount: number) => void;
}

/**
 * A holder has at most a quarter of what the others leave. So none can take everything, and a new one finds room
 * beside several that take all they can.
 */
export function createFairShare(max: number): FairShare {
  const held = new Map<string, number>();
  let total = 0;
  const add = (holder: Holder, amount: number) => {
    total += amount;
    for (const name of namesOf(holder)) {
      const sum = (held.get(name) ?? 0) + amount;
      if (sum === 0) held.delete(name);
      else held.set(name, sum);
    }
  };
  return {
    take: (holder, amount) => {
      let [whole, used] = [max, total];
      for (const name of namesOf(holder)) {
        const own = held.get(name) ?? 0;
        whole = (whole - (used - own)) / 4;
        if (own + amount > whole) return false;
        used = own;
      }
      add(holder, amount);
      return true;
    },
    release: (holder, amount) => add(holder, -amount),
  };
}

/** The name of each level. */
function namesOf(holder: Holder): string[] {
  return holder.map((_, index) => holder.slice(0, index + 1).join('\n'));
}

// Whose share of the service's memory and time a request takes. Each account and mode has a share for its keys and
// one for its links, of which each link has a part. Requests without either share by client address.

export function keyHolder(scope: Scope): Holder {
  return [nameOf(scope)];
}

export function linkHolder(owner: Scope, token: string): Holder {
  return [`links ${nameOf(owner)}`, token];
}

export function addressHolder({ client_address = '' }: Pick<ReceivedRequest, 'client_address'>): Holder {
  return [client_address];
}

function nameOf({ account_id, test_mode }: Scope): string {
  return `${account_id} ${test_mode}`;
}

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
  const rate = { burst: per_second * burst_seconds, window_seconds: burst_seconds };
  const take = createLimit(wall, rate, ['Too many requests from this account', 'default']);
  return ({ account_id, test_mode }) => take(`${account_id} ${test_mode}`);
}

/** Ten writes, and then one per minute. */
const link_rate: Rate = { burst: 10, window_seconds: 600 };
/** A page that sends each tap and position: sixty writes, and then one per second. */
const frequent_rate: Rate = { burst: 60, window_seconds: 60 };
/** All links that are used at one address, such as those of the drivers of a shop. */
const links_rate: Rate = { burst: 600, window_seconds: 60 };
const push_rate: Rate = { burst: 500, window_seconds: 5 };

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
  const rate = { burst: per_minute, window_seconds: 60 };
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
  return (of: string): void => {
    const seconds = buckets.take(of);
    if (seconds > 0) throw limited(what, name, rate, seconds);
  };
}

/** Recently valid keys are exempt, so that a client cannot lock out others at the same address. */
function createKeyLimit(wall: Clock, per_minute: number) {
  const rate = { burst: per_minute, window_seconds: 60 };
  const buckets = createBuckets(wall, rate);
  const known = new Map<string, true>();
  return (address: string, key_hash: string): (() => void) => {
    const isKnown = known.has(key_hash);
    const seconds = isKnown ? 0 : buckets.take(address);
    if (seconds > 0)
      throw limited('Too many unknown API keys from this address', 'unknown-keys', rate, seconds);
    return () => {
      if (!isKnown) buckets.giveBack(address);
      moveToEnd(known, key_hash, true);
    };
  };
}

/** The next request is allowed in so many seconds. */
function limited(what: string, name: string, { burst, window_seconds }: Rate, seconds: number): RetryLater {
  return new RetryLater('rate_limited', `${what}. Retry in ${seconds} s.`, seconds, {
    ratelimit: `"${name}";r=0;t=${seconds}`,
    'ratelimit-policy': `"${name}";q=${burst};w=${window_seconds}`,
  });
}

interface Bucket {
  tokens: number;
  filled_at: number;
}

/** A burst of requests, and the time in which as many are allowed again. */
interface Rate {
  burst: number;
  window_seconds: number;
}

/** Token buckets by name. */
function createBuckets(wall: Clock, { burst, window_seconds }: Rate) {
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
