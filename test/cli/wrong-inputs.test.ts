import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { freshHome, type RunOptions } from './harness.ts';
import { newDelivery, orderFields, orderLine, sandbox } from './sandbox.ts';

/** What people type wrongly at the desk, with what they are told: the exit code, words of the message, the command. */

const box = await sandbox();
for (const ref of ['6004', '6005']) await newDelivery(box, '--initiate', '--ref', ref, '--dropoff-name', ref);
const known = await newDelivery(box, '--initiate', '--ref', '6029', '--dropoff-phone', '+13125550177');

const named = await newDelivery(box, '--ref', '6030', '--dropoff-name', 'Dan Ortiz');

interface Wrong extends Pick<RunOptions, 'home' | 'tty'> {
  line: string[];
}

/** An order with another value of a flag. */
function order(flag: string, value: string): Wrong {
  const at = orderLine.indexOf(flag);
  return { line: at === -1 ? [...orderLine, flag, value] : orderLine.with(at + 1, value) };
}

const address = (value: string) => order('--dropoff-address', value);
const phone = (value: string) => order('--dropoff-phone', value);
const time = (value: string) => order('--dropoff-at', value);
const typed = (...line: string[]): Wrong => ({ line });

function withFile(name: string, content: string | Buffer, line: string[]): Wrong {
  const home = freshHome();
  writeFileSync(join(home, name), content);
  return { line, home };
}

const imported = (name: string, content: string | Buffer): Wrong =>
  withFile(name, content, ['orders', 'import', name]);

const json = (content: string): Wrong =>
  withFile('order.json', content, ['orders', 'create', '--file', 'order.json']);

const columns = [
  ...['external_order_ref', 'pickup_name', 'pickup_address', 'pickup_phone_number', 'dropoff_name'],
  ...['dropoff_address', 'dropoff_phone_number', 'items_description'],
].join(',');

function row({ ref = 'R1', name = 'Joe', number = '+13125550142' } = {}): string {
  const pickup = 'Grill,"43 E Ohio St, Chicago, IL 60611",+13125550101';
  return [ref, pickup, name, '"233 S Wacker Dr, Chicago, IL 60606"', number, 'Soup'].join(',');
}

const csv = (...rows: string[]) => `${[columns, ...rows].join('\n')}\n`;

function folder(): Wrong {
  const home = freshHome();
  mkdirSync(join(home, 'orders'));
  return { line: ['orders', 'import', 'orders'], home };
}

const wacker = '233 S Wacker Dr, Chicago, IL 60606';
const isRead = /dropoff_address\t233 S Wacker Dr, Chicago, IL 60606/;

