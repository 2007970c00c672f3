import { copyFileSync, cpSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Transport } from '../../src/contract/operation.ts';
import { doorDashSettings } from '../fakes/courier-check.ts';
import { oneOf } from '../in-part.ts';
import { commands, wordsOf } from './commands-of-tree.ts';
import { everyRecord } from './every-record.ts';
import { freshHome } from './harness.ts';
import { orderFields } from './sandbox.ts';

const { ids: records, run } = await everyRecord();
const home = freshHome();

const { items: _, ...texts } = orderFields;
const row = { ...texts, items_description: 'Soup' };
const files: Record<string, string> = {
  'order.json': JSON.stringify(orderFields),
  'orders.json': JSON.stringify([orderFields, orderFields]),
  'delivery.json': JSON.stringify(orderFields),
  'route.json': JSON.stringify({ order_ids: [records.order] }),
  'settings.json': JSON.stringify(doorDashSettings('sandbox')),
  'ids.txt': records.delivery,
  'orders.txt': records.order,
  'key.txt': 'wb_test_madeup0000000000',
  'waybill.conf': 'port = 4010\n',
  'shop.key': `${Buffer.alloc(32, 1).toString('base64')}\n`,
  'orders.csv': [Object.keys(row), Object.values(row).map((value) => `"${value}"`)].join('\n'),
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

const deliveries: Record<string, string> = {
  'deliveries initiate': records.request,
  'deliveries retry': records.canceled,
  'deliveries dispute': records.delivered,
  'disputes resolve': records.disputed,
  'disputes get': records.disputed,
  'deliveries assign': records.carried,
  'deliveries report': records.carried,
  'deliveries unlock': records.locked,
};
const [quote = ''] = (await run(['quotes', 'list', records.route, '-o', 'id'])).stdout.split('\n');
const ids: Record<string, string> = {
  ORDER: records.order,
  ROUTE: records.route,
  QUOTE: quote,
  BATCH: records.processing,
  EVENT: records.event,
  ENDPOINT: records.webhook_endpoint,
  STORE: records.store,
  DRIVER: records.driver,
  KEY: records.key,
};

/** Examples that change nothing. */
const asking: ReadonlySet<string> = new Set([
  'admin failed list',
  // This service has no failed tasks.
  'admin failed retry --all',
  'deliveries cancel DELIVERY --price',
  'deliveries retry DELIVERY --price --max-cost 12.50',
  'drivers prices',
  // A trial only asks for the prices.
  'deliveries cancel --where not_picked_up --store STORE --dry-run',
  'orders import orders.csv --validate-only',
  'sandbox clock',
  'sandbox provider swiftly',
  'sandbox scenario',
]);
/** A dry run of a raw API call shows the requests of reads, too. */
const shown: ReadonlySet<string> = new Set(['api GET /v2/routes --query limit=5']);
/** Commands for several deliveries at once. */
const bulk: ReadonlySet<string> = new Set(['cancel', 'retry']);
/** One needs an existing journal, and one a terminal. */
const elsewhere = (typed: readonly string[]) =>
  typed.includes('--resume') ||
  typed[0] === 'new' ||
  // A server of a courier is not the service, and nothing is written to the service.
  typed[2]?.startsWith('http') === true ||
  typed.join(' ') === 'couriers connect uber-direct';

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
  const own = deliveries[words] ?? records.delivery;
  return typed.map((word) =>
    word.replace(/^[A-Z]{3,}(?=$|:)/, (name) =>
      name === 'DELIVERY' ? own : (ids[name] ?? (name === 'TASK' ? 'task_1' : name)),
    ),
  );
}

