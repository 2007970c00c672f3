import { expect, test } from 'vitest';
import { errorOf } from '../harness.ts';
import { newDelivery, newStore, sandbox } from '../sandbox.ts';

const box = await sandbox();
const hour = 3_600_000;

await newStore(box, 'Deli');
await newStore(box, 'Grill', '--notes', 'Back door');
const here = ['--tip', '3', '--dropoff-name', 'José Müller', '--dropoff-unit', '4B'];
const hereId = await newDelivery(box, '--initiate', '--ref', 'here', '--simulate', 'happy_path', ...here);
const salt = ['--dropoff-name', 'Salt and Pepper', '--dropoff-phone', '+13125550199'];
await newDelivery(box, '--initiate', '--ref', 'lost', '--simulate', 'customer_unreachable', ...salt);
box.advance(26 * hour);
await newDelivery(box, '--initiate', '--ref', 'driving', '--tip', '7', '--order-value', '60');
const gone = await newDelivery(box, '--initiate', '--ref', 'gone', '--dropoff-notes', 'Ring "twice"');
await box.run(['deliveries', 'cancel', gone, '--yes']);
await box.run(['deliveries', 'note', 'lost', 'Called twice, angry']);

// Ordered late in the evening, and lost after midnight.
const late = await sandbox();
late.advance(19.8 * hour);
await newDelivery(late, '--initiate', '--ref', 'night', '--simulate', 'customer_unreachable');
late.advance(2 * hour);

async function refs(line: readonly string[]): Promise<unknown[]> {
  const { stdout, stderr, exit } = await box.run([...line, '--json']);
  expect([exit, stderr]).toEqual([0, expect.not.stringContaining('Error')]);
  const found: Record<string, unknown>[] = JSON.parse(stdout);
  return found.map(({ external_order_ref: ref, name, kind }) => ref ?? name ?? kind);
}

// The newest first: gone, driving, lost, here.
test.each([
  ['tip > 3', ['driving']],
  ['tip >= $3.00', ['driving', 'here']],
  ['tip<3', ['gone', 'lost']],
  ['tip = 0', ['gone', 'lost']],
  ['tip', ['driving', 'here']],
  ['!tip', ['gone', 'lost']],
  ['not tip and not unit', ['gone', 'lost']],
  ['unit', ['here']],
  ['Dropoff unit = 4b', ['here']],
  ['dropoff_unit is not none', ['here']],
  ['total_cost > payment_amount', ['driving', 'lost', 'here']],
  ['cost > quoted + tip', ['lost']],
  ['tip > 10% of order_value', ['driving', 'here']],
  ['tip > order_value * 0.12', ['here']],
  ['order_value > 4 * total_cost and tip > 0.05*order_value + 0.05 * order_value', ['driving']],
  ['distance > 0.1 and distance < 50', ['gone', 'driving', 'lost', 'here']],
  ['name ~ jose mull', ['here']],
  ['customer contains diner or tip = 3', ['gone', 'driving', 'here']],
  ["customer like '%diner%' or tip = 3", ['gone', 'driving', 'here']],
  ['dropoff_name = Salt and Pepper', ['lost']],
  ['dropoff_name = "salt and pepper" and !tip', ['lost']],
  ['dropoff_name !~ salt', ['gone', 'driving', 'here']],
  ['notes ~ \'ring "twice"\'', ['gone']],
  ['notes ~ angry', ['lost']],
  ['late_minutes', []],
  ['delivered_at > promised_at and late_minutes = 0', ['here']],
  ['tried_again', []],
  ['dropoff_phone = 555-0199', ['lost']],
  ['status = canceled', ['gone']],
  ['status = failed,canceled', ['gone', 'lost']],
  ['status != delivered', ['gone', 'driving', 'lost']],
  ['status = active', ['driving']],
  ['status is waiting for a driver', ['driving']],
  ['order_value > 50', ['driving']],
  [`id = ${hereId.slice(-5)}`, ['here']],
  ['ref > g', ['gone', 'lost', 'here']],
  ['delivered_at = yesterday', ['here']],
  ['delivered_at > yesterday', []],
  ['delivered_at > yesterday 04:01', ['here']],
  ['delivered_at < 2h', ['here']],
  ['created_at = today', ['gone', 'driving']],
  ['created_at >= today', ['gone', 'driving']],
  ['created_at < today', ['lost', 'here']],
  ['promised_at > now', ['gone', 'driving']],
  ['delivered_at > promised_at', ['here']],
  ['delivered_at > promised_at + 1h', []],
  ['total_cost = payment_amount + tip - 0.00', ['driving', 'here']],
  ['delivered_at - created_at > 20m', ['here']],
  ['delivered_at - created_at > 20h', []],
  ['total_cost - payment_amount > 3.5', ['driving', 'lost']],
  ['minutes > 20', ['here']],
  // It took 29:07.
  ['minutes > 29', ['here']],
  ['minutes <= 29', []],
  ['minutes = 29', ['here']],
  ['took > 20h', []],
  ['returned_at = yesterday and !delivered_at', ['lost']],
  ['wait_minutes < 1h and delivered_at', ['here']],
])('--filter %s', async (text, expected) => {
  expect(await refs(['deliveries', 'list', '--filter', text])).toEqual(expected);
});

