import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** The program as npm installs it. */
export const bin = join(import.meta.dirname, '..', '..', 'bin', 'waybill.cjs');

/** The command of a clone. */
const command = join(import.meta.dirname, '..', '..', 'bin', 'waybill');

/** An environment with a home of its own, without settings that affect start-up. */
export function environment(home: string): Record<string, string> {
  const kept = Object.entries(process.env).filter(([name]) =>
    /^(PATH|LANG|TZ|SystemRoot|TEMP|TMP)$/i.test(name),
  );
  const variables = Object.fromEntries(kept.map(([name, value]) => [name, value ?? '']));
  return {
    ...variables,
    HOME: home,
    WAYBILL_CACHE_DIR: join(home, 'cache'),
    WAYBILL_CONFIG_DIR: join(home, 'config'),
    WAYBILL_DATA_DIR: join(home, 'data'),
  };
}

/** Runs the program and returns its stdout; throws if it fails. */
export function waybill(env: Record<string, string>, ...args: string[]): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...args], { env, encoding: 'utf8' });
  if (status !== 0)
    throw new Error(`waybill ${args.slice(0, 2).join(' ')}: ${stderr.trim() || `exit ${status}`}`);
  return stdout.trim();
}

const peakScript = `
  import { readFileSync } from 'node:fs';
  process.on('exit', () => {
    let peak = process.resourceUsage().maxRSS;
    try {
      peak = /VmHWM:\\s*(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1];
    } catch {}
    process.stderr.write('peak ' + peak + '\\n');
  });`;

/**
 * Flags of Node that print the peak memory of a program to stderr at its exit. On Linux it is VmHWM: maxRSS includes the
 * memory of the parent at the fork.
 */
export const peakFlags = ['--import', `data:text/javascript,${encodeURIComponent(peakScript)}`] as const;

/** The peak memory in megabytes that a program with `peakFlags` has printed; throws if it printed none. */
export function peakMegabytes(stderr: string): number {
  const kilobytes = /^peak (\d+)$/m.exec(stderr)?.[1];
  if (kilobytes === undefined) throw new Error(`no peak memory was printed: ${stderr}`);
  return Number(kilobytes) / 1024;
}

const ends = ['pickup', 'dropoff'].flatMap((end) => [
  [
    `--${end}-address`,
    end === 'pickup' ? '11 Madison Ave, New York, NY 10010' : '350 5th Ave, New York, NY 10118',
  ],
  [`--${end}-name`, end === 'pickup' ? 'Madison Deli' : 'Ada Lovelace'],
  [`--${end}-phone-number`, end === 'pickup' ? '+12125550101' : '+12125550102'],
]);

function idOf(value: unknown): string | undefined {
  if (Array.isArray(value)) return value.map(idOf).find((id) => id !== undefined);
  if (typeof value !== 'object' || value === null) return undefined;
  if ('id' in value && typeof value.id === 'string' && value.id.startsWith('dlv_')) return value.id;
  return Object.values(value)
    .map(idOf)
    .find((id) => id !== undefined);
}

/** The ids to look up, one of each kind. */
export interface Records {
  delivery: string;
  route: string;
  batch: string;
}

/** Dispatches one order by hand and one by auto dispatch. */
export function recordsIn(env: Record<string, string>): Records {
  const create = ['orders', 'create', ...ends.flat(), '--item', 'Pizza:1:small', '-o', 'id'];
  const order = waybill(env, ...create);
  const route = waybill(env, 'routes', 'create', order, '-o', 'id');
  waybill(env, 'routes', 'quote', route);
  waybill(env, 'quotes', 'list', route, '--watch');
  waybill(env, 'dispatch', route, '--cheapest', '--json');
  const delivery = idOf(JSON.parse(waybill(env, 'deliveries', 'list', '--json')));
  if (delivery === undefined) throw new Error('the dispatched route has no delivery');
  return { delivery, route, batch: waybill(env, ...create, '--auto', '--wait') };
}

export interface Server {
  url: string;
  key: string;
  child: ChildProcess;
}

interface ServeOptions {
  flags?: readonly string[];
  start?: (command: string, args: string[]) => [string, string[]];
}

function textAt(value: unknown, ...path: string[]): string {
  let found = value;
  for (const name of path)
    found = typeof found === 'object' && found !== null ? Reflect.get(found, name) : undefined;
  if (typeof found !== 'string') throw new Error(`waybill serve said no ${path.join('.')}`);
  return found;
}

/**
 * Starts `waybill serve` on a free port and waits for the line that says it is ready. `start` may change the command,
 * so that it runs on one core.
 */
export async function serve(
  env: Record<string, string>,
  database: string,
  { flags = [], start = (program, args) => [program, args] }: ServeOptions = {},
): Promise<Server> {
  const args = ['serve', '--port', '0', '--json', '--database', database, ...flags];
  const child = spawn(...start(command, args), { env, stdio: ['ignore', 'pipe', 'ignore'] });
  for await (const line of createInterface({ input: child.stdout })) {
    const ready: unknown = JSON.parse(line);
    return { url: textAt(ready, 'url'), key: textAt(ready, 'keys', 'test'), child };
  }
  throw new Error('waybill serve ended before it was ready');
}
