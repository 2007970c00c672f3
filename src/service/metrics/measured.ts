import type { StorageStatistics } from '../../storage/storage.ts';
import type { CircuitBreakers } from '../runtime/circuit-breaker.ts';

/** The work of one mode that is due and not done yet. */
export interface Backlog {
  mode: 'test' | 'live';
  tasks_due: number;
  /** How long the oldest due task has been due, by the clock of the mode; 0 without one. */
  tasks_oldest_seconds: number;
  webhooks_due: number;
  webhooks_oldest_seconds: number;
  /** Tasks and webhook messages that were given up. */
  failed: number;
}

/** The state of the service at the time of a scrape. */
export interface Measured {
  backlogs: readonly Backlog[];
  open_streams: number;
  /** How far service time is ahead of the clock of the database; negative: behind. */
  skew_ms: number;
  /** The hosts of couriers that fail. */
  circuits: ReturnType<CircuitBreakers['states']>;
  storage: StorageStatistics;
}