describe.each(cases)('$typed', ({ words, command, typed }) => {
  const plain = typed.filter((word, index) => !/^--(?:json|jq$)/.test(word) && typed[index - 1] !== '--jq');
  const line = [...filledIn(plain, words), ...(command.confirms ? ['--yes'] : [])];
  const isAsking = asking.has(typed.join(' '));

  async function dry(...flags: string[]) {
    const { sent, ...outcome } = await run([...line, '--dry-run', ...flags], { home });
    return { ...outcome, sent: sent.map(({ method }) => method) };
  }

  test('with --json it prints profile and mode on stderr before its first request, on one line', async () => {
    const said: string[] = [];
    const between =
      (transport: Transport): Transport =>
      async (request) => {
        if (request.method === 'GET') return transport(request);
        said.push(...saidSoFar.split('\n').filter((text) => text !== ''));
        return {
          status: 400,
          headers: {},
          body: '{"object":"error","code":"invalid_request","message":"No."}',
        };
      };
    let saidSoFar = '';
    await run([...line, '--json'], {
      ...{ home: copyOf(home), between },
      said: (text) => {
        saidSoFar += text;
      },
    });
    if (isAsking || shown.has(typed.join(' '))) return expect(said).toEqual([]);
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
    else if (bulk.has(typed[1] ?? '') && typed.some((word) => word === '--from' || word === '--where'))
      // Several are listed, each with what would happen.
      return expect(first).toMatchObject({ object: 'bulk_result', result: 'not_sent' });
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

/** Examples that go on until they are ended, or that need a terminal, another server or what only a run before leaves. */
const isApart =
  /--watch|^waybill (?:start|listen|serve(?!.*--check)|board|track|mcp|new|login|doctor|help --man-path|events tail|deliveries watch|webhooks verify|couriers (?:connect uber|check|enable|disable|remove)|admin failed (?:retry|dismiss) TASK|keys create .*--expires-at)|postgres:|--resume|acct_1|dlv_1\b|'zoe wacker'|get \+1|Ana Lopez|--from DRIVER|today --since/;

/** The examples that say something by another exit code here. */
const exits: ReadonlyMap<string, number> = new Map([
  // Something needs attention.
  ['waybill today --exit-code', 9],
  // Its orders are in no route, its batch has no quotes, and its recipient's phone number lets each try fail.
  ['waybill orders wait ORDER', 8],
  ['waybill orders wait ORDER --until routed --timeout 5m --json', 8],
  ['waybill batches get BATCH --wait --timeout 40m --json', 9],
  ['waybill batches wait BATCH', 9],
  ['waybill batches wait BATCH --fail-on unfulfilled,failed --timeout 40m --json', 9],
  ['waybill deliveries retry DELIVERY --max-cost 12.50 --wait delivered', 9],
]);

/** What an import and a restore leave beside their files, as their help says, and what profiles and the embedded service are kept in. */
const isUsual = (name: string) =>
  /\.(?:ok\.csv|waybill-journal)$|\.before-|^\.(?:config|local)$|-(?:wal|shm|worker)$/.test(name);

/** The records for the references and names in examples about deliveries. */
const recordsOf: Readonly<Record<string, string>> = {
  '#1042': records.delivery,
  'Ohio Street Grill': records.store,
};

/** What a command makes, and which is there for the others. */
const made: Readonly<Record<string, readonly string[]>> = {
  backup: ['waybill-backup.db'],
  'profiles create': ['.config'],
};

const template = freshHome();
for (const [name, text] of Object.entries(files)) writeFileSync(join(template, name), text);
for (const database of [[], ['--database', 'shop.db']])
  await run(['migrate', ...database], { home: template });
for (const name of ['shop-backup.db', 'waybill-backup.db'])
  copyFileSync(join(template, 'shop.db'), join(template, name));
for (const name of ['staging', 'ci', 'shop'])
  await run(['profiles', 'create', name, '--base-url', 'https://deliveries.example'], { home: template });
await run(['profiles', 'use', 'sandbox'], { home: template });

const asTheyStand = commands
  .flatMap(({ words, command }) =>
    command.examples.map(({ command: line }) => ({ words, line, confirms: command.confirms })),
  )
  .filter(({ line }) => !isApart.test(line));

test.each(asTheyStand.filter(oneOf(3)))(
  '$line runs, and leaves no file that it does not name',
  async ({ words, line, confirms }) => {
    const own = freshHome();
    cpSync(template, own, { recursive: true });
    for (const name of made[words] ?? []) rmSync(join(own, name), { recursive: true });
    const typed = filledIn(wordsOf(line, words), words).map(
      (word) => (words.startsWith('deliveries ') ? recordsOf[word] : undefined) ?? word,
    );
    const stdin = words === 'routes create' ? records.order : records.event;
    const { exit, stderr } = await run([...typed, ...(confirms ? ['--yes'] : [])], {
      ...{ home: own, env: { CI_JOB_ID: '7' } },
      ...(typed.includes('-') ? { stdin } : {}),
    });
    expect([exit, stderr]).toEqual([exits.get(line) ?? 0, stderr]);
    const left = readdirSync(own).filter((name) => !readdirSync(template).includes(name) && !isUsual(name));
    expect(left.filter((name) => !line.includes(name) && !typed.includes(name))).toEqual([]);
  },
);
