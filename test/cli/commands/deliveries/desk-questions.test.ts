import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { expect, test } from 'vitest';
import { newStore, sandbox, stored } from '../../sandbox.ts';

// Every row of the guide's table of questions is one command, and its answer is what the tables have.

const box = await sandbox();
const hour = 3_600_000;
const stores = [await newStore(box, 'Grill'), await newStore(box, 'Deli')];

const to = ['--dropoff-address', '233 S Wacker Dr, Chicago, IL 60606', '--dropoff-name', 'Joe'];
const order = [...to, '--dropoff-phone', '+13125550142', '--item', 'Brisket', '--initiate'];

/** Deliveries of a day, each with its scenario. */
async function sendDay(first: number): Promise<void> {
  const days = [
    'happy_path',
    'driver_reassigned',
    'customer_unreachable',
    'payment_declined',
    'happy_path',
    'provider_cancel_before_pickup',
  ];
  for (const [index, scenario] of days.entries()) {
    const [email, value] = [index % 2 === 0 ? 'joe@diner.example' : 'joe@diners.example', 20 + 15 * index];
    const more = ['--dropoff-email', email, '--order-value', String(value), '--simulate', scenario];
    const store = ['--store', stores[index % 2] ?? ''];
    await box.run([
      'deliveries',
      'create',
      ...order,
      '--ref',
      String(first + index),
      '--tip',
      '2',
      ...store,
      ...more,
    ]);
  }
}

await sendDay(1040);
await box.json(['sandbox', 'advance', '--by', '3h']);
box.advance(21 * hour);
await sendDay(2040);
await box.json(['sandbox', 'advance', '--by', '14m']);
const failed = String((await box.json(['deliveries', 'get', '1043'])).id);
await box.run(['deliveries', 'retry', failed, '--yes']);
const refused = ['--ref', '2050', '--store', stores[0] ?? '', '--simulate', 'no_capacity'];
await box.run(['deliveries', 'create', ...order, ...refused]);

/** The rows of a query on the tables of the service, each joined to one text. */
const table = (query: string) => stored(box, query).map((row) => Object.values(row).join(' '));

table(
  "update deliveries set promised_at = promised_at - 3600000 where external_order_ref in ('1040', '2040') returning id",
);

const start = 'select min(created_at) + 12 * 3600000 from deliveries';
const inDay = (time: string, day: 'yesterday' | 'today') =>
  `${time} ${day === 'today' ? '>=' : '<'} (${start})`;
const ofDay = { yesterday: inDay('created_at', 'yesterday'), today: inDay('created_at', 'today') };
const refsWhere = (condition: string) =>
  table(`select external_order_ref from deliveries where ${condition}`);
const sumOf = (kind: string, day: keyof typeof ofDay) =>
  table(`select count(*), sum(amount) from charges where kind = '${kind}' and ${ofDay[day]}`)[0];
const underWay = "ended_at is null and status <> 'request'";

/** The first name of a driver who is under way. */
const [driver = ''] = table(
  `select record ->> '$.driver.name' from deliveries where ${underWay} and record ->> '$.driver.name' > ''`,
).map((name) => name.split(' ')[0] ?? '');

type Row = Record<string, unknown> & { delivery?: { status: string } };
const refsOf = (rows: readonly Row[]) => rows.map((row) => String(row.external_order_ref));
const charged = (rows: readonly Row[]) =>
  `${rows.length} ${rows.reduce((sum, { amount }) => sum + Number(amount), 0)}`;

/** The answer of each question from the tables, and from the rows of the command. */
const answers: Record<
  string,
  [stored: () => unknown, told: (rows: readonly Row[], stdout: string) => unknown]
