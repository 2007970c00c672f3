import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { freshHome } from '../../harness.ts';
import { newDelivery, newStore, orderFields, orderLine, sandbox } from '../../sandbox.ts';

const box = await sandbox();
const samoa = 'Utulei, Pago Pago, AS 96799';

/** The words of an order with another pickup address. */
const from = (address: string) => orderLine.with(orderLine.indexOf('--pickup-address') + 1, address);
const made = async (line: readonly string[]) => {
  const { stdout, stderr, exit } = await box.run([...line, '-o', 'ndjson']);
  expect(exit, stderr).toBe(0);
  return JSON.parse(stdout);
};

test('a scheduled time without a zone is repeated, in the only zone if both are the same', async () => {
  const near = await box.run([...orderLine, '--pickup-at', '3/12/2026 6pm']);
  expect(near).toMatchObject({ exit: 0 });
  expect(near.stderr).toContain('"3/12/2026 6pm" is Thu, Mar 12, 2026, 18:00 CDT.');
  const exact = await box.run([...orderLine, '--pickup-at', '2026-03-12T18:00Z']);
  expect(exact.stderr).not.toContain('" is ');
});

test('a time without a zone is read in the zone of the address, and said in the zone of the reader too', async () => {
  const there = await box.run([...from(samoa), '--pickup-at', '3/12/2026 6pm']);
  expect(there.stderr).toContain(
    '"3/12/2026 6pm" is Thu, Mar 12, 2026, 18:00 GMT-11 at the pickup (Fri, Mar 13, 2026, 00:00 CDT here).',
  );
  for (const typed of ['3/12/2026 6pm', '2026-03-12 18:00', '2026-03-12T18:00:00']) {
    const { pickup_at } = await made([...from(samoa), '--pickup-at', typed]);
    expect(pickup_at, typed).toBe('2026-03-13T05:00:00.000Z');
  }
  const { dropoff_at } = await made([
    ...[...orderLine, '--dropoff-address', samoa, '--dropoff-at', '2026-03-12 5-6pm'],
  ]);
  expect(dropoff_at).toBe('2026-03-13T04:00:00.000Z');
});

test.each([
  ['1 Beach Way, Pago Pago 96799', 'the state is that of the ZIP code'],
  ['1 Beach Way, Pago Pago, American Samoa', 'a name stands for the code'],
  ['1 Beach Way 96799', 'only the ZIP code is given'],
])('"tomorrow 6pm" is read in the zone of %s: %s', async (address) => {
  const { pickup_at } = await made([...from(address), '--pickup-at', 'tomorrow 6pm']);
  expect(pickup_at).toBe('2026-03-03T05:00:00.000Z');
});

test('a time without a zone is refused where the address does not say its zone', async () => {
  const { exit, stderr } = await box.run([...from('1 Beach Way, Nowhere'), '--pickup-at', 'tomorrow 6pm']);
  expect(exit).toBe(2);
  expect(stderr).toContain('"tomorrow 6pm" is a local time, and the time zone of');
});

test('days are those of the address: tomorrow begins there', async () => {
  // It is 10:00 in UTC on Monday and still Sunday in Samoa.
  const { pickup_at } = await made([...from(samoa), '--pickup-at', 'tomorrow 6pm']);
  expect(pickup_at).toBe('2026-03-03T05:00:00.000Z');
});

test('times in a file are read like those of flags', async () => {
  const file = join(freshHome(), 'times.json');
  const typed = ['in 2 hours', 'tomorrow 6pm', '2026-03-12T18:00', '2026-03-12T18:00:00Z'];
  writeFileSync(file, JSON.stringify(typed.map((dropoff_at) => ({ ...orderFields, dropoff_at }))));
  const { stdout } = await box.run(['orders', 'create', '--file', file, '--json=dropoff_at']);
  expect(JSON.parse(stdout).map(({ dropoff_at }: { dropoff_at: string }) => dropoff_at)).toEqual([
    '2026-03-02T12:00:00.000Z',
    '2026-03-04T00:00:00.000Z',
    '2026-03-12T23:00:00.000Z',
    '2026-03-12T18:00:00.000Z',
  ]);
  writeFileSync(file, JSON.stringify([orderFields, { ...orderFields, pickup_at: 'last tuesday' }]));
  const wrong = await box.run(['orders', 'create', '--file', file]);
  expect(wrong.exit).toBe(2);
  expect(wrong.stderr).toContain(
    'orders[1].pickup_at must be a time such as "tomorrow 6pm", "Friday 5-6pm", "in 2 hours"',
  );
});

