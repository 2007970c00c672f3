import { expect, test } from 'vitest';
import type { SeedService } from '../../fakes/seed-service/server.ts';
import type { Switches } from '../../fakes/seed-service/switches.ts';
import type { Outcome } from '../harness.ts';
import { orderLine } from '../sandbox.ts';
import { type Ids, linesOf } from './lines.ts';
import { type OtherService, otherService } from './runs.ts';

/** Services that differ from waybill's own in one way each, or in all. */
const services: Readonly<Record<string, Partial<Switches>>> = {
  'All fields': {},
  'Few fields': { fields: 'minimal', list: 'data', errors: 'nested' },
  'Lists as arrays': { list: 'array', errors: 'message' },
  'New statuses': { statuses: ['delivery_created', 'inspected', 'flying', 'delivered'], errors: 'text' },
};

/** Faults in the responses to writes. */
const writeFailures: Readonly<Record<string, Partial<Switches>>> = {
  'Unreadable responses': { writes: 'html' },
  'Empty responses': { writes: 'empty' },
  'Lost responses': { faults: [{ method: 'POST', path: /./, kind: 'lost' }] },
  'Cut responses': { faults: [{ method: 'POST', path: /./, kind: 'cut' }] },
};

interface Ran extends Outcome {
  name: string;
  requests: string[];
  /** How many orders and deliveries the command created. */
  created: number;
}

/** What became of a line. */
type Result = 'works' | 'in part' | 'refused' | 'unknown' | 'not found' | 'timeout';

const exitsOf: Readonly<Record<number, Result>> = {
  0: 'works',
  5: 'not found',
  6: 'refused',
  8: 'timeout',
  9: 'works',
};

function resultOf({ exit, stderr }: Ran): Result | undefined {
  if (exit === 7 && stderr.includes('may have received the request')) return 'unknown';
  if (exit === 7 && stderr.includes('accepted the request')) return 'in part';
  const isPart = /accepted the request|ignores the filter|mode not known/.test(stderr);
  return exit === 0 && isPart ? 'in part' : exitsOf[exit];
}

async function idsIn({ json, run }: OtherService): Promise<Ids> {
  const make = async () => String((await json([...orderLine, '--ref', '#1042', '--allow-duplicate-ref'])).id);
  const routeOf = async (order: string) => {
    const route = String((await json(['routes', 'create', order])).id);
    await run(['routes', 'quote', route, '--wait', '--interval', '250ms']);
    return route;
  };
  const dispatched = await routeOf(await make());
  await run(['dispatch', dispatched, '--cheapest']);
  const delivery = (await run(['deliveries', 'list', '-o', 'id'])).stdout.split('\n')[0] ?? '';
  const [route, quoted] = [await routeOf(await make()), await routeOf(await make())];
  return { order: await make(), route, quoted, delivery };
}

async function runAll(other: OtherService, change: Partial<Switches>): Promise<Ran[]> {
  const ids = await idsIn(other);
  Object.assign(other.service.switches, change);
  const ran: Ran[] = [];
  for (const [name, { argv, ...options }] of Object.entries(linesOf(ids, other.home))) {
    other.requests();
    const before = countOf(other.service);
    const outcome = await other.run([...argv, '--request-timeout', '3s'], options);
    ran.push({ name, ...outcome, requests: other.requests(), created: countOf(other.service) - before });
  }
  return ran;
}

function countOf({ store: { orders, deliveries } }: SeedService): number {
  return orders.length + deliveries.length;
}

/** The faults of a command's outcome, as texts. */
function faultsOf({ name, requests, created, ...outcome }: Ran): string[] {
  const { exit, stdout, stderr } = outcome;
  const isReported = exit === 0 || exit === 9 || /accepted the request|may have received/.test(stderr);
  const faults = {
    'ended with a fault': /fault of waybill|TypeError|RangeError/.test(stderr),
    'shows NaN': /NaN|undefined|\[object/.test(stdout + stderr),
    'ended with no known result': resultOf({ name, requests, created, ...outcome }) === undefined,
    'sent too many requests': requests.length > 60,
    'says that it failed although it was done': created > 0 && !isReported,
  };
  return Object.entries(faults)
    .filter(([, isSo]) => isSo)
    .map(([fault]) => `${name} ${fault}: exit ${exit}, ${stderr}${stdout}`);
}

const cases = [
  ...Object.entries(services).map(([name, switches]) => ({ name, switches, change: {} })),
  ...Object.entries(writeFailures).map(([name, change]) => ({ name, switches: {}, change })),
];

test.each(cases)(
  'every command has an expected outcome at a service with: $name',
  async ({ switches, change }) => {
    const other = await otherService({ step_ms: 1, quotes_ms: 10, ...switches });
    const ran = await runAll(other, change);
    expect(ran.flatMap(faultsOf)).toEqual([]);
  },
);
