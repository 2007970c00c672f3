import { expect, test } from 'vitest';
import { dollars } from '../../../../src/domain/money.ts';
import { errorOf, linesIn } from '../../harness.ts';
import { newDelivery, newStore, orderLine, sandbox } from '../../sandbox.ts';

const box = await sandbox();
const minute = 60_000;

const made = (...flags: string[]) => newDelivery(box, ...flags);

async function listed(...flags: string[]): Promise<string[]> {
  const { stdout } = await box.run(['deliveries', 'list', ...flags, '-o', 'id']);
  return linesIn(stdout);
}

// The number of the driver is one that no merchant and no recipient here has.
await box.run(['sandbox', 'reset', '--seed', '7', '--yes']);
const old = await made('--ref', 'old', '--initiate', '--simulate', 'happy_path');
box.advance(26 * 60 * minute);
const slow = ['--initiate', '--simulate', 'slow_assignment'];
const ann = await made(...slow, '--ref', 'ann', '--dropoff-name', 'Annabel Lee');
const phone = ['--dropoff-phone', '+13125550199'];
const ben = await made(...slow, '--ref', 'ben', '--dropoff-name', 'Ben Ray', ...phone);
const kept = await made('--ref', 'ann', '--dropoff-name', 'Annabel Lee');
box.advance(24 * minute);
const driverEnding = String((await box.json(['deliveries', 'get', 'old'])).courier_phone_number).slice(-4);

test.each([
  ['--ref ann', [kept, ann]],
  ['--ref ann --status request', [kept]],
  ['--ref ann --unchanged-since 20m', [ann]],
  ['--search annabel --phone +13125550142', [kept, ann]],
  ['--search annabel --phone +13125550199', []],
  ['--phone 0199', [ben]],
  ['--phone 555-0199 --search ben', [ben]],
  [`--phone ${driverEnding}`, []],
  [`--search ${driverEnding}`, [old]],
  ['--phone 0199 --search annabel', []],
  ['--phone 13125550199 --unchanged-since 20m --since 1d --search ben', [ben]],
  ['--status initial --since 1d --provider poolride', [kept, ben, ann]],
  ['--since 2d --until 1d', [old]],
  ['--courier poolride --date today', [kept, ben, ann]],
  ['--since 2d --until 1d --status fulfilled', [old]],
  ['--since 1d --status fulfilled', []],
  ['--status handed_over', []],
  ['--status fulfilled,request', [kept, old]],
  ['--status request --status initial --ref ann', [kept, ann]],
  ['--late --since 1d', []],
  ['--late --status request', []],
])('%s: matches of all filters, newest first', async (flags, expected) => {
  expect(await listed(...flags.split(' '))).toEqual(expected);
});

const noneLate = 'None of these deliveries is late, or will be. Add a period for what came late: --on today.';

test.each([
  ['--late', 'Nothing is late.\n'],
  ['--late --ref ann', `${noneLate}\n`],
  ['--late --min-tip 1', `${noneLate}\n`],
  ['--late --filter tip>1', `${noneLate}\n`],
  ['--late --scheduled', `${noneLate}\n`],
  ['--late --reassigned', `${noneLate}\n`],
  ['--ref nobody', 'No deliveries found.\n'],
  [
    '--status arrived_at_pickup',
    'No deliveries found.\nNo courier of the latest deliveries reported its arrival at a store: who waits there is not known. Who is coming: --status not_picked_up.\n',
  ],
  ['--scheduled', 'No pre-orders found. Not sent yet: waybill orders list --scheduled\n'],
  ['--ref ann --filter tip>1', 'None of the 2 found meets --filter "tip>1": tip is empty in all of them.\n'],
  ['--ref ben --filter tip>1', 'The only one found does not meet --filter "tip>1": tip is empty.\n'],
  [
    '--phone 0199 --filter tip>1 --filter ref',
    'The only one found does not meet --filter "tip>1" --filter "ref": tip is empty.\n',
  ],
  [
    '--search ann --filter tip>1',
    'None of the 2 found meets --filter "tip>1": tip is empty in all of them.\n',
  ],
])('%s: no match, and what that means', async (flags, said) => {
  const { stdout, stderr } = await box.run(['deliveries', 'list', ...flags.split(' ')]);
  expect([stdout, stderr]).toEqual(['', said]);
});

