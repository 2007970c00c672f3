import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Transport } from '../../src/contract/operation.ts';
import { doorDashSettings } from '../fakes/courier-check.ts';
import { commands, wordsOf } from './commands-of-tree.ts';
import { tapping } from './driver-taps.ts';
import { freshHome } from './harness.ts';
import { newOrder, orderLine, quotedRoute, sandbox } from './sandbox.ts';

const box = await sandbox();
const home = freshHome();
const minute = 60_000;

/** The file that an example refers to. */
const order = {
  ...{ pickup_address: '43 E Ohio St, Chicago, IL 60611', pickup_name: 'Grill' },
  ...{ pickup_phone_number: '+13125550101', dropoff_address: '233 S Wacker Dr, Chicago, IL 60606' },
  ...{ dropoff_name: 'Joe Diner', dropoff_phone_number: '+13125550142', items_description: 'Soup' },
};
const files: Record<string, string> = {
  'order.json': JSON.stringify(order),
  'orders.json': JSON.stringify([order, order]),
  'delivery.json': JSON.stringify(order),
  'route.json': JSON.stringify({ order_ids: [await newOrder(box)] }),
  'settings.json': JSON.stringify(doorDashSettings('sandbox')),
  'orders.csv': [Object.keys(order), Object.values(order).map((value) => `"${value}"`)].join('\n'),
  'tonight.csv': 'Ship to,Who,Phone,What\n"233 S Wacker Dr, Chicago, IL 60606",Joe,+13125550142,Soup\n',
  'shop.map': [
    'Ship to=dropoff_address',
    'Who=dropoff_name',
    'Phone=dropoff_phone_number',
    'What=items_description',
  ].join('\n'),
  'orders_export.csv': [
    'Name,Lineitem name,Lineitem quantity,Shipping Name,Shipping Address1,Shipping Zip,Shipping Phone',
    '#1,Soup,1,Joe,233 S Wacker Dr,60606,+13125550142',
  ].join('\n'),
};
for (const [name, text] of Object.entries(files)) writeFileSync(join(home, name), text);

async function idOf(...line: string[]): Promise<string> {
  const { stdout, stderr } = await box.run([...line, '-o', 'id'], { home });
  if (stdout === '') throw new Error(stderr);
  return stdout.trim().split('\n')[0] ?? '';
}

async function delivery(...flags: string[]): Promise<string> {
  box.advance(1);
  return idOf('deliveries', 'create', ...orderLine.slice(2), ...flags);
}

const delivered = await delivery('--initiate', '--simulate', 'happy_path');
const failed = await delivery('--initiate', '--simulate', 'payment_declined');
const disputed = await delivery('--initiate');
await box.json(['sandbox', 'advance', '--until', `${disputed}:delivered`]);
await box.json(['deliveries', 'dispute', disputed, '--reason', 'It never came']);
const batch = await idOf(
  'orders',
  'create',
  '--file',
  'orders.json',
  '--auto',
  '--simulate',
  'no_quotes_then',
);
box.advance(60 * minute);
const deliveries: Record<string, string> = {
  'deliveries initiate': await delivery(),
  'deliveries retry': failed,
  'deliveries dispute': delivered,
  'disputes resolve': disputed,
};
const underWay = await delivery('--initiate', '--simulate', 'happy_path');
files['ids.txt'] = underWay;
writeFileSync(join(home, 'ids.txt'), underWay);
await box.json(['couriers', 'connect', 'doordash-drive', '--settings-from', 'settings.json'], { home });
const driver = await box.json(['drivers', 'add', 'Sam Lee', '--phone', '+13125550133']);
await tapping(box.transport, driver.link)({ kind: 'duty', on: true });
const route = await quotedRoute(box);
for (const ref of ['#1042', '#1043']) await newOrder(box, '--ref', ref);
const ids: Record<string, string> = {
  ORDER: await newOrder(box),
  ROUTE: route,
  QUOTE: await idOf('quotes', 'list', route),
  BATCH: batch,
  EVENT: await idOf('events', 'list'),
  ENDPOINT: await idOf('webhooks', 'create', 'https://shop.example/hooks'),
  STORE: await idOf(
    'stores',
    'create',
    '--name',
    'Grill',
    '--address',
    order.pickup_address,
    '--phone',
    '+13125550101',
  ),
  DRIVER: String(driver.id),
  KEY: await idOf('keys', 'create', '--permission', 'read'),
};

