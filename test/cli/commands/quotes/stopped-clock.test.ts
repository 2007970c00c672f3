import { expect, test } from 'vitest';
import { errorOf } from '../../harness.ts';
import { newOrder, orderLine, sandbox } from '../../sandbox.ts';

const box = await sandbox();
await box.json(['sandbox', 'clock', 'manual']);

const hint_text = 'The clock of this sandbox is stopped. In another terminal: waybill sandbox advance --next';
const advance = {
  command: 'waybill sandbox advance --next',
  args: ['sandbox', 'advance', '--next'],
  when: 'move its clock',
};

async function draft(): Promise<string> {
  return String((await box.json(['routes', 'create', await newOrder(box)])).id);
}

/** Options for a command that count its waits, while the service's clock is stopped. */
function waiting() {
  let now = 0;
  const slept: number[] = [];
  const sleep = async (ms: number) => {
    slept.push(ms);
    now += ms;
  };
  return { slept, options: { sleep, now: () => now } };
}

test.each([
  ['routes quote', '--wait'],
  ['routes quote', '--watch'],
  ['quotes list', '--wait'],
  ['quotes list', '--watch'],
  ['quotes wait', '--interval=2s'],
])('on a stopped clock %s %s says so once', async (command, flag) => {
  const line = [...command.split(' '), await draft(), flag, '--timeout', '1m'];
  const people = await box.run(line, waiting().options);
  expect([people.exit, people.stderr.split(hint_text).length]).toEqual([8, 2]);
  const { stderr } = await box.run([...line, '--json'], waiting().options);
  const { hint, next } = errorOf(stderr);
  expect([hint, next]).toEqual([hint_text, expect.arrayContaining([advance])]);
});

test('ship says so before it waits, and its error suggests the command', async () => {
  const line = ['ship', ...orderLine.slice(2), '--cheapest', '--timeout', '1m'];
  const { slept, options } = waiting();
  let before = '';
  const people = await box.run(line, {
    ...options,
    sleep: async (ms: number) => {
      if (slept.length === 0) before = box.requests.at(-1)?.path ?? '';
      await options.sleep(ms);
    },
  });
  expect([before, people.exit, people.stderr.split(hint_text).length]).toEqual(['/v2/sandbox/clock', 8, 2]);
  const { stderr } = await box.run([...line, '--json'], waiting().options);
  const { hint, next } = errorOf(stderr);
  expect(hint).toMatch(/^The clock of this sandbox is stopped\..* Order ord_\w+ is in draft route/);
  expect(next).toEqual(expect.arrayContaining([advance]));
});

test('on a running clock nothing is printed', async () => {
  await box.json(['sandbox', 'clock', 'real']);
  const line = ['routes', 'quote', await draft(), '--wait'];
  const { exit, stderr } = await box.run(line, box.passing);
  expect([exit, stderr.includes('is stopped')]).toEqual([0, false]);
});
