import { expect, test } from 'vitest';
import { collectFacts, operationNamed } from '../../src/cli/help/command-facts.ts';
import { dashed } from '../../src/cli/kit/result/message.ts';
import type { TSchema } from '../../src/contract/schema.ts';
import { commands, type Entry } from './commands-of-tree.ts';
import { everyRecord } from './every-record.ts';
import { errorOf, waybill } from './harness.ts';

const storeFields = [
  ...['name', 'address', 'latitude', 'longitude', 'undeliverable_action', 'phone_number', 'unit', 'notes'],
  ...['support_phone_number', 'logo', 'kind'],
];

/** Fields without a flag: those of a positional, of flags with other names, or of a file only. */
const exceptions: Readonly<Record<string, readonly string[]>> = {
  // --due and --delivered are periods.
  'orders list': [
    'expand',
    'due_after',
    'due_before',
    'delivered_after',
    'delivered_before',
    'ended_after',
    'ended_before',
  ],
  'orders create': ['orders', 'settings'],
  'orders import': ['orders', 'settings'],
  'drivers add': ['name'],
  // The board asks before a delivery is given away.
  'drivers list': ['for_id'],
  'drivers prices': ['upsell', 'subsidy', 'payment_method', 'tip_limit', 'fleet', 'notices', 'public_url'],
  board: ['permission', 'name', 'expires_at'],
  'deliveries assign': ['delivery_id'],
  'deliveries report': ['status'],
  'stores create': ['paused_until'],
  'stores update': ['paused_until'],
  'stores pause': [...storeFields, 'providers'],
  'stores resume': [...storeFields, 'paused_until', 'providers'],
  ship: ['orders', 'settings', 'order_ids', 'quote_id', 'driver_id'],
  new: ['orders', 'settings', 'order_ids', 'optimize', 'quote_id', 'tip', 'max_cost', 'driver_id'],
  // The driver is chosen at the dispatch: `dispatch --driver`.
  'routes quote': ['driver_id'],
  'routes create': ['order_ids'],
  'audit list': ['actor', 'order_id', 'external_order_ref'],
  'couriers connect': ['settings'],
  'webhooks update': ['status'],
  'webhooks attempts': ['status', 'last'],
  'deliveries note': ['text', 'tags'],
  'sandbox clock': ['mode'],
  'sandbox step': ['status'],
  'sandbox scenario': ['default_scenario'],
  'sandbox provider': ['state'],
};

/** Checks that commands ask for by themselves; `--allow-duplicate-ref` and `--quote` leave them out. */
const setByCommands: readonly string[] = ['unique_ref', 'only_with_room'];

/** What a page has shown before a change; a command has flags for it where people wait before they send it. */
const seenBefore: readonly string[] = ['from_driver_id', 'if_status'];

/** Fields that only programs for the public platform send; the service converts them to its own fields. */
const platformFields: readonly string[] = [
  ...['store_id', 'dropoff_store_id', 'pickup_address_details', 'dropoff_address_details'],
  ...['pickup_contact_email', 'dropoff_contact_email', 'preferred_provider_settings'],
  ...['dimension_unit', 'weight_unit'],
];

const roundFields: readonly string[] = ['vehicle_type', 'quote_preference'];

/** The operations of a command: those that it writes with, or lists. */
function operationsOf({ path, command }: Entry) {
  // An assistant names the fields in its calls.
  if (command.effect === 'none' || path[0] === 'mcp') return [];
  const calls = collectFacts(path, command).calls.filter(
    // It sends the order again as it was, with another time.
    (name) => path.join(' ') !== 'deliveries reschedule' || name === 'orders.update',
  );
  const named = calls.map((name) => ({ name, operation: operationNamed(name) }));
  const lists = `${path[0]}.list`;
  return named.filter(({ name, operation: { method, body } }) =>
    method === 'GET'
      ? (path.at(-1) === 'list' && name === lists) ||
        (path.at(-1) === 'attempts' && name.endsWith('.attempts'))
      : body !== undefined,
  );
}

function fieldsOf(schema: TSchema | undefined): string[] {
  return schema !== undefined && 'properties' in schema ? Object.keys(Object(schema.properties)) : [];
}

const cases = commands.flatMap((entry) => operationsOf(entry).map((each) => ({ ...each, entry })));

test.each(cases)('$entry.words takes the fields of $name as flags', ({ entry, operation }) => {
  const names = Object.entries(entry.command.flags).flatMap(([name, { aliases }]) => [
    dashed(name),
    ...aliases,
  ]);
  const ofPrograms = operation.id === 'GetRouteQuotes' ? roundFields : platformFields;
  const left = [...setByCommands, ...seenBefore, ...ofPrograms, ...(exceptions[entry.words] ?? [])];
  const fields = [...fieldsOf(operation.query), ...fieldsOf(operation.body)];
  const wanted = fields.filter((field) => !left.includes(field)).map((field) => field.replaceAll('_', '-'));
  expect(wanted.filter((name) => !names.includes(name))).toEqual([]);
});

test.each(commands.filter(({ words }) => ['orders create', 'ship'].includes(words)))(
  '$words takes the fields of an order as flags',
  ({ command }) => {
    const { body } = operationNamed('orders.create');
    const orders = Object(Object(body).properties).orders;
    const names = Object.entries(command.flags).flatMap(([name, { aliases }]) => [dashed(name), ...aliases]);
    const wanted = fieldsOf(Object(orders).items).map((field) => field.replaceAll('_', '-'));
    expect(wanted.length).toBeGreaterThan(10);
    expect(wanted.filter((name) => !names.includes(name))).toEqual([]);
  },
);

test('the alias does what the flag does', async () => {
  const { ids, run } = await everyRecord();
  const { stdout } = await run(['quotes', 'list', ids.route, '-o', 'id']);
  const [quote = ''] = stdout.split('\n');
  const { exit, stderr } = await run(['dispatch', ids.route, '--quote-id', quote, '--json']);
  expect({ exit, stderr: exit === 0 ? '' : stderr }).toEqual({ exit: 0, stderr: '' });
});

const recordKinds = ['order', 'route', 'delivery', 'batch', 'event', 'webhook_endpoint', 'store', 'key'];
const takingIds = commands.flatMap((entry) =>
  Object.entries(entry.command.positionals)
    .filter(([name, { kind }]) => recordKinds.includes(kind) && !Object.hasOwn(entry.command.flags, name))
    .map(([name, { kind }]) => ({ ...entry, name, flag: `--${kind.replaceAll('_', '-')}-id` })),
);

test.each(takingIds)('$words with $flag suggests its argument', async ({ path, name, flag }) => {
  const { hint } = errorOf((await waybill([...path, flag, 'some_1', '--json'])).stderr);
  expect(hint).toContain(`${flag} is the argument ${name.toUpperCase()}`);
});
