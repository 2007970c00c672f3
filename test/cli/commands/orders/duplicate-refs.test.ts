import { expect, test } from 'vitest';
import { errorOf, failureOf, linesIn, type RunOptions } from '../../harness.ts';
import { orderLine, postsTo, sandbox } from '../../sandbox.ts';

const box = await sandbox();
const fields = orderLine.slice(2);
/** Runs a command; its waits advance the sandbox. */
function run(argv: readonly string[], options: RunOptions = {}) {
  return box.run(argv, { ...box.passing, ...options });
}

const hour = 3_600_000;
const ship = (ref: string, ...flags: string[]) => ['ship', ...fields, '--ref', ref, '--cheapest', ...flags];
const create = (ref: string, ...flags: string[]) => ['orders', 'create', ...fields, '--ref', ref, ...flags];

const initiate = (ref: string, ...flags: string[]) => [
  ...['deliveries', 'create', ...fields, '--ref', ref, '--initiate', ...flags],
];

test.each([
  ['ship', ship],
  ['orders create', create],
  ['deliveries create --initiate', initiate],
])('%s: a second order for one reference within a day is refused without a terminal', async (name, line) => {
  const ref = `ref of ${name}`;
  expect((await run(ship(ref))).exit).toBe(0);
  const before = postsTo(box);
  const { exit, stdout, stderr } = await run(line(ref, '--json'));
  expect([exit, stdout, postsTo(box)]).toEqual([6, '', before]);
  expect(errorOf(stderr)).toMatchObject({
    code: 'duplicate_ref',
    message: expect.stringMatching(
      new RegExp(`^An order "${ref}" for Joe Diner was created .*: ord_\\w+ \\(dispatched, dlv_\\w+\\)\\.$`),
    ),
    next: [{ args: ['deliveries', 'get', expect.stringMatching(/^dlv_/)] }],
  });
  expect((await run(line(ref, '--json', '--yes'))).exit).toBe(6);
  expect((await run(line(ref, '--allow-duplicate-ref'))).exit).toBe(0);
});

test('in a terminal it asks; no creates nothing', async () => {
  await run(ship('asked'));
  const before = postsTo(box);
  const no = await run(create('asked'), { tty: true, answers: [false] });
  expect([no.exit, postsTo(box)]).toEqual([3, before]);
  const yes = await run(create('asked'), { tty: true, answers: [true] });
  expect([yes.exit, postsTo(box)]).toEqual([0, before + 1]);
});

test('a canceled order, one of the day before, a copy and a repeat of the same run are no duplicates', async () => {
  const { id } = await box.json(create('canceled'));
  await run(['orders', 'cancel', String(id), '--yes']);
  expect((await run(create('canceled'))).exit).toBe(0);
  expect((await run(['orders', 'create', '--like', 'canceled'])).exit).toBe(2);
  const repeat = ship('repeated', '--idempotency-key', 'job-1');
  const [first, second] = [await run(repeat), await run(repeat)];
  expect([first.exit, second.exit]).toEqual([0, 0]);
  const copy = await run(['orders', 'create', '--like', 'repeated']);
  expect(copy.exit).toBe(0);
  expect(copy.stderr).toMatch(
    /"repeated" .*\(dispatched, dlv_\w+\)\. The copy is another order with this reference\./,
  );
  await run(ship('old'));
  box.advance(25 * hour);
  expect((await run(create('old'))).exit).toBe(0);
});

async function ordersWith(ref: string): Promise<string[]> {
  const { stdout } = await run(['orders', 'list', '--ref', ref, '-o', 'id']);
  return linesIn(stdout);
}

test('with another idempotency key ship stops before a second dispatch, and can continue', async () => {
  const line = (key: string, ...flags: string[]) => ship('keyed', '--idempotency-key', key, ...flags);
  expect((await run(line('job-2'))).exit).toBe(0);
  box.advance(1_000);
  const { exit, stdout, stderr } = await run(line('job-3', '--json'));
  const error = errorOf(stderr);
  expect(exit).toBe(6);
  expect(stdout).toBe('');
  expect(error).toMatchObject({
    code: 'duplicate_ref',
    message: expect.stringMatching(
      /^An order "keyed" for Joe Diner was created .*\(dispatched, dlv_\w+\)\.$/,
    ),
    hint: expect.stringMatching(/^Order ord_\w+ was created and is open; nothing was dispatched\./),
    next: [
      expect.objectContaining({ args: ['deliveries', 'get', expect.stringMatching(/^dlv_/)] }),
      expect.objectContaining({ args: ['orders', 'cancel', expect.stringMatching(/^ord_/)] }),
    ],
  });
  // The order that this key has made is the same in a repeat.
  expect((await run(line('job-3'))).exit).toBe(6);
  expect(await ordersWith('keyed')).toHaveLength(2);
  expect((await run(line('job-3', '--allow-duplicate-ref'))).exit).toBe(0);
  const repeat = await run(line('job-2'));
  expect([repeat.exit, repeat.stderr]).toEqual([0, expect.stringContaining('was already dispatched')]);
  expect(await ordersWith('keyed')).toHaveLength(2);
});

test('of two runs at the same time with one reference, only the first dispatches', async () => {
  let isOther = false;
  const transport: typeof box.transport = async (request) => {
    if (request.method === 'POST' && request.path.includes('/orders/create') && !isOther) {
      isOther = true;
      expect((await run(ship('raced'))).exit).toBe(0);
      box.advance(1_000);
    }
    return box.transport(request);
  };
  expect(await failureOf(run(ship('raced', '--json'), { transport }))).toMatchObject({
    exit: 6,
    code: 'duplicate_ref',
    hint: expect.stringMatching(/^Order ord_\w+ was created and is open; nothing was dispatched\./),
  });
  const { stdout } = await run(['deliveries', 'list', '--ref', 'raced', '-o', 'id']);
  expect(linesIn(stdout)).toHaveLength(1);
});

test('a delivery that is initiated counts for the next one; stored requests and --like do not ask', async () => {
  expect((await run(initiate('initiated'))).exit).toBe(0);
  const before = postsTo(box);
  const { exit, stderr } = await run(initiate('initiated', '--json'));
  expect([exit, errorOf(stderr).code, postsTo(box)]).toEqual([6, 'duplicate_ref', before]);
  const keyed = await run(initiate('initiated', '--idempotency-key', 'job-5'));
  expect([keyed.exit, keyed.stderr]).toEqual([0, expect.stringMatching(/Unless this repeats that run/)]);
  expect((await run(initiate('initiated', '--no-initiate'))).exit).toBe(0);
  expect((await run(['deliveries', 'create', '--like', 'initiated', '--initiate'])).exit).toBe(2);
});

test('orders create with an idempotency key names the earlier order', async () => {
  await run(create('named'));
  expect(await run(create('named', '--idempotency-key', 'job-4'))).toMatchObject({
    exit: 0,
    stderr: expect.stringMatching(/An order "named" .*: ord_\w+ \(open\)\. Unless this repeats that run/),
  });
});
