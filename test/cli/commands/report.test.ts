import { expect, test } from 'vitest';
import { newDelivery, newStore, orderLine, sandbox, startedAt } from '../sandbox.ts';

const box = await sandbox();
const minute = 60_000;

const sent = (...flags: string[]) => newDelivery(box, '--initiate', ...flags);

async function step(id: string, ...statuses: string[]): Promise<void> {
  for (const status of statuses) await box.json(['sandbox', 'step', id, status]);
}

async function rowsOf(...flags: string[]): Promise<unknown[]> {
  const { stdout, exit } = await box.run(['report', '--since', '1d', '--json', ...flags]);
  expect(exit).toBe(0);
  return JSON.parse(stdout);
}

/** The minutes from the creation of a delivery to its arrival. */
async function minutesOf(id: string): Promise<number> {
  const { created_at, status_history } = await box.json(['deliveries', 'get', id]);
  const arrival = JSON.stringify(status_history).match(/"delivered","created_at":"([^"]+)"/)?.[1];
  return (Date.parse(arrival ?? '') - Date.parse(String(created_at))) / minute;
}

/** One on time, one late, one failed, one canceled, one with an agreed time, and one under way from a store. */
async function shift() {
  const store = await newStore(box, 'Grill');
  const asap = [await sent('--tip', '3'), await sent('--simulate', 'slow_assignment')];
  await step(await sent(), 'driver_assigned', 'failed');
  await box.json(['deliveries', 'cancel', await sent(), '--yes']);
  await sent('--dropoff-at', '3h');
  box.advance(240 * minute);
  const { order_id } = await box.json(['deliveries', 'get', asap[0] ?? '']);
  await box.json(['deliveries', 'create', '--like', String(order_id)]);
  await box.json(['deliveries', 'create', '--like', String(order_id), '--store', store, '--initiate']);
  return { store, minutes: await Promise.all(asap.map(minutesOf)) };
}

test('counts, costs and times of a shift, in all and divided', async () => {
  const { store, minutes } = await shift();
  const charges = await box.run(['charges', 'list', '--all', '-o', 'ndjson']);
  const amounts = charges.stdout.split('\n').flatMap((line) => (line === '' ? [] : JSON.parse(line).amount));
  const [all] = await rowsOf();
  expect(all).toMatchObject({
    ...{ deliveries: 6, active: 1, delivered: 3, on_time: 2, late: 1, failed: 1, canceled: 1 },
    total_cost: amounts.reduce((sum, amount) => sum + amount, 0),
    // The one with an agreed time is left out.
    average_minutes: Math.round((minutes.reduce((sum, each) => sum + each, 0) / minutes.length) * 10) / 10,
    ...{ courier: null, status: null, store_id: null, driver_id: null, reason: null, orders: 6 },
  });
  // Simulated couriers do not report when they come to the store.
  const waits = await box.run(['report', '--since', '1d', '--by', 'store', '--sort', 'wait'], { tty: true });
  expect([all, waits.stdout]).toMatchObject([
    { average_wait_minutes: null },
    expect.stringMatching(/AT STORE.* not reported/s),
  ]);
  await newStore(box, 'Deli');
  const shops = await box.run(['report', '--since', '1d', '--by', 'store,courier'], { tty: true });
  expect(shops.stderr).toMatch(/^No row, as there was nothing: Deli, .*nightowl/m);
  const byStatus = await rowsOf('--by', 'status');
  expect(byStatus).toHaveLength(4);
  expect(byStatus[0]).toMatchObject({ status: 'delivered', deliveries: 3, on_time: 2, failed: 0 });
  expect(byStatus).toContainEqual(
    expect.objectContaining({ status: 'failed', average_cost: null, failed: 1 }),
  );
  expect(await rowsOf('--by', 'store,courier')).toContainEqual(
    expect.objectContaining({ store_id: store, store_name: 'Grill', deliveries: 1, status: null }),
  );
});

test('a store that was deleted keeps its name', async () => {
  const other = await sandbox();
  const store = await newStore(other, 'Grill');
  const { order_id } = await other.json(['deliveries', 'get', await newDelivery(other)]);
  await other.json(['deliveries', 'create', '--like', String(order_id), '--store', store, '--initiate']);
  await other.json(['stores', 'delete', store, '--yes']);
  const { stdout } = await other.run(['report', '--by', 'store', '--json']);
  expect(JSON.parse(stdout)).toMatchObject([{ store_id: store, store_name: 'Grill', deliveries: 1 }]);
});

