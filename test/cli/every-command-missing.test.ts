import { expect, test } from 'vitest';
import { commands, type Entry } from './commands-of-tree.ts';
import { everyRecord } from './every-record.ts';
import { errorOf } from './harness.ts';
import { orderFields } from './sandbox.ts';

const { ids, run } = await everyRecord();

/** Values for what is missing; a switch has none, and any text is accepted otherwise. */
const values: Readonly<Record<string, string>> = {
  '--pickup-address': orderFields.pickup_address,
  '--pickup-phone-number': orderFields.pickup_phone_number,
  '--dropoff-address': orderFields.dropoff_address,
  '--dropoff-phone-number': orderFields.dropoff_phone_number,
  '--phone-number': orderFields.pickup_phone_number,
  '--address': orderFields.pickup_address,
  '--item': 'Soup:2:small',
  '--permission': 'read',
  '--file': 'order.json',
  '--by': '1m',
  METHOD: 'GET',
  PATH: '/v2/account',
  STATUS: 'driver_assigned',
  URL: 'https://shop.example/hooks',
  KEY: ids.key,
};
const ofRecords: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(ids).map(([kind, id]) => [kind.toUpperCase(), id])),
  ENDPOINT: ids.webhook_endpoint,
};

function given(label: string, { command }: Entry): string[] {
  const [first = label] = label.split(' or ');
  const value = values[first] ?? ofRecords[first] ?? 'x';
  if (!first.startsWith('--')) return [value];
  const flag = Object.entries(command.flags).find(([name]) => dashes(name) === first)?.[1];
  return first === '--yes' || flag?.kind === 'switch' ? [first] : [first, value];
}

function dashes(name: string): string {
  return `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** The error of a command without a terminal; null if it succeeded. */
async function failure(line: readonly string[]) {
  const { stderr, exit } = await run([...line, '--json']);
  return exit === 0 || !stderr.startsWith('{') ? null : errorOf(stderr);
}

/**
 * The wizard only prompts, a key is never an argument, two commands are endless, and the settings of a courier are
 * named by the service.
 */
const cases = commands.filter(({ words, command }) => {
  const { missing, oneOf } = command.check({ flags: new Map(), words: [] });
  const isElsewhere = ['new', 'login', 'listen', 'track', 'couriers connect'].includes(words);
  return !isElsewhere && missing.length + oneOf.length > 0;
});

test.each(cases)('$words: all missing input is named at once', async (entry) => {
  const first = await failure(entry.path);
  expect(first?.code).toBe('missing_input');
  const labels = JSON.parse(JSON.stringify(first?.missing)).flatMap((label: string) => given(label, entry));
  const second = await failure([...entry.path, ...labels]);
  expect(second?.missing ?? []).toEqual([]);
  // There is no choice between flags either.
  expect(JSON.stringify(second?.choices ?? [])).not.toContain('"--');
});

test.each([
  [
    'ship --file order.json --ref D-1 --store Grill --max-cost 15 --idempotency-key D-1',
    'ship --file order.json --external-order-ref D-1 --store Grill --max-cost 15 --idempotency-key D-1 --cheapest',
  ],
  ['ship --file order.json', 'ship --file order.json --cheapest --max-cost DOLLARS'],
  [
    'ship --item Soup:2 --item Bread:1 --like ord_1',
    'ship --item Soup:2 --item Bread:1 --like ord_1 --cheapest --max-cost DOLLARS',
  ],
  [
    'stores create --notes Back --dry-run',
    'stores create --notes Back --dry-run --name NAME --address ADDRESS --phone-number PHONE',
  ],
  ['deliveries dispute 1042', 'deliveries dispute 1042 --reason TEXT'],
  ['config set output', 'config set output VALUE'],
  ['ship', 'ship --file order.json --cheapest --max-cost 12.50 --wait delivered'],
])('%s: the suggested line keeps what was typed', async (typed, line) => {
  const found = await failure(typed.split(' '));
  expect(found?.next).toMatchObject([{ command: `waybill ${line}` }]);
});
