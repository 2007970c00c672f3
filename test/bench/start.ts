/**
 * How long whole processes take beside `node -e 0`, from start to exit, in one run and by pairs in turn.
 * `PAIRS=51 npm run bench -- start` takes more pairs than the usual 21.
 */
import { join } from 'node:path';
import { inFolder, printer } from './output.ts';
import { compare } from './pairs.ts';
import { bin, environment, type Records, recordsIn, type Server, serve } from './program.ts';

/** The environment for reaching a service, and ids to look up. */
interface Service {
  env: Record<string, string>;
  records: Records;
}

/** By where they run; a service that did not start is absent. */
type Services = Record<string, Service | undefined>;

interface Row {
  name: string;
  /** The maximum time relative to bare Node. */
  target: number | null;
  /** The script to run, if it is not waybill. */
  program?: string;
  /** Prepares its arguments and environment. */
  prepare(env: Record<string, string>): { args: string[]; env: Record<string, string> };
}

/** Other command lines from npm, for comparison. */
const programs = join(import.meta.dirname, '..', '..', 'node_modules', '.bin');
const peers = ['tsc', 'rolldown', 'vitest', 'biome'];

/** Frequent look-ups: each must start within its target, on the embedded service and on a remote one. */
const lookups: Record<string, (records: Records) => string[]> = {
  'deliveries get': ({ delivery }) => ['deliveries', 'get', delivery, '-o', 'table'],
  'deliveries list': () => ['deliveries', 'list', '-o', 'table'],
  'deliveries explain': ({ delivery }) => ['deliveries', 'explain', delivery],
  'orders list': () => ['orders', 'list', '-o', 'table'],
  'quotes list': ({ route }) => ['quotes', 'list', route, '-o', 'table'],
  'batches get': ({ batch }) => ['batches', 'get', batch, '-o', 'table'],
};

const targets = { embedded: 1.7, remote: 2.2 };

function rows(services: Services): Row[] {
  const words = (...args: string[]) => ({ prepare: (env: Record<string, string>) => ({ args, env }) });
  const lookupRows = Object.entries(targets).flatMap(([place, target]) =>
    Object.entries(lookups).map(([name, argsOf]) => ({
      name: `${name}, ${place}`,
      target,
      prepare: () => {
        const service = services[place];
        if (service === undefined) throw new Error('waybill serve did not start');
        return { args: argsOf(service.records), env: service.env };
      },
    })),
  );
  return [
    { name: '--version', target: 1.05, ...words('--version') },
    { name: '--help', target: 1.05, ...words('--help') },
    { name: 'completion', target: 1.05, ...words('__complete', '--', 'deliveries', 'list', '--status', '') },
    { name: 'completion of ids', target: null, ...words('__complete', '--', 'deliveries', 'get', '') },
    { name: 'orders --help', target: null, ...words('orders', '--help') },
    ...lookupRows,
    ...peers.map((name) => ({
      name: `peer: ${name} --version`,
      target: null,
      program: join(programs, name),
      ...words('--version'),
    })),
  ];
}

const print = printer(30, 10);

function measure(row: Row, env: Record<string, string>, pairs: number): void {
  const target = row.target?.toFixed(2) ?? '-';
  try {
    const subject = row.prepare(env);
    const baseline = { args: ['-e', '0'], env: subject.env };
    const result = compare(
      baseline,
      { args: [row.program ?? bin, ...subject.args], env: subject.env },
      pairs,
    );
    const verdict = row.target !== null && result.ratio > row.target ? 'over' : '';
    print(
      row.name,
      result.baseline_ms.toFixed(1),
      result.subject_ms.toFixed(1),
      result.ratio.toFixed(2),
      target,
      verdict,
    );
  } catch (error) {
    print(row.name, '-', '-', '-', target);
    console.log(`  not measured: ${error instanceof Error ? error.message.split('\n')[0] : error}`);
  }
}

function servicesOf(env: Record<string, string>, server: Server | undefined): Services {
  const embedded = { env, records: recordsIn(env) };
  if (server === undefined) return { embedded };
  const remote = { ...env, WAYBILL_BASE_URL: server.url, WAYBILL_API_KEY: server.key };
  return { embedded, remote: { env: remote, records: recordsIn(remote) } };
}

/** Prints the table. */
export async function start(): Promise<void> {
  await inFolder(async (home) => {
    const env = environment(home);
    const pairs = Math.max(15, Number(process.env.PAIRS ?? 21));
    const server = await serve(env, join(home, 'served.db')).catch(() => undefined);
    console.log(`Node ${process.version}, ${pairs} pairs each`);
    print('', 'node ms', 'ms', 'ratio', 'target');
    for (const row of rows(servicesOf(env, server))) measure(row, env, pairs);
    server?.child.kill();
  });
}