test('people see the share on time, the groups asked for, and the total', async () => {
  const wide = { tty: true, columns: 140, env: { NO_COLOR: '1' } };
  const { stdout } = await box.run(['stats', '--since', '1d', '--by', 'store'], wide);
  expect(stdout).toMatch(/^STORE +ORDERS +TRIES +UNDER WAY +DELIVERED +ON TIME/);
  expect(stdout).toMatch(/^no store +5 +5 +0 +3 +2\/3 \(67%\) +1 +1 +1 /m);
  expect(stdout).toMatch(
    /\nTotal: 6 orders, 3 delivered, 1 under way, 1 failed, 1 canceled; 2\/3 \(67%\) on time; \$/,
  );
  const room = { ...wide, columns: 100 };
  const { stdout: drivers, stderr } = await box.run(['stats', '--since', '1d', '--by', 'driver'], room);
  expect(stderr.replace(/\s+/g, ' ')).toContain('two of one name are one row');
  expect(drivers).toMatch(/^COURIER +DRIVER +ORDERS +UNDER WAY +DELIVERED .*\npoolride +\w/);
  expect(stdout).toMatch(
    /\nOn average [\d.]+ min to the arrival, [\d.]+ to the pickup, the late ones [\d.]+ late\.\n/,
  );
});

test.each([['courier'], ['store'], ['driver'], ['reason'], ['status'], ['customer'], ['day']])(
  'by %s a report is a table on 80 columns',
  async (by) => {
    const narrow = { tty: true, columns: 80, env: { NO_COLOR: '1' } };
    const { stdout } = await box.run(['stats', '--since', '1d', '--by', by], narrow);
    const [head = '', ...lines] = stdout.replace(/\nTotal: .*/, '').split('\n');
    expect(head).toMatch(/ORDERS .*DELIVERED .*TOTAL/);
    expect([head, ...lines].filter((line) => line.length > 80)).toEqual([]);
    for (const view of [[], ['--fees'], ['--rates'], ['--minutes']])
      for (const columns of [80, 120, 250]) {
        const room = { ...narrow, columns };
        const shown = await box.run(['stats', '--since', '1d', '--by', by, ...view], room);
        const [headings = ''] = shown.stdout.split('\n');
        // What is written as a heading in the notes is one of the table.
        const named = shown.stderr.match(/\b[A-Z]{4,}(?: [A-Z]{4,})*\b/g) ?? [];
        expect([by, view, columns, named.filter((name) => !headings.includes(name))]).toEqual([
          ...[by, view, columns, []],
        ]);
      }
  },
);

test('a retry that no provider took is not counted: it was never dispatched', async () => {
  const other = await sandbox();
  const far = ['--dropoff-address', '1060 W Addison St, Chicago, IL 60613'];
  const id = await newDelivery(other, '--initiate', ...far);
  await other.json(['sandbox', 'step', id, 'provider_canceled']);
  const retry = ['deliveries', 'retry', id, '--provider', 'metrobike'];
  expect((await other.run(retry)).stderr).toContain('failed: no provider offers a quote');
  const { stdout } = await other.run(['report', '--since', '1d', '--json']);
  expect(JSON.parse(stdout)).toMatchObject([{ deliveries: 1, canceled: 1 }]);
});

test('a period that ends before today says where it begins, and how to change that', async () => {
  const { exit, stderr } = await box.run(['report', '--until', '3d']);
  expect([exit, stderr]).toEqual([
    2,
    'Error: --until 3d must be after the start of the period, today.\nSet the start with --since.\n',
  ]);
});

test('an order that never went to a courier is not counted, and is said', async () => {
  const other = await sandbox();
  const far = orderLine.with(orderLine.indexOf('--dropoff-address') + 1, '1 Wall St, New York, NY 10005');
  await newDelivery(other, '--initiate');
  await other.run([...far, '--auto', '--yes', '--max-cost', '9']);
  other.advance(240 * minute);
  expect(JSON.parse((await other.run(['report', 'today', '--json'])).stdout)).toMatchObject([{ orders: 1 }]);
  const { stderr } = await other.run(['report', 'today']);
  expect(stderr).toMatch(
    /One order of this period never went to a courier, and is not counted: .*waybill orders list --status unfulfilled --period today/,
  );
  const many = await other.run(['report', 'today'], {
    transport: async (request) => {
      const isFirst = request.path.includes('status=unfulfilled') && !request.path.includes('cursor=');
      // A second page: that of the first request again.
      const answer = await other.transport({ ...request, path: request.path.replace(/&cursor=\w+/, '') });
      if (!isFirst) return answer;
      const page = JSON.parse(answer.body);
      const sent = { ...page.data[0], delivery_id: 'dlv_1' };
      const data = [sent, ...Array(99).fill(page.data[0])];
      return { ...answer, body: JSON.stringify({ ...page, data, has_more: true, next_cursor: 'more' }) };
    },
  });
  expect(many.stderr).toContain('100 orders of this period never went to a courier, and are not counted');
});

