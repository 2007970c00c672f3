import { spawnSync } from 'node:child_process';

/** A process to time: what Node runs, and in which environment. */
export interface Program {
  args: readonly string[];
  env: Record<string, string>;
}

export interface Comparison {
  /** Medians, in milliseconds. */
  baseline_ms: number;
  subject_ms: number;
  /** The median of the ratios of pairs: a slow moment of the machine affects both. */
  ratio: number;
}

export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}

/** Runs a program to its end and returns the milliseconds; throws if it fails. */
function time({ args, env }: Program): number {
  const start = process.hrtime.bigint();
  const { status, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
  const elapsed_ms = Number(process.hrtime.bigint() - start) / 1e6;
  if (status !== 0) throw new Error(`${args.slice(1).join(' ')}: ${stderr.trim() || `exit ${status}`}`);
  return elapsed_ms;
}

/** Times two programs in turn, A B A B, after three pairs that only warm the caches. */
export function compare(baseline: Program, subject: Program, pairs: number): Comparison {
  const times = Array.from({ length: pairs + 3 }, () => [time(baseline), time(subject)] as const).slice(3);
  return {
    baseline_ms: median(times.map(([a]) => a)),
    subject_ms: median(times.map(([, b]) => b)),
    ratio: median(times.map(([a, b]) => b / a)),
  };
}
