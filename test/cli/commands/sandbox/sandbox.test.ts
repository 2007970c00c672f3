import { expect, test } from 'vitest';
import { scenarios } from '../../../../src/domain/scenarios.ts';
import { errorOf, failureOf, rowsIn } from '../../harness.ts';
import { newDelivery, newOrder, quotedRoute, type Sandbox, sandbox, startedAt } from '../../sandbox.ts';

const person = { tty: true, env: { NO_COLOR: '1' } };
const at = (ms: number) => new Date(startedAt + ms).toISOString();
const minute = 60_000;

/** The id of a new delivery, dispatched to the cheapest. */
async function delivery(box: Sandbox, ...flags: string[]): Promise<string> {
  const { stdout } = await box.run(['dispatch', await quotedRoute(box, ...flags), '--cheapest', '-o', 'id']);
  return stdout.trim();
}

/** Rows of tab-separated values. */
function rows(stdout: string): string[][] {
  return rowsIn(stdout);
}

test('the clock is shown, scaled, and stopped', async () => {
  const box = await sandbox();
  expect(await box.json(['sandbox', 'clock'])).toEqual({
    object: 'clock',
    mode: 'real',
    rate: 1,
    now: at(0),
    next_due_at: null,
  });
  expect(await box.json(['sandbox', 'clock', 'scaled'])).toMatchObject({ mode: 'scaled', rate: 60 });
  box.advance(1000);
  expect(await box.json(['sim', 'time'])).toMatchObject({ now: at(minute), rate: 60 });
  expect(await box.json(['sandbox', 'clock', '--rate', '0.5'])).toMatchObject({ mode: 'scaled', rate: 0.5 });
  await box.json(['sandbox', 'clock', 'stop']);
  box.advance(2 * minute);
  const still = await box.run(['sandbox', 'clock'], person);
  expect(still.stdout).toMatch(/^Mode +manual\nRate +0\nNow +\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\n$/);
  expect(still.stderr).toBe('It is 1 min behind this machine.\nNo scheduled work.\n');
});

test.each([
  [['sandbox', 'clock', 'manul'], 'Did you mean manual?'],
  [['sandbox', 'clock', 'real', '--rate', '3'], '--rate requires the scaled mode.'],
  [['sandbox', 'clock', 'scaled', '--rate', '0'], '--rate must be a number from 0.001 to 86400, not "0"'],
  [['sandbox', 'advance'], 'Choose from: --by, --to, --until, --next, --drain'],
  [['sandbox', 'advance', '--next', '--by', '1h'], 'Use exactly one flag'],
  ...['250ms', '0s', 'foo', '2000d'].map((length): [string[], string] => [
    ['sandbox', 'advance', '--by', length],
    `--by must be whole seconds, from 1s to 365d, such as 30s or 10m, not "${length}".`,
  ]),
  [['sandbox', 'advance', '--until', 'delivered'], '--until must be DELIVERY:STATUS'],
  [['sandbox', 'advance', '2h'], 'Did you mean waybill sandbox advance --by 2h?'],
  [['sandbox', 'advance', '--until', 'delivered', 'dlv_1'], 'takes none.\n--until must be DELIVERY:STATUS'],
  [['sandbox', 'advance', '--until', 'dlv_1:delivrd'], 'Did you mean delivered?'],
  [['sandbox', 'scenario', 'set'], 'Missing: NAME.'],
  [['sandbox', 'scenario', 'no_driver'], 'waybill sandbox scenario set no_driver'],
  [['sandbox', 'step', 'dlv_1', 'arived_at_pickup'], 'Did you mean arrived_at_pickup?'],
  [['sandbox', 'provider', 'swiftly', '--down', '--no-capacity'], 'Use only one of these flags'],
  [['sandbox', 'provider', 'swiftly', '--up', '--for', '20m'], '--for requires'],
  [['sandbox', 'provider', 'swiftly', '--slow', '2h'], '--slow must be whole seconds, from 1s to 1h'],
])('%j is exit 2: %s', async (line, text) => {
  const box = await sandbox();
  const { stdout, stderr, exit } = await box.run(line);
  expect({ stdout, exit, requests: box.requests }).toEqual({ stdout: '', exit: 2, requests: [] });
  expect(stderr).toContain(text);
});