test('a reason is what was reported where it fits; programs have its code, too', async () => {
  const other = await sandbox();
  await newDelivery(other, '--initiate', '--simulate', 'no_capacity');
  const line = ['report', '--by', 'courier,reason'];
  const [refused] = JSON.parse((await other.run([...line, '--json'])).stdout);
  const said = `${refused.courier} has no courier available`;
  expect(refused).toMatchObject({ reason: 'provider_refused', reason_messages: [said] });
  const { stdout } = await other.run(line, { tty: true, columns: 140 });
  expect(stdout).toContain(` ${said} `);
  const transport: typeof other.transport = async (request) => {
    const answer = await other.transport(request);
    return { ...answer, body: answer.body.replaceAll(/"reason_messages":\[.*?\],/g, '') };
  };
  const earlier = await other.run(line, { tty: true, columns: 140, transport });
  expect(earlier.stdout).toContain(' the provider declined it ');
});

test('a file for people has each heading once', async () => {
  const { stdout } = await box.run(['report', '--since', '1d', '--no-raw', '-o', 'csv']);
  const headings = stdout.split('\n')[0]?.split(',') ?? [];
  expect(headings.filter((heading) => /^[a-z]/.test(heading))).toEqual([]);
  expect(headings).toEqual([...new Set(headings)]);
  expect(headings).toEqual(expect.arrayContaining(['Delivered', 'Delivered %', 'Failed %', 'Canceled %']));
});

test('a period without deliveries, and one that is too long', async () => {
  const none = await box.run(['report', '--until', '2d', '--since', '3d', '--by', 'courier']);
  expect([none.exit, none.stdout]).toEqual([0, '']);
  expect(none.stderr).toContain('No deliveries in this period');
  const long = await box.run(['report', '--since', '2019-01-01']);
  expect([long.exit, long.stderr]).toEqual([
    2,
    expect.stringContaining('at most 366 days before the end of the period\n'),
  ]);
});

test('a day is that of the shop that shipped last, and the period is said', async () => {
  const [pickup, dropoff] = ['350 5th Ave, New York, NY 10118', '1 Wall St, New York, NY 10005'];
  await sent('--pickup-address', pickup, '--dropoff-address', dropoff);
  const wide = { tty: true, columns: 280, env: { NO_COLOR: '1' } };
  const { stderr } = await box.run(['report'], wide);
  expect(stderr).toMatch(
    /^Dispatched since 2026-\d\d-\d\d 00:00:00 EST, and before .* EST\. On time and late are of what was promised for it, whenever it was ordered: .* Averages are of delivered ones\. Days are those of America\/New_York\.$/m,
  );
  expect(await box.run(['report', 'fortnight'])).toMatchObject({
    exit: 2,
    stderr: expect.stringContaining('The period must be a time'),
  });
  expect((await box.run(['report', 'today', '--since', '1d'])).exit).toBe(2);
});

/** Deliveries of a shop in New York, by day and hour there; it is Tuesday, March 10, 13:00. Clocks went forward on the 8th. */
const made_after_hours: [name: string, hours: number][] = [
  ['mon 2 05:00', 0],
  ['mon 2 23:30', 18.5],
  ['tue 3 00:30', 1],
  ['sun 8 23:30', 142],
  ['mon 9 00:30', 1],
  ['tue 10 00:30', 24],
];
const periods: [period: string, made: string[]][] = [
  ['today', ['tue 10 00:30']],
  ['yesterday', ['mon 9 00:30']],
  ['monday', ['mon 9 00:30']],
  ['sunday', ['sun 8 23:30']],
  ['2026-03-02', ['mon 2 05:00', 'mon 2 23:30']],
  ['3/3', ['tue 3 00:30']],
  ['this week', ['mon 9 00:30', 'tue 10 00:30']],
  ['last week', ['mon 2 05:00', 'mon 2 23:30', 'tue 3 00:30', 'sun 8 23:30']],
  ['month', made_after_hours.map(([name]) => name)],
  ['last month', []],
];

/** Ranges of times of a day, and how many were created in them. */
const ranges: [words: string, count: number][] = [
  ['yesterday 00:00-01:00', 1],
  ['yesterday|00:31-12:00', 0],
  ['yesterday|11-14', 0],
  ['2026-03-02|4:00-06:00', 1],
  ['--since|2026-03-02 4:00-06:00', 1],
  ['--period|2026-03-02 11pm to 1am', 2],
  ['2026-03-02|--since|22:00|--until|23:45', 1],
  ['2026-03-02|--until|noon', 1],
  ['2026-03-02|--until|06:00', 1],
  ['2026-03-02|--until|05:00', 0],
  ['2026-03-02|--since|11:00', 1],
  ['2026-03-02|--since|04:00', 2],
  ['--on|2026-03-02|--since|22:00', 1],
];

/** Days of the week are no flags. */
const weekdays = /^(?:mon|sun)day$/;