/** What people of a support desk typed. */
const tried: [name: string, given: Wrong, exit: number, said: RegExp, next?: string][] = [
  ['an address in curly quotes', address(`“${wacker}”`), 0, isRead],
  ['an extension', phone('312-555-0142 x204'), 0, /"ext\. 204" .* is in the dropoff notes/],
  ['a unit after the ZIP code', address(`${wacker}, apt 4`), 0, /Dr, apt 4, Chicago, IL 60606/],
  ['a remark after the ZIP code', address(`${wacker} (back door)`), 0, /has "back door" behind the ZIP code/],
  [
    'two addresses',
    address(`${wacker} or 1060 W Addison St, Chicago, IL 60613`),
    2,
    /contains two addresses/,
  ],
  ['a day before its month', time('31/12/2026'), 2, /the month before the day, such as 12\/31\/2026/],
  ['a long dash', typed('deliveries', 'list', '—status', 'failed'), 2, /Type two hyphens: --status/],
  ['the end of an ID as shown', typed('deliveries', 'get', `…${known.slice(-5)}`), 0, RegExp(known)],
  ['a phone as a text', typed('deliveries', 'get', 'tel: (312) 555-0177 x2'), 0, RegExp(known)],
  [
    'two references',
    typed('deliveries', 'get', '6004,6005'),
    5,
    /takes one delivery: run it for each of 6004 and 6005/,
    'waybill deliveries get 6004',
  ],
  ['invisible characters', address(`\u200b${wacker.replace(' ', '\u00a0')}\ufeff`), 0, isRead],
  ['a unit inside', address('233 S Wacker Dr Apt 4, Chicago, IL 60606'), 0, /Dr Apt 4, Chicago, IL 60606/],
  [
    'nine digits of ZIP code',
    address(`${wacker}-1234`),
    0,
    /has "1234" behind the ZIP code, which is left out/,
  ],
  ['a PO box', address('PO Box 123, Chicago, IL 60606'), 2, /is a PO box: couriers need a street address/],
  ['an intersection', address('Wacker Dr & Adams St, Chicago, IL 60606'), 0, /has no house number/],
  ['the address of last time', address('same as last time'), 2, /write the address itself/],
  ['noon', time('noon'), 0, /"noon" is Mon, Mar 2, 2026, 12:00 CST/],
  ['tonight', time('tonight'), 2, /must have a time of day, such as "tonight 8"/],
  ['a time without a colon', time('1800'), 2, /must have a colon in the time, as in 18:00/],
  ['half an hour', time('half an hour'), 0, /dropoff_at\t2026-03-02T10:30:00/],
  ['a negative tip', order('--tip', '-5'), 2, /--tip must be an amount in dollars such as 12\.50, not "-5"/],
  ['a tip to add', order('--tip', '+5'), 2, /not "\+5": write the new amount, not what is added/],
  ['a sign of dollars', order('--tip', '$5'), 0, /\ntip\t500\n/],
  ['a sign of euros', order('--tip', '€5'), 2, /must be an amount in dollars such as 12\.50, not "€5"/],
  ['a decimal comma', order('--tip', '1,50'), 0, /\ntip\t150\n/],
  [
    'swapped columns',
    imported('s.csv', csv(row({ name: '+13125550142', number: 'Joe' }))),
    2,
    /line 2, dropoff_phone_number: is not a phone number/,
    'waybill orders import s.csv --validate-only',
  ],
  [
    'a workbook',
    imported('o.xlsx', Buffer.from('504b030414', 'hex')),
    2,
    /Save the spreadsheet as CSV UTF-8/,
  ],
  [
    'another encoding',
    imported('u.csv', Buffer.from(csv(row({ name: 'José' })), 'latin1')),
    2,
    /not UTF-8[\s\S]*CSV UTF-8/,
  ],
  [
    'a quote in a quoted value',
    imported('q.csv', csv(row({ name: '"Joe "Big" D' }))),
    2,
    /near line 2.*quote/,
  ],
  ['an empty file', imported('e.csv', ''), 2, /There is nothing in e\.csv/],
  ['a folder', folder(), 2, /orders is a folder\. Name the file/],
  ['- at a terminal', { line: ['orders', 'create', '-'], tty: true }, 2, /stdin, which is a terminal/],
  ['an hour that clocks skip', time('2026-03-08 02:30'), 0, /03:30 CDT: clocks go forward then/],
  [
    'curly quotes in JSON',
    json(JSON.stringify(orderFields).replace('"Grill"', '“Grill”')),
    2,
    /line 1, column \d+: expected a value, not “/,
  ],
  ['a number cut by Excel', imported('p.csv', csv(row({ number: '3.12556E+09' }))), 2, /Excel has shortened/],
  ['a header alone', imported('h.csv', csv()), 2, /There is no order to import in h\.csv/],
];

