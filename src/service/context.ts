import type { Provider } from '../providers/port.ts';
import type { Storage } from '../storage/storage.ts';
import type { Chance } from './ports/chance.ts';
import type { Secrets } from './ports/secrets.ts';
import type { Clock, Timers } from './ports/time.ts';

/** What a service is made of. Everything that reads time or chance is handed in here. */
export interface ServiceConfig {
  storage: Storage;
  /** The couriers that can be asked, in order of preference. */
  providers: readonly Provider[];
  /** A sandbox simulates couriers for test keys and has no rate limit; anything else is hosted. */
  sandbox: boolean;
  /** Where the service is reached from outside: the start of tracking links. */
  publicUrl: string;
  /** Service time: every record's times, quote life, due work. */
  clock: Clock;
  /** Real time: leases and idempotency life. */
  wall: Clock;
  timers: Timers;
  secrets: Secrets;
  /** Makes new services repeat; kept in the database at first use. Absent: drawn from `secrets`. */
  seed?: string;
  /** The centroids of ZIP codes, loaded when first needed. */
  zips: () => Promise<Uint8Array>;
  /** Hears of faults that the service hides from its callers. */
  onFault?: (fault: unknown, request_id: string | null) => void;
}

export interface ServiceContext extends ServiceConfig {
  /** Chance of this service's own seed. */
  chance: () => Promise<Chance>;
  /** Says that new work is due, so that a running loop need not wait for its next look. */
  wake: () => void;
}
