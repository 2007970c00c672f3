import { expect, test } from 'vitest';
import { errorOf, jsonOf, objectsIn, type RunOptions } from '../harness.ts';
import { newDelivery, orderLine, quotedRoute, sandbox } from '../sandbox.ts';

const box = await sandbox();
const minute = 60_000;

const sent = (...flags: string[]) => newDelivery(box, '--initiate', ...flags);

const run = (argv: readonly string[], options: RunOptions = {}) =>
  box.run(argv, { ...box.passing, ...options });

test('get --watch is watch: the same lines and the same end', async () => {
  const id = await sent('--simulate', 'customer_refused');
  box.advance(5 * minute);
  const get = await run(['deliveries', 'get', id, '--watch', '--json']);
  const watch = await run(['deliveries', 'watch', id, '--json']);
  expect([get.exit, watch.exit]).toEqual([9, 9]);
  expect(objectsIn(get.stdout).at(-1)).toMatchObject({ type: 'delivery.updated', status: 'returned' });
  expect(objectsIn(watch.stdout)).toEqual([
    expect.objectContaining({ type: 'delivery.current', status: 'returned' }),
  ]);
});

test('watch --until ends there with 0, at a status of --fail-on with 9; both take groups', async () => {
  const until = await run(['deliveries', 'watch', await sent(), '--until', 'pickup_complete', '--json']);
  expect([until.exit, objectsIn(until.stdout).at(-1)?.status]).toEqual([0, 'pickup_complete']);
  const group = await run(['deliveries', 'watch', await sent(), '--until', 'in_transit', '--json']);
  expect([group.exit, objectsIn(group.stdout).at(-1)?.status]).toEqual([0, 'driver_assigned']);
  const reassigned = await sent('--simulate', 'driver_reassigned');
  const failed = await run(['deliveries', 'watch', reassigned, '--fail-on', 'driver_not_assigned', '--json']);
  expect([failed.exit, errorOf(failed.stderr).code]).toEqual([9, 'delivery_driver_not_assigned']);
  const either = await run(['deliveries', 'wait', await sent(), '--until', 'returned,delivered', '--json']);
  expect([either.exit, jsonOf(either.stdout).status]).toEqual([0, 'delivered']);
});

test('the suggested command repeats what was typed', async () => {
  const id = await sent('--simulate', 'slow_assignment');
  const flags = ['--until', 'fulfilled', '--fail-on', 'canceled', '--interval', '10s', '--timeout', '1m'];
  for (const line of [
    ['deliveries', 'watch', id],
    ['deliveries', 'wait', id],
  ]) {
    const { exit, stderr } = await run([...line, ...flags]);
    expect([exit, stderr]).toEqual([8, expect.stringContaining(`waybill ${[...line, ...flags].join(' ')} `)]);
  }
});

test('list --watch: each delivery on its own line, until all have ended', async () => {
  const [first, second] = [
    await sent('--ref', 'pair'),
    await sent('--ref', 'pair', '--allow-duplicate-ref', '--simulate', 'no_driver'),
  ];
  const line = ['deliveries', 'list', '--ref', 'pair', '--watch'];
  const json = await run([...line, '--json']);
  expect(json.exit).toBe(0);
  const ends = new Map(objectsIn(json.stdout).map(({ id, status }) => [id, status]));
  expect([ends.get(first), ends.get(second)]).toEqual(['delivered', 'provider_canceled']);
  const [one, other] = objectsIn(json.stdout);
  expect([one?.type, other?.type]).toEqual(['delivery.current', 'delivery.current']);
  const piped = (await run(line)).stdout
    .trim()
    .split('\n')
    .map((each) => each.split('\t'));
  // The results of one poll are sorted by time: the second ended before the first.
  expect(piped.map(([, id, ref, status]) => [id, ref, status])).toEqual([
    [second, 'pair', 'provider_canceled'],
    [first, 'pair', 'delivered'],
  ]);
  expect(piped.map(([at]) => at)).toEqual(piped.map(([at]) => at).toSorted());
});

test.each([['--all'], ['--cursor', 'x'], ['--sort', 'tip']])(
  'list --watch: %s has no effect, and is refused',
  async (...flags) => {
    const { exit, stderr } = await run(['deliveries', 'list', '--watch', ...flags]);
    expect([exit, stderr]).toEqual([2, expect.stringContaining('--watch cannot be combined with')]);
  },
);

test('list --watch: what is filtered here is looked for beyond the first page', async () => {
  const tipped = await sent('--tip', '9.50');
  for (let count = 0; count < 2; count += 1) await sent();
  const line = ['deliveries', 'list', '--active', '--min-tip', '9.50', '--limit', '1', '--watch', '--json'];
  const { exit, stdout } = await run(line);
  expect([exit, objectsIn(stdout).at(-1)]).toMatchObject([0, { id: tipped, status: 'delivered' }]);
});

test('list --watch: a delivery that leaves the filter is shown once more and no longer followed', async () => {
  const id = await sent('--ref', 'leaving');
  const line = ['deliveries', 'list', '--ref', 'leaving', '--status', 'initial', '--watch', '--json'];
  const { exit, stdout } = await run(line);
  const statuses = objectsIn(stdout).map(({ status }) => status);
  expect([exit, statuses]).toEqual([0, ['delivery_created', 'driver_assigned']]);
  box.advance(1000);
  const stuck = await run([
    'deliveries',
    'list',
    '--unchanged-since',
    '1ms',
    '--ref',
    'leaving',
    '--watch',
    '--json',
  ]);
  expect([stuck.exit, objectsIn(stuck.stdout).every((each) => each.id === id)]).toEqual([0, true]);
  expect(objectsIn(stuck.stdout)).toHaveLength(2);
});

test('dispatch --wait: until delivered, or exit 9 with the reason; --fail-on needs --wait', async () => {
  const line = async (...flags: string[]) => ['dispatch', await quotedRoute(box), '--cheapest', ...flags];
  const done = await run(await line('--wait', 'delivered', '--json'));
  expect(done.exit).toBe(0);
  expect(jsonOf(done.stdout).deliveries).toEqual([expect.objectContaining({ status: 'delivered' })]);
  const early = await run(await line('--wait', 'in_transit', '--timeout', '2s', '--interval', '1s'));
  expect(early.exit).toBe(8);
  expect(early.stderr).toMatch(/waybill deliveries wait dlv_\w+ --until in_transit --interval 1s /);
  const idle = await run(await line('--fail-on', 'failed'));
  expect([idle.exit, idle.stderr]).toEqual([2, expect.stringMatching(/requires? --wait/)]);
  const shipped = ['ship', ...orderLine.slice(2), '--cheapest', '--wait', 'delivered'];
  const refused = await run([...shipped, '--fail-on', 'driver_assigned', '--json']);
  expect([refused.exit, errorOf(refused.stderr).code]).toEqual([9, 'delivery_driver_assigned']);
});