/** Others, each of which could be typed on any day. */
const others: typeof tried = [
  ['seven digits', phone('555-0142'), 2, /has 7 of the 10 digits of a US phone number/],
  ['an e-mail as a phone', phone('ann@roe.example'), 2, /is an e-mail address, not a phone number/],
  ['a time that is past', time('yesterday 6pm'), 2, /must be in the future/],
  ['a morning that is to come', typed('today', '--since', '8:00'), 2, /--since 'yesterday 8:00'\?/],
  ['nothing of an item', order('--item', 'Soup:0'), 2, /the quantity is a whole number from 1 to 999, not 0/],
  [
    'a file for an order',
    withFile('order.json', JSON.stringify(orderFields), ['ship', 'order.json', '--cheapest']),
    5,
    /a file with orders is read with a flag/,
    'waybill ship --file order.json --cheapest --max-cost DOLLARS',
  ],
  [
    'a table for an order',
    withFile('o.csv', csv(row()), ['orders', 'create', '--file', 'o.csv']),
    2,
    /o\.csv is not valid JSON/,
    'waybill orders import o.csv',
  ],
  [
    'two deliveries',
    typed('deliveries', 'cancel', '6004', '6005'),
    2,
    /6005 is an unexpected argument: this command takes one delivery\.[\s\S]*--from/,
  ],
  ['ZIP code of elsewhere', address('233 S Wacker Dr, Chicago, IL 90210'), 2, /90210 is in California, not/],
  ['Canada', address('123 King St W, Toronto, ON M5V 1J2'), 2, /only US addresses are served/],
  ['a misspelled status', typed('deliveries', 'list', '--status', 'deliverd'), 2, /Did you mean delivered\?/],
  [
    'a retry of what goes on',
    typed('deliveries', 'retry', '6004'),
    6,
    /^(?![\s\S]*without a limit)[\s\S]*only a failed or canceled delivery can be retried/,
    'waybill deliveries explain 6004',
  ],
  ...[
    ['report', 'yesterday', '--until', '1h'],
    ['report', '--period', 'yesterday', '--until', '1h'],
    ['deliveries', 'list', '--period', 'yesterday', '--until', '1h'],
    ['charges', 'list', '--on', 'yesterday', '--since', '1h'],
  ].map((line): [string, Wrong, number, RegExp] => [
    line.join(' '),
    typed(...line),
    2,
    /Use the period yesterday alone, or --since and --until/,
  ]),
  [
    'words behind a cancellation',
    typed('deliveries', 'cancel', '6004', 'they', 'called'),
    2,
    /"they called" is an unexpected argument/,
    "waybill deliveries cancel 6004 --reason 'they called'",
  ],
  [
    'an amount behind a retry',
    typed('deliveries', 'retry', '6004', '$12.50'),
    2,
    /is an unexpected argument/,
    'waybill deliveries retry 6004 --max-cost 12.50',
  ],
  ...(['6004 to 8pm', '8pm 6004'] as const).map((words): [string, Wrong, number, RegExp, string] => [
    `reschedule ${words}`,
    typed('deliveries', 'reschedule', ...words.split(' ')),
    2,
    /is an unexpected argument/,
    'waybill deliveries reschedule 6004 --dropoff-at 8pm',
  ]),
  [
    'a time that is past today',
    typed('deliveries', 'reschedule', '6004', '--dropoff-at', '3:15 am', '--dry-run'),
    2,
    /"3:15 am" has passed, it is Mon, Mar 2, 2026, 04:0\d CST at the dropoff\.\s+For the next day: "tomorrow 3:15 am"/,
  ],
  [
    'all deliveries',
    typed('deliveries', 'cancel', 'all'),
    2,
    /"all" is no delivery/,
    'waybill deliveries cancel --where late,stuck,not_picked_up,initial,in_transit --dry-run',
  ],
  [
    'a name for a change',
    typed('deliveries', 'cancel', 'Dan Ortiz'),
    2,
    /is not an ID or reference/,
    `waybill deliveries explain ${named}`,
  ],
  [
    'nothing to edit, at a terminal',
    { line: ['deliveries', 'edit', '6004'], tty: true },
    2,
    /Missing: --pickup-name or [\s\S]*--tip or --clear\./,
  ],
  ['fields behind a space', typed('deliveries', 'list', '--json', 'id,status'), 2, /--json=id,status/],
];

test.each([...tried, ...others])(
  '%s: what is read or refused, and what to do, is said',
  async (_, given, exit, said, next) => {
    const { line, ...options } = given;
    const outcome = await box.run(line, options);
    const text = `${outcome.stdout}\n${outcome.stderr}`;
    expect([outcome.exit, text]).toEqual([exit, expect.stringMatching(said)]);
    if (next !== undefined) expect(outcome.stderr).toContain(next);
  },
);
