import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startShop } from '../../../service/couriers/uber-direct-shop.ts';
import { errorOf, freshHome, linesIn, objectsIn, type RunOptions, waybill } from '../../harness.ts';
import { newDelivery, orderFields, orderLine, postsTo, sandbox } from '../../sandbox.ts';

const box = await sandbox();
const fields = orderLine.slice(2);
const folder = freshHome();

/** Runs a command; its waits advance the sandbox. */
function run(argv: readonly string[], options: RunOptions = {}) {
  return box.run(argv, { ...box.passing, ...options });
}

const day = 24 * 3_600_000;
const ship = (ref: string, ...flags: string[]) => ['ship', ...fields, '--ref', ref, '--cheapest', ...flags];
const create = (ref: string, ...flags: string[]) => ['orders', 'create', ...fields, '--ref', ref, ...flags];
const auto = (ref: string, ...flags: string[]) => create(ref, '--auto', ...flags);
const initiate = (ref: string, ...flags: string[]) => [
  ...['deliveries', 'create', ...fields, '--ref', ref, '--initiate', ...flags],
];

/** A command with the orders of a file, one for each reference. */
function withFile(argv: readonly string[], ...refs: string[]): string[] {
  const file = join(folder, `${refs.join('-')}.json`);
  writeFileSync(
    file,
    JSON.stringify(refs.map((external_order_ref) => ({ ...orderFields, external_order_ref }))),
  );
  return [...argv, '--file', file];
}

const shipFile = ['ship', '--cheapest'];
const autoFile = ['orders', 'create', '--auto'];
const createFile = ['orders', 'create'];
const initiateFile = ['deliveries', 'create', '--initiate'];
const shipCopy = (ref: string) => ['ship', '--like', ref, '--cheapest'];
const initiateCopy = (ref: string) => ['deliveries', 'create', '--like', ref, '--initiate'];
const autoCopy = (ref: string) => ['orders', 'create', '--like', ref, '--auto'];
const keyed = (argv: readonly string[], key: string) => [...argv, '--idempotency-key', key];

/** Runs of commands, their exit codes, and how many couriers the reference has after them. */
const cases: readonly [string, (ref: string) => string[][], number[], number][] = [
  ['ship twice', (ref) => [ship(ref), ship(ref)], [0, 6], 1],
  ['ship by two pipelines', (ref) => [keyed(ship(ref), 'a1'), keyed(ship(ref), 'a2')], [0, 6], 1],
  ['ship by one pipeline', (ref) => [keyed(ship(ref), 'b1'), keyed(ship(ref), 'b1')], [0, 0], 1],
  ['ship again without a key', (ref) => [keyed(ship(ref), 'c1'), ship(ref)], [0, 6], 1],
  ['auto by two pipelines', (ref) => [keyed(auto(ref), 'd1'), keyed(auto(ref), 'd2')], [0, 6], 1],
  ['auto by one pipeline', (ref) => [keyed(auto(ref), 'e1'), keyed(auto(ref), 'e1')], [0, 0], 1],
  [
    'version 1 by two pipelines',
    (ref) => [keyed(initiate(ref), 'f1'), keyed(initiate(ref), 'f2')],
    [0, 6],
    1,
  ],
  ['version 1 by one pipeline', (ref) => [keyed(initiate(ref), 'g1'), keyed(initiate(ref), 'g1')], [0, 0], 1],
  ['ship and version 1', (ref) => [ship(ref), keyed(initiate(ref), 'h1')], [0, 6], 1],
  ['version 1 and auto', (ref) => [initiate(ref), keyed(auto(ref), 'i1')], [0, 6], 1],
  [
    'an order by two pipelines',
    (ref) => [keyed(create(ref), 'j1'), keyed(create(ref), 'j2'), ship(ref)],
    [0, 6, 6],
    0,
  ],
  ['other spaces', (ref) => [ship(ref), ship(` ${ref}\u00a0`), ship(`${ref}\u200b`)], [0, 6, 6], 1],
  ['a decomposed letter', (ref) => [ship(`${ref}\u00e9`), ship(`${ref}e\u0301`)], [0, 6], 1],
  ['a copy without a key', (ref) => [ship(ref), shipCopy(ref), [...shipCopy(ref), '--yes']], [0, 6, 6], 1],
  ['a copy with a key', (ref) => [ship(ref), keyed(shipCopy(ref), 'n1')], [0, 0], 2],
  ['a copy that is allowed', (ref) => [ship(ref), [...shipCopy(ref), '--allow-duplicate-ref']], [0, 0], 2],
  [
    'a copy by version 1',
    (ref) => [ship(ref), initiateCopy(ref), keyed(initiateCopy(ref), 'o1')],
    [0, 6, 0],
    2,
  ],
  ['a copy by auto', (ref) => [ship(ref), autoCopy(ref), keyed(autoCopy(ref), 'p1')], [0, 6, 0], 2],
  ['two rows of ship', (ref) => [withFile(shipFile, ref, ref)], [6], 0],
  ['two rows of auto', (ref) => [withFile(autoFile, ref, `${ref} `)], [6], 0],
  ['two rows of orders create', (ref) => [withFile(createFile, ref, ref)], [6], 0],
  ['two rows of version 1', (ref) => [withFile(initiateFile, ref, ref)], [6], 0],
  ['two rows, allowed', (ref) => [[...withFile(autoFile, ref, ref), '--allow-duplicate-ref']], [0], 2],
  [
    'a list and its retry',
    (ref) => [withFile(shipFile, ref, `${ref}+`), withFile(shipFile, ref, `${ref}+`)],
    [0, 6],
    1,
  ],
  [
    'a list and its retry with the key',
    (ref) => [
      keyed(withFile(shipFile, ref, `${ref}+`), 'k1'),
      keyed(withFile(shipFile, ref, `${ref}+`), 'k1'),
    ],
    [0, 0],
    1,
  ],
  [
    'a list in which one is in use',
    (ref) => [ship(`${ref}+`), keyed(withFile(shipFile, ref, `${ref}+`), 'l1'), ship(ref)],
    [0, 6, 0],
    1,
  ],
  [
    'a key whose first run was allowed to repeat the reference',
    (ref) => [ship(ref), [...keyed(ship(ref), 'm1'), '--allow-duplicate-ref'], keyed(ship(ref), 'm1')],
    [0, 0, 0],
    2,
  ],
];

