import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commands } from '../commands-of-tree.ts';
import { type Line, lineOf } from '../every-line.ts';
import { orderLine } from '../sandbox.ts';

/** The ids that lines are about. */
export interface Ids {
  order: string;
  /** With quotes, and not dispatched. */
  route: string;
  /** The same, to be dispatched. */
  quoted: string;
  delivery: string;
}

const order = orderLine.slice(2);
const quick = ['--timeout', '2s', '--interval', '250ms'];
const cheap = ['--cheapest', '--max-cost', '12.50'];

/** The arguments of commands whose line differs from the one at a waybill service. */
function wordsOf({ order: id, route, quoted, delivery }: Ids): Record<string, readonly string[]> {
  return {
    'deliveries list': ['--status', 'in_transit'],
    'deliveries get': ['#1042'],
    'deliveries watch': [delivery, ...quick],
    'deliveries wait': [delivery, ...quick],
    'orders wait': [id, ...quick],
    'quotes wait': [route, ...quick],
    'batches wait': ['B1', ...quick],
    'events tail': [],
    api: ['GET', '/v1/deliveries'],
    listen: ['--sink', '200'],
    'deliveries quote': ['--pickup-address', '43 E Ohio St, Chicago, IL 60611', '--dropoff-address', '60606'],
    'orders import': ['orders.ndjson', '--auto', '--max-cost', '12.50', '--yes'],
    dispatch: [quoted, ...cheap],
    ship: [...order, ...cheap],
    'webhooks update': ['W1', '--disable'],
    'sandbox step': [delivery, 'delivered'],
    login: ['--with-token', '--insecure-storage', '--mode', 'test'],
  };
}

/** The commands that need a service, without the wizard. Those that only look find the records as they were made. */
const asking = commands.filter(
  ({ command, words }) =>
    (command.effect !== 'none' || ['doctor', 'login'].includes(words)) && words !== 'new',
);
const inOrder = asking.toSorted(
  (a, b) => Number(a.command.effect === 'write') - Number(b.command.effect === 'write'),
);

interface Typed extends Pick<Line, 'stdin'> {
  argv: readonly string[];
}

/** A line of each command. */
export function linesOf(ids: Ids, home: string): Record<string, Typed> {
  const { order, route, delivery } = ids;
  const own = wordsOf(ids);
  const all = {
    ...{ order, route, delivery, batch: 'B1', event: 'E1', webhook_endpoint: 'W1', store: 'S1', key: 'K1' },
    ...{ driver: 'drv_1', courier: 'doordash-drive', carried: delivery, locked: delivery, draft: route },
    ...{ request: delivery, delivered: delivery, disputed: delivery, canceled: delivery, processing: 'B1' },
    ...{ dispatched: order, completed: route },
  };
  const lines = inOrder.map((entry) => {
    const { words, files = {} } = lineOf(entry, all);
    for (const [name, text] of Object.entries(files)) writeFileSync(join(home, name), text);
    const changed = own[entry.words];
    const argv = changed === undefined ? words : [...entry.path, ...changed];
    return [entry.words, { argv, ...(entry.words === 'login' ? { stdin: 'key_1' } : {}) }];
  });
  return Object.fromEntries(lines);
}