/** Examples that change nothing. */
const asking: ReadonlySet<string> = new Set([
  'admin failed list',
  // This service has no failed tasks.
  'admin failed retry --all',
  'deliveries cancel DELIVERY --price',
  'drivers prices',
  // No delivery is stuck.
  'deliveries cancel --where stuck --reason Closing early',
  'orders import orders.csv --validate-only',
  'sandbox clock',
  'sandbox provider swiftly',
  'sandbox scenario',
]);
/** A dry run of a raw API call shows the requests of reads, too. */
const shown: ReadonlySet<string> = new Set(['api GET /v2/routes --query limit=5']);
/** One needs an existing journal, one a terminal, and one is an endless read. */
const elsewhere = (typed: readonly string[]) =>
  typed.includes('--resume') ||
  typed[0] === 'new' ||
  // A server of a courier is not the service, and nothing is written to the service.
  typed[2]?.startsWith('http') === true ||
  ['sandbox clock --watch', 'couriers connect uber-direct'].includes(typed.join(' '));

/** Files left by one command must not affect the next one. */
function copyOf(folder: string): string {
  const copy = freshHome();
  for (const name of Object.keys(files)) copyFileSync(join(folder, name), join(copy, name));
  return copy;
}

const cases = commands
  .filter(({ command }) => command.effect === 'write')
  .flatMap(({ words, command }) =>
    command.examples.map((example) => ({ words, command, typed: wordsOf(example.command, words) })),
  )
  .filter(({ typed }) => typed.length > 0 && !typed.includes('-') && !elsewhere(typed));

function filledIn(typed: readonly string[], words: string): string[] {
  const own = deliveries[words] ?? underWay;
  return typed.map((word) =>
    word.replace(/^[A-Z]{3,}(?=$|:)/, (name) => (name === 'DELIVERY' ? own : (ids[name] ?? name))),
  );
}

describe.each(cases)('$typed', ({ words, command, typed }) => {
  const plain = typed.filter((word, index) => !/^--(?:json|jq$)/.test(word) && typed[index - 1] !== '--jq');
  const line = [...filledIn(plain, words), ...(command.confirms ? ['--yes'] : [])];
  const isAsking = asking.has(typed.join(' '));

  async function dry(...flags: string[]) {
    const before = box.requests.length;
    const outcome = await box.run([...line, '--dry-run', ...flags], { home });
    return { ...outcome, sent: box.requests.slice(before).map(({ method }) => method) };
  }

  test('with --json it prints profile and mode on stderr before its first request, on one line', async () => {
    const said: string[] = [];
    const refusing: Transport = async (request) => {
      if (request.method === 'GET') return box.transport(request);
      said.push(...saidSoFar.split('\n').filter((text) => text !== ''));
      return {
        status: 400,
        headers: {},
        body: '{"object":"error","code":"invalid_request","message":"No."}',
      };
    };
    let saidSoFar = '';
    await box.run([...line, '--json'], {
      ...{ home: copyOf(home), transport: refusing },
      said: (text) => {
        saidSoFar += text;
      },
    });
    // No order of the batch is pending anymore.
    if (isAsking || shown.has(typed.join(' ')) || words === 'batches cancel') return expect(said).toEqual([]);
    const [first = ''] = said;
    expect(JSON.parse(first)).toEqual({ type: 'context', profile: 'sandbox', mode: 'test' });
  });

  test('--dry-run sends no change and shows the request', async () => {
    const json = await dry('--json');
    expect(json.sent.filter((method) => method !== 'GET')).toEqual([]);
    expect([json.exit, json.stderr]).toEqual([0, json.stderr]);
    const data: unknown = JSON.parse(json.stdout);
    const [first] = Array.isArray(data) ? data : [data];
    if (isAsking) expect(first ?? {}).not.toHaveProperty('dry_run');
    else expect(first).toMatchObject({ dry_run: true });
    if (isAsking || shown.has(typed.join(' '))) return;
    expect(first).toMatchObject({ method: expect.not.stringMatching(/^GET$/) });
    const people = await dry();
    expect(people.stdout).toMatch(/^(?:POST|PATCH|DELETE|PUT) \/(?:v\d|orders\/create$)/m);
    const curl = await dry('--curl');
    expect(curl.stdout).toMatch(
      /^curl \\\n {2}-X (?:POST|PATCH|DELETE|PUT) \\\n {2}"\$\{WAYBILL_BASE_URL:\?[\w ]+\}"/m,
    );
    expect([...people.sent, ...curl.sent].filter((method) => method !== 'GET')).toEqual([]);
  });
});
