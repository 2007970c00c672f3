import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { isSameName } from '../../../../src/domain/references.ts';
import { errorOf, freshHome, jsonOf, waybill } from '../../harness.ts';
import { orderLine } from '../../sandbox.ts';

const typedPhone = '+13125550142';

test('a canceled order of a person is exported and erased, after a confirmation', async () => {
  const home = freshHome();
  const run = (...argv: string[]) => waybill([...argv, '--json'], { home });
  const { id } = JSON.parse((await run(...orderLine)).stdout);
  const early = await run('admin', 'erase', '--phone', typedPhone, '--yes');
  expect([early.exit, JSON.parse(early.stdout), errorOf(early.stderr)]).toMatchObject([
    10,
    [{ order_id: id, delivery_ids: [], outcome: 'under_way' }],
    { code: 'some_not_changed', message: 'One order has not ended and was not erased.' },
  ]);
  const open = await waybill(['admin', 'erase', '--phone', typedPhone, '--dry-run'], { home, tty: true });
  expect(open.stdout).toMatch(/ not ended /);
  await run('orders', 'cancel', id, '--yes');
  const asked = await run('admin', 'erase', '--phone', typedPhone);
  expect([asked.exit, errorOf(asked.stderr).message]).toEqual([2, expect.stringContaining(typedPhone)]);
  const exported = JSON.parse((await run('admin', 'export', '--phone', '(312) 555-0142')).stdout);
  expect(exported.orders).toMatchObject([{ order: { id, record: { dropoff: { phone: '13125550142' } } } }]);
  const erased = JSON.parse((await run('admin', 'erase', '--phone', typedPhone, '--yes')).stdout);
  expect(erased).toEqual([{ order_id: id, delivery_ids: [], outcome: 'erased' }]);
  const order = JSON.parse((await run('orders', 'get', id)).stdout);
  expect(order).toMatchObject({ id, dropoff_name: 'erased', dropoff_phone_number: '' });
  expect(JSON.parse((await run('admin', 'export', '--phone', typedPhone)).stdout).orders).toEqual([]);
});

test('a delivery that is named by anything but its ID is not taken for a person without orders', async () => {
  const home = freshHome();
  const run = (...argv: string[]) => waybill([...argv, '--json'], { home });
  const { external_order_ref } = JSON.parse((await run(...orderLine, '--ref', 'A1')).stdout);
  const { exit, stderr } = await run('admin', 'erase', '--delivery', external_order_ref, '--yes');
  expect([exit, errorOf(stderr)]).toEqual([
    5,
    expect.objectContaining({
      code: 'record_not_found',
      message: expect.stringMatching(
        /^There is no delivery A1 in \/.*waybill\.db: --delivery takes an ID, dlv_…\.$/,
      ),
      next: [
        expect.objectContaining({
          args: ['deliveries', 'list', '--search', 'A1', '--output', 'id'],
        }),
      ],
    }),
  ]);
});

