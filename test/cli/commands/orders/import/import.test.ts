import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { hour_ms } from '../../../../../src/domain/durations.ts';
import { fakeServer, nominatimPlace } from '../../../../fakes/places/geocoder.ts';
import {
  contextLine,
  errorOf,
  failureOf,
  freshHome,
  jsonOf,
  linesIn,
  newInterruption,
  type RunOptions,
  waybill,
} from '../../../harness.ts';
import { otherService } from '../../../other-services/runs.ts';
import { newStore, orderFields, orderLine, postsTo, sandbox } from '../../../sandbox.ts';
import { failingAfter, importFolder, refused_address, refusingRuns } from './import-folder.ts';
import { createCsvFiles, ndjsonOf, orderAt } from './made-up-orders.ts';

const box = await sandbox();
const csvOf = createCsvFiles();

const folderWith = (content: string, name?: string) => importFolder(box, content, name);

/** The number of orders for each reference with a prefix. */
async function madeWith(prefix: string): Promise<Record<string, number>> {
  const { stdout } = await box.run(['orders', 'list', '--all', '--limit', '100', '-o', 'ndjson']);
  const refs = linesIn(stdout).flatMap((line): string => JSON.parse(line).external_order_ref);
  const counts: Record<string, number> = {};
  for (const ref of refs) if (ref.startsWith(prefix)) counts[ref] = (counts[ref] ?? 0) + 1;
  return counts;
}

test('a CSV file: every row is an order, the ids are in a file beside it, and it is not imported twice by mistake', async () => {
  const { run, beside, path } = folderWith(csvOf(4, (number) => ({ external_order_ref: `csv-${number}` })));
  const { stdout, stderr, exit } = await run();
  expect({ exit, stderr }).toMatchObject({
    exit: 0,
    stderr: expect.stringContaining('4 orders, for manual dispatch.'),
  });
  expect(stdout).toContain('made\t4\n');
  expect(await madeWith('csv-')).toEqual({ 'csv-0': 1, 'csv-1': 1, 'csv-2': 1, 'csv-3': 1 });
  const lines = linesIn(beside('.ok.csv'));
  expect(lines[0]).toBe('line,external_order_ref,order_id,batch_id');
  expect(lines[4]).toMatch(/^5,csv-3,ord_\w+,$/);
  expect(existsSync(`${path}.failed.csv`)).toBe(false);
  expect(await failureOf(run(['--json']))).toMatchObject({ exit: 6, code: 'import_begun' });
  const before = postsTo(box);
  const shown = await run(['--resume']);
  const again = stdout.replace('made\t4\n', 'made\t0\n').replace('there_already\t0', 'there_already\t4');
  expect(shown).toMatchObject({
    exit: 0,
    stdout: again,
    stderr: expect.stringContaining('already finished'),
  });
  expect(postsTo(box)).toBe(before);
  expect((await run(['--restart', '--allow-duplicate-ref'])).exit).toBe(0);
  expect(await madeWith('csv-')).toMatchObject({ 'csv-0': 2, 'csv-3': 2 });
});

test('with --auto in batches with settings; as JSON one document', async () => {
  // Orders of the last two hours with the same contents would be named.
  box.advance(2 * hour_ms);
  const { run, beside } = folderWith(ndjsonOf(3), 'orders.ndjson');
  const line = ['--auto', '--max-cost', '12.50', '--retry-window', '0s', '--json'];
  const { stdout, stderr, exit } = await run(line);
  const summary = jsonOf(stdout);
  expect([exit, stderr]).toEqual([0, `${contextLine}Next: waybill batches get ${summary.batch_ids}\n`]);
  expect(summary).toMatchObject({ object: 'import', rows: 3, made: 3, failed: 0, mode: 'test' });
  const batch_ids = JSON.parse(JSON.stringify(summary.batch_ids));
  expect(batch_ids).toHaveLength(1);
  expect(await box.json(['batches', 'get', batch_ids[0]])).toMatchObject({
    order_count: 3,
    // The service's maximum is without the tip, $1.00 each.
    settings: { mechanism: 'auto', max_cost: 1150, retry_window: 0 },
  });
  expect(linesIn(beside('.ok.csv'))[2]).toMatch(new RegExp(`^2,R-1,ord_\\w+,${batch_ids[0]}$`));
});