test.each(cases)('one courier for one reference: %s', async (name, linesFor, exits, couriers) => {
  const ref = `ref of ${name}`;
  const seen: number[] = [];
  for (const line of linesFor(ref)) {
    const { exit, stdout, stderr } = await run([...line, '--json']);
    if (exit === 6) expect([stdout, errorOf(stderr)]).toMatchObject(['', { code: 'duplicate_ref' }]);
    seen.push(exit);
    box.advance(60_000);
  }
  expect(seen).toEqual(exits);
  const spelled = name === 'a decomposed letter' ? `${ref}\u00e9` : ref;
  const ids = async (noun: string) =>
    linesIn((await run([noun, 'list', '--ref', spelled, '-o', 'id'])).stdout);
  expect(await ids('deliveries')).toHaveLength(couriers);
  // A refusal leaves no order behind.
  expect(await ids('orders')).toHaveLength(Math.max(couriers, exits.includes(0) ? 1 : 0));
});

test.each([
  ['dispatch', ['--cheapest']],
  ['ship', ['--cheapest']],
  ['deliveries initiate', []],
])(
  'what was sent again as another order is not sent by %s, unless that is allowed',
  async (command, flags) => {
    const ref = `again by ${command}`;
    const isStored = command === 'deliveries initiate';
    const stored = await box.json([
      ...(isStored ? ['deliveries', 'create', ...fields, '--ref', ref] : create(ref)),
    ]);
    const route = isStored ? stored : await box.json(['routes', 'create', String(stored.id)]);
    if (!isStored) await box.json(['routes', 'quote', String(route.id)]);
    box.advance(10_000);
    expect((await run([...ship(ref), '--allow-duplicate-ref'])).exit).toBe(0);
    const id = String(command === 'dispatch' ? route.id : stored.id);
    const line = [...command.split(' '), id, ...flags, '--max-cost', '50', '--json'];
    const { exit, stderr } = await run(line);
    expect([exit, errorOf(stderr).code]).toEqual([6, 'duplicate_ref']);
    expect((await run([...line, '--allow-duplicate-ref'])).exit).toBe(0);
  },
);

test('two pipelines book one courier', async () => {
  const { fixture, uber } = await startShop();
  const env = { WAYBILL_BASE_URL: 'http://shop.test', WAYBILL_API_KEY: fixture.keys.test };
  const transport: RunOptions['transport'] = (request) =>
    fixture.service.fetch({ ...request, headers: { ...request.headers, 'x-api-key': fixture.keys.test } });
  const sleep = (ms: number) => fixture.pass(ms);
  const line = ['ship', ...fields, '--ref', 'R1', '--provider', 'uber-direct', '--yes', '--max-cost', '50'];
  const exits: number[] = [];
  for (const key of ['build-77', 'build-77', 'build-78'])
    exits.push((await waybill(keyed(line, key), { env, transport, sleep, now: fixture.now })).exit);
  expect([exits, uber.state.deliveries.size]).toEqual([[0, 0, 6], 1]);
});