test('each step is a line, and the last one is the clock', async () => {
  const box = await sandbox();
  const id = await delivery(box);
  const { stdout, stderr, exit } = await box.run(['sandbox', 'advance', '--by', '2h']);
  expect(exit).toBe(0);
  const ofDelivery = rows(stdout).filter(([, , about]) => about === id);
  expect(ofDelivery.map(([, , , status]) => status)).toContain('driver_assigned');
  expect(ofDelivery.at(-1)).toEqual([
    expect.stringMatching(/^evt_/),
    expect.anything(),
    id,
    'delivered',
    'delivery.updated',
  ]);
  const times = ofDelivery.map(([, time]) => time);
  expect(times).toEqual([...times].sort());
  expect(stderr).toMatch(
    /The clock is at \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z; \d+ due tasks ran on the way\.\n$/,
  );
  const again = await box.run(['sandbox', 'advance', '--drain'], person);
  expect(again).toMatchObject({ exit: 0, stdout: '' });
  expect(again.stderr).toContain('No events resulted.\n');
});

test('the date is in a column only if it differs', async () => {
  const box = await sandbox();
  await delivery(box);
  const wide = { ...person, columns: 200 };
  const today = await box.run(['sandbox', 'advance', '--by', '10m'], wide);
  expect(today.stdout).toMatch(/^AT +DELIVERY +STATUS +EVENT\n\d\d:\d\d /);
  await delivery(box);
  expect(await box.run(['sandbox', 'advance', '--drain'], wide)).toMatchObject({ exit: 0 });
  await delivery(box, '--simulate', 'return_stuck');
  const days = await box.run(['sandbox', 'advance', '--drain'], wide);
  expect(days.stdout).toMatch(/^DAY +AT +DELIVERY/);
});

test('--until stops when the delivery has reached the status or a later one', async () => {
  const box = await sandbox();
  const id = await delivery(box);
  const until = ['sandbox', 'advance', '--until', `${id}:driver_assigned`];
  const there = await box.run([...until, '--profile', 'sandbox']);
  expect(there.exit).toBe(0);
  expect(there.stderr).toContain(`See it: waybill --profile sandbox deliveries get ${id}\n`);
  expect(await box.json(['deliveries', 'get', id])).toMatchObject({ status: 'driver_assigned' });
  // poolride does not report arrivals.
  expect((await box.run(['sandbox', 'advance', '--until', `${id}:arrived_at_pickup`])).exit).toBe(0);
  expect(await box.json(['deliveries', 'get', id])).toMatchObject({ status: 'pickup_complete' });
});

test('--until is exit 8 if nothing more is due before', async () => {
  const box = await sandbox();
  const id = await newDelivery(box);
  const { stdout, stderr, exit } = await box.run(['sandbox', 'advance', '--until', `${id}:delivered`]);
  expect({ stdout, exit }).toEqual({ stdout: '', exit: 8 });
  expect(stderr).toContain(
    `; nothing was due on the way.\n${id} is request, not delivered, and nothing more`,
  );
});