test('with --wait JSON says of each order without a courier why, also if time runs out', async () => {
  const dear = (number: number) =>
    number === 1 ? { dropoff_address: '1 S Washington St, Naperville, IL 60540' } : {};
  for (const [window, ends] of [
    ['0s', 10],
    ['1h', 8],
  ] as const) {
    const { run } = folderWith(csvOf(3, dear));
    const line = [
      '--auto',
      '--max-cost',
      '12',
      '--wait',
      '--timeout',
      '2m',
      '--retry-window',
      window,
      '--json',
    ];
    const { stdout, stderr, exit } = await run([...line, '--allow-duplicate-ref'], box.passing);
    const told = errorOf(stderr).message;
    if (ends === 8) expect(told).toMatch(/ Still tried, such as \S+-1: .*above the maximum of/);
    expect([exit, jsonOf(stdout)]).toMatchObject([
      ends,
      {
        counts: { dispatched: 2 },
        undispatched: [
          {
            external_order_ref: expect.stringMatching(/-1$/),
            reason: expect.stringContaining('above the maximum of'),
          },
        ],
      },
    ]);
  }
});

test('an invalid row is reported with its line, and nothing is sent', async () => {
  const bad = (number: number) => (number === 1 ? {} : { dropoff_phone_number: `555-${number}`, tip: '4' });
  const { run, beside, path } = folderWith(csvOf(15, bad));
  const before = postsTo(box);
  const { exit, stderr, stdout } = await run();
  expect({ exit, stdout, sent: postsTo(box) - before }).toEqual({ exit: 2, stdout: '', sent: 0 });
  expect(stderr).toContain('14 rows of 15 in orders.csv cannot be sent; nothing was.');
  expect(stderr).toContain(
    '  lines 2, 4-16, tip: must be dollars with two decimals: write 4.00, or read the column as tip_dollars if "4" is dollars, as tip_cents if it is cents\n',
  );
  expect(stderr).toContain(
    '  lines 2, 4-16, dropoff_phone_number: has 4 of the 10 digits of a US phone number',
  );
  expect(stderr.match(/ {2}lines? /g)).toHaveLength(2);
  expect(stderr).toContain('All of them are in');
  expect(linesIn(beside('.failed.csv'))).toHaveLength(15);
  expect(beside('.failed.csv').split('\n')[0]).toMatch(/,tip,line,error$/);
  expect(existsSync(`${path}.waybill-journal`)).toBe(false);
  const json = await run(['--validate-only', '--json']);
  expect([json.exit, json.stdout, errorOf(json.stderr).code]).toEqual([2, '', 'bad_rows']);
});

test('a value that cannot be read is named by the header that --map reads it from', async () => {
  const { run } = folderWith(csvOf(2, () => ({ tip: '4' })).replace('tip', 'Gratuity'));
  const { exit, stderr } = await run(['--map', 'Gratuity=tip']);
  expect(exit).toBe(2);
  expect(stderr).toContain('  lines 2-3, Gratuity (tip): must be dollars with two decimals');
});

test('--validate-only reports that every row can be sent, without a service', async () => {
  const { run, path } = folderWith(csvOf(3).replaceAll('tip', 'colour').replace('"1.00"', '"red"'));
  const transport = async () => {
    throw new Error('asked');
  };
  const { exit, stdout, stderr } = await run(['--validate-only'], { transport });
  expect([exit, stdout]).toEqual([0, 'file\torders.csv\nrows\t3\ntip\t0\norder_value\t0\n']);
  expect(stderr).toContain('Ignored: colour (no order has it).');
  expect(existsSync(`${path}.waybill-journal`)).toBe(false);
});

