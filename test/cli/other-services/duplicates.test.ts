import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import type { Switches } from '../../fakes/seed-service/switches.ts';
import { errorOf, freshHome } from '../harness.ts';
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

const create = (ref: string, ...flags: string[]) => [...orderLine, '--ref', ref, ...flags];
const initiate = (ref: string) => ['deliveries', 'create', ...fields, '--ref', ref, '--initiate'];

/** How services list orders and deliveries; each shows a dispatched reference in one of the lists at least. */
const lists: readonly [string, Partial<Switches>][] = [
  ['deliveries only', {}],
  ['few fields', { fields: 'minimal', list: 'array' }],
  ['orders with a status', { orderList: 'withStatus' }],
  ['orders without a status', { orderList: 'withoutStatus' }],
  [
    'orders with a status, deliveries of version 1 only',
    { orderList: 'withStatus', areRouteDeliveriesListed: false },
  ],
  [
    'orders without a status, deliveries of version 1 only',
    { orderList: 'withoutStatus', areRouteDeliveriesListed: false },
  ],
  ['a status that is not known', { statuses: ['attempting_reroute'] }],
];

/** Commands that create an order or a delivery, and then the same reference again. */
const repeats: readonly [string, (ref: string) => string[], (ref: string) => string[]][] = [
  ['ship', ship, ship],
  ['deliveries create --initiate', initiate, initiate],
  ['ship after a delivery', initiate, ship],
  ['a delivery after ship', ship, initiate],
  ['orders create after ship', ship, create],
];

test.each(lists.flatMap(([at, switches]) => repeats.map((each) => [at, ...each, switches] as const)))(
  'a reference in use gets no second courier at a service with %s: %s',
  async (_, name, first, second, switches) => {
    const { run, service } = await otherService(switches);
    expect((await run(first('A1'))).exit, name).toBe(0);
    const made = () => [service.store.orders.length, service.store.deliveries.length];
    const before = made();
    const again = await run([...second('A1'), '--json']);
    expect([again.exit, errorOf(again.stderr), made()]).toMatchObject([
      6,
      {
        code: 'duplicate_ref',
        message: expect.stringMatching(/^(An order|A delivery) "A1".*: [\w-]+( \([\w, -]+\))?\.$/),
        next: [{ args: [expect.stringMatching(/^(orders|deliveries)$/), 'get', expect.any(String)] }],
      },
      before,
    ]);
    expect((await run([...second('A1'), '--allow-duplicate-ref'])).exit).toBe(0);
    expect((await run(second('A2'))).exit).toBe(0);
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

/** Remembers twenty orders in a process of its own. */
const remembering = `
  import { rememberSent } from '${new URL('../../../src/cli/nouns/sent-references.ts', import.meta.url)}';
  const [, home, name] = process.argv;
  const host = { home, platform: 'linux', environment: {}, now: () => 1000 };
  const settings = { target: { kind: 'http', baseUrl: 'https://deliveries.example' }, mode: 'test' };
  for (let number = 0; number < 20; number += 1)
    await rememberSent({ host, settings }, name + number, { id: name + number });
`;

test('processes that send at once remember all of their references, though the file is full', async () => {
  const home = freshHome();
  const file = join(home, '.local', 'share', 'waybill', 'sent-references.ndjson');
  mkdirSync(dirname(file), { recursive: true });
  const old = { at: 'a', ref: 'b', kind: 'order', id: 'old', sent_at: 900 };
  writeFileSync(file, `${JSON.stringify(old)}\n`.repeat(5001));
  const names = ['a', 'b', 'c', 'd'];
  const run = promisify(execFile);
  const line = ['--no-warnings', '--input-type=module', '-e', remembering, '--', home];
  await Promise.all(names.map((name) => run(process.execPath, [...line, name])));
  const ids = readFileSync(file, 'utf8').match(/(?<="id":")\w\d+(?=")/g) ?? [];
  expect(ids.toSorted()).toEqual(
    names.flatMap((name) => Array.from({ length: 20 }, (_, number) => `${name}${number}`)).toSorted(),
  );
});