test('of several names with a phone number one is to be named, and only that one is erased', async () => {
  const home = freshHome();
  const run = (...argv: string[]) => waybill([...argv, '--json'], { home });
  const newPerson = async (person: string, ref: string) => {
    const line = orderLine.with(orderLine.indexOf('--dropoff-name') + 1, person);
    const { id } = JSON.parse((await run(...line, '--ref', ref)).stdout);
    await run('orders', 'cancel', id, '--yes');
    return async () => JSON.parse((await run('orders', 'get', id)).stdout).dropoff_name;
  };
  const [ana, joe] = [await newPerson('Ana Lopez', 'A1'), await newPerson('Joe Diner', 'A2')];
  const again = await newPerson('ana  lopez', 'A3');
  const erase = (...flags: string[]) => run('admin', 'erase', '--phone', typedPhone, '--yes', ...flags);
  const refused = await erase();
  expect([refused.exit, errorOf(refused.stderr)]).toMatchObject([
    2,
    {
      code: 'ambiguous',
      message: expect.stringContaining(
        '2 names have the phone number +13125550142: Ana Lopez (A1, A3); Joe Diner (A2). Nothing was erased.',
      ),
      missing: ['--name'],
      next: [{ args: ['admin', 'erase', '--phone', typedPhone, '--dry-run'] }],
    },
  ]);
  const exported = (...flags: string[]) => run('admin', 'export', '--phone', typedPhone, ...flags);
  const unsaid = await exported();
  expect([unsaid.exit, unsaid.stdout, errorOf(unsaid.stderr)]).toMatchObject([
    ...[2, ''],
    {
      ...{
        code: 'ambiguous',
        missing: ['--name'],
        message: expect.stringContaining('Nothing was exported.'),
      },
      next: [{ args: ['admin', 'export', '--phone', typedPhone, '--name', 'NAME'] }],
    },
  ]);
  for (const [flags, names, said] of [
    [['--name', 'JOE diner'], ['Joe Diner'], 'Exported: Joe Diner (A2).'],
    [['--all-names'], ['Ana Lopez', 'Joe Diner'], 'Exported: Ana Lopez (A1, A3); Joe Diner (A2).'],
    [['--name', 'Nobody'], [], 'No order and no driver in'],
  ] as const) {
    const { stdout, stderr } = await exported(...flags);
    const found = JSON.parse(stdout);
    expect([found.names, stderr]).toEqual([names, expect.stringContaining(said)]);
    const dropoffs: string[] = found.orders.map(
      ({ order }: { order: { record: { dropoff: { name: string } } } }) => order.record.dropoff.name,
    );
    expect(dropoffs.every((each) => names.some((name) => isSameName(name, each)))).toBe(true);
    expect(dropoffs).toHaveLength(names.reduce((sum, name) => sum + (name === 'Ana Lopez' ? 2 : 1), 0));
  }
  const previewed = await erase('--dry-run');
  expect(previewed.exit).toBe(0);
  expect(await ana()).toBe('Ana Lopez');
  const asked = await waybill(['admin', 'erase', '--phone', typedPhone, '--name', 'ana lopez'], {
    ...{ home, tty: true, answers: [false] },
  });
  expect([asked.exit, asked.stderr]).toEqual([3, expect.any(String)]);
  expect((await erase('--name', 'ANA lopez')).exit).toBe(0);
  expect([await ana(), await joe(), await again()]).toEqual(['erased', 'Joe Diner', 'erased']);
  await newPerson('Ana Lopez', 'A4');
  expect((await erase('--all-names')).exit).toBe(0);
  expect(await joe()).toBe('erased');
});

test('a preview names the people, the orders, and who else has the phone number, and erases nothing', async () => {
  const home = freshHome();
  const run = (...argv: string[]) => waybill([...argv, '--json'], { home });
  const named = (name: string, ref: string) => [
    ...orderLine.with(orderLine.indexOf('--dropoff-name') + 1, name).slice(2),
    ...['--ref', ref, '--simulate', 'no_capacity', '--initiate'],
  ];
  const ana = JSON.parse((await run('deliveries', 'create', ...named('Ana Lopez', 'A1'))).stdout);
  const joe = JSON.parse((await run('deliveries', 'create', ...named('Joe Diner', 'A2'))).stdout);
  const preview = async (...flags: string[]) => {
    const { stdout } = await run('admin', 'erase', ...flags, '--dry-run');
    return JSON.parse(stdout).map(Object.values);
  };
  const person = ({ order_id, id }: Record<string, unknown>, ref: string, name: string, outcome: string) => [
    ...[order_id, ref, [id], 'dropoff', name, outcome],
  ];
  const first = person(ana, 'A1', 'Ana Lopez', 'would_be_erased');
  expect(await preview('--phone', typedPhone)).toEqual([
    first,
    person(joe, 'A2', 'Joe Diner', 'would_be_erased'),
  ]);
  expect(await preview('--delivery', ana.id)).toEqual([first]);
  const counted = await run('admin', 'erase', '--delivery', ana.id, '--dry-run');
  expect(counted.stderr).toMatch(
    /phone number is in (one other order, which stays|\d+ other orders, which stay)\.\n/,
  );
  const people = await waybill(['admin', 'erase', '--delivery', ana.id, '--dry-run'], { home, tty: true });
  expect(people.stderr).toMatch(
    /phone number is in (one other order, which stays|\d+ other orders, which stay): Joe Diner\.\n/,
  );
  expect(people.stdout).not.toContain('Joe Diner');
  const both = await waybill(['admin', 'erase', '--phone', typedPhone, '--preview'], { home, tty: true });
  expect(both.stderr).toContain('2 names have this phone number: Ana Lopez, Joe Diner. --name chooses one');
  expect(both.stderr).toMatch(/Nothing was erased\.[\s\S]*\.waybill-journal/);
  const order = JSON.parse((await run('orders', 'get', ana.order_id)).stdout);
  expect(order.dropoff_name).toBe('Ana Lopez');
  expect((await run('admin', 'erase', '--delivery', 'dlv_1', '--dry-run')).exit).toBe(5);
});

