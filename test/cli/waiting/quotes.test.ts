import { expect, test } from 'vitest';
import { jsonOf, type RunOptions } from '../harness.ts';
import { newOrder, sandbox } from '../sandbox.ts';

const box = await sandbox();
const run = (argv: readonly string[], options: RunOptions = {}) =>
  box.run(argv, { ...box.passing, ...options });

test('quotes wait is quotes list --wait; --interval sets the pauses', async () => {
  const asked = async () => {
    const route = String((await box.json(['routes', 'create', await newOrder(box)])).id);
    await box.json(['routes', 'quote', route]);
    return route;
  };
  const [route, other] = [await asked(), await asked()];
  const slept: number[] = [];
  const sleep = async (ms: number) => {
    slept.push(ms);
    box.advance(ms);
  };
  const waited = await run(['quotes', 'wait', other, '--interval', '1500ms', '--json'], { sleep });
  expect([waited.exit, jsonOf(waited.stdout).status]).toEqual([0, 'COMPLETE']);
  expect(new Set(slept)).toEqual(new Set([1500]));
  expect(await run(['quotes', 'wait', route])).toEqual(await run(['quotes', 'list', route, '--wait']));
  const both = await run(['quotes', 'list', route, '--watch', '--wait']);
  expect([both.exit, both.stderr]).toEqual([
    2,
    expect.stringContaining('Use only one of --watch and --wait.'),
  ]);
});
