import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Transport } from '../../../src/contract/wire.ts';
import { freshHome, type RunOptions } from '../harness.ts';
import { sandbox } from '../sandbox.ts';
import { ctrlC, person, type Reply, typedOrder } from './person.ts';

const box = await sandbox();

type Replies = readonly (readonly [string, Reply])[];
const whole: Replies = [
  ...typedOrder,
  ['What is to be delivered?', 'Go on'],
  ['2 stops', 'Ask'],
  ['Which quote', 'poolride'],
  ['Hand the route', 'Dispatch it'],
];

/** A sandbox is shared: what is there before a test is not of it. */
async function counts(): Promise<number[]> {
  const lists = ['orders', 'routes', 'deliveries'].map((noun) =>
    box.run([noun, 'list', '--all', '-o', 'id']),
  );
  return (await Promise.all(lists)).map(({ stdout }) => stdout.split('\n').length - 1);
}

function line(home: string, replies: Replies, options: RunOptions = {}) {
  const prompts = person(replies);
  const resume = options.stdin === undefined ? ['new', '--resume'] : ['new'];
  const { stdin: _, ...others } = options;
  return box.run(resume, { home, tty: true, prompts, ...box.passing, ...others });
}

const first = { stdin: 'a first run' };
const folder = (home: string) => join(home, '.local', 'share', 'waybill', 'new');
const kept = (home: string) => readdirSync(folder(home));

/** What is asked on the way back to where it was left, and from there. Items are one answer. */
function rest(at: number): Replies {
  const isTyping = at > 1 && at < typedOrder.length;
  const again: Replies = isTyping ? [['What is to be delivered?', 'The order that']] : [];
  return [...again, ...whole.slice(at === 8 ? 7 : at)];
}

/** One question of each kind; the others of an order are like those beside them. */
const kinds = [0, 2, 8, 9, 10, 11, 12, 13];

test.each(kinds.map((at) => [at, whole[at]?.[0]] as const))(
  'left at question %i, %s, it is told what is true, and taken up again',
  async (at) => {
    const home = freshHome();
    const before = await counts();
    const left = await line(home, [...whole.slice(0, at), [whole[at]?.[0] ?? '', ctrlC]], first);
    expect(left.exit).toBe(130);
    expect(left.stdout).toBe('');
    const isKept = at > 1;
    if (!isKept) {
      expect(left.stderr).toContain('Interrupted. Nothing was changed at the service.\n');
      expect((await line(home, [])).exit).toBe(5);
      return;
    }
    expect(left.stderr).toMatch(
      /Interrupted\. (The order|No order).* Go on with: `waybill new --resume`\.\n$/,
    );
    expect(kept(home)).toEqual(['sandbox.json']);
    const file = join(folder(home), 'sandbox.json');
    expect([statSync(file).mode & 0o777, statSync(folder(home)).mode & 0o777]).toEqual([0o600, 0o700]);
    const ended = await line(home, rest(at));
    expect([ended.exit, ended.stderr]).toEqual([0, expect.stringContaining('Dispatched to poolride')]);
    expect(kept(home)).toEqual([]);
    const after = await counts();
    expect(after.map((count, index) => count - (before[index] ?? 0))).toEqual([1, 1, 1]);
  },
);

/** Carries requests, and loses the answer of the first that changes something at the path. */
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
  ['the order', /orders\/create/, ['What is to be delivered?', 'Go on']],
  ['the route', /routes$/, ['2 stops', 'Ask']],
  ['the quotes', /quotes$/, ['Which quote', 'poolride']],
  ['the dispatch', /dispatch$/, null],
] as const)('killed before the answer that tells of %s, it makes nothing twice', async (_, path, next) => {
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

test('left by choice it is exit 3, and no error', async () => {
  const home = freshHome();
  const { exit, stderr } = await line(home, [...typedOrder, ['What is to be delivered?', 'Leave it']], first);
  expect(exit).toBe(3);
  expect(stderr).toMatch(
    /\nThe order ord_\w+ stays open\. Nothing is dispatched\. Go on with: `waybill new --resume`\.\n$/,
  );
  expect(stderr).not.toContain('Error');
});