> = {
  'Where is order 1042, and who has it?': [() => ['returned'], ([row]) => [row?.delivery?.status]],
  'What did one customer order, by e-mail?': [
    () => refsWhere("record ->> '$.dropoff.email' = 'joe@diner.example'").sort(),
    (rows) => refsOf(rows).sort(),
  ],
  'Which were late yesterday?': [
    () =>
      refsWhere(
        `status = 'delivered' and ended_at > promised_at + 300000 and ${ofDay.yesterday} order by ended_at - promised_at desc`,
      ),
    refsOf,
  ],
  'Who got a new driver today?': [
    () => refsWhere(`record like '%"driver_not_assigned"%' and ${ofDay.today}`),
    refsOf,
  ],
  'What does a driver carry now?': [
    () => refsWhere(`record ->> '$.driver.name' like '${driver} %' and ${underWay}`).sort(),
    (rows) => refsOf(rows).sort(),
  ],
  'What arrives next?': [
    () => refsWhere(`${underWay} and status <> 'enroute_to_return' order by dropoff_eta, id desc`),
    (rows) => refsOf(rows.filter(({ status }) => status !== 'enroute_to_return')),
  ],
  'In which order did they arrive yesterday?': [
    () => refsWhere(`status = 'delivered' and ${inDay('ended_at', 'yesterday')} order by ended_at, id desc`),
    refsOf,
  ],
  'Which orders of today are worth $50 or more?': [
    () =>
      table(
        `select external_order_ref from orders where record ->> '$.order_value' >= 5000 and ${ofDay.today} order by id desc`,
      ),
    refsOf,
  ],
  'How often was an order tried?': [() => refsWhere("external_order_ref = '1042'"), refsOf],
  'What did an order cost, over all tries?': [
    () =>
      table(
        "select count(*), sum(amount) from charges where delivery_id in (select id from deliveries where external_order_ref = '1042')",
      )[0],
    charged,
  ],
  'What did the returns of yesterday cost?': [() => sumOf('return', 'yesterday'), charged],
  'What was refunded yesterday?': [() => sumOf('refund', 'yesterday'), charged],
  'Which store is the slowest?': [
    () =>
      table(`select store_id from deliveries where status = 'delivered' and ${ofDay.yesterday}
        group by 1 order by avg(ended_at - created_at) desc limit 1`),
    ([row]) => [row?.store_id],
  ],
  'What did each driver deliver?': [
    () =>
      table(`select service, record ->> '$.driver.name', sum(status = 'delivered') from deliveries
        where ${ofDay.yesterday} and id in (select max(id) from deliveries where ${ofDay.yesterday} group by order_id) group by 1, 2`).sort(),
    (rows) => rows.map((row) => [row.courier, row.driver_name, row.delivered].join(' ')).sort(),
  ],
  'What arrived yesterday?': [
    () => refsWhere(`status = 'delivered' and ${inDay('ended_at', 'yesterday')} order by id desc`),
    refsOf,
  ],
  'Which courier declined or dropped orders?': [
    () =>
      table(`select service, sum(status = 'provider_canceled'), sum(record ->> '$.failure_reason' = 'provider_refused')
        from deliveries where ${ofDay.yesterday} and service <> '' group by 1`).sort(),
    (rows) => rows.map((row) => [row.courier, row.dropped, row.declined].join(' ')).sort(),
  ],
  'Which orders did a courier decline today?': [
    () =>
      table(
        `select id from deliveries where ${ofDay.today} and record ->> '$.failure_reason' = 'provider_refused'`,
      ).sort(),
    (rows) => rows.map(({ id }) => String(id)).sort(),
  ],
  'Which courier declines most, in percent?': [
    () =>
      table(`select service, round(100.0 * sum(record ->> '$.failure_reason' = 'provider_refused') / count(*), 1)
        from deliveries where ${ofDay.yesterday} and service <> '' group by 1`)
        .map((each) => each.replace('.0', ''))
        .sort(),
    (rows) =>
      rows
        .filter(({ deliveries }) => deliveries !== 0)
        .map(({ courier, declined, deliveries }) =>
          [courier, Math.round((1000 * Number(declined)) / Number(deliveries)) / 10].join(' '),
        )
        .sort(),
  ],
  'What did we pay in service fees, by store?': [
    () =>
      table(`select store_id, sum((record ->> '$.payment_amount') - (record ->> '$.cost_of_delivery')) from deliveries
        where ${ofDay.yesterday} and service <> '' and status <> 'failed' and status not like '%canceled' group by 1`).sort(),
    (rows) => rows.map((row) => [row.store_id, row.service_fees].join(' ')).sort(),
  ],
  'How long until a driver, until the pickup?': [
    () =>
      table(`select store_id, round(avg((record ->> '$.pickup.eta') - created_at) / 60000, 1), round(avg((select min(value ->> '$.at')
          from json_each(record, '$.status_history') where value ->> '$.status' = 'driver_assigned') - created_at) / 60000, 1)
        from deliveries where ${ofDay.yesterday} and status = 'delivered' and dropoff_at is null group by 1`).sort(),
    (rows) =>
      rows
        .map((row) => [row.store_id, row.average_pickup_minutes, row.average_assign_minutes].join(' '))
        .sort(),
  ],
  'How was it yesterday at this time?': [
    () =>
      table(
        `select count(distinct order_id) from deliveries where ${ofDay.today} and service <> '' and status <> 'request'`,
      ),
    (rows) => [String(rows.at(-1)?.orders)],
  ],
  'When is it busy?': [
    () => table(`select count(distinct order_id) from deliveries where ${ofDay.yesterday} and service <> ''`),
    (rows) => rows.map((row) => String(row.orders)),
  ],
  'Who ordered most?': [
    () =>
      table(`select lower(coalesce(nullif(record ->> '$.dropoff.email', ''), record ->> '$.dropoff.phone')), count(distinct order_id)
        from deliveries where ${ofDay.yesterday} and service <> ''
        group by 1, case when record ->> '$.dropoff.email' = '' then record ->> '$.dropoff.name' end order by 2 desc limit 20`).sort(),
    (rows) => rows.map((row) => [row.customer_contact, row.orders].join(' ')).sort(),
  ],
  'What were the goods worth, by store?': [
    () =>
      table(`select store_id, sum(record ->> '$.order_value') from deliveries where service <> '' and id in
        (select max(id) from deliveries where ${ofDay.yesterday} and service <> '' group by order_id) group by 1`).sort(),
    (rows) => rows.map((row) => [row.store_id, row.order_value].join(' ')).sort(),
  ],
  'How was it yesterday against today?': [
    () =>
      ['yesterday' as const, 'today' as const].map(
        (day) =>
          `${day} ${table(`select count(distinct order_id) from deliveries where ${ofDay[day]} and service <> '' and status <> 'request'`)[0]}`,
      ),
    (rows) => rows.map((row) => [row.period, row.orders].join(' ')),
  ],
  'What tips were paid?': [
    () =>
      table(`select sum(amount), round(avg(amount)) from charges where kind = 'tip' and ${ofDay.yesterday} and delivery_id not in (
        select id from deliveries where status = 'failed' or status like '%canceled')`).map((each) =>
        each.replace('.0', ''),
      ),
    ([row]) => [[row?.tips, row?.average_tip].join(' ')],
  ],
  'What did one store cost yesterday?': [
    () =>
      table(`select count(*), sum(amount) from charges where ${ofDay.yesterday} and delivery_id in (
        select id from deliveries where store_id = '${stores[0]}')`)[0],
    charged,
  ],
  'Which deliveries cost more than $6?': [
    () =>
      refsWhere(
        `${ofDay.yesterday} and 601 <= (select sum(amount) from charges where delivery_id = deliveries.id) order by id desc`,
      ),
    refsOf,
  ],
  'A file of what was charged yesterday, by delivery?': [
    () => table(`select sum(amount) from charges where ${ofDay.yesterday}`)[0],
    (_, stdout) => String(csvSum(stdout, 'total_cost_cents')),
  ],
  'Why did orders fail?': [
    () =>
      table(`select coalesce(record ->> '$.failure_reason', record ->> '$.cancellation_reason'), count(*) from deliveries
        where ${ofDay.yesterday} group by 1`).sort(),
    (rows) => rows.map((row) => [row.reason, row.orders].join(' ')).sort(),
  ],
  'A file of charges for the accountant?': [
    () => table('select sum(amount) from charges')[0],
    (_, stdout) => String(csvSum(stdout, 'amount_cents')),
  ],
  'A file of deliveries with what each cost?': [
    () =>
      table(
        `select sum(amount) from charges where delivery_id in (select id from deliveries where ${ofDay.yesterday})`,
      )[0],
    (_, stdout) => String(csvSum(stdout, 'total_cost_cents')),
  ],
};

