import { expect, test } from 'vitest';
import type { Transport } from '../../../../src/contract/operation.ts';
import { orderLine, sandbox } from '../../sandbox.ts';

const box = await sandbox();
const columns = 80;

/** A delivery with a reference, by a courier that behaves as the scenario says. */
async function delivered(ref: string, name: string, phone: string, scenario: string): Promise<string> {
  box.advance(1);
  const contact = ['--dropoff-name', name, '--dropoff-phone', phone];
  const line = [...orderLine.slice(2), ...contact, '--ref', ref, '--initiate', '--simulate', scenario];
  return String((await box.json(['deliveries', 'create', ...line])).id);
}

await box.json(['webhooks', 'create', 'http://127.0.0.1:9/hooks']);
const zoe = await delivered('#1001', 'Zoë Müller', '+13125554567', 'driver_reassigned');
const dropped = await delivered('1002', 'Joe Diner', '+13125550142', 'provider_cancel_before_pickup');
const canceled = await delivered('1003', 'Ann Lee', '+13125550143', 'slow_assignment');
await box.run(['deliveries', 'cancel', canceled, '--yes']);
const slow = await delivered('1004', 'Kim', '+13125550144', 'slow_assignment');
await delivered('1005', 'Max', '+13125550145', 'happy_path');
const left = await delivered('1006', 'Ida', '+13125550146', 'left_at_door');
await box.json(['sandbox', 'advance', '--by', '14m']);
for (const status of ['pickup_complete', 'delivered']) await box.run(['sandbox', 'step', left, status]);

/** Simulated couriers ask for no PIN. */
const withPin: Transport = async (request) => {
  const response = await box.transport(request);
  return { ...response, body: response.body.replaceAll('"handover_pin":null', '"handover_pin":"0417"') };
};

/** What a caller asks, the one command that answers it, and what the answer has. */
const questions: [question: string, line: string[], answer: RegExp][] = [
  ['where is the order of Zoë Müller?', ['deliveries', 'get', 'zoe muller'], /^Status +enroute_pickup$/m],
  [
    'which deliveries are late?',
    ['deliveries', 'list', '--late'],
    /#1001 +Zoë Müller +\d\d:\d\d, now \d\d:\d\d, in \d+ min$/m,
  ],
  ['what happened to #1001?', ['deliveries', 'explain', '#1001'], /^Timeline$[\s\S]*driver_assigned/m],
  [
    'why was the courier changed?',
    ['deliveries', 'explain', zoe],
    /driver_not_assigned .*the driver is gone/,
  ],
  ['what did it cost, and why?', ['deliveries', 'explain', '1002'], /^Money$[\s\S]*refund +-\$6\.47 /m],
  ['who canceled 1003?', ['where', '1003'], /^Canceled with the API key embedded \(…\w{4}\)\.$/m],
  ['is there a proof of it?', ['proof', '1006'], /^ +Proof\s+photo\s+https:\/\/\S+$/m],
  ['does she need a PIN?', ['deliveries', 'explain', 'muller'], /^ +PIN +\d{4}, on|^ +PIN +none is needed$/m],
  ['with which key?', ['audit', 'list', '--record', '1003'], /Cancel delivery +\d+ +embedded \(…\w{4}\)$/m],
  [
    'which PIN must the recipient tell?',
    ['deliveries', 'explain', '1005'],
    /^ +PIN +\d{4}, on the tracking page/m,
  ],
  ['whose phone ends in 4567?', ['deliveries', 'get', '4567'], /^Dropoff +Zoë Müller$/m],
  ['was 1002 refunded?', ['charges', 'list', '--delivery', '1002'], /^refund +-\$6\.47 /m],
  ['try it again', ['deliveries', 'retry', dropped, '--yes'], /^Ref +1002$/m],
  ['write down that I called', ['deliveries', 'note', '1004', 'Called'], /^Note +Called$/m],
  [
    'write it down without quotes',
    ['deliveries', 'note', '1004', 'Called', 'again'],
    /^Note +Called again$/m,
  ],
  ['who is the driver of #1001?', ['deliveries', 'explain', '#1001'], /^ +Driver +\w+ \w+, car/m],
  [
    'where is the driver?',
    ['deliveries', 'get', '#1001'],
    /^Courier is +about \d.* mi from the pickup; last status .+$/m,
  ],
  ['the bell is broken', ['deliveries', 'edit', slow, '--dropoff-notes', 'Knock'], /^Dropoff notes +Knock$/m],
  ['which webhooks failed?', ['webhooks', 'attempts', '--failed'], /^\d.* failed +.*1002 /m],
  ['what did we spend today?', ['charges', 'list', '--since', 'today', '--all'], /Total of these \d+: \$/],
];

