import { readdirSync, readFileSync } from 'node:fs';

/** Clock ticks a second in /proc, on every Linux that Node runs on. */
const ticks = 100;

/** Seconds of processor time, user and system, that a process took; with those of its running and ended children. Linux only. */
export function processorTime(pid: number | undefined): number {
  if (pid === undefined) return 0;
  const { own, ended } = statOf(pid);
  const children = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  const running = children.map(Number).filter((child) => parentOf(child) === pid);
  return (own + ended + running.reduce((sum, child) => sum + statOf(child).own, 0)) / ticks;
}

/** The parent of a process; undefined for one that has ended. */
export function parentOf(pid: number): number | undefined {
  try {
    return Number(fieldsOf(pid)[1]);
  } catch {
    return undefined;
  }
}

function statOf(pid: number): { own: number; ended: number } {
  const [user, system, childrenUser, childrenSystem] = fieldsOf(pid).slice(11, 15).map(Number);
  return { own: (user ?? 0) + (system ?? 0), ended: (childrenUser ?? 0) + (childrenSystem ?? 0) };
}

/** The fields after the name, which may hold spaces: the state, the parent, ... (man 5 proc_pid_stat). */
function fieldsOf(pid: number): string[] {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}