/** The sum of a column of a CSV. */
function csvSum(csv: string, column: string): number {
  const rows = parse<Record<string, string>>(csv, { columns: true });
  return rows.reduce((sum, row) => sum + Number(row[column]), 0);
}

const guide = readFileSync(join(import.meta.dirname, '../../../../src/guide/support-desk.md'), 'utf8');
const questions = [...guide.matchAll(/^\| (.+\?) \| `waybill (.+)` \|$/gm)].map(
  ([, question = '', line = '']) => {
    return {
      question,
      line: [...line.matchAll(/'([^']*)'|(\S+)/g)].map(
        ([, quoted, plain]) => quoted?.replace('Dana', driver).replace('Ohio Street ', '') ?? plain ?? '',
      ),
    };
  },
);

test('the table of the guide has a checked answer for each question', () => {
  expect(questions.map(({ question }) => question).sort()).toEqual(Object.keys(answers).sort());
  // Some answers are more than nothing, so that an empty list is not taken for a true one.
  const empty = Object.entries(answers).filter(([, [stored]]) => JSON.stringify(stored()) === '[]');
  expect(empty).toEqual([]);
});

test.each(questions)('$question', async ({ question, line }) => {
  const isFile = line.includes('csv');
  const { exit, stdout, stderr } = await box.run(isFile ? line : [...line, '--json']);
  expect([exit, stderr]).toEqual([0, expect.not.stringContaining('There is more')]);
  const found = isFile ? [] : JSON.parse(stdout);
  const [stored, told] = answers[question] ?? [() => 'unknown', () => ''];
  expect(told([found].flat(), stdout)).toEqual(stored());
});
