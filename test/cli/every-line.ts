import type { PositionalKind } from '../../src/cli/session/command.ts';
import { doorDashSettings } from '../fakes/courier-check.ts';
import type { Entry } from './commands-of-tree.ts';
import type { Ids } from './every-record.ts';
import { messageLines, opening } from './mcp-session.ts';
import { orderFields, orderLine, storeLine } from './sandbox.ts';

/** How a command is run successfully. */
export interface Line {
  /** What is typed after its words. */
  words: readonly string[];
  stdin?: string;
  /** The command is endless; it is aborted after its first output. */
  endless?: true;
  /** The time of the command; absent: that of the records. */
  now?: () => number;
  /** The command only prompts in a terminal: without one it cannot succeed. */
  asksAlone?: true;
  /** The output is shell code or JSON: a narrow terminal breaks its lines. */
  isCode?: true;
  /** A command that is run before it in the same home. */
  before?: readonly string[];
  /** Files in its folder. */
  files?: Readonly<Record<string, string>>;
}

const fields = orderLine.slice(2);
const addresses = [
  '--pickup-address',
  orderFields.pickup_address,
  '--dropoff-address',
  orderFields.dropoff_address,
];
const webhook = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  headers: {
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': '1614265330',
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  },
  body: '{"test": 2432232314}',
};

const ownDatabase = ['--database', 'shop.db'];
/** Migrating a database creates it. */
const newDatabase = ['migrate', ...ownDatabase];

