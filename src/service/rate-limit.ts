import { RetryLater } from './answers.ts';
import type { Clock } from './ports/time.ts';

/** Takes one request of a key out of its bucket, or throws `rate_limited`. */
export type RateLimit = (key: string) => void;

const perSecond = 20;
const burst = 100;

interface Bucket {
  tokens: number;
  filled_at: number;
}

/** A token bucket for each key: 20 requests a second, bursts of 100 (interface, conventions). */
export function createRateLimit(wall: Clock): RateLimit {
  const buckets = new Map<string, Bucket>();
  return (key) => {
    const now = wall.now();
    const tokens = refilled(buckets.get(key), now);
    if (buckets.size > 10_000) dropFull(buckets, now);
    buckets.set(key, { tokens: tokens >= 1 ? tokens - 1 : tokens, filled_at: now });
    if (tokens >= 1) return;
    const seconds = Math.ceil((1 - tokens) / perSecond);
    throw new RetryLater('rate_limited', 'Too many requests with this key; wait a moment.', seconds, {
      ratelimit: `"default";r=0;t=${seconds}`,
      'ratelimit-policy': `"default";q=${burst};w=${burst / perSecond}`,
    });
  };
}

function refilled(bucket: Bucket | undefined, now: number): number {
  if (bucket === undefined) return burst;
  const gained = (Math.max(0, now - bucket.filled_at) / 1000) * perSecond;
  return Math.min(burst, bucket.tokens + gained);
}

function dropFull(buckets: Map<string, Bucket>, now: number): void {
  for (const [key, bucket] of buckets) if (refilled(bucket, now) >= burst) buckets.delete(key);
}
