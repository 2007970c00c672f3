import { expect, test } from 'vitest';
import type { Courier } from '../../../../src/contract/couriers.ts';
import { startFailing } from '../../../service/couriers/failing-courier.ts';
import { type RunOptions, waybill } from '../../harness.ts';

/** A courier that is not called anymore, and commands that see it. */
async function paused() {
  const courier = await startFailing();
  const { service, keys } = courier.fixture;
  await courier.check(5);
  const run = (argv: readonly string[], options: RunOptions = {}) =>
    waybill(argv, {
      env: { WAYBILL_BASE_URL: 'http://shop.test', WAYBILL_API_KEY: keys.test, NO_COLOR: '1' },
      transport: (request) =>
        service.fetch({ ...request, headers: { ...request.headers, 'x-api-key': keys.test } }),
      now: courier.now,
      ...options,
    });
  return { ...courier, run, until: new Date(courier.now() + 30_000).toISOString() };
}

test('couriers list has until when a courier is not called, only while it is not', async () => {
  const { run, until, pass } = await paused();
  const { stdout } = await run(['couriers', 'list', '--json']);
  const paused_ones = JSON.parse(stdout).filter((each: Courier) => each.calls_paused_until !== null);
  expect(paused_ones).toMatchObject([{ name: 'http', calls_paused_until: until }]);
  expect((await run(['couriers', 'list'], { tty: true, columns: 200 })).stdout).toContain('NOT CALLED UNTIL');
  pass(30_000);
  expect((await run(['couriers', 'list'], { tty: true, columns: 200 })).stdout).not.toContain('NOT CALLED');
});

test('couriers check has it, too, also after the check that was one failure too many', async () => {
  const { run, until, pass, now, recover } = await paused();
  const check = async () => {
    const { exit, stdout } = await run(['couriers', 'check', '--json']);
    return [exit, JSON.parse(stdout)];
  };
  expect(await check()).toMatchObject([10, [{ works: false, calls_paused_until: until }]]);
  pass(30_000);
  const next = new Date(now() + 30_000).toISOString();
  expect(await check()).toMatchObject([10, [{ works: false, calls_paused_until: next }]]);
  pass(30_000);
  recover();
  expect(await check()).toMatchObject([0, [{ works: true, calls_paused_until: null }]]);
});

test('doctor says until when a courier is not called', async () => {
  const { run, until, pass, recover, requests } = await paused();
  const doctor = async () => {
    const { stdout } = await run(['doctor', '--json']);
    return JSON.parse(stdout).find(({ check }: { check: string }) => check === 'couriers');
  };
  const before = requests();
  expect(await doctor()).toMatchObject({
    status: 'warn',
    found: `Courier with a waybill server has failed repeatedly and is not called until ${until}`,
  });
  expect(requests()).toBe(before);
  const people = await run(['doctor'], { tty: true, columns: 200 });
  expect(people.stdout).toMatch(/has failed repeatedly and is not called until \d\d:\d\d\n/);
  pass(30_000);
  recover();
  expect(await doctor()).toMatchObject({ status: 'ok' });
});
