/** Processes, as they are written down beside what they run. */
export interface Runners {
  /** This process. */
  self: string;
  /** Whether it is known that the process has ended; false where nobody can tell. */
  isGone(runner: string): boolean;
}

/** The start of a process is told apart from another's by this. */
const tolerance_ms = 100;

/**
 * The processes of this machine: a runner is a process id and when that process was started. An id that was given to
 * a new process makes a dead runner look alive, unless that is this process.
 */
export function processRunners(): Runners {
  // Both count on one clock that nobody sets.
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
    // What may not be signalled is there.
    return !(fault instanceof Error && 'code' in fault && fault.code === 'ESRCH');
  }
}