test('the scenarios match the table, with how to choose one', async () => {
  const box = await sandbox();
  const { stdout, stderr } = await box.run(['sandbox', 'scenarios']);
  const table = Object.entries(scenarios).map(([name, { number, happens, money }]) => [
    number,
    name,
    happens,
    money,
  ]);
  expect(rows(stdout)).toEqual(table);
  expect(stderr).toContain('--simulate NAME');
  expect(stderr).toContain('+1 312 555 01NN');
  expect(stderr).toContain('waybill sandbox scenario set NAME');
  const narrow = await box.run(['sandbox', 'scenarios'], { ...person, columns: 60 });
  expect(Math.max(...narrow.stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(60);
  const page = await box.run(['help', 'scenarios']);
  for (const [number = '', name = ''] of table) expect(page.stdout).toContain(`  ${number}  ${name}`);
});

test('the default scenario is shown, set, applied and removed', async () => {
  const box = await sandbox();
  expect(await box.json(['sandbox', 'scenario'])).toMatchObject({ default_scenario: null });
  const set = await box.json(['sandbox', 'scenario', 'set', 'payment_declined']);
  expect(set).toEqual({ object: 'sandbox_settings', default_scenario: 'payment_declined' });
  const route = await quotedRoute(box);
  expect((await box.run(['dispatch', route, '--cheapest'])).exit).toBe(9);
  expect(await box.json(['sandbox', 'scenario', 'set', 'none'])).toMatchObject({ default_scenario: null });
  expect(await failureOf(box.run(['sandbox', 'scenario', 'set', 'no_drivr', '--json']))).toMatchObject({
    exit: 2,
    code: 'simulation_unknown',
    message: 'Unknown scenario or parameter "no_drivr"; expected no_driver.',
    choices: ['no_driver'],
    details: [{ path: 'default_scenario', flag: 'NAME', message: 'is unknown' }],
    next: [{ command: 'waybill sandbox scenarios' }],
  });
  const sunny = await box.run(['sandbox', 'scenario', 'set', 'sunny']);
  expect(sunny.stderr).not.toContain('default_scenario');
  expect(sunny.stderr.length).toBeLessThan(300);
  expect(sunny.stderr).toContain('`waybill sandbox scenarios`');
});

test('steps, step and advance take a reference or a phone number of a delivery', async () => {
  const box = await sandbox();
  const id = await delivery(box, '--ref', 'R:1');
  const steps = await box.json(['sandbox', 'steps', 'R:1']);
  expect(steps.status).toBe('delivery_created');
  expect(await box.json(['sandbox', 'step', 'R:1', 'driver_assigned'])).toMatchObject({ delivery_id: id });
  const { exit, stderr } = await box.run(['sandbox', 'advance', '--until', 'R:1:delivered']);
  expect([exit, stderr]).toEqual([0, expect.stringContaining(`See it: waybill deliveries get ${id}`)]);
  const none = await box.run(['sandbox', 'advance', '--until', 'R2:delivered']);
  expect([none.exit, none.stderr]).toEqual([5, expect.stringContaining('No delivery matches "R2".')]);
});

test('steps are listed and taken, and an illegal one lists the legal ones', async () => {
  const box = await sandbox();
  const id = await delivery(box);
  const { stdout, stderr } = await box.run(['sandbox', 'steps', id]);
  expect(stdout.split('\n')).toEqual(expect.arrayContaining(['driver_assigned', 'delivered']));
  expect(stderr).toContain(`${id} is delivery_created.\nReport one: waybill sandbox step ${id} STATUS\n`);
  expect(await box.json(['sandbox', 'step', id, 'pickup_complete'])).toMatchObject({
    object: 'steps',
    delivery_id: id,
    status: 'pickup_complete',
  });
  const illegal = await box.run(['sandbox', 'step', id, 'driver_assigned', '--json']);
  expect(illegal.exit).toBe(6);
  expect(errorOf(illegal.stderr)).toMatchObject({
    code: 'step_not_legal',
    message: expect.stringContaining('enroute_dropoff'),
    next: [{ command: `waybill sandbox steps ${id}` }],
  });
  await box.json(['sandbox', 'step', id, 'delivered']);
  expect(await box.run(['sandbox', 'steps', id])).toMatchObject({
    exit: 0,
    stdout: '',
    stderr: `No further status is possible.\n${id} is delivered.\n`,
  });
});

test('a provider is shown, made to fail for a while, and restored', async () => {
  const box = await sandbox();
  const name = 'poolride';
  expect(await box.json(['sandbox', 'provider', name])).toMatchObject({ name, state: 'up', until: null });
  const slow = await box.json(['sandbox', 'provider', name, '--slow', '30s', '--for', '20m']);
  expect(slow).toMatchObject({ state: 'slow', slow_seconds: 30, until: at(20 * minute) });
  const full = await box.json(['sandbox', 'provider', name, '--no-capacity']);
  expect(full).toMatchObject({ state: 'no_capacity', slow_seconds: null, until: null });
  expect(await box.json(['sandbox', 'provider', name, '--down'])).toMatchObject({ state: 'down' });
  expect(await box.json(['sandbox', 'provider', name, '--up'])).toMatchObject({ state: 'up' });
  const unknown = await box.run(['sandbox', 'provider', 'nobody', '--json']);
  expect([unknown.exit, errorOf(unknown.stderr).code]).toEqual([5, 'record_not_found']);
});

test('everything is deleted after confirmation', async () => {
  const box = await sandbox();
  await delivery(box);
  await newOrder(box);
  const no = await box.run(['sandbox', 'reset'], { ...person, answers: [false] });
  const nobody = await box.run(['sandbox', 'reset', '--json']);
  expect([no.exit, nobody.exit, errorOf(nobody.stderr).missing]).toEqual([3, 2, ['--yes']]);
  const { stdout, stderr, exit } = await box.run(['sandbox', 'reset', '--seed', '7', '--yes']);
  expect({ stdout, exit }).toEqual({ stdout: 'deleted\t1\n', exit: 0 });
  expect(stderr).toContain('Deleted 1 delivery and every other test record.\n');
  expect(JSON.parse(box.requests.at(-1)?.body ?? '')).toEqual({ seed: '7' });
  for (const noun of ['orders', 'routes', 'deliveries', 'stores']) {
    expect((await box.run([noun, 'list'])).stdout, noun).toBe('');
  }
});