test.each([
  ['--phone', '142', /must be a phone number such as .*last digits/],
  ['--status', 'deliverd', /must be one of \d+ names/],
  ['--status', 'canceled,failedd', /must be one of \d+ names, not "failedd"/],
  ['--stuck', '20', /must be whole seconds/],
  ['--since', 'teatime', /must be a time such as/],
  ['--limit', '0', /must be a whole number/],
  ['--search', ' ', /must not be empty/],
  ['--ref', '', /must not be empty/],
])('%s %s is exit 2, and nothing is sent', async (flag, value, message) => {
  const before = box.requests.length;
  const { stdout, stderr, exit } = await box.run(['deliveries', 'list', flag, value, '--json']);
  expect([exit, stdout, errorOf(stderr).message]).toEqual([2, '', expect.stringMatching(message)]);
  expect(box.requests).toHaveLength(before);
});

test('all errors are reported at once, including a period that ends before it starts', async () => {
  const line = ['deliveries', 'list', '--stuck', 'x', '--phone', 'y', '--limit', 'z'];
  const { stderr, exit } = await box.run(line);
  expect(exit).toBe(2);
  for (const flag of ['--stuck', '--phone', '--limit']) expect(stderr).toContain(flag);
  const turned = await box.run(['deliveries', 'list', '--since', '5d', '--until', '9d']);
  expect([turned.exit, turned.stderr]).toEqual([
    2,
    'Error: --until 9d must be after the start of the period, 5d.\nSet the start with --since.\n',
  ]);
  const { stderr: same } = await box.run(['deliveries', 'list', '--since', 'today', '--until', 'today']);
  expect(same).toContain('For all of it: --period "today".');
});

test('a switch with a value is reported as such, not as unknown', async () => {
  const { exit, stderr } = await box.run(['deliveries', 'list', '--late=maybe']);
  expect([exit, stderr]).toEqual([2, 'Error: --late takes no value: it stands alone.\n']);
  const unknown = await box.run(['deliveries', 'list', '--latest=1']);
  expect(unknown.stderr).toContain('There is no flag --latest');
});

test.each([
  ['today', 0, 0],
  ['yesterday 18:30', -1, 18.5],
  ['03:00', 0, 3],
])('--since %s counts from the last local midnight of service time', async (typed, day, hours) => {
  const midnight = new Date(String((await box.json(['sandbox', 'clock'])).now));
  midnight.setHours(0, 0, 0, 0);
  expect((await box.run(['deliveries', 'list', '--since', typed])).exit).toBe(0);
  const asked = new URLSearchParams(box.requests.at(-1)?.path.split('?')[1]).get('created_after');
  expect(Date.parse(asked ?? '')).toBe(midnight.getTime() + (day * 24 + hours) * 3_600_000);
});

test('a start within a minute of the clock is no error, as clocks differ', async () => {
  const now = Date.parse(String((await box.json(['sandbox', 'clock'])).now));
  const soon = new Date(now + 50_000).toISOString();
  expect((await box.run(['deliveries', 'list', '--since', soon])).exit).toBe(0);
});

test.each([
  ['12', 'which has 2 digits: a US phone number has 10.'],
  ['5551234567890123456', 'which has 19 digits: no phone number has more than 15.'],
])('--phone %s says what is wrong with it', async (typed, fault) => {
  const { exit, stderr } = await box.run(['deliveries', 'list', '--phone', typed]);
  expect([exit, stderr]).toEqual([2, expect.stringContaining(fault)]);
});

test('what a store has under way, by its name, with the time of the pickup', async () => {
  const store = await newStore(box, 'Pizza & Friends');
  const order = (await box.json(['deliveries', 'get', ann])).order_id;
  const like = ['deliveries', 'create', '--like', String(order), '--store', store, '--ref'];
  const active = String((await box.json([...like, 'active', '--initiate', ...slow.slice(1)])).id);
  const ended = String((await box.json([...like, 'ended', '--initiate'])).id);
  await box.json(['sandbox', 'step', ended, 'delivered']);
  await box.json([...like, 'request']);
  const find = ['--store', 'pizza', '--status', 'active'];
  expect(await listed(...find)).toEqual([active]);
  expect(await listed('--store', store, '--status', 'fulfilled')).toEqual([ended]);
  const options = { tty: true, columns: 120, env: { NO_COLOR: '1' } };
  const { stdout } = await box.run(['deliveries', 'list', ...find], options);
  expect(stdout).toMatch(/PICKUP DUE +DUE[\s\S]+ waiting for a driver .* in \d+ min, no driver +in \d+ min /);
  expect(await box.run(['deliveries', 'list', '--store', 'Piza & Freinds'])).toMatchObject({
    exit: 5,
    stderr: expect.stringContaining('Did you mean Pizza & Friends?'),
  });
});