test('a refusal names the record with the reference, creates nothing, and --yes does not agree', async () => {
  expect((await run(ship('named'))).exit).toBe(0);
  for (const line of [ship, create, auto, initiate]) {
    const { exit, stderr } = await run(line('named', '--json'));
    expect([exit, errorOf(stderr)]).toMatchObject([
      6,
      {
        message: expect.stringMatching(
          /^An order "named" for Joe Diner was created .*: ord_\w+ \(dispatched, dlv_\w+\)\.$/,
        ),
        hint: 'Nothing was created.',
        next: [{ args: ['deliveries', 'get', expect.stringMatching(/^dlv_/)] }],
      },
    ]);
    expect((await run(line('named', '--yes'))).exit).toBe(6);
  }
  for (const line of [ship, create, auto, initiate])
    expect((await run(line('named', '--allow-duplicate-ref'))).exit).toBe(0);
});

test('in a terminal it asks; no creates nothing', async () => {
  await run(ship('asked'));
  const before = postsTo(box);
  expect((await run(create('asked'), { tty: true, answers: [false] })).exit).toBe(3);
  const agreed = keyed(create('asked', '-o', 'id'), 'asked');
  const yes = await run(agreed, { tty: true, answers: [true] });
  expect([yes.exit, postsTo(box)]).toEqual([0, before + 3]);
  // A repeat finds what the user agreed to.
  expect((await run(agreed)).stdout).toBe(yes.stdout);
});

test('one question names each order whose reference is in use', async () => {
  for (const ref of ['first of two', 'second of two']) await run(create(ref));
  const line = withFile(createFile, 'first of two', 'second of two');
  const { stderr, exit } = await run([...line, '--json']);
  expect([exit, errorOf(stderr).message]).toEqual([
    6,
    expect.stringMatching(/"first of two" .*: ord_\w+ \(open\)\. .*"second of two" .*: ord_\w+ \(open\)\.$/),
  ]);
  expect((await run(line, { tty: true, answers: [true] })).exit).toBe(0);
});

test('an order that was canceled, one of 31 days ago and a copy are no duplicates', async () => {
  const { id } = await box.json(create('canceled'));
  await run(['orders', 'cancel', String(id), '--yes']);
  expect((await run(create('canceled'))).exit).toBe(0);
  const copy = await run(['orders', 'create', '--like', 'canceled', '--json']);
  // Both orders of the reference are alike.
  expect(copy.exit).toBe(0);
  await run(ship('copied'));
  const repeated = await run(['orders', 'create', '--like', 'copied']);
  expect(repeated.exit).toBe(0);
  expect(repeated.stderr).toMatch(
    /"copied" .*\(dispatched, dlv_\w+\)\. The copy is another order with this reference\./,
  );
  await run(ship('old'));
  box.advance(29 * day);
  expect((await run(create('old'))).exit).toBe(6);
  box.advance(2 * day);
  expect((await run(create('old'))).exit).toBe(0);
});

test('of two runs at the same time with one reference, only the first creates an order', async () => {
  let isOther = false;
  const transport: typeof box.transport = async (request) => {
    if (request.method === 'POST' && request.path.includes('/orders/create') && !isOther) {
      isOther = true;
      expect((await run(ship('raced'))).exit).toBe(0);
    }
    return box.transport(request);
  };
  expect((await run(ship('raced'), { transport })).exit).toBe(6);
  expect(linesIn((await run(['orders', 'list', '--ref', 'raced', '-o', 'id'])).stdout)).toHaveLength(1);
});

test('orders list --repeated lists what seems sent twice, but neither what was canceled nor another meal', async () => {
  const shop = await sandbox();
  const send = (ref: string, name: string, ...flags: string[]) =>
    newDelivery(shop, '--initiate', '--ref', ref, '--dropoff-name', name, ...flags);
  await send('1', 'Ann Lee');
  await send('2', 'Bo Diaz');
  await send('2', 'Cy Young', '--allow-duplicate-ref');
  const canceled = await send('3', 'Dee Khan');
  await shop.json(['deliveries', 'cancel', canceled, '--yes']);
  await send('4', 'Dee Khan');
  shop.advance(3_600_000);
  await send('5', 'ann lee');
  shop.advance(7 * 3_600_000);
  await send('6', 'Ann Lee');
  const found = async (...flags: string[]) => {
    const { stdout } = await shop.run(['orders', 'list', '--repeated', ...flags, '-o', 'ndjson']);
    return objectsIn(stdout).map(({ external_order_ref: ref }) => ref);
  };
  expect(await found()).toEqual(['2', '2', '5', '1']);
  const { stderr } = await shop.run(['orders', 'list', '--repeated']);
  expect(stderr).toContain('same recipient, phone and address within 6 hours. Stores and items may differ.');
  expect(await found('--sort', 'ref')).toEqual(['1', '2', '2', '5']);
  expect(await found('--limit', '3', '--search', 'lee')).toEqual(['5', '1']);
  const [, cursor = ''] =
    /--cursor (\S+)/.exec((await shop.run(['orders', 'list', '--limit', '1', '--json'])).stderr) ?? [];
  expect(await found('--cursor', cursor)).toEqual(['2', '2', '5', '1']);
});
