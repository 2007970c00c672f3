import type { UnavailableReason } from '../../storage/errors.ts';
import type { StorageStatistics } from '../../storage/storage.ts';
import type { CircuitBreakers } from '../runtime/circuit-breaker.ts';

/** The work of one mode that is not done yet. */
export interface Backlog {
  mode: 'test' | 'live';
  tasks_due: number;
  /** How long the oldest due task has been due, by the clock of the mode; 0 without one. */
  tasks_oldest_seconds: number;
  /** Webhook messages that are neither delivered nor given up. */
  webhooks_pending: number;
  /** The age of the oldest event among them, by the clock of the mode; 0 without one. */
  webhooks_oldest_seconds: number;
  /** Tasks and webhook messages that were given up. */
  failed: number;
}

/** The state of the service at the time of a scrape. */
export interface Measured {
  /** Null if the database does not answer. */
  backlogs: readonly Backlog[] | null;
  open_streams: number;
  /** How far service time is ahead of the clock of the database; negative: behind. */
  skew_ms: number;
  /** The hosts of couriers that fail. */
  circuits: ReturnType<CircuitBreakers['states']>;
  storage: StorageStatistics;
  /** The number of writes that have failed since the start, by reason. */
  failed_writes: Readonly<Record<UnavailableReason, number>>;
}
