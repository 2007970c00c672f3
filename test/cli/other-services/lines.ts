import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandsOf } from '../../../src/cli/kit/args/input.ts';
import { tree } from '../../../src/cli/tree.ts';
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

/** A line of a command; its standard input where it reads one. */
interface Line {
  argv: readonly string[];
  stdin?: string;
}

/** Commands that need no service, or bring their own. They are not run here. */
export const withoutService: readonly string[] = [
  ...[
    'admin accounts',
    'admin erase',
    'admin export',
    'secrets status',
    'secrets rotate',
    'start',
    'serve',
    'migrate',
    'backup',
    'restore',
    'completion',
    'openapi',
    'commands',
    'help',
    'webhooks verify',
  ],
  ...['config get', 'config list', 'config set', 'config unset'],
  ...['profiles create', 'profiles delete', 'profiles list', 'profiles use', 'logout'],
];

/** A command that asks its questions in a terminal has a test of its own. */
export const inTerminal: readonly string[] = ['new'];

const order = orderLine.slice(2);
const quick = ['--timeout', '2s', '--interval', '250ms'];

/** A line of each command. Those that only look come first, so that they find the records as they were made. */
export function linesOf({ order: id, route, quoted, delivery }: Ids, home: string): Record<string, Line> {
  const file = join(home, 'orders.ndjson');
  const row = {
    ...{ pickup_address: '43 E Ohio St, Chicago, IL 60611', pickup_name: 'Grill' },
    ...{ pickup_phone_number: '+13125550101', dropoff_address: '233 S Wacker Dr, Chicago, IL 60606' },
    ...{ dropoff_name: 'Joe Diner', dropoff_phone_number: '+13125550142', items_description: 'Lunch' },
  };
  writeFileSync(file, `${JSON.stringify(row)}\n`);
  const settings = join(home, 'settings.json');
  writeFileSync(settings, '{}');
  const words: Record<string, readonly string[]> = {
    whoami: [],
    doctor: [],
    'deliveries list': ['--status', 'in_transit'],
    'deliveries get': ['#1042'],
    'deliveries explain': [delivery],
    'deliveries watch': [delivery, ...quick],
    'deliveries wait': [delivery, ...quick],
    track: [delivery],
    board: [],
    today: [],
    report: [],
    notes: [],
    'orders list': [],
    'orders get': [id],
    'orders tries': [id],
    'orders wait': [id, ...quick],
    'routes list': [],
    'routes get': [route],
    'routes wait': [route, ...quick],
    'quotes list': [route],
    'quotes wait': [route, ...quick],
    'batches list': [],
    'batches get': ['B1'],
    'batches wait': ['B1', ...quick],
    'charges list': [],
    'disputes list': [],
    'disputes get': [delivery],
    'events list': [],
    'events get': ['E1'],
    'events tail': [],
    'webhooks list': [],
    'webhooks get': ['W1'],
    'webhooks attempts': ['W1'],
    'stores list': [],
    'stores get': ['S1'],
    'couriers list': [],
    'drivers list': [],
    'drivers get': ['drv_1'],
    'keys list': [],
    'audit list': [],
    'sandbox clock': [],
    'sandbox scenarios': [],
    'sandbox scenario': [],
    'sandbox steps': [delivery],
    'sandbox provider': ['swiftly'],
    'admin failed': ['list'],
    api: ['GET', '/v1/deliveries'],
    listen: ['--sink', '200'],
    mcp: [],
    'deliveries quote': ['--pickup-address', '43 E Ohio St, Chicago, IL 60611', '--dropoff-address', '60606'],
    'deliveries create': order,
    'deliveries initiate': [delivery],
    'deliveries cancel': [delivery, '--yes'],
    'deliveries edit': [delivery, '--dropoff-notes', 'Ring'],
    'deliveries note': [delivery, 'Called'],
    'deliveries retry': [delivery],
    'deliveries assign': [delivery, '--driver', 'drv_1'],
    'deliveries report': [delivery, 'delivered', '--note', 'Ana called'],
    'deliveries unlock': [delivery],
    'deliveries dispute': [delivery, '--reason', 'late'],
    'disputes resolve': [delivery, '--outcome', 'rejected'],
    'orders create': order,
    'orders cancel': [id, '--yes'],
    'orders import': [file, '--auto', '--max-cost', '12.50', '--yes'],
    'batches cancel': ['B1', '--yes'],
    'routes create': [id],
    'routes quote': [route],
    'routes delete': [route],
    dispatch: [quoted, '--cheapest', '--max-cost', '12.50'],
    ship: [...order, '--cheapest', '--max-cost', '12.50'],
    'events resend': ['E1'],
    'webhooks create': ['https://shop.example/hooks'],
    'webhooks update': ['W1', '--disable'],
    'webhooks delete': ['W1', '--yes'],
    'webhooks rotate-secret': ['W1', '--yes'],
    'webhooks test': ['W1'],
    'stores create': ['--name', 'Grill', '--address', '60606', '--phone', '+13125550101'],
    'stores update': ['S1', '--name', 'Grill'],
    'stores delete': ['S1', '--yes'],
    'couriers connect': ['doordash-drive', '--settings-from', settings],
    'couriers check': ['doordash-drive'],
    'couriers enable': ['doordash-drive'],
    'couriers disable': ['doordash-drive'],
    'couriers remove': ['doordash-drive', '--yes'],
    'drivers add': ['Sam Lee', '--phone', '+13125550133'],
    'drivers prices': ['--per-delivery', '2.50'],
    'drivers update': ['drv_1', '--name', 'Sam'],
    'drivers link': ['drv_1', '--yes'],
    'drivers remove': ['drv_1', '--yes'],
    'keys create': ['--permission', 'read'],
    'keys rotate': ['--yes'],
    'keys revoke': ['K1', '--yes'],
    'sandbox advance': ['--by', '10m'],
    'sandbox step': [delivery, 'delivered'],
    'sandbox reset': ['--yes'],
    login: ['--with-token', '--insecure-storage', '--mode', 'test'],
  };
  return Object.fromEntries(
    Object.entries(words).map(([name, rest]) => [
      name,
      { argv: [...name.split(' '), ...rest], ...(name === 'login' ? { stdin: 'key_1' } : {}) },
    ]),
  );
}

/** The names of all commands of the program. */
export async function commandNames(): Promise<string[]> {
  const grouped = await Promise.all(
    tree.groups.map(async (group) =>
      (await commandsOf(group)).map(({ name }) => (name === group.name ? name : `${group.name} ${name}`)),
    ),
  );
  return [...grouped.flat(), ...tree.singles.map(({ name }) => name)];
}
