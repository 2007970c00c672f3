import type { Gazetteer } from '../../domain/cities.ts';
import type { RateLimits } from '../../domain/service-limits.ts';
import type { Provider } from '../../providers/port.ts';
import type { Connection, Flag, TaskRow } from '../../storage/database.ts';
import type { Storage } from '../../storage/storage.ts';
import type { Ownership } from './background-owner.ts';
import type { ChangeListeners } from './change-listeners.ts';
import type { CrashPoint } from './crash-points.ts';
import type { Heartbeat } from './heartbeat.ts';
import type { Web } from './network.ts';
import type { Streams } from './open-streams.ts';
import type { PriorityMutex } from './priority-mutex.ts';
import type { Runners } from './process-liveness.ts';
import type { Chance } from './random.ts';
import type { Secrets } from './secrets.ts';
import type { Seeding } from './seed.ts';
import type { ServiceClock } from './service-clock.ts';
import type { TaskQuarantine } from './task-quarantine.ts';
import type { Clock, Timers } from './time.ts';
import type { Wakeup } from './wakeup.ts';
import type { Poster, Sender } from './webhook-ports.ts';

export type LoopbackWebhooks = 'allowed' | 'unread' | 'refused';

/** What a service is made of. Everything that reads time or chance is handed in here. */
export interface ServiceConfig {
  storage: Storage;
  /** The couriers that can be asked, in order of preference. */
  providers: readonly Provider[];
  /** A sandbox simulates couriers for test keys; anything else is hosted. */
  sandbox: boolean;
  /** Where the service is reached from outside: the start of tracking links. */
  publicUrl: string;
  /**
   * What service time is counted on: every record's times, quote life, due work. Test mode of a sandbox may put another
   * over it.
   */
  clock: Clock;
  /** Real time, which somebody may set: leases on a database file, idempotency life, signatures. */
  wall: Clock;
  /** Measures how long something takes: see `monotonicClock`. */
  monotonic: Clock;
  timers: Timers;
  secrets: Secrets;
  /** Makes new services repeat; kept in the database at first use. Absent: drawn from `secrets`. */
  seed?: string;
  /**
   * Whether webhooks are sent to this machine itself, `unread`: without keeping what it answers. Others than its own
   * users could otherwise reach its ports through the service, and read them.
   */
  loopback_webhooks: LoopbackWebhooks;
  /** The way to the addresses of webhook endpoints. */
  web: Web;
  /** Where addresses are found, loaded when first needed. */
  gazetteer: () => Promise<Gazetteer>;
  /** Whether requests leave what became due undone. */
  idle?: boolean;
  /** Where one process at a time does the background work. Absent: several share it, each task for its lease. */
  ownership?: Ownership;
  /** Where it can be told that a process has ended which ran a request. Absent: its lease must run out. */
  runners?: Runners;
  /** Those not named have their defaults. */
  rate_limits?: Partial<RateLimits>;
  /** Ends the process at a passage that a test has named; does nothing else. */
  crash: (point: CrashPoint) => void;
  /** Hears of faults that the service hides from its callers. */
  onFault?: (fault: unknown, request_id: string | null) => void;
}

/** What a change of records needs, inside the transaction that makes it. */
export interface WriteContext {
  db: Connection;
  chance: Chance;
  /** Service time of the change. */
  now: number;
}

/** A background task that is being executed. */
export interface Task {
  row: TaskRow;
  /** The task's own due time, which it takes as now. */
  now: number;
  /** Ends the task in the transaction of its result. Throws where another worker has taken it over, so that nothing is written. */
  finish: (transaction: Connection) => Promise<void>;
  /**
   * Renews the lease. To be called before something is changed outside the database, as another worker may have taken
   * a slow task over. Throws where one has.
   */
  renew: () => Promise<void>;
}

/** How tasks of one kind are executed. */
export interface TaskKind {
  run: (service: ServiceContext, task: Task) => Promise<void>;
  /** Gives the record its outcome once every attempt has failed. Absent: there is none, and the task waits to be retried. */
  abandon?: (service: ServiceContext, task: Task) => Promise<void>;
}

/** A kind of task as the service registers it; its code is loaded with the first task. */
export interface RegisteredTaskKind {
  load: () => Promise<TaskKind>;
  /** Changes something outside the database: a worker that takes the task over must see that it was started. */
  acts_outside?: true;
  /** Calls the provider that its payload names, and may wait long for a remote one. */
  calls_provider?: true;
}

/** How far the log of events can be read in order: nothing is written before that position any more. */
export interface EventWatermark {
  /** Null before the first poll. */
  position: () => number | null;
  /** Calls back when the position has moved, until the returned function is called; polls while anybody listens. */
  listen: (onMove: () => void) => () => void;
  /** Resolves once the events that are being written now can be read; after a second at the latest. */
  settled: () => Promise<void>;
}

/** What both modes of a service use. */
export interface SharedContext extends ServiceConfig {
  /** The same service for the records of a mode. */
  inMode: (test_mode: Flag) => ServiceContext;
  /** The kinds of background tasks, by name. */
  task_kinds: Readonly<Record<string, RegisteredTaskKind>>;
  /** Carries events to the addresses of endpoints. */
  poster: Poster;
  /** Notified when events may have been written. */
  changes: ChangeListeners;
  /** How far the log of events can be read in order. */
  head: () => Promise<EventWatermark>;
  /** What is open without an end of its own. */
  streams: Streams;
}

/** The service for the records of one mode: test and live have clocks and background work of their own. */
export interface ServiceContext extends SharedContext {
  test_mode: Flag;
  /** Service time itself. */
  clock: ServiceClock;
  /** Held by the background work and by advances of the clock, of which one runs at a time in this process. */
  mutex: PriorityMutex;
  /** Chance of the mode's own seed. */
  chance: () => Promise<Chance>;
  /** See `Seeding`. */
  countRequest: Seeding['countRequest'];
  /** Gives each request that writes its number in its millisecond of service time, from 0. */
  requestOrder: (now: number) => Promise<number>;
  /** The ids of the tasks that this process is executing. */
  running_tasks: Set<string>;
  /** The tasks that this process leaves alone for a while. */
  quarantine: TaskQuarantine;
  /** Executes the tasks that are due now; resolves with their number, or null where another process executes them. */
  tick: (max_duration_ms?: number) => Promise<number | null>;
  /** Records that the loops are alive. */
  heartbeat: Heartbeat;
  /** Whether a loop executes tasks as they become due; else each request executes a share of them. */
  isLooping: () => boolean;
  /** Notified when a task may have become due. */
  wakeup: Wakeup;
  sender: Sender;
  /** Notifies `wakeup`, so that a running loop finds a new task before its next poll. */
  wake: () => void;
}