test('a delivery that has ended has no PIN to tell', async () => {
  const { stdout } = await box.run(['deliveries', 'explain', left], { transport: withPin });
  expect(stdout).toContain('delivered');
  expect(stdout).not.toMatch(/\bPIN\b/);
});

test.each(questions)('%s is answered by one command in 80 columns', async (_, line, answer) => {
  const { exit, stdout, stderr } = await box.run(line, {
    transport: withPin,
    tty: true,
    columns,
    env: { NO_COLOR: '1' },
  });
  const shown = `${stdout}${stderr}`.replaceAll(/^ *(Next: )?waybill .*$/gm, '');
  expect(exit).toBe(0);
  expect(`${stdout}${stderr}`).toMatch(answer);
  // Links are not broken.
  for (const text of shown.replaceAll(/^ *https:.*$/gm, '').split('\n'))
    expect(text.length).toBeLessThanOrEqual(columns);
});

/** What agents type without knowing the commands, and the command that is suggested. */
test.each([
  ['status 1001', 'deliveries explain 1001'],
  ['who canceled 1004', 'deliveries explain 1004'],
  ['why was the courier of 1001 changed', 'deliveries explain 1001'],
  ['driver 1001', 'deliveries get 1001'],
  ['deliveries pin 1001', 'deliveries explain 1001'],
  ['deliveries events 1001', 'events list --delivery 1001'],
  ['resend 1001', 'deliveries retry 1001'],
  ['disputes create 1002', 'deliveries dispute 1002'],
  ['spent', 'charges list --since today --all'],
  ['total today', 'report today'],
  ['late yesterday', 'deliveries list --late --period yesterday'],
  ['who was late yesterday', 'deliveries list --late --period yesterday'],
  ['who got a new driver today', 'deliveries list --reassigned --period today'],
  ['which store was slowest last week', 'report last week --by store --sort minutes'],
  ['returns yesterday', 'deliveries list --status returned --ended yesterday'],
  ['refunds yesterday', 'charges list --kind refund --period yesterday --all'],
  ['canceled yesterday', 'deliveries list --status canceled --period yesterday'],
  ['cost yesterday', 'report yesterday'],
  ['cost of 1001', 'deliveries explain 1001'],
  ['how many orders yesterday', 'report yesterday'],
  ['couriers report', 'report --by courier'],
  ['drivers report', 'report --by driver'],
  ['driver Amara', 'deliveries list --driver Amara --active'],
  ['arriving', 'deliveries list --active --sort due'],
  ['attempts 1001', 'orders attempts 1001'],
  ['customer Joe', 'deliveries list --search Joe'],
  ['export', 'charges list --period month --all --output csv'],
  ['deliveries cancelled', 'deliveries list --status canceled'],
  ['eta 1001', 'deliveries explain 1001'],
  ['webhooks failed', 'webhooks attempts --failed'],
  ['who ordered most yesterday', 'report yesterday --by customer'],
  ['customers', 'report --by customer'],
  ['busiest hour', 'report --by hour --sort orders'],
  ['average wait by store', 'report --by store --sort wait'],
  ['value yesterday', 'report yesterday --sort value'],
  ['which driver was fastest yesterday', 'report yesterday --by driver --sort minutes:asc'],
  ['tips by courier', 'report --by courier --sort tips'],
  ['worst courier', 'report --by courier --sort failed'],
  ['courier poolride', 'deliveries list --provider poolride --active'],
  ['late drivers', 'deliveries list --late'],
  ['message 1001', 'track 1001 --text'],
  ['distance 1001', 'routes get 1001'],
  ['invoice yesterday', 'charges list --period yesterday --all'],
  ['did 1001 arrive', 'deliveries explain 1001'],
  ['failed 1001', 'deliveries explain 1001'],
  ['how many failed today', 'report today --by reason'],
  ['how many canceled last week', 'report last week --by reason'],
  ['how many late today', 'report today'],
  ['how many orders per customer', 'report --by customer'],
  ['how many deliveries by store yesterday', 'report yesterday --by store'],
  ['no photo', 'deliveries list --without-proof'],
  ['deliveries without proof', 'deliveries list --without-proof'],
  ['which deliveries have no photo yesterday', 'deliveries list --without-proof --period yesterday'],
  ['big orders', 'orders list --min-value DOLLARS or waybill report --by customer --sort value'],
  ['biggest order', 'orders list --min-value DOLLARS'],
  ['biggest customer', 'report --by customer --sort value'],
  ['deliveries list --by store', 'report --by store'],
  ['orders list --group-by=customer', 'report --by customer'],
  ['charges list --by courier', 'report --fees --by courier'],
  ['charges list --kind refund --by store', 'report --fees --by store'],
  ['how much did we pay in fees yesterday', 'report yesterday --fees'],
  ['fees by courier', 'report --fees --by courier'],
  ['refusal rate by courier yesterday', 'report yesterday --rates --by courier'],
  ['average quote by courier', 'report --rates --by courier'],
  ['cost per delivery by store', 'report --by store --sort each'],
  ['median minutes by store', 'report --minutes --by store --sort minutes'],
  ['charges total', 'report --fees'],
  ['refunded yesterday', 'charges list --kind refund --period yesterday --all'],
])('waybill %s suggests waybill %s', async (typed, meant) => {
  const { exit, stderr } = await box.run(typed.split(' '));
  expect([exit, stderr]).toEqual([2, expect.stringContaining(`Did you mean waybill ${meant}`)]);
});

