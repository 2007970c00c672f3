import { expect, test } from 'vitest';
import { errorOf } from '../../harness.ts';
import { newOrder, orderLine, sandbox } from '../../sandbox.ts';

const box = await sandbox();
await box.json(['sandbox', 'clock', 'manual']);

const remark = 'The clock of this sandbox is stopped. In another terminal: waybill sandbox advance --next';
const advance = {
  command: 'waybill sandbox advance --next',
  args: ['sandbox', 'advance', '--next'],
  when: 'move its clock',
};

async function draft(): Promise<string> {
  return String((await box.json(['routes', 'create', await newOrder(box)])).id);
}

/** A command whose waits are counted, with time that passes without the service's clock. */
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
])('on a clock that stands still %s %s says so once', async (command, flag) => {
  const line = [...command.split(' '), await draft(), flag, '--timeout', '1m'];
  const people = await box.run(line, waiting().options);
  expect([people.exit, people.stderr.split(remark).length]).toEqual([8, 2]);
  const { stderr } = await box.run([...line, '--json'], waiting().options);
  const { hint, next } = errorOf(stderr);
  expect([hint, next]).toEqual([remark, expect.arrayContaining([advance])]);
});

test('ship says so before it waits, and its error has the command', async () => {
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
  expect([before, people.exit, people.stderr.split(remark).length]).toEqual(['/v2/sandbox/clock', 8, 2]);
  const { stderr } = await box.run([...line, '--json'], waiting().options);
  const { hint, next } = errorOf(stderr);
  expect(hint).toMatch(/^The clock of this sandbox is stopped\..* Order ord_\w+ is in draft route/);
  expect(next).toEqual(expect.arrayContaining([advance]));
});

test('on a clock that goes nothing is said', async () => {
  await box.json(['sandbox', 'clock', 'real']);
  const line = ['routes', 'quote', await draft(), '--wait'];
  const { exit, stderr } = await box.run(line, box.passing);
  expect([exit, stderr.includes('is stopped')]).toEqual([0, false]);
});