test.each([
  ['stores list --filter notes', ['Grill']],
  ['stores list --sort name', ['Deli', 'Grill']],
  ['stores list --sort name:desc', ['Grill', 'Deli']],
  ['stores list --sort name:down', ['Grill', 'Deli']],
  ['orders list --filter tip>3', ['driving']],
  ['orders list --where status=delivered', ['here']],
  ['orders list --sort tip --limit 2', ['driving', 'here']],
  ['orders list --sort tip:asc --filter tip', ['here', 'driving']],
  ['charges list --filter kind=tip --filter amount>5', ['driving']],
  ['charges list --sort=-amount --filter kind=tip', ['driving', 'here']],
  ['deliveries list --status failed --ended yesterday', ['lost']],
  ['deliveries list --status failed --ended today', []],
  ['deliveries list --ended --on yesterday', ['lost', 'here']],
  ['deliveries list --ended', ['gone', 'lost', 'here']],
  ['orders list --ended yesterday', ['lost', 'here']],
  ['deliveries list --filter ended_at<today', ['lost', 'here']],
  ['deliveries list --sort order_value --limit 1', ['driving']],
  ['deliveries list --sort duration --limit 1', ['here']],
  ['deliveries list --sort ref', ['driving', 'gone', 'here', 'lost']],
  ['deliveries list --sort delivered_at', ['here', 'gone', 'driving', 'lost']],
])('%s', async (line, expected) => {
  expect(await refs(line.split(' '))).toEqual(expected);
});

test('the distance of an order of one route is that of the route, for people with how well it is known', async () => {
  const { route_id } = await box.json(['deliveries', 'get', hereId]);
  const { distance_miles } = await box.json(['routes', 'get', String(route_id)]);
  for (const noun of ['deliveries', 'orders']) {
    const line = [noun, 'list', '--ref', 'here', '--columns', 'distance'];
    expect((await box.run(line)).stdout).toBe(`${distance_miles}\n`);
    expect((await box.run(line, { tty: true })).stdout).toContain(`about ${distance_miles} mi`);
  }
});

test.each([
  [
    '--status open --delivered',
    /^Nothing with --status open was delivered: leave out --status open or --delivered\.$/,
  ],
  [
    '--status active --ended today',
    /^Nothing with --status active has ended: leave out --status active or --ended\.$/,
  ],
  ['--status failed --delivered', /^Nothing with --status failed was delivered:/],
])('orders list %s is exit 2', async (flags, message) => {
  const { stderr, exit } = await box.run(['orders', 'list', ...flags.split(' '), '--json']);
  expect([exit, errorOf(stderr).message]).toEqual([2, expect.stringMatching(message)]);
});

test.each([
  [
    'deliveries list --filter dispute_reason>b',
    'None of the 4 found meets --filter "dispute_reason>b": dispute_reason is empty in all of them.\n',
  ],
  [
    'deliveries list --filter delivered_at>pickup_due',
    'None of the 4 found meets --filter "delivered_at>pickup_due": none of them has both delivered_at and pickup_due.\n',
  ],
  ['orders list --filter tip>90', 'None of the 4 found meets --filter "tip>90".\n'],
  ['orders list --search xyzzyx', 'No orders found.\nNothing contains "xyzzyx".\n'],
  [
    'orders list --status unfulfilled',
    'No orders found. What auto dispatch still tries is in `waybill today`.\n',
  ],
  ['orders list --status dispatched --ended tomorrow', 'No orders found.\n'],
  ['orders list --scheduled --waiting', 'No orders found.\n'],
])('%s finds none', async (line, text) => {
  const { stdout, stderr } = await box.run(line.split(' '));
  expect([stdout, stderr]).toEqual(['', text]);
});