test.each([
  [
    '233 S Wacker Dr, Chicago, TX 60606',
    'does not fit together: ZIP code 60606 is in Illinois, not in Texas',
  ],
  ['233 S Wacker Dr, Chicago, IL 99999', 'has a ZIP code that does not exist: 99999'],
])('--validate-only says what the service says of the address %s', async (dropoff_address, reason) => {
  const { run, beside } = folderWith(csvOf(2, (number) => (number === 1 ? { dropoff_address } : {})));
  const transport = async () => {
    throw new Error('asked');
  };
  const { exit, stderr } = await run(['--validate-only'], { transport });
  expect([exit, stderr]).toEqual([2, expect.stringContaining(`  line 3, dropoff_address: ${reason}\n`)]);
  expect((await run()).exit).toBe(2);
  expect((await run(['--skip-invalid'])).exit).toBe(10);
  const [, row = ''] = linesIn(beside('.failed.csv'));
  expect([row, row.includes(reason), row.includes('dropoff_address')]).toEqual([row, true, true]);
});

test('--validate-only leaves ZIP codes to a service without account information', async () => {
  const { service, home, run } = await otherService();
  const dropoff_address = '233 S Wacker Dr, Chicago, TX 60606';
  writeFileSync(
    join(home, 'orders.csv'),
    csvOf(1, () => ({ dropoff_address })),
  );
  const before = service.requests.length;
  const { exit, stdout } = await run(['orders', 'import', 'orders.csv', '--validate-only']);
  expect([exit, stdout]).toEqual([0, expect.stringContaining('rows\t1\n')]);
  expect(service.requests).toHaveLength(before);
});

test('times and stores are checked before anything is sent', async () => {
  const row = { ...orderAt(0), pickup_at: '2026-03-02T09:00:00Z' };
  const early = folderWith(JSON.stringify(row), 'early.ndjson');
  expect((await early.run()).stderr).toContain('line 1, pickup_at: must be in the future');
  const { pickup_address: _a, pickup_name: _n, pickup_phone_number: _p, ...stored } = orderAt(0);
  const text = `\n${JSON.stringify({ ...stored, pickup_store_id: 'str_none' })}\n`;
  const before = postsTo(box);
  const { exit, stderr } = await folderWith(text, 'stored.ndjson').run();
  expect([exit, postsTo(box) - before]).toEqual([2, 0]);
  expect(stderr).toContain('line 2, pickup_store_id: There is no store str_none.');
  const id = await newStore(box, 'Ohio Grill');
  const named = folderWith(text.replace('str_none', 'Ohio Grill'), 'named.ndjson');
  expect((await named.run()).stderr).toContain(`pickup_store_id: needs the ID of Ohio Grill: ${id}`);
});

test.each([
  ['manual', [], 'invalid_request'],
  ['auto', ['--auto'], 'invalid_request'],
])(
  '%s: rows that the service refuses fail with their reason, the others are created: exit 10',
  async (_, flags) => {
    const street = (number: number) => (number === 1 ? { dropoff_address: refused_address } : {});
    const { run, beside, home } = folderWith(csvOf(4, street));
    const { exit, stdout, stderr } = await run([...flags, '--json'], refusingRuns(box));
    expect(exit).toBe(10);
    expect(jsonOf(stdout)).toMatchObject({
      rows: 4,
      made: 3,
      failed: 1,
      failed_file: join(home, 'orders.csv.failed.csv'),
    });
    expect(errorOf(stderr)).toMatchObject({ code: 'rows_failed', category: 'partial' });
    expect(linesIn(beside('.failed.csv'))[1]).toContain(
      ',3,dropoff_address: has a ZIP code that does not exist: 00000',
    );
    expect(beside('.ok.csv').match(/ord_/g)).toHaveLength(3);
    writeFileSync(join(home, 'orders.csv'), beside('.failed.csv'));
    expect((await run()).exit).toBe(0);
  },
);

test('people are told why rows failed, each reason once with its rows', async () => {
  const { run } = folderWith(csvOf(5, () => ({ dropoff_address: refused_address })));
  const { exit, stderr } = await run([], refusingRuns(box));
  expect([exit, stderr]).toEqual([10, expect.stringContaining('Error: 5 of 5 orders were not created.\n')]);
  expect(stderr).toContain('\nlines 2-6, dropoff_address: has a ZIP code that does not exist: 00000\n');
});