test('a period is the whole of it, and no more, in the report, lists and charges', async () => {
  const shop = await sandbox();
  const there = ['--pickup-address', '350 5th Ave, New York, NY 10118'];
  const near = [...there, '--dropoff-address', '1 Wall St, New York, NY 10005'];
  for (const [ref, hours] of made_after_hours) {
    shop.advance(hours * 60 * minute);
    await newDelivery(shop, '--initiate', '--ref', ref, ...near);
  }
  shop.advance(12.5 * 60 * minute);
  const refs = (all: unknown[]) => all.map((each) => Object(each).external_order_ref).reverse();
  for (const [period, made] of periods) {
    const report = await shop.run(['report', ...period.split(' '), '--json']);
    const [lists, orders, charges] = await Promise.all(
      [
        ['deliveries', 'list', '--period', period],
        /^[a-z ]+day$|(?:week|month)$/.test(period) && !weekdays.test(period)
          ? ['orders', 'list', `--${period.replace(' ', '-')}`]
          : ['orders', 'list', '--on', period],
        ['charges', 'list', '--kind', 'delivery', '--period', period],
      ].map(async (line) => JSON.parse((await shop.run([...line, '--json'])).stdout)),
    );
    const counts = [JSON.parse(report.stdout)[0]?.deliveries, charges.length];
    expect([period, refs(lists), refs(orders), counts]).toEqual([
      period,
      made,
      made,
      [made.length, made.length],
    ]);
  }
  for (const [words, count] of ranges) {
    const { exit, stdout, stderr } = await shop.run(['report', ...words.split('|'), '--json']);
    expect([words, exit, JSON.parse(stdout || '[]')[0]?.deliveries], stderr).toEqual([words, 0, count]);
  }
  const people = { tty: true, columns: 160, env: { NO_COLOR: '1' } };
  const { stderr } = await shop.run(['report', 'yesterday'], people);
  expect(stderr).toContain('Dispatched since 2026-03-09 00:00:00 EDT, and before 2026-03-10 00:00:00 EDT.');
  const charged = await shop.run(['charges', 'list', '--period', 'yesterday'], people);
  expect(charged.stderr).toContain('"yesterday" is 2026-03-09 00:00:00 EDT to 2026-03-10 00:00:00 EDT.');
  expect(charged.stdout).toContain('Mar 9 00:30 EDT');
  const both = await shop.run(['charges', 'list', '--period', 'yesterday', '--since', '1h']);
  expect([both.exit, both.stderr]).toEqual([
    2,
    expect.stringContaining('Use the period yesterday alone, or --since'),
  ]);
});

test('the day of a report is that of the service, also where the clock of the machine differs', async () => {
  const weekLater = () => startedAt + 7 * 24 * 60 * minute;
  const there = await box.run(['report', 'yesterday', '--json']);
  expect(await box.run(['report', 'yesterday', '--json'], { now: weekLater })).toEqual(there);
  const nothing = await box.run(['report', 'yesterday'], { tty: true, columns: 80 });
  expect(nothing.stdout).toMatch(/ORDERS.*\n +0 .*\n$/);
});

test('--by item leads to the command that counts items', async () => {
  await sent('--item', 'Pie:2', '--simulate', 'happy_path');
  await sent('--item', 'Pie:3', '--item', 'Tea', '--simulate', 'happy_path');
  box.advance(120 * minute);
  const { stderr, exit } = await box.run(['report', '--by', 'items']);
  const [, flags, jq = ''] = /waybill deliveries list (.*) --jq '(.*)'/.exec(stderr) ?? [];
  expect([exit, flags]).toEqual([2, '--delivered today --all --json']);
  const counted = await box.run(['deliveries', 'list', ...String(flags).split(' '), '--jq', jq]);
  expect(JSON.parse(counted.stdout)).toEqual(
    expect.arrayContaining([
      { item: 'Pie', quantity: 5 },
      { item: 'Tea', quantity: 1 },
    ]),
  );
});

test('the time at the store is a column of each delivery, and its average says of how many it is', async () => {
  const shop = await sandbox();
  await newDelivery(shop, '--initiate');
  const id = await newDelivery(shop, '--initiate', '--ref', 'stood');
  for (const status of ['driver_assigned', 'arrived_at_pickup'])
    await shop.json(['sandbox', 'step', id, status]);
  shop.advance(3 * minute);
  const stood = 'deliveries list --filter at_store>2 --sort at_store --columns ref,at_store_minutes';
  expect((await shop.run(stood.split(' '))).stdout).toBe('stood\t3\n');
  await shop.json(['sandbox', 'step', id, 'pickup_complete']);
  shop.advance(180 * minute);
  expect((await shop.run(stood.split(' '))).stdout).toBe('stood\t3\n');
  const { stdout } = await shop.run(['report'], { tty: true, columns: 200 });
  expect(stdout).toContain(' 3 at the store (of 1 that reported it)');
});