test.each([
  [['--phone', '12'], '--phone "12" has 2 of the 10 digits of a US phone number'],
  [['--phone', typedPhone, '--delivery', 'dlv_1'], 'takes --phone or --delivery'],
])('%j is refused', async (flags, message) => {
  const { exit, stderr } = await waybill(['admin', 'erase', ...flags, '--yes', '--json']);
  expect([exit, errorOf(stderr).message]).toEqual([2, expect.stringContaining(message)]);
});

const name = 'Zyxwжvt Qjkzzq';
/** A trigram of the name. No other text has its first letter, so that the index stores it whole. */
const trigram = 'жvt';
/** A number that no simulated courier has: theirs begin with 187255501, and no example has it. */
const phone = '17735550142';
/** The arguments of `deliveries create` for the person whose number it is. */
const toThePerson = orderLine.with(orderLine.indexOf('--dropoff-phone') + 1, `+${phone}`).slice(2);

/** The files in the folder of a database that contain a text. */
function filesWith(folder: string, text: string): string[] {
  const files = readdirSync(folder).filter((file) => file.startsWith('waybill.db'));
  return files.filter((file) => readFileSync(join(folder, file)).includes(text));
}

/** The number of blocks of the search index that contain the trigram. */
function blocksWithTrigram(database: DatabaseSync): number {
  const blocks = database.prepare('select block from search_index_data').all();
  return blocks.filter(({ block }) => {
    return Buffer.from(block instanceof Uint8Array ? block : []).includes(trigram);
  }).length;
}

test('no byte of an erased name or phone number is left in the database file and its log', async () => {
  const home = freshHome();
  const folder = join(home, '.local', 'share', 'waybill');
  const run = (...argv: string[]) => waybill([...argv, '--json'], { home });
  const line = toThePerson.with(toThePerson.indexOf('--dropoff-name') + 1, name);
  const others = orderLine.slice(2);
  // The person's rows lie between those of another person, and the second ones are longer than a page.
  const ids: string[] = [];
  for (const notes of ['Ring twice', 'x'.repeat(480)]) {
    const made = await run('deliveries', 'create', ...line, '--initiate', '--dropoff-notes', notes);
    ids.push(String(jsonOf(made.stdout).id));
    await run('deliveries', 'create', ...others, '--initiate');
  }
  for (const id of ids) {
    await run('deliveries', 'note', id, `${name} called`);
    await run('sandbox', 'step', id, 'delivered');
  }
  // Another process keeps the log from being removed with the last connection.
  const other = new DatabaseSync(join(folder, 'waybill.db'));
  other.prepare('select count(*) from deliveries').all();
  expect(filesWith(folder, name)).not.toEqual([]);
  expect(blocksWithTrigram(other)).toBeGreaterThan(0);
  const { stdout, exit } = await run('admin', 'erase', '--phone', phone, '--yes');
  expect(exit).toBe(0);
  expect(JSON.parse(stdout).map(({ outcome }: { outcome: string }) => outcome)).toEqual(['erased', 'erased']);
  expect({ name: filesWith(folder, name), phone: filesWith(folder, phone) }).toEqual({ name: [], phone: [] });
  expect(blocksWithTrigram(other)).toBe(0);
  other.close();
  // The tracking page is gone, and no output links to it.
  const [id = ''] = ids;
  const shown = await waybill(['deliveries', 'explain', id, '-o', 'table'], { home });
  expect([shown.exit, shown.stdout]).toEqual([0, expect.not.stringMatching(/Tracking|\/track\//)]);
  const tracked = await run('track', id);
  expect([tracked.exit, tracked.stderr]).toEqual([5, expect.stringContaining('has no tracking link')]);
});

test('while another process reads an old state, the erasure is reported, and that its log is not empty yet', async () => {
  const home = freshHome();
  const folder = join(home, '.local', 'share', 'waybill');
  const run = (...argv: string[]) => waybill([...argv, '--json'], { home });
  const made = await run('deliveries', 'create', ...toThePerson, '--initiate');
  await run('sandbox', 'step', String(jsonOf(made.stdout).id), 'delivered');
  const other = new DatabaseSync(join(folder, 'waybill.db'));
  other.exec('begin');
  other.prepare('select count(*) from deliveries').all();
  const erased = await run('admin', 'erase', '--phone', phone, '--yes');
  other.exec('rollback');
  other.close();
  expect([erased.exit, JSON.parse(erased.stdout)]).toMatchObject([0, [{ outcome: 'erased' }]]);
  expect(erased.stderr).toContain('run this again once it has ended');
  // No process reads an old state anymore: the second run empties the log, though it finds nothing to erase.
  expect((await run('admin', 'erase', '--phone', phone, '--yes', '-q')).stderr).toBe('');
  expect(filesWith(folder, phone)).toEqual([]);
});
