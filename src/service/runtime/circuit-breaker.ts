import type { Clock } from './time.ts';

/** The state of a circuit breaker. */
export interface CircuitState {
  /** From the fifth fault in a row until a call succeeds. */
  is_open: boolean;
  /** Until the next call is admitted; 0: now. */
  wait_ms: number;
}

/**
 * Stops calling a server that fails. Closed, it admits every call; the fifth fault in a row opens it for 30 seconds, in
 * which no call is admitted. Then it is half open: one call is admitted, whose success closes it and whose fault opens
 * it again.
 */
export interface CircuitBreaker {
  /** Admits a call with 0, which must be followed by its result; otherwise the milliseconds until the next one. */
  enter: () => number;
  recordSuccess: () => void;
  recordFault: () => void;
  state: () => CircuitState;
}

/** The circuit breakers of the hosts that this process calls. */
export interface CircuitBreakers {
  of: (host: string) => CircuitBreaker;
  states: () => ({ host: string } & CircuitState)[];
  /** The longest wait of some hosts, in milliseconds; 0 if each can be called now. */
  waitOf: (hosts: readonly string[]) => number;
}

const max_faults = 5;
const open_ms = 30_000;
/** The maximum number of hosts. Merchants name the hosts of some couriers, so nothing else limits it. */
const max_hosts = 1_000;

export function createCircuitBreakers(monotonic: Clock): CircuitBreakers {
  const breakers = new Map<string, CircuitBreaker>();
  return {
    of: (host) => {
      const known = breakers.get(host);
      if (known !== undefined) return known;
      if (breakers.size >= max_hosts) removeOne(breakers);
      const breaker = createCircuitBreaker(monotonic);
      breakers.set(host, breaker);
      return breaker;
    },
    states: () => [...breakers].map(([host, breaker]) => ({ host, ...breaker.state() })),
    waitOf: (hosts) => Math.max(0, ...hosts.map((host) => breakers.get(host)?.state().wait_ms ?? 0)),
  };
}

/** Removes the oldest closed circuit breaker, or the oldest one if all are open. */
function removeOne(breakers: Map<string, CircuitBreaker>): void {
  const hosts = [...breakers.keys()];
  const host = hosts.find((each) => breakers.get(each)?.state().is_open === false) ?? hosts[0];
  if (host !== undefined) breakers.delete(host);
}

function createCircuitBreaker(monotonic: Clock): CircuitBreaker {
  let faults = 0;
  /** Until when no call is admitted. */
  let open_until = 0;
  const state = () => {
    const is_open = faults >= max_faults;
    return { is_open, wait_ms: is_open ? Math.max(0, open_until - monotonic.now()) : 0 };
  };
  return {
    state,
    enter: () => {
      const { is_open, wait_ms } = state();
      // The next call is admitted once this one has taken too long.
      if (is_open && wait_ms === 0) open_until = monotonic.now() + open_ms;
      return wait_ms;
    },
    recordSuccess: () => {
      faults = 0;
    },
    recordFault: () => {
      faults += 1;
      if (faults >= max_faults) open_until = monotonic.now() + open_ms;
    },
  };
}
