import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  isResumable,
  newPlan,
  type Plan,
  type PlannedOrder,
  withOrder,
} from '../../../../src/cli/commands/new/plan.ts';
import { readPlan } from '../../../../src/cli/commands/new/plan-file.ts';
import { continueText } from '../../../../src/cli/commands/new/run.ts';
import { plainText } from '../../../../src/cli/kit/result/message.ts';
import { errorOf, freshHome, type RunOptions, waybill } from '../../harness.ts';
import { sandbox } from '../../sandbox.ts';
import { ctrlC, person, type Reply, typedOrder } from './person.ts';

const box = await sandbox();
const orders = 'What would you like to send?';
const toRoute = [...typedOrder, [orders, 'Continue: create'], ['2 stops', ctrlC]] as const;
type Replies = readonly (readonly [string, Reply])[];

async function run(argv: readonly string[], home: string, replies: Replies, options: RunOptions = {}) {
  const prompts = person(replies);
  const outcome = await box.run(argv, { home, tty: true, prompts, ...box.passing, ...options });
  return { ...outcome, left: prompts.left() };
}

async function leftAtRoute() {
  const home = freshHome();
  const { stderr } = await run(['new'], home, toRoute);
  const id = (prefix: string) => new RegExp(`${prefix}_\\w+`).exec(stderr)?.[0] ?? '';
  return { home, order: id('ord'), route: id('rte') };
}

const planOf = (home: string) => join(home, '.local', 'share', 'waybill', 'new', 'sandbox.json');
const resume = ['new', '--resume'];

test('a route that somebody else dispatched is the result', async () => {
  const { home, route } = await leftAtRoute();
  await box.json(['routes', 'quote', route]);
  box.advance(10_000);
  await box.json(['dispatch', route, '--fastest']);
  const { exit, stdout, stderr } = await run(resume, home, []);
  expect([exit, stdout]).toEqual([
    0,
    expect.stringMatching(/\n\S*\w{5}\S* +\S*waiting for a driver\S* +swiftly/),
  ]);
  expect(stderr).toContain(`Route ${route} is already dispatched.`);
  expect(() => statSync(planOf(home))).toThrow('ENOENT');
});

test('a new wizard says that somebody else dispatched the previous one', async () => {
  const { home, route } = await leftAtRoute();
  await box.json(['routes', 'quote', route]);
  box.advance(10_000);
  await box.json(['dispatch', route, '--fastest']);
  const { exit, stderr, left } = await run([], home, [
    ['What now?', 'Start again'],
    [orders, 'Leave'],
  ]);
  expect([exit, left]).toEqual([3, 0]);
  expect(stderr).toContain(`Route ${route} is now dispatched: someone else changed it.\n`);
  expect(stderr).not.toContain('Nothing was dispatched');
});

test('a new wizard offers the previous one, which can be undone', async () => {
  const { home, order, route } = await leftAtRoute();
  const question = `Order ${order} is in draft route ${route}`;
  const on = await run([], home, [
    [question, 'Continue'],
    ['2 stops', 'Leave'],
  ]);
  expect([on.exit, on.left]).toEqual([3, 0]);
  const undone = await run([], home, [
    [question, 'Start over and undo'],
    [orders, 'Leave'],
  ]);
  expect([undone.exit, undone.left]).toEqual([3, 0]);
  expect(undone.stderr).toMatch(/^What was created was undone\.$/m);
  expect(await box.json(['orders', 'get', order])).toMatchObject({ status: 'canceled' });
  expect(readdirSync(join(planOf(home), '..'))).toEqual([]);
});

test('a file that others could read is made private, and an invalid plan is left alone', async () => {
  const { home } = await leftAtRoute();
  writeFileSync(planOf(home), readFileSync(planOf(home)), { mode: 0o644 });
  await run(resume, home, [['2 stops', 'Leave']]);
  expect(statSync(planOf(home)).mode & 0o777).toBe(0o600);
  writeFileSync(planOf(home), '{ "version": 9 }');
  const { exit, stderr } = await run(['new'], home, []);
  expect([exit, stderr]).toEqual([2, expect.stringContaining(planOf(home))]);
  expect(readFileSync(planOf(home), 'utf8')).toBe('{ "version": 9 }');
});

