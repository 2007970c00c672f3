import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Transport } from '../../src/contract/operation.ts';
import { doorDashSettings } from '../fakes/courier-check.ts';
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