test('the notes of all deliveries, by time and tag', async () => {
  const note = (id: string, ...rest: string[]) => box.json(['deliveries', 'note', id, ...rest]);
  await note(ann, 'Earlier', '--tag', 'Call_back');
  box.advance(9 * 60 * minute);
  await note(ann, 'Rang twice', '--tag', 'call_back');
  box.advance(1000);
  await note(ben, 'Nobody there', '--tag', 'callXback');
  const texts = async (...flags: string[]) => {
    const { stdout } = await box.run(['notes', ...flags, '-o', 'ndjson']);
    return stdout.split('\n').flatMap((line): string[] => (line === '' ? [] : [JSON.parse(line).text]));
  };
  expect(await texts('--since', '8h')).toEqual(['Nobody there', 'Rang twice']);
  expect(await texts('--tag', 'call_back')).toEqual(['Rang twice', 'Earlier']);
  expect(await texts('--tag', 'nothing')).toEqual([]);
});

test('a list says why they ended, pipes when late ones were due, and a wait goes on until there is a driver', async () => {
  const shop = await sandbox();
  const canceled = await newDelivery(shop, '--initiate', '--ref', 'gone');
  await shop.json(['sandbox', 'step', canceled, 'provider_canceled']);
  await newDelivery(shop, '--initiate', '--ref', 'driven');
  shop.advance(20 * minute);
  const slow = ['--simulate', 'slow_assignment', '--items-description', 'Soup'];
  await newDelivery(shop, '--initiate', '--ref', 'alone', ...slow);
  shop.advance(3 * minute);
  const wide = { tty: true, columns: 160, env: { NO_COLOR: '1' } };
  const waits = 'deliveries list --active --sort wait:asc --columns ref,wait_minutes,items';
  expect((await shop.run(waits.split(' '))).stdout).toMatch(/^alone\t3\t.*\ndriven\t[4-9]\t/);
  const refused = await newDelivery(shop, '--initiate', '--ref', 'back', '--simulate', 'return_stuck');
  for (const status of ['pickup_complete', 'enroute_to_return'])
    await shop.json(['sandbox', 'step', refused, status]);
  for (const flags of ['--status canceled', '--filter status=canceled,failed --ref gone']) {
    const programs = (await shop.run(['deliveries', 'list', ...flags.split(' ')])).stdout;
    expect(programs.split('\t')).toHaveLength(8);
    const { stdout: ended } = await shop.run(['deliveries', 'list', ...flags.split(' ')], wide);
    expect(ended).toMatch(/REFUNDED +REASON\n.* \$\d+\.\d\d +Canceled by the courier\n$/);
  }
  for (const [reason, format, found] of [
    ['courier', 'csv', 'ref,reason\ngone,Canceled by the courier\n'],
    ['recipient', 'tsv', 'back\trecipient_unreachable\n'],
    ['recipient', 'table', /back +the recipient could not be reached/],
  ] as const) {
    const line = [
      'deliveries',
      'list',
      '--filter',
      `why ~ ${reason}`,
      '--columns',
      'ref,reason',
      '-o',
      format,
    ];
    expect((await shop.run(line, wide)).stdout).toMatch(found);
  }
  expect((await shop.run(['deliveries', 'list', '--status', 'failed,canceled'])).stderr).toContain(
    '1 of these 2 is still on its way back to the store: waybill report counts it as failed.',
  );
  const { payment_amount: price } = await shop.json(['deliveries', 'get', canceled]);
  const { payment_amount: kept } = await shop.json(['deliveries', 'get', refused]);
  const paid = [Number(kept), Number(kept) + Number(price), Number(price)].map(dollars);
  expect((await shop.run('deliveries list --status failed,canceled --sort ref'.split(' '))).stderr).toContain(
    `These 2 cost ${paid[0]}: ${paid[1]} charged, ${paid[2]} given back.`,
  );
  shop.advance(90 * minute);
  const { stdout, stderr } = await shop.run(['deliveries', 'list', '--late', '--on', 'today']);
  expect(stderr).toContain('A period of late ones is that of the promise.');
  const row = stdout.split('\n').find((line) => line.includes('\talone\t')) ?? '';
  const [promised, late] = row.split('\t').slice(-2);
  expect([promised, Number(late) > 5]).toEqual([expect.stringMatching(/^2026-03-02T.*Z$/), true]);
});

const sorted = await sandbox();
const far = ['--dropoff-address', '5700 S Lake Shore Dr, Chicago, IL 60637'];
await newDelivery(sorted, '--initiate', '--ref', 'soon');
await newDelivery(sorted, '--initiate', '--ref', 'dear', '--tip', '3', ...far);
await newDelivery(sorted, '--initiate', '--ref', 'later', '--dropoff-at', 'in 5 hours');

