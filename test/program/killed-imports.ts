import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { ended, type Home, inProcess, start, waybill } from './run.ts';

export interface KilledImport {
  home: Home;
  /** Name of the file in the home. */
  file: string;
  flags?: readonly string[];
  kills: number;
  /** The latest time of a kill, in milliseconds after a run has written to its journal. */
  latest_ms: number;
  /** The same seed kills at the same moments. */
  seed: number;
}

/** Random numbers in [0, 1) (a linear congruential generator, Numerical Recipes). */
function chanceOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Runs an import, kills it, resumes it, and so on; then lets it finish. Returns the number of kills. */
export async function killRepeatedly({ home, file, kills, ...options }: KilledImport): Promise<number> {
  const { flags = [], latest_ms, seed } = options;
  const chance = chanceOf(seed);
  const journal = join(home.folder, `${file}.waybill-journal`);
  // A journal without its first line means that nothing was sent yet.
  const isBegun = () => existsSync(journal) && readFileSync(journal).includes(10);
  const size = () => statSync(journal, { throwIfNoEntry: false })?.size ?? 0;
  const lineOf = () => ['orders', 'import', file, ...(isBegun() ? ['--resume'] : flags)];
  let killed = 0;
  while (killed < kills) {
    const before = size();
    const child = start(home, lineOf());
    const ending = ended(child);
    // Every fifth run may be killed while it starts.
    const isAwaited = killed % 5 !== 4;
    while (isAwaited && child.exitCode === null && size() === before) await pause(5);
    await Promise.race([ending, pause(chance() * latest_ms)]);
    child.kill('SIGKILL');
    const { exit, stderr } = await ending;
    if (exit === 0) return killed;
    if (child.signalCode !== 'SIGKILL') throw new Error(`it ended by itself with ${exit}: ${stderr}`);
    killed += 1;
  }
  const last = await waybill(home, ...lineOf());
  if (last.exit !== 0) throw new Error(`it ended with ${last.exit}: ${last.stderr}`);
  return killed;
}

/** References of all orders, newest first. */
export async function referencesAt(home: Home): Promise<string[]> {
  const line = ['orders', 'list', '--all', '--limit', '100', '-o', 'ndjson'];
  const { stdout, stderr, exit } = await inProcess(home, ...line);
  if (exit !== 0) throw new Error(stderr);
  const lines = stdout.split('\n').filter((line) => line !== '');
  return lines.map((line) => {
    const order: { external_order_ref: string } = JSON.parse(line);
    return order.external_order_ref;
  });
}

/** The lines of the file of created orders, by reference, without the header. */
export function madeOrders(home: Home, file: string): string[] {
  const lines = readFileSync(join(home.folder, `${file}.ok.csv`), 'utf8')
    .trim()
    .split('\n');
  return lines.slice(1).map((line) => line.split(',')[1] ?? '');
}

export function put(home: Home, file: string, content: string): void {
  writeFileSync(join(home.folder, file), content);
}
