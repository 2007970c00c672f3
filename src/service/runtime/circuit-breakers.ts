/** Circuit breakers: a server that has failed repeatedly is left alone for a while. */
import type { ProviderScope } from '../../providers/port.ts';
import type { Clock } from './time.ts';

/**
 * Stops calling a server that fails. Closed, it admits every call; the fifth fault in a row opens it for 30 seconds, in
 * which no call is admitted. Then it is half open: one call is admitted, whose success closes it and whose fault opens
 * it again.
 */
interface CircuitBreaker {
  /** Admits a call with 0, which must be followed by its result; otherwise the milliseconds until the next one. */
  enter: () => number;
  recordSuccess: () => void;
  recordFault: () => void;
}

/** The circuit breakers of a host that has failed since its last success. */
interface HostState {
  host: string;
  /** The accounts and modes with five faults in a row, until a call of theirs succeeds. */
  open: number;
  /** The longest wait of these accounts until a call is admitted; 0: each can call it now. */
  wait_ms: number;
}

/**
 * The circuit breakers of this process. Each account and mode has its own for each host: what one sends, and the
 * answers of its own server, must not stop the calls of others.
 */
export interface CircuitBreakers {
  of: (scope: ProviderScope, host: string) => CircuitBreaker;
  states: () => HostState[];
  /** The longest wait of an account and mode for some hosts, in milliseconds; 0 if each can be called now. */
  waitOf: (scope: ProviderScope, hosts: readonly string[]) => number;
}

/** The faults in a row that open a circuit breaker, and for how long. */
const max_faults = 5;
const open_ms = 30_000;
/** The maximum number of breakers with faults: merchants name the hosts of some couriers, so nothing else limits it. */
const max_failing = 10_000;

/** The faults in a row of an account and mode at a host. */
interface Failing {
  host: string;
  faults: number;
  /** Until when no call is admitted. */
  open_until: number;
}

export function createCircuitBreakers(monotonic: Clock): CircuitBreakers {
  const failing = new Map<string, Failing>();
  const nameOf = ({ account_id, test_mode }: ProviderScope, host: string) =>
    `${account_id} ${test_mode ? 'test' : 'live'} ${host}`;
  const waitOf = (name: string): number => {
    const state = failing.get(name);
    return state === undefined || !isOpen(state) ? 0 : Math.max(0, state.open_until - monotonic.now());
  };
  return {
    of: (scope, host) => {
      const name = nameOf(scope, host);
      return {
        enter: () => {
          const state = failing.get(name);
          const wait_ms = waitOf(name);
          // The next call is admitted once this one has taken too long.
          if (state !== undefined && wait_ms === 0) state.open_until = monotonic.now() + open_ms;
          return wait_ms;
        },
        recordSuccess: () => {
          failing.delete(name);
        },
        recordFault: () => {
          if (!failing.has(name) && failing.size >= max_failing) removeOne(failing);
          const faults = (failing.get(name)?.faults ?? 0) + 1;
          failing.set(name, { host, faults, open_until: monotonic.now() + open_ms });
        },
      };
    },
    states: () => {
      const hosts = new Map<string, HostState>();
      for (const [name, each] of failing) {
        const { host } = each;
        const { open, wait_ms } = hosts.get(host) ?? { open: 0, wait_ms: 0 };
        const counted = open + (isOpen(each) ? 1 : 0);
        hosts.set(host, { host, open: counted, wait_ms: Math.max(wait_ms, waitOf(name)) });
      }
      return [...hosts.values()];
    },
    waitOf: (scope, hosts) => Math.max(0, ...hosts.map((host) => waitOf(nameOf(scope, host)))),
  };
}

function isOpen({ faults }: Failing): boolean {
  return faults >= max_faults;
}

/** Removes the oldest closed circuit breaker, or the oldest one if all are open. */
function removeOne(failing: Map<string, Failing>): void {
  const [oldest] = failing.keys();
  for (const [name, each] of failing) if (!isOpen(each)) return void failing.delete(name);
  if (oldest !== undefined) failing.delete(oldest);
}
