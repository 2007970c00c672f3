import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { errorOf } from '../harness.ts';
import { orderLine } from '../sandbox.ts';
import { otherService } from './runs.ts';

const fields = orderLine.slice(2);
const ship = (ref: string, ...flags: string[]) => ['ship', ...fields, '--ref', ref, '--cheapest', ...flags];

test.each([
  ['the profile', []],
  ['the URL alone', ['--base-url']],
])('an idempotency key is refused before anything is sent, with %s', async (_, where) => {
  const { run, service, requests } = await otherService();
  const at = where.flatMap((flag) => [flag, service.url]);
  const env = { WAYBILL_API_KEY: 'key_1' };
  const lines = [
    ship('A1', '--yes', '--max-cost', '9'),
    [...orderLine, '--yes'],
    ['deliveries', 'create', ...fields, '--yes'],
    ['api', 'POST', '/v2/routes'],
  ];
  requests();
  for (const line of lines) {
    const argv = [...line, ...at, '--idempotency-key', 'K', '--json'];
    const { exit, stderr } = await run(argv, at.length > 0 ? { env } : {});
    expect([line[0], exit, errorOf(stderr)]).toMatchObject([
      line[0],
      6,
      { code: 'not_supported', param: '--idempotency-key' },
    ]);
  }
  expect(requests().filter((request) => request.startsWith('POST'))).toEqual([]);
});

test.each([{}, { fields: 'minimal', list: 'array', ids: 'numbers' }] as const)(
  'a reference is looked up in deliveries if orders cannot be, with %o',
  async (switches) => {
    const { run, service } = await otherService(switches);
    expect((await run(ship('A1'))).exit).toBe(0);
    const id = String(service.store.deliveries[0]?.id);
    for (const line of [ship('A1', '--json'), [...orderLine, '--ref', 'A1', '--json']]) {
      const { exit, stderr } = await run(line);
      expect([exit, errorOf(stderr)]).toMatchObject([
        6,
        {
          code: 'duplicate_ref',
          message: expect.stringMatching(new RegExp(`^A delivery "A1".*: ${id} \\(\\w+\\)\\.$`)),
          next: [{ args: ['deliveries', 'get', id] }],
        },
      ]);
    }
    expect([service.store.orders.length, service.store.deliveries.length]).toEqual([1, 1]);
    expect((await run(ship('A1', '--allow-duplicate-ref'))).exit).toBe(0);
    expect((await run(ship('A2'))).exit).toBe(0);
  },
);

test('a canceled or failed delivery with the reference is no duplicate', async () => {
  for (const status of ['failed', 'customer_canceled']) {
    const { run } = await otherService({ statuses: [status] });
    await run(ship('A1'));
    expect((await run(ship('A1'))).exit).not.toBe(6);
  }
});

test('an import needs idempotency keys, also at a URL that is used for the first time', async () => {
  const { run, service, home } = await otherService();
  const file = join(home, 'orders.csv');
  writeFileSync(file, 'dropoff_name\nJoe\n');
  const argv = ['orders', 'import', file, '--base-url', service.url, '--yes', '--json'];
  const { exit, stderr } = await run(argv, { env: { WAYBILL_API_KEY: 'key_1' } });
  expect([exit, errorOf(stderr)]).toMatchObject([6, { code: 'not_supported' }]);
});
