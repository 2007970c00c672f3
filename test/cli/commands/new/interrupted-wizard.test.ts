import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { afterPending } from '../../../../src/cli/kit/system/streams.ts';
import type { Transport } from '../../../../src/contract/operation.ts';
import { oneOf } from '../../../in-part.ts';
import { freshHome, type RunOptions } from '../../harness.ts';
import { sandbox } from '../../sandbox.ts';
import { ctrlC, person, type Reply, typedOrder } from './person.ts';
import { closed, isCursorShown, type Keys, nothing, type Typed, type Typing, typist } from './typist.ts';

const box = await sandbox();

type Replies = readonly (readonly [string, Keys & Reply])[];
const whole: Replies = [
  ...typedOrder,
  ['What would you like to send?', 'Continue: create'],
  ['2 stops', 'Request'],
  ['Choose a quote', 'poolride'],
  ['Dispatch with', 'Dispatch it'],
];

/** A sandbox is shared, so records of earlier tests are subtracted. */
async function counts(): Promise<number[]> {
  const lists = ['orders', 'routes', 'deliveries'].map((noun) =>
    box.run([noun, 'list', '--all', '-o', 'id']),
  );
  return (await Promise.all(lists)).map(({ stdout }) => stdout.split('\n').length - 1);
}

function line(home: string, replies: Parameters<typeof person>[0], options: RunOptions = {}) {
  const prompts = person(replies);
  const resume = options.stdin === undefined ? ['new', '--resume'] : ['new'];
  const { stdin: _, ...others } = options;
  return box.run(resume, { home, tty: true, prompts, ...box.passing, ...others });
}

const first = { stdin: 'a first run' };
const folder = (home: string) => join(home, '.local', 'share', 'waybill', 'new');
const kept = (home: string) => readdirSync(folder(home));

/** The prompts on the way back to where it was left, and after that: the items are one answer, and proposed. */
function rest(at: number): Typing {
  const isTyping = at > 1 && at < typedOrder.length;
  const again: Typing = isTyping ? [['What would you like to send?', 'Continue the unfinished']] : [];
  return [...again, ...(at === 8 ? [['What is it?', ''] as const] : []), ...whole.slice(at)];
}

/** The same with real prompts and keys. */
async function typed(home: string, replies: Typing, argv: readonly string[]) {
  const person = await typist(replies, { columns: 80 });
  const outcome = await box.run(argv, { home, tty: true, ...person, ...box.passing });
  expect([await person.end(), outcome.stderr]).toEqual([0, expect.any(String)]);
  expect(isCursorShown(person.written())).toBe(true);
  return outcome;
}

const questions = whole.map(([question], at) => [at, question] as const);
const leavings = questions.flatMap(([at, question]): [string, number, string, Typed][] => [
  ['Ctrl+C', at, question, ctrlC],
  // A closed stdin ends a text and a list in the same way.
  ...(at === 5 || at === 12
    ? [['a closed stdin', at, question, closed] satisfies [string, number, string, Typed]]
    : []),
]);

test.each(leavings.filter(([, at], place) => at > 11 || oneOf(2)(at, place)))(
  'left by %s at question %i, %s: the message is true, and it can be resumed',
  async (_, at, question, keys) => {
    const home = freshHome();
    const before = await counts();
    const left = await typed(home, [...whole.slice(0, at), [question, keys]], ['new']);
    expect([left.exit, left.stdout]).toEqual([130, '']);
    const isKept = at > 1;
    if (!isKept) {
      expect(left.stderr).toContain('Interrupted. Nothing was changed at the service.\n');
      expect((await line(home, [])).exit).toBe(5);
      return;
    }
    expect(left.stderr).toMatch(
      /Interrupted\. (Order|No order).* Continue with: `waybill new --resume`\.\n$/,
    );
    expect(kept(home)).toEqual(['sandbox.json']);
    const file = join(folder(home), 'sandbox.json');
    expect([statSync(file).mode & 0o777, statSync(folder(home)).mode & 0o777]).toEqual([0o600, 0o700]);
    const ended = await typed(home, rest(at), ['new', '--resume']);
    expect([ended.exit, ended.stderr]).toEqual([0, expect.stringContaining('Dispatched to poolride')]);
    expect(kept(home)).toEqual([]);
    const after = await counts();
    expect(after.map((count, index) => count - (before[index] ?? 0))).toEqual([1, 1, 1]);
  },
);