test('the verbs of the desk work without deliveries, with anything that a caller says', async () => {
  const same = async (short: string[], long: string[]) => {
    const run = async (line: string[]) => JSON.stringify(await box.run(line)).replace(/req_\w+/g, '');
    expect([short, await run(short)]).toEqual([short, await run(long)]);
  };
  await same(['find', '1003'], ['deliveries', 'get', '1003']);
  await same(['find', 'zoë', 'müller', '--json'], ['deliveries', 'get', 'zoë müller', '--json']);
  await same(['where', 'is', '1001'], ['deliveries', 'explain', '1001']);
  await same(['proof', '1001'], ['deliveries', 'explain', '1001']);
  await same(['charges', '1001'], ['charges', 'list', '--order', '1001']);
  await same(['assign', '1001', 'Sam'], ['deliveries', 'assign', '1001', '--driver', 'Sam']);
  await same(['deliveries', 'list', '--open'], ['deliveries', 'list', '--status', 'active']);
  await same(['explain', '1001'], ['deliveries', 'explain', '1001']);
  const dry = ['--dry-run', '--idempotency-key', 'again'];
  await same(['retry', '1001', ...dry], ['deliveries', 'retry', '1001', ...dry]);
  await same(['cancel', 'nobody', '--yes'], ['deliveries', 'cancel', 'nobody', '--yes']);
  const order = 'ord_01KJPZVC0G000000ETFSW07SJS';
  await same(['cancel', order], ['orders', 'cancel', order]);
  await same(['watch', '--help'], ['deliveries', 'watch', '--help']);
  await same(['wait', order], ['orders', 'wait', order]);
  await same(['wait', 'nobody'], ['deliveries', 'wait', 'nobody']);
  await same(['webhooks', 'redeliver', 'evt_1'], ['events', 'resend', 'evt_1']);
  await same(['find', 'delivery', '1003'], ['deliveries', 'get', '1003']);
  await same(['cancel', '--help'], ['deliveries', 'cancel', '--help']);
  await same(['help', 'find'], ['help', 'deliveries', 'get']);
});

test('the verbs of the desk take the flags of every command before them, and before their words', async () => {
  const found = await box.run(['deliveries', 'get', 'zoë müller', '--json=id']);
  expect(found.exit).toBe(0);
  for (const line of [
    ['--profile', 'sandbox', '--json=id', 'find', 'zoë', 'müller'],
    ['--no-input', 'find', '--profile=sandbox', '--json=id', 'zoë', 'müller'],
    ['find', '--profile', 'sandbox', 'zoë', 'müller', '--json=id'],
  ])
    expect([line, await box.run(line)]).toMatchObject([line, { exit: 0, stdout: found.stdout }]);
  const id = await box.run(['-o', 'id', 'explain', '1001']);
  expect(id.stderr).not.toContain('There is no command');
  const charges = await box.run(['charges', '--profile', 'sandbox', '1001']);
  expect(charges).toEqual(await box.run(['charges', 'list', '--profile', 'sandbox', '--order', '1001']));
  expect((await box.run(['assign', '--profile', 'sandbox', '1001', 'Sam'])).stderr).not.toContain(
    'needs a value',
  );
});
