import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';

import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const autocannon = fileURLToPath(import.meta.resolve('autocannon'));

/** On Linux with two cores or more, the service has one core and the load another. */
const isPinning = process.platform === 'linux' && availableParallelism() > 1;
export const service_core = 0;
const load_core = 1;

/** A command that runs on one core, where the system allows it. */
export function pinned(core: number, command: string, args: readonly string[]): [string, string[]] {
  return isPinning ? ['taskset', ['-c', String(core), command, ...args]] : [command, [...args]];
}

export interface Load {
  url: string;
  headers?: Record<string, string>;
  /** A POST if given. */
  body?: string;
  seconds: number;
  connections?: number;
  /** Requests a second, whatever the answers; otherwise the next follows the answer. */
  rate?: number;
}

/** Answers a second, their latency in milliseconds, and how many there were of each status. */
export interface Answers {
  rate: number;
  p50: number;
  p99: number;
  worst: number;
  statuses: Record<string, number>;
  /** Connections that ended or were silent for ten seconds. */
  errors: number;
}

/** Runs autocannon in a process of its own. */
export async function load(given: Load): Promise<Answers> {
  const { url, headers = {}, body, seconds, connections = 32, rate } = given;
  const args = [
    ...[autocannon, '--json', '-c', String(connections), '-d', String(seconds)],
    ...(rate === undefined ? [] : ['-R', String(rate)]),
    ...Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}=${value}`]),
    ...(body === undefined ? [] : ['-m', 'POST', '-H', 'content-type=application/json', '-b', body]),
    url,
  ];
  const { stdout } = await promisify(execFile)(...pinned(load_core, process.execPath, args), {
    maxBuffer: 64 * 1024 * 1024,
  });
  const { requests, latency, statusCodeStats = {}, errors, timeouts, duration } = JSON.parse(stdout);
  const counts = Object.entries<{ count: number }>(statusCodeStats);
  return {
    rate: requests.total / duration,
    ...{ p50: latency.p50, p99: latency.p99, worst: latency.max },
    statuses: Object.fromEntries(counts.map(([status, { count }]) => [status, count])),
    errors: errors + timeouts,
  };
}

/** The memory of a process in MB, and the most that it ever had; undefined where the system does not tell. */
export function memoryOf(pid: number | undefined): { now: number; most: number } | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const read = (name: string) => Number(new RegExp(`${name}:\\s*(\\d+)`).exec(status)?.[1]) / 1024;
    return { now: read('VmRSS'), most: read('VmHWM') };
  } catch {
    return undefined;
  }
}