test.each([
  ['--filter', 'tpi > 3', /has no column "tpi"\.$/],
  [
    '--filter',
    'tip > much',
    /must compare tip with an amount in dollars such as 12.50, or with columns .*, not "much"/,
  ],
  ['--filter', 'late_minutes > soon', /must compare late_minutes with a length such as 15m/],
  ['--filter', 'delivered_at > teatime', /must compare delivered_at with a time or period/],
  ['--filter', 'tip ~ 3', /cannot use ~ with tip/],
  ['--filter', 'items > 5', /cannot compare items with a number by >: items is text; ~ finds a part\.$/],
  ['--filter', 'cost > price', /must not compare total_cost with itself/],
  ['--filter', 'delivered_at > promised_at + soon', /must add a column or a length/],
  ['--filter', 'tip >', /must have a value after "tip >"/],
  ['--filter', '!(name ~ "1")', /must have no brackets: ! and not apply to one condition, and !~ means/],
  ['--filter', '> 3', /must be COLUMN, COLUMN = VALUE or COLUMN > COLUMN/],
  ['--ended=today', '--active', /^Nothing with --active has ended: leave out --active or --ended\.$/],
  ['--delivered', '--status=failed', /^Nothing with --status failed was delivered:/],
  ['--active', '--status=delivered', /^Nothing with --status delivered is under way: leave out --active\.$/],
  ['--stuck', '--status=delivered', /^Nothing with --status delivered is under way:/],
  ['--sort', 'valu', /has no column "valu"\.$/],
  ['--sort', 'tip,price', /takes one column, not "tip,price"/],
  ['--sort', 'tpi', /has no column "tpi"\.$/],
  ['--sort', 'xyzzy', /has no column "xyzzy"; --help lists them\.$/],
  ['--filter', 'delivered_at - xyzzy > 5m', /has no column "delivered_at - xyzzy"; --help lists them\.$/],
])('%s %s is exit 2, and nothing is sent', async (flag, value, message) => {
  const before = box.requests.length;
  const { stderr, exit } = await box.run(['deliveries', 'list', flag, value, '--json']);
  expect([exit, errorOf(stderr).message]).toEqual([2, expect.stringMatching(message)]);
  expect(box.requests).toHaveLength(before);
});

test('what is listed is counted after the filter, and the command for all has it', async () => {
  const line = ['deliveries', 'list', '--filter', 'status != delivered', '--limit', '1', '--columns', 'ref'];
  const { stdout, stderr } = await box.run(line);
  expect([stdout, stderr]).toEqual([
    'gone\n',
    expect.stringContaining("All: waybill deliveries list --filter 'status != delivered' --all"),
  ]);
  for (const noun of ['deliveries', 'orders', 'charges']) {
    const narrowed = await box.run([noun, 'list', '--on', 'today', '--since', '0:00', '--limit', '1']);
    expect(narrowed.stderr).toMatch(
      new RegExp(`There is more: waybill ${noun} list --since \\S+Z --limit 1 --cursor`),
    );
  }
  expect(await refs(['deliveries', 'list', '--active', '--status', 'failed,delivery_created'])).toEqual([
    'driving',
  ]);
  const sum = await box.run(['charges', 'list', '--filter', 'kind = tip']);
  expect(sum.stderr).toContain('Total of these 2: $10.00.');
  const none = await box.run(['deliveries', 'list', '--filter', 'service = poolrid']);
  expect(none.stderr).toContain('found meets --filter "service = poolrid": there is "poolride".');
  const other = await box.run(['orders', 'list', '--filter', 'status = returned and tip > 3']);
  expect(other.stderr).not.toContain('there is');
});

test.each([
  ['deliveries list --sort service --limit 1', '3 more have the same value of service as the last one.'],
  ['report week --by service --sort adjustments', 'None of them has a value of adjustments.'],
  ['deliveries list --sort tip --limit 1', null],
  ['deliveries list --sort service', null],
  ['report week --by service,status --limit 2', '2 more rows, 2 of them with the same value of orders'],
  ['report week --by status --sort delivered --limit 1', 'more rows:'],
])('%s: what is equal to the last one is counted', async (line, tie) => {
  const { stderr } = await box.run(line.split(' '));
  expect(stderr).toContain(tie ?? '');
  if (tie === null) expect(stderr).not.toContain('the same value');
});

test.each([
  ['deliveries list --status failed --on today', 'deliveries list --status failed --ended today', 1],
  ['deliveries list --status failed --since 2h', /list --status failed --since \S+ --ended/, 1],
  ['deliveries list --status delivered --on today', /None ended in it\./, 0],
  ['orders list --status failed --on today', 'orders list --status failed --ended today', 1],
])(
  '%s says that the period is that of the creation, and how many ended in it',
  async (line, other, count) => {
    const { stderr } = await late.run(line.split(' '));
    const counted = count === 0 ? 'None' : `${count}`;
    expect(stderr).toContain(`The period is when they were created. ${counted} ended in it`);
    expect(stderr).toMatch(other);
  },
);

test('people have a list sorted by the texts that it shows, and are told of a column that is empty', async () => {
  const shop = await sandbox();
  for (const text of ['Pizza', 'Brisket', 'Noodles']) await newDelivery(shop, '--items-description', text);
  const shown = { tty: true, columns: 120, env: { NO_COLOR: '1' } };
  for (const noun of ['deliveries', 'orders']) {
    const line = [noun, 'list', '--sort', 'items', '--columns', 'items'];
    const rows = (await shop.run(line, shown)).stdout.trim().split('\n').slice(1);
    expect(rows).toEqual(rows.toSorted((left, right) => left.localeCompare(right)));
    const dearest = await shop.run([noun, 'list', '--sort', 'tip', '--limit', '1'], shown);
    expect(dearest.stderr).toContain('None of them has a value of tip.');
  }
});
