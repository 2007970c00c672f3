import { expect, test } from 'vitest';
import { errorOf, jsonOf, objectsIn, type RunOptions } from '../harness.ts';
import { newOrder, quotedRoute, sandbox } from '../sandbox.ts';

const box = await sandbox();
const run = (argv: readonly string[], options: RunOptions = {}) =>
  box.run(argv, { ...box.passing, ...options });
const statusesIn = (stdout: string) => objectsIn(stdout).map(({ type, status }) => [type, status]);

async function dispatched(...flags: string[]): Promise<string> {
  const route = await quotedRoute(box, ...flags);
  await box.json(['dispatch', route, '--cheapest']);
  return route;
}

test('wait: 0 once every delivery has ended, 9 if all were canceled', async () => {
  const route = await dispatched();
  const done = await run(['routes', 'wait', route, '--json']);
  expect([done.exit, jsonOf(done.stdout).status]).toEqual([0, 'completed']);
  expect((await run(['routes', 'wait', route, '--until', 'dispatched'])).exit).toBe(0);
  const canceled = await dispatched('--simulate', 'no_driver');
  const { exit, stderr } = await run(['routes', 'wait', canceled, '--json']);
  expect([exit, errorOf(stderr)]).toEqual([
    9,
    expect.objectContaining({
      code: 'route_canceled',
      message: expect.stringContaining('all of its deliveries'),
    }),
  ]);
});

test('wait: a draft says that it must be dispatched, and exit 8', async () => {
  const route = await quotedRoute(box);
  const flags = ['--until', 'dispatched', '--timeout', '30s', '--json'];
  const { exit, stderr } = await run(['routes', 'wait', route, ...flags]);
  expect([exit, errorOf(stderr)]).toMatchObject([
    8,
    {
      message: `Time ran out after 30s: ${route} is draft.`,
      next: [
        { command: `waybill routes quote ${route} --watch`, when: 'go on with it' },
        {
          command: `waybill routes wait ${route} --until dispatched --timeout 30s`,
          when: 'continue waiting',
        },
      ],
    },
  ]);
});

test('get --watch and list --watch: each status on a line', async () => {
  const route = await quotedRoute(box);
  let isDispatched = false;
  const sleep = async (ms: number) => {
    box.advance(ms);
    if (!isDispatched) await box.json(['dispatch', route, '--cheapest']);
    isDispatched = true;
  };
  const seen = await run(['routes', 'get', route, '--watch', '--json'], { sleep });
  expect([seen.exit, statusesIn(seen.stdout)]).toEqual([
    0,
    [
      ['route.current', 'draft'],
      ['route.updated', 'dispatched'],
      ['route.updated', 'completed'],
    ],
  ]);
  await dispatched();
  const listed = await run(['routes', 'list', '--limit', '1', '--watch', '--json']);
  expect([listed.exit, statusesIn(listed.stdout)]).toEqual([
    0,
    [
      ['route.current', 'dispatched'],
      ['route.updated', 'completed'],
    ],
  ]);
});

test('list --watch: a deleted draft ends it, as nothing is left', async () => {
  const route = String((await box.json(['routes', 'create', await newOrder(box)])).id);
  const sleep = async (ms: number) => {
    box.advance(ms);
    await box.run(['routes', 'delete', route]);
  };
  const line = ['routes', 'list', '--status', 'draft', '--limit', '1', '--watch', '--changes-only'];
  const { stdout } = await box.run(['routes', 'list', '--status', 'draft', '--json']);
  for (const { id } of JSON.parse(stdout)) if (id !== route) await box.json(['routes', 'delete', id]);
  expect(await run(line, { sleep })).toEqual({ exit: 0, stdout: '', stderr: '' });
});

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
  const watched = await run(['quotes', 'list', route, '--watch', '--changes-only', '--json']);
  expect([watched.exit, watched.stdout]).toEqual([0, '']);
  const both = await run(['quotes', 'list', route, '--watch', '--wait']);
  expect([both.exit, both.stderr]).toEqual([
    2,
    expect.stringContaining('Use only one of --watch and --wait.'),
  ]);
});