/** The arguments of each command besides an id for each positional. Commands that need no others are not listed. */
const linesOf: Readonly<Record<string, (ids: Ids) => Line | readonly string[]>> = {
  'orders create': () => fields,
  'orders import': () => ({
    words: ['orders.ndjson'],
    files: { 'orders.ndjson': `${JSON.stringify(orderFields)}\n` },
  }),
  'orders wait': ({ dispatched }) => [dispatched],
  'orders attempts': ({ order: id }) => [id],
  'routes create': ({ order: id }) => [id],
  'routes delete': ({ draft }) => [draft],
  'routes quote': ({ draft }) => [draft],
  'batches cancel': ({ processing }) => [processing, '--yes'],
  'deliveries watch': ({ delivered }) => [delivered],
  'deliveries wait': ({ delivered }) => [delivered],
  'deliveries quote': () => addresses,
  'deliveries create': () => fields,
  'deliveries initiate': ({ request }) => [request],
  'deliveries edit': ({ delivery }) => [delivery, '--dropoff-notes', 'Ring twice'],
  'deliveries reschedule': ({ request }) => [request, '--dropoff-at', '8pm'],
  'deliveries cancel': ({ delivery }) => [delivery],
  'deliveries note': ({ delivery }) => [delivery, 'Called at 6 pm'],
  'deliveries unlock': ({ locked }) => [locked],
  'deliveries report': ({ carried }) => [carried, 'pickup_complete', '--note', 'Ana called'],
  'deliveries assign': ({ carried, driver }) => [carried, '--driver', driver],
  'deliveries retry': ({ canceled }) => [canceled],
  'deliveries dispute': ({ delivered }) => [delivered, '--reason', 'Never came'],
  'disputes get': ({ disputed }) => [disputed],
  'disputes resolve': ({ disputed }) => [disputed, '--outcome', 'refunded'],
  'events tail': () => ['--limit', '1', '--since', '1h'],
  'webhooks create': () => ['https://shop.example/hooks'],
  'webhooks update': ({ webhook_endpoint }) => [webhook_endpoint, '--description', 'Shop'],
  'webhooks verify': () => ({
    words: [
      '--secret-file',
      'secret',
      '--file',
      'body.json',
      '--ignore-age',
      ...Object.entries(webhook.headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]),
    ],
    files: { secret: webhook.secret, 'body.json': webhook.body },
  }),
  'drivers add': () => ['Ana Ruiz', '--phone', '+13125550134'],
  'drivers update': ({ driver }) => [driver, '--vehicle', 'bicycle'],
  'drivers prices': () => ['--per-delivery', '2.50'],
  'stores create': () => storeLine.slice(2),
  'admin accounts': () => ({ words: ['list', ...ownDatabase], before: newDatabase }),
  'admin clean': () => ({ words: ['--preview', ...ownDatabase], before: newDatabase }),
  'admin erase': () => ({ words: ['--phone', '+13125550142', ...ownDatabase], before: newDatabase }),
  'admin export': () => ({
    words: ['--phone', '+13125550142', ...ownDatabase],
    ...{ before: newDatabase, isCode: true },
  }),
  'admin failed': () => ['list'],
  migrate: () => ownDatabase,
  backup: () => ({ words: ['backup.db', ...ownDatabase], before: newDatabase }),
  restore: () => ({ words: ['shop.db', '--database', 'restored.db'], before: newDatabase }),
  'couriers connect': ({ courier }) => ({
    words: [courier, '--settings-from', 'settings.json'],
    files: { 'settings.json': JSON.stringify(doorDashSettings('sandbox')) },
  }),
  'couriers check': ({ courier }) => [courier],
  'secrets status': () => ({ words: ownDatabase, before: newDatabase }),
  'secrets rotate': () => ({ words: ownDatabase, before: newDatabase }),
  'stores update': ({ store }) => [store, '--name', 'Bar'],
  'sandbox advance': () => ['--by', '1m'],
  'sandbox step': ({ delivery }) => [delivery, 'driver_assigned'],
  'profiles create': () => ['other', '--embedded'],
  'config get': () => ['output'],
  'config set': () => ['output', 'wide'],
  'config unset': () => ['output'],
  'keys create': () => ['--permission', 'read'],
  ship: () => [...fields, '--cheapest'],
  dispatch: ({ route }) => [route, '--cheapest'],
  listen: () => ['--print-secret'],
  // Its key ends by the clock of the service.
  board: () => ({ words: [], endless: true, now: Date.now }),
  track: ({ delivery }) => ({ words: [delivery], endless: true }),
  serve: () => ({ words: ['--port', '0', '--database', ':memory:'], endless: true }),
  start: () => ({ words: [] }),
  new: () => ({ words: [], asksAlone: true }),
  completion: () => ({ words: ['bash'], isCode: true }),
  mcp: () => ({ words: [], stdin: messageLines(...opening.slice(0, 1)), isCode: true }),
  openapi: () => ({ words: [], isCode: true }),
  'events get': ({ event }) => ({ words: [event], isCode: true }),
  login: () => ({ words: ['--with-token'], stdin: 'wb_test_madeup0000000000' }),
  api: () => ({ words: ['GET', '/v2/account'], isCode: true }),
};

/** A value for a positional of each kind; files and free texts are given above. */
function idOf(kind: PositionalKind, ids: Ids): string | undefined {
  const values: Partial<Record<PositionalKind, string>> = {
    ...ids,
    provider: 'swiftly',
    scenario: 'no_driver',
    profile: 'sandbox',
  };
  return values[kind];
}

/** A successful line for a command; throws if its arguments are not known. */
export function lineOf({ words, path, command }: Entry, ids: Ids): Line {
  const special = linesOf[words]?.(ids);
  const line = special === undefined ? { words: defaultsOf({ words, command }, ids) } : lineFrom(special);
  const yes = command.confirms && !line.words.includes('--yes') ? ['--yes'] : [];
  return { ...line, words: [...path, ...line.words, ...yes] };
}

function lineFrom(special: Line | readonly string[]): Line {
  return 'words' in special ? special : { words: special };
}

function defaultsOf({ words, command }: Pick<Entry, 'words' | 'command'>, ids: Ids): string[] {
  const places = Object.values(command.positionals).filter(({ required }) => required === true);
  const given = places.map(({ kind, choices }) => choices[0] ?? idOf(kind, ids));
  const isOpen = Object.values(command.flags).some(({ required }) => required === true);
  if (isOpen || given.includes(undefined)) throw new Error(`${words} needs a line in test/cli/every-line.ts`);
  return given.flatMap((value) => value ?? []);
}