test.each([2, 10, 12].map((at) => [whole[at]?.[0] ?? '', at] as const))(
  'ended at %s, it shows the cursor before it prints anything',
  async (question, at) => {
    const ending = new AbortController();
    const { signal } = ending;
    const end: Typed = async ({ written }): Promise<Keys> => {
      ending.abort();
      // As the program does before it writes.
      await afterPending();
      expect(isCursorShown(written())).toBe(true);
      return nothing;
    };
    const person = await typist([...whole.slice(0, at), [question, end]], { columns: 80, signal });
    await box.run(['new'], { home: freshHome(), tty: true, signal, ...person, ...box.passing });
    expect(await person.end()).toBe(0);
    expect(isCursorShown(person.written())).toBe(true);
  },
);

/** Fails every write to the path. */
function failing(path: RegExp): Transport {
  const body = JSON.stringify({
    object: 'error',
    code: 'internal_error',
    message: 'It failed.',
    details: [],
  });
  return async (request) =>
    request.method !== 'GET' && path.test(request.path)
      ? { status: 500, headers: { 'content-type': 'application/json' }, body }
      : box.transport(request);
}

test.each([
  [/orders\/create/, 10],
  [/routes$/, 11],
  [/quotes$/, 12],
  [/dispatch$/, 14],
] as const)('a service error at %s is shown, can be left, and the cursor is restored', async (path, at) => {
  const replies: Typing = [...whole.slice(0, at), ['What now?', 'Try again'], ['What now?', 'Leave']];
  const person = await typist(replies, { columns: 80 });
  const options = { tty: true, transport: failing(path), ...person, ...box.passing };
  const { exit, stderr } = await box.run(['new'], { home: freshHome(), ...options });
  expect([exit, await person.end()]).toEqual([3, 0]);
  expect(stderr).toMatch(/Error: It failed\..*Continue with: `waybill new --resume`\.\n$/s);
  expect(isCursorShown(person.written())).toBe(true);
});

/** Loses the response of the first write to the path. */
function losing(path: RegExp): Transport {
  let isLost = false;
  return async (request) => {
    const answer = await box.transport(request);
    if (isLost || request.method === 'GET' || !path.test(request.path)) return answer;
    isLost = true;
    throw new Error('the process was killed here');
  };
}

test.each([
  ['the order', /orders\/create/, ['What would you like to send?', 'Continue: create']],
  ['the route', /routes$/, ['2 stops', 'Request']],
  ['the quotes', /quotes$/, ['Choose a quote', 'poolride']],
  ['the dispatch', /dispatch$/, null],
] as const)('killed before the response of %s, it creates nothing twice', async (_, path, next) => {
  const home = freshHome();
  const before = await counts();
  const killed = await line(home, whole, { ...first, transport: losing(path) });
  expect(killed.exit).toBe(1);
  expect(readFileSync(join(folder(home), 'sandbox.json'), 'utf8')).toContain('"key"');
  const at = whole.findIndex(([question]) => question === next?.[0]);
  const left = next === null ? [] : whole.slice(path.test('/orders/create') ? typedOrder.length : at);
  const ended = await line(home, left);
  expect([ended.exit, ended.stderr]).toEqual([0, expect.stringContaining('Dispatched to poolride')]);
  const after = await counts();
  expect(after.map((count, index) => count - (before[index] ?? 0))).toEqual([1, 1, 1]);
});

test('killed before the response of the order, it can be undone like one that was answered', async () => {
  const home = freshHome();
  await line(home, whole, { ...first, transport: losing(/orders\/create/) });
  const [id] = (await box.run(['orders', 'list', '-o', 'id'])).stdout.split('\n');
  const undone = await line(
    home,
    [
      ['', 'Start over and undo'],
      ['What would you like to send?', 'Leave'],
    ],
    first,
  );
  expect(undone.exit).toBe(3);
  expect(await box.json(['orders', 'get', String(id)])).toMatchObject({ status: 'canceled' });
});

test('leaving by choice is exit 3 and not an error', async () => {
  const home = freshHome();
  const { exit, stderr } = await line(
    home,
    [...typedOrder, ['What would you like to send?', 'Leave it']],
    first,
  );
  expect(exit).toBe(3);
  expect(stderr).toMatch(
    /\nOrder ord_\w+ is open\. Nothing was dispatched\. Continue with: `waybill new --resume`\.\n$/,
  );
  expect(stderr).not.toContain('Error');
});