/** Takes the lock of a plan in another process; resolves with the function that kills it. */
async function lockElsewhere(file: string) {
  const source = new URL('../../../../src/cli/commands/new/plan-file.ts', import.meta.url);
  // The lock is kept in a variable: without one, it would be collected and released.
  const script = `const lock = (await import('${source}')).lockPlan(process.argv[1]); globalThis.lock = lock; console.log('held'); setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script, file]);
  const [text] = await once(child.stdout, 'data');
  expect(String(text)).toBe('held\n');
  return async () => {
    child.kill('SIGKILL');
    await once(child, 'exit');
    return child.pid;
  };
}

test('a second wizard neither takes over nor replaces what another process is entering', async () => {
  const { home, order } = await leftAtRoute();
  const file = planOf(home);
  const before = readFileSync(file, 'utf8');
  const kill = await lockElsewhere(file);
  const resumed = await run(resume, home, []);
  const beside = await run(['new'], home, [...typedOrder.slice(0, 3), ['Pickup phone', ctrlC]]);
  const other = await run(['new'], home, [...typedOrder, [orders, 'Leave']]);
  expect([other.exit, other.left, readFileSync(file, 'utf8')]).toEqual([3, 0, before]);
  expect(other.stderr).toContain('Another `waybill new` is running in this profile: only that one can be');
  expect(other.stderr).toMatch(
    /Order ord_\w+ is open\. Nothing was dispatched\. It was not saved: it cannot/,
  );
  expect([beside.exit, beside.stderr]).toEqual([130, expect.not.stringContaining('--resume')]);
  const pid = await kill();
  const running = `The unfinished delivery is being entered by process ${pid}.`;
  expect([resumed.exit, resumed.stderr]).toEqual([6, expect.stringContaining(running)]);
  const { exit, stderr } = await run(resume, home, [['2 stops', 'Leave']]);
  expect([exit, stderr]).toEqual([3, expect.stringContaining(order)]);
  expect(readdirSync(join(file, '..'))).toEqual(['sandbox.json']);
});

test('without a terminal it is exit 2 with all that a command needs, and nothing is created', async () => {
  for (const options of [{}, { tty: true, env: { CI: '1' } }]) {
    const { exit, stdout, stderr } = await waybill(['new', '--json'], options);
    expect([exit, stdout]).toEqual([2, '']);
    expect(errorOf(stderr)).toMatchObject({
      code: 'missing_input',
      missing: expect.arrayContaining([
        '--pickup-address',
        '--dropoff-name',
        '--item',
        '--cheapest or --fastest or --provider or --driver',
      ]),
      next: [{ command: expect.stringContaining('waybill ship') }],
    });
  }
  expect((await waybill(['new', '--no-input'], { tty: true })).exit).toBe(2);
});

test('no arguments start the wizard in a terminal, and print help elsewhere', async () => {
  const home = freshHome();
  const asked = await run([], home, [[orders, 'Leave']]);
  expect([asked.exit, asked.stderr]).toEqual([3, expect.stringContaining('Step 1 of 5: orders')]);
  const help = 'The command line for last-mile deliveries.';
  for (const [argv, options] of [
    [[], { tty: false }],
    [[], { env: { CI: 'true' } }],
    [['--no-input'], {}],
    [['--help'], {}],
  ] as const) {
    const outcome = await run(argv, home, [], options);
    expect([outcome.exit, outcome.stdout.split('\n')[0]]).toEqual([0, help]);
  }
  expect((await run(['--resume'], home, [], { tty: false })).exit).toBe(2);
  const nothing = await run(['--resume'], home, []);
  expect([nothing.exit, nothing.stderr]).toEqual([5, expect.stringContaining('No unfinished delivery')]);
});

test('a dry run prints the first request and leaves nothing', async () => {
  const home = freshHome();
  const { exit, stdout } = await run(['new', '--dry-run'], home, typedOrder);
  expect([exit, stdout]).toEqual([0, expect.stringMatching(/^POST \/orders\/create\n/)]);
  expect(() => statSync(planOf(home))).toThrow('ENOENT');
});

test('a script file that cannot be written is refused before any prompt', async () => {
  const { exit, stderr } = await run(['new', '--emit-script', 'no/such/folder/x.sh'], freshHome(), []);
  expect([exit, stderr]).toEqual([2, expect.stringContaining('no/such/folder/x.sh')]);
});

test('the script file is remembered with the plan', async () => {
  const home = freshHome();
  await run(['new', '--emit-script', 'again.sh'], home, toRoute);
  const { exit, stderr } = await run(resume, home, [
    ['2 stops', 'Request'],
    ['Choose a quote', 'poolride'],
    ['Dispatch with', 'Dispatch'],
  ]);
  const file = join(home, 'again.sh');
  expect(exit).toBe(0);
  expect(stderr.replaceAll('\n', ' ')).toContain(`Saved the full script to ${file}.`);
  expect(readFileSync(file, 'utf8')).toContain('waybill dispatch');
  // It contains addresses and phone numbers.
  expect(statSync(file).mode & 0o777).toBe(0o700);
});

const order = (number: number, changes: Partial<PlannedOrder> = {}): PlannedOrder => ({
  ...{ number, isOurs: true, answers: {}, request: {}, sent_at: 1, id: `ord_${number}`, replaces: null },
  ...changes,
});
const route = { number: 3, order_ids: ['ord_1', 'ord_2'], optimize: true, id: 'rte_1' };
const full: Plan = {
  ...newPlan('k'),
  ...{ step: 'dispatch', count: 5, orders: [order(1), order(2)], route, quote_id: 'rq_1', tip: 300 },
  round: { number: 4, isAsked: true },
  draft: { answers: { dropoffName: ['Joe'] }, items: ['Soup:2'], replaces: null },
  dispatch: { quote_id: 'rq_1', tip: 300, sent_at: 5 },
  script: '/home/joe/again.sh',
};

test('a plan is read back unchanged, and an invalid one is not read', () => {
  const file = join(freshHome(), 'plan.json');
  const read = (plan: unknown) => {
    writeFileSync(file, JSON.stringify(plan));
    return readPlan(file);
  };
  expect(read(full)).toEqual(full);
  expect(read(newPlan('k'))).toEqual(newPlan('k'));
  const broken = [null, [], 'x', {}, { ...full, version: 2 }, { ...full, step: 'ordrs' }];
  for (const data of [...broken, { ...full, orders: [{}] }, { ...full, orders: 1 }, { ...full, count: 'x' }])
    expect(() => read(data)).toThrow('The saved delivery is not valid');
});

test('the status text says what exists and how to continue', () => {
  const goOn = 'Continue with: `waybill new --resume`.';
  const textOf = (plan: Plan) => plainText(continueText({ plan, isSaved: true, hasUndone: false }));
  expect(textOf(newPlan('k'))).toBe('Nothing was changed at the service.');
  expect(textOf({ ...full, draft: null, dispatch: null })).toBe(
    `Orders ord_1, ord_2 are in draft route rte_1. Nothing was dispatched. ${goOn}`,
  );
  expect(textOf(full)).toContain('It is not known yet whether the route was dispatched');
  const typed = { ...newPlan('k'), draft: full.draft };
  expect(textOf(typed)).toBe(`No order was created yet. Your input was saved. ${goOn}`);
  const sent = withOrder(newPlan('k'), order(1, { id: null }));
  expect(textOf(sent)).toContain(
    'It is not known yet whether another order was created; it is never done twice.',
  );
  const draft = { answers: {}, items: [], replaces: null };
  expect([{ ...newPlan('k'), draft }, typed, sent].map(isResumable)).toEqual([false, true, true]);
});
