import { expect, test } from 'vitest';
import { testHooksOf } from '../../../src/cli/session/connect.ts';
import { waybill } from '../harness.ts';

test.each([
  ['the embedded service', ['whoami']],
  ['a server', ['serve', '--port', '0', '--database', ':memory:']],
])('an unknown crash point is a usage error of %s', async (_service, argv) => {
  const { stdout, stderr, exit } = await waybill(argv, { env: { WAYBILL_CRASH_AT: 'nowhere:2' } });
  expect([exit, stdout]).toEqual([2, '']);
  expect(stderr).toContain(
    "WAYBILL_CRASH_AT: 'nowhere:2' is not a crash point: they are batch.before_commit,",
  );
});

test('no test hook is active unless the environment names it', () => {
  const nothing = { crashAt: undefined, courierRecords: undefined };
  expect(testHooksOf({ environment: {} })).toEqual(nothing);
  expect(testHooksOf({ environment: { WAYBILL_CRASH_AT: '', WAYBILL_COURIER_BOOKS: '' } })).toEqual(nothing);
});