test('a time for a file of orders is read in the zone of each address, and said once for a zone', async () => {
  const dropoffs = ['233 S Wacker Dr, Chicago, IL 60606', samoa, '1060 W Addison St, Chicago, IL 60613'];
  const file = join(freshHome(), 'zones.json');
  writeFileSync(
    file,
    JSON.stringify(dropoffs.map((dropoff_address) => ({ ...orderFields, dropoff_address }))),
  );
  const line = ['orders', 'create', '--file', file, '--dropoff-at', '3/12/2026 6pm'];
  const { stdout, stderr } = await box.run([...line, '--json']);
  const instants = JSON.parse(stdout).map(({ dropoff_at }: { dropoff_at: string }) => dropoff_at);
  const [central, samoan] = ['2026-03-12T23:00:00.000Z', '2026-03-13T05:00:00.000Z'];
  expect(instants, stderr).toEqual([central, samoan, central]);
  const shown = await box.run(line);
  expect(shown.stderr.match(/"3\/12\/2026 6pm" is/g)).toHaveLength(2);
});

test('a saved store and a copied order have their own zone', async () => {
  const id = await newStore(box, 'Samoa Grill', '--address', samoa);
  const dropoff = orderLine.slice(orderLine.indexOf('--dropoff-address'));
  const line = ['orders', 'create', '--store', id, ...dropoff, '--pickup-at', '3/12/2026 6pm'];
  const stored = await made(line);
  expect(stored.pickup_at).toBe('2026-03-13T05:00:00.000Z');
  const copied = await made(['orders', 'create', '--like', stored.id, '--pickup-at', '3/14/2026 6pm']);
  expect(copied.pickup_at).toBe('2026-03-15T05:00:00.000Z');
});

test('a time that the clocks skip is said', async () => {
  const { stderr } = await box.run([...orderLine, '--dropoff-at', '2026-03-08 02:30']);
  expect(stderr).toContain(
    '"2026-03-08 02:30" is Sun, Mar 8, 2026, 03:30 CDT: clocks go forward then, and skip the time as given.',
  );
});

test('without a known zone no time is guessed', async () => {
  const line = [...orderLine, '--dropoff-address', '12 Elm St, 00000'];
  for (const typed of ['tomorrow 6pm', 'noon', '2026-03-12 18:00']) {
    const { exit, stderr } = await box.run([...line, '--dropoff-at', typed]);
    expect([exit, stderr]).toEqual([
      2,
      expect.stringContaining('the time zone of "12 Elm St, 00000" is not known'),
    ]);
  }
});

test.each(['orders', 'deliveries'])('%s list --scheduled lists pre-orders with their time', async (list) => {
  await newDelivery(box, '--ref', 'at-once');
  await newDelivery(box, '--ref', `later-${list}`, '--pickup-at', '3/14/2026 6pm');
  const { stdout } = await box.run([list, 'list', '--scheduled', '-o', 'table', '--time', 'iso']);
  expect(stdout).toMatch(new RegExp(`PICKUP AT[^]*later-${list}.*2026-03-14T23:00`));
  expect(stdout).not.toContain('at-once');
});

test('--waiting lists what has no driver yet, the longest first, and no pre-order ahead of its time', async () => {
  const waits = ['--initiate', '--simulate', 'slow_assignment'];
  await newDelivery(box, '--ref', 'sent', ...waits, '--pickup-name', 'Waits');
  box.advance(1000);
  await made([...orderLine, '--ref', 'unsent', '--pickup-name', 'Waits']);
  await newDelivery(
    box,
    '--ref',
    'ahead',
    '--initiate',
    '--pickup-name',
    'Waits',
    '--pickup-at',
    '3/14/2026 6pm',
  );
  await made([...orderLine, '--ref', 'later', '--pickup-name', 'Waits', '--pickup-at', '3/14/2026 6pm']);
  await newDelivery(
    box,
    '--ref',
    'gone',
    '--initiate',
    '--pickup-name',
    'Waits',
    '--simulate',
    'no_capacity',
  );
  const line = ['orders', 'list', '--waiting', '--search', 'Waits', '--columns', 'ref'];
  expect((await box.run(line)).stdout).toBe('sent\nunsent\n');
});