test.each([
  ['due', ['soon', 'dear', 'later']],
  ['price', ['dear', 'later', 'soon']],
  ['tip', ['dear', 'later', 'soon']],
  ['pickup', ['soon', 'dear', 'later']],
])('--sort %s', async (column, refs) => {
  const line = ['deliveries', 'list', '--sort', column];
  const found = JSON.parse((await sorted.run([...line, '--json'])).stdout);
  expect(found.map((each: { external_order_ref: string }) => each.external_order_ref)).toEqual(refs);
  const { stdout, stderr } = await sorted.run([...line, '--limit', '1']);
  expect(stdout).toContain(`\t${refs[0]}\t`);
  expect(stderr).toContain(
    `1 of ${refs.length} are shown. All: waybill deliveries list --sort ${column} --all`,
  );
});

const outcomes = await sandbox();
await newDelivery(outcomes, '--initiate', '--ref', 'here', '--simulate', 'happy_path');
await newDelivery(outcomes, '--initiate', '--ref', 'lost', '--simulate', 'customer_unreachable');
await outcomes.run(['sandbox', 'advance', '--by', '3h']);
await newDelivery(outcomes, '--initiate', '--ref', 'driving');
const gone = await newDelivery(outcomes, '--initiate', '--ref', 'gone');
await outcomes.run(['deliveries', 'cancel', gone, '--yes']);
await outcomes.run([...orderLine, '--ref', 'new']);

test.each([
  ['failed', ['lost']],
  ['delivered,canceled', ['gone', 'here']],
  ['active', ['driving']],
  ['open', ['new']],
  ['open,failed', ['new', 'lost']],
])('orders list --status %s finds orders by what became of them, too', async (status, refs) => {
  const { stdout } = await outcomes.run(['orders', 'list', '--status', status, '--json']);
  const found: { external_order_ref: string }[] = JSON.parse(stdout);
  expect(found.map(({ external_order_ref }) => external_order_ref)).toEqual(refs);
});

const many = await sandbox();
for (let ref = 1; ref <= 21; ref += 1) await newDelivery(many, '--initiate', '--ref', String(ref));

test.each([
  [['deliveries', 'list', '--min-cost', '1'], "deliveries list --filter 'total_cost >= 1.00'"],
  [['orders', 'list', '--on', 'today'], 'orders list --period today'],
  [['charges', 'list', '--kind', 'delivery', '--on', 'today'], 'charges list --kind delivery --period today'],
])(
  'people learn how many %o has, programs the next page, and a file of a period has all',
  async (line, all) => {
    expect((await many.run(line)).stderr).toContain(`20 of 21 are shown. All: waybill ${all} --all\n`);
    expect((await many.run([...line, '--json'])).stderr).toMatch(/^There is more: waybill /m);
    const env = { WAYBILL_LIMIT: '2' };
    const rows = async (...flags: string[]) =>
      (await many.run([...line, ...flags], { env })).stdout.split('\n');
    const isOfPeriod = line.includes('--on');
    expect((await rows('-o', 'csv')).length).toBe(isOfPeriod ? 23 : 4);
    expect((await rows('-o', 'csv', '--limit', '1')).length).toBe(3);
    expect((await rows()).length).toBe(3);
  },
);

test('people see what became of the order of a delivery that was tried again, scripts the deliveries', async () => {
  const lost = await made(...slow, '--ref', 'lost');
  const first = await made(...slow, '--ref', 'again');
  for (const id of [lost, first]) await box.run(['deliveries', 'cancel', id, '--yes']);
  const list = (...flags: string[]) =>
    box.run(['deliveries', 'list', '--status', 'canceled', ...flags], {
      tty: true,
      columns: 80,
      env: { NO_COLOR: '1' },
    });
  expect((await list()).stdout).not.toContain('TRIED AGAIN');
  await box.run(['retry', first, '--yes'], box.passing);
  for (const flags of [[], ['--sort', 'due']]) {
    const { stdout } = await list(...flags);
    expect(stdout).toMatch(/STATUS +TRIED AGAIN/);
    expect(stdout).toMatch(/ customer_canceled +waiting for a driver .* again /);
    expect(stdout).toMatch(/ customer_canceled +no .* lost /);
  }
  const { stdout } = await list('--json');
  const found: { details: { tried_again: string | null } }[] = JSON.parse(stdout);
  expect(found.map(({ details }) => details.tried_again)).toEqual(['delivery_created', null]);
});
