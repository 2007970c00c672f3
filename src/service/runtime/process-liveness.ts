/** Processes, recorded with what they run. */
export interface Runners {
  /** This process. */
  self: string;
  /** Whether the process is known to have ended; false if unknown. */
  isGone(runner: string): boolean;
}

/** The tolerance for comparing the start times of processes. */
const tolerance_ms = 100;

/**
 * The processes of this machine: a runner is a process id and the start time of the process. A reused process id
 * makes a dead runner look alive, unless it is reused by this process.
 */
export function processRunners(): Runners {
  // Both use a clock that cannot be set.
  const started_ms = Math.round(Number(process.hrtime.bigint()) / 1e6 - process.uptime() * 1000);
  return {
    self: `${process.pid} ${started_ms}`,
    isGone: (runner) => {
      const [, pid, start] = /^(\d+) (\d+)$/.exec(runner) ?? [];
      if (pid === undefined) return false;
      if (Number(pid) === process.pid) return Math.abs(Number(start) - started_ms) > tolerance_ms;
      return !isRunning(Number(pid));
    },
  };
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (fault) {
    // A process that may not be signaled exists.
    return !(fault instanceof Error && 'code' in fault && fault.code === 'ESRCH');
  }
}