test('a resumed import creates nothing twice; with another service or a changed file it is refused', async () => {
  const { run, path } = folderWith(csvOf(302, (number) => ({ external_order_ref: `stop-${number}` })));
  const stopped = await run(['--concurrency', '1', '--json'], failingAfter(box, 1));
  expect(stopped.exit).toBe(7);
  expect(errorOf(stopped.stderr).next).toMatchObject([
    {
      command: 'waybill orders import orders.csv --concurrency 1 --resume',
      when: 'go on, nothing is made twice',
    },
  ]);
  expect((await run(['--json'])).exit).toBe(6);
  for (const flags of [['--auto'], ['--simulate', 'no_driver']]) {
    const other = await run(['--resume', '--json', ...flags]);
    expect([other.exit, errorOf(other.stderr).code]).toEqual([6, 'import_differs']);
  }
  const text = readFileSync(path, 'utf8');
  writeFileSync(path, text.replace('Joe 5', 'Jane 5'));
  expect((await run(['--resume'])).stderr).toContain('orders.csv was changed since');
  writeFileSync(path, text);
  const journal = readFileSync(`${path}.waybill-journal`, 'utf8');
  writeFileSync(
    `${path}.waybill-journal`,
    journal.replace(/"account_id":"\w+"/, '"account_id":"acct_other"'),
  );
  expect((await run(['--resume'])).stderr).toContain('in another account');
  writeFileSync(`${path}.waybill-journal`, journal.slice(0, -20));
  expect(await run(['--resume'])).toMatchObject({ exit: 0 });
  expect(Object.values(await madeWith('stop-'))).toEqual(Array.from({ length: 302 }, () => 1));
});

test('an interruption prints what was done and how to continue', async () => {
  const { run } = folderWith(csvOf(302));
  const controller = new AbortController();
  const interruption = newInterruption();
  let posts = 0;
  const transport: RunOptions['transport'] = async (request) => {
    if (request.method === 'POST' && ++posts === 1) controller.abort();
    return box.transport(request);
  };
  await run(['--concurrency', '1'], { transport, signal: controller.signal, interruption });
  expect(interruption.status()?.text).toBe(
    '300 of 302 rows are settled; others may be in progress. Continue with: waybill orders import orders.csv --concurrency 1 --resume',
  );
  await Promise.all(interruption.work.map((work) => work('SIGTERM')));
  expect(posts).toBe(1);
});

test('a dry run prints the first request and the number of requests, and starts nothing', async () => {
  const { run, home } = folderWith(csvOf(301));
  const before = postsTo(box);
  const { exit, stdout } = await run(['--dry-run', '--json', '--auto', '--simulate', 'no_driver']);
  expect([exit, postsTo(box) - before]).toEqual([0, 0]);
  expect(jsonOf(stdout)).toMatchObject({
    ...{ dry_run: true, body: { settings: { mechanism: 'auto' } }, request_count: 2, row_count: 301 },
    headers: { 'x-simulation': 'no_driver' },
  });
  expect((await run(['--dry-run'])).stderr).toContain('The first of 2 requests, for 301 rows:');
  expect(readdirSync(home)).toEqual(['orders.csv']);
});

test.each([
  [['--skip-invalid'], 0],
  [[], 2],
])('a dry run with bad rows writes no file: %j', async (flags, code) => {
  const { run, home } = folderWith(csvOf(2, (number) => (number === 1 ? { tip: '4' } : {})));
  const { exit, stderr } = await run(['--dry-run', ...flags]);
  expect([exit, readdirSync(home)]).toEqual([code, ['orders.csv']]);
  expect(stderr).not.toContain('.failed.csv');
});

test('a terminal has a progress bar, and in accessible mode lines instead', async () => {
  const { run } = folderWith(csvOf(602));
  const { stderr } = await run(['--accessible', '--concurrency', '1'], { tty: true });
  expect(stderr.match(/^\[#*\.*\] \d+%.*$/gm)?.length).toBeGreaterThan(3);
  expect(stderr).toContain('[#########...........] 49% · 300 of 602 orders');
});

test.each([
  [['orders.txt'], /format of orders.txt/],
  [['-'], /stdin cannot be read again/],
  [['nothing.csv'], /nothing.csv cannot be read/],
  [['orders.csv', '--resume', '--restart'], /Use only one of/],
  [['orders.csv', '--max-cost', '3'], /belongs to auto dispatch/],
])('%j is refused', async (words, message) => {
  const { exit, stderr } = await box.run(['orders', 'import', ...words]);
  expect(exit).toBe(2);
  expect(stderr).toMatch(message);
});

test('orders that were exported as CSV can be imported', async () => {
  const ref = 'export-1';
  const flags = ['--item', 'Soup, hot:2:medium', '--item', 'Bread', '--tip', '4.50', '--order-value', '42'];
  flags.push('--dropoff-latitude', '41.87888', '--dropoff-longitude=-87.63591');
  // Without its plus this would be read as a number in the USA.
  flags.push('--dropoff-phone', '+6584123456');
  const first = await box.json([...orderLine, ...flags, '--ref', ref]);
  const { stdout } = await box.run(['orders', 'list', '--ref', ref, '-o', 'csv', '--show-pii']);
  const file = join(freshHome(), 'exported.csv');
  writeFileSync(file, stdout);
  const { exit, stderr } = await box.run(['orders', 'import', file, '--allow-duplicate-ref']);
  expect(exit, stderr).toBe(0);
  const [second] = JSON.parse((await box.run(['orders', 'list', '--ref', ref, '--json'])).stdout);
  expect(second.id).not.toBe(first.id);
  const { items, tip, order_value, dropoff_phone_number, dropoff_address, dropoff_longitude } = first;
  const same = { items, tip, order_value, dropoff_phone_number, dropoff_address, dropoff_longitude };
  // The centre of a ZIP code is not exported as if it were exact.
  expect(second).toMatchObject({ ...same, dropoff_precision: 'exact', pickup_precision: 'zip' });
});

test('an export with a store, and with texts that look like formulas, is imported as it was', async () => {
  const store = await newStore(box, 'Grill');
  await box.json([
    ...['orders', 'create', '--store', store, '--dropoff-address', orderFields.dropoff_address],
    ...['--dropoff-name', '@home', '--dropoff-phone', '+13125550142', '--dropoff-notes', '=1+1'],
    ...['--items-description', '- 3 boxes', '--ref', 'from-store'],
  ]);
  const { stdout } = await box.run(['orders', 'list', '--ref', 'from-store', '-o', 'csv']);
  const file = join(freshHome(), 'exported.csv');
  writeFileSync(file, stdout);
  const { exit, stderr } = await box.run(['orders', 'import', file, '--allow-duplicate-ref']);
  expect(exit, stderr).toBe(0);
  const both = JSON.parse((await box.run(['orders', 'list', '--ref', 'from-store', '--json'])).stdout);
  expect(both).toHaveLength(2);
  const said = { dropoff_name: '@home', dropoff_notes: '=1+1', items_description: '- 3 boxes' };
  for (const each of both) expect(each).toMatchObject({ ...said, pickup_store_id: store });
});

test('deliveries that were exported as CSV can be imported as orders', async () => {
  const store = await newStore(box, 'Grill');
  const flags = ['--item', 'Soup, hot:2:large', '--item', 'Tea, 2 x:1', '--order-value', '42.50'];
  const given = { dropoff_name: '000123', dropoff_unit: '3/4', dropoff_phone_number: '442079460958' };
  await box.json(
    [
      ...['ship', '--store', store, '--dropoff-address', orderFields.dropoff_address, ...flags, '--tip', '3'],
      ...['--dropoff-name', '000123', '--dropoff-unit', '3/4', '--dropoff-phone', '+44 20 7946 0958'],
      ...['--ref', '1E5', '--cheapest'],
    ],
    box.passing,
  );
  for (const list of ['deliveries', 'orders']) {
    const { stdout } = await box.run([list, 'list', '--limit', '1', '-o', 'csv', '--show-pii']);
    expect(stdout).toContain("'1E5,");
    const file = join(freshHome(), 'exported.csv');
    writeFileSync(file, stdout);
    const { exit, stderr } = await box.run(['orders', 'import', file, '--allow-duplicate-ref']);
    expect(exit, stderr).toBe(0);
    const [order] = JSON.parse((await box.run(['orders', 'list', '--ref', '1E5', '--json'])).stdout);
    expect(order).toMatchObject({
      ...{ ...given, pickup_store_id: store, order_value: 4250 },
      items: [
        { name: 'Soup, hot', quantity: 2, size: 'large' },
        { name: 'Tea, 2 x', quantity: 1, size: 'small' },
      ],
    });
    if (list === 'deliveries') expect(order.tip).toBe(300);
  }
});

test('--validate-only warns of addresses that the geocoder does not find, and takes them', async () => {
  const fake = await fakeServer((url) => {
    const street = url.searchParams.get('street') ?? '';
    const place = nominatimPlace({
      lat: 41.88,
      lon: -87.63,
      address: { house_number: street.split(' ')[0] ?? '' },
    });
    return { body: street.startsWith('404') ? '[]' : JSON.stringify([place]) };
  });
  const home = freshHome();
  const dropoff_address = '404 Nowhere St, Chicago, IL 60606';
  writeFileSync(
    join(home, 'orders.csv'),
    csvOf(3, (number) => (number === 1 ? { dropoff_address } : {})),
  );
  const env = { WAYBILL_GEOCODER: `nominatim+${fake.url}`, WAYBILL_GEOCODER_RATE: '1000' };
  const run = (argv: readonly string[], given: Record<string, string> = env) =>
    waybill([...argv], { home, env: given });
  const { exit, stderr } = await run(['orders', 'import', 'orders.csv', '--validate-only']);
  expect(exit).toBe(0);
  expect(stderr).toContain(`line 3, dropoff_address: "${dropoff_address}" is not found by the geocoder.`);
  expect(stderr.match(/geocoder/g)).toHaveLength(1);
  const without = await run(['orders', 'import', 'orders.csv', '--validate-only'], {});
  expect([without.exit, without.stderr]).toEqual([0, expect.not.stringContaining('geocoder')]);
  const wrong = await run(['orders', 'list'], { WAYBILL_GEOCODER: 'https://geocoder.example' });
  expect([wrong.exit, wrong.stderr]).toEqual([2, expect.stringContaining('WAYBILL_GEOCODER must be')]);
  const place = async (given: Record<string, string>) => {
    const findings: { check: string; found: string }[] = JSON.parse(
      (await run(['doctor', '--json'], given)).stdout,
    );
    return findings.find(({ check }) => check === 'places')?.found;
  };
  expect(await place({ WAYBILL_GEOCODER: 'nominatim+http://127.0.0.1:9' })).toMatch(/does not answer/);
  expect(await place(env)).toBe('addresses are found by a geocoder (nominatim)');
  expect(await place({})).toBe('no geocoder is set: addresses are known by their ZIP codes');
});

test.each([
  [299, expect.not.stringContaining('Only the first')],
  [300, expect.stringContaining('Only the first 300 addresses were looked up.')],
])(
  '--validate-only of %i orders from one pickup says whether addresses were left out',
  async (count, said) => {
    const place = JSON.stringify([nominatimPlace({ lat: 41.88, lon: -87.63, address: {} })]);
    const fake = await fakeServer(() => ({ body: place }));
    const home = freshHome();
    writeFileSync(join(home, 'orders.csv'), csvOf(count));
    const env = { WAYBILL_GEOCODER: `nominatim+${fake.url}`, WAYBILL_GEOCODER_RATE: '1000' };
    const { exit, stderr } = await waybill(['orders', 'import', 'orders.csv', '--validate-only'], {
      home,
      env,
    });
    expect([exit, stderr]).toEqual([0, said]);
  },
);
