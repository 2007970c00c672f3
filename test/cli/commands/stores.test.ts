import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { errorOf, failureOf, freshHome } from '../harness.ts';
import { newDelivery, newStore, orderLine, sandbox } from '../sandbox.ts';

const box = await sandbox();

test('a store is created, shown, changed and deleted', async () => {
  const id = await newStore(box, 'Grill');
  expect(await box.json(['stores', 'get', id])).toMatchObject({
    object: 'store',
    name: 'Grill',
    address: '43 E Ohio St, Chicago, IL 60611, USA',
    phone_number: '13125550101',
    unit: '',
    notes: '',
  });
  const changed = await box.json(['store', 'update', id, '--notes', 'At the back', '--name', 'Ohio Grill']);
  expect(changed).toMatchObject({ id, name: 'Ohio Grill', notes: 'At the back', unit: '' });
  const sent = box.requests.findLast(({ method }) => method === 'PATCH');
  expect(JSON.parse(sent?.body ?? '')).toEqual({ name: 'Ohio Grill', notes: 'At the back' });
  expect(await box.json(['stores', 'update', id, '--clear', 'notes'])).toMatchObject({ notes: '' });
  expect(await box.json(['stores', 'rm', id, '--yes'])).toEqual({ id, object: 'store', deleted: true });
  expect((await box.run(['stores', 'get', id])).exit).toBe(5);
});

test('a change says what it replaced, and which orders keep it', async () => {
  const box = await sandbox();
  const id = await newStore(box, 'Loop Kitchen', '--notes', 'Ring');
  const like = String((await box.json(['deliveries', 'get', await newDelivery(box)])).order_id);
  await box.json(['deliveries', 'create', '--like', like, '--store', id, '--initiate']);
  await box.json(['orders', 'create', '--like', like, '--store', id]);
  const { stderr } = await box.run(['stores', 'update', id, '--notes', 'Knock', '--phone', '3125550177']);
  expect(stderr).toContain(
    'Changed: phone number, notes (was "Ring").\n2 open orders keep what was copied before.\n',
  );
  expect((await box.run(['stores', 'update', id, '--kind', 'shop'])).stderr).toMatch(/Changed: kind\.\n$/);
});

test('a store is found by its name', async () => {
  const box = await sandbox();
  const [loop, north] = [await newStore(box, 'Loop Kitchen'), await newStore(box, 'North Kitchen')];
  expect(await box.json(['stores', 'get', 'loop'])).toMatchObject({ id: loop });
  expect(await box.json(['stores', 'update', 'Loop Kitchen', '--unit', '2'])).toMatchObject({ unit: '2' });
  const unknown = await box.run(['stores', 'get', 'Lop', '--json']);
  expect([unknown.exit, errorOf(unknown.stderr).message]).toEqual([5, 'There is no store named "Lop".']);
  const asked = await box.run(['stores', 'delete', 'North'], { tty: true, answers: [true] });
  expect([asked.exit, asked.stdout]).toEqual([0, expect.stringContaining(north)]);
  expect(JSON.parse((await box.run(['stores', 'list', '--json'])).stdout)).toHaveLength(1);
  await newStore(box, 'Loop Bakery');
  expect((await box.run(['stores', 'delete', 'Loop', '--yes'])).exit).toBe(2);
});

test('stores are listed newest first, and further pages are named', async () => {
  const listed = await sandbox();
  const [first, second] = [await newStore(listed, 'First'), await newStore(listed, 'Second')];
  expect((await listed.run(['stores', 'list', '-o', 'id'])).stdout).toBe(`${second}\n${first}\n`);
  const { stderr } = await listed.run(['stores', 'ls', '--limit', '1']);
  expect(stderr).toMatch(/waybill stores list --limit 1 --cursor /);
  const people = await listed.run(['stores', 'list'], { tty: true, columns: 80, env: { NO_COLOR: '1' } });
  expect(people.stdout).toMatch(/^ID +NAME +ADDRESS.*\n\S+ +Second +43 E Ohio St, Chicago, IL 60611, USA/);
});

test('an order names its store by name', async () => {
  const id = await newStore(box, "Joe's Deli & Bar");
  const to = [
    '--ref',
    'S-1',
    '--dropoff-address',
    '233 S Wacker Dr, Chicago, IL 60606',
    '--dropoff-phone',
    '312-555-0102',
  ];
  const order = ['orders', 'create', ...to, '--dropoff-name', 'Ada', '--item', '2x Soup'];
  expect(await box.json([...order, '--store', "joe's deli & bar"])).toMatchObject({ pickup_store_id: id });
  const unknown = await box.run([...order, '--store', 'Jims']);
  expect(unknown.exit).toBe(5);
  expect(unknown.stderr).toContain('Jims');
});

test('a logo from a file and a phone number for recipients are set and cleared', async () => {
  const id = await newStore(box, 'Grill');
  const file = join(freshHome(), 'logo.dat');
  const png = Buffer.from('\x89PNG\r\n\x1a\nrest', 'latin1');
  writeFileSync(file, png);
  const changed = await box.json(['stores', 'update', id, '--logo', file, '--support-phone', '312-555-0199']);
  const logo = `data:image/png;base64,${png.toString('base64')}`;
  expect(changed).toMatchObject({ logo, support_phone_number: '13125550199' });
  const shown = await box.run(['stores', 'get', id], { tty: true, env: { NO_COLOR: '1' } });
  expect(shown.stdout).toMatch(/Logo +png image, 1 kB/);
  expect(shown.stdout).not.toContain('base64');
  expect(await box.json(['stores', 'update', id, '--logo', 'https://shop.example/l.png'])).toMatchObject({
    logo: 'https://shop.example/l.png',
  });
  await box.json(['stores', 'update', id, '--providers', 'swiftly']);
  const cleared = ['logo', 'support-phone-number', 'providers'].flatMap((field) => ['--clear', field]);
  expect(await box.json(['stores', 'update', id, ...cleared])).toMatchObject({
    ...{ logo: '', support_phone_number: '', providers: [] },
  });
});

test.each([
  ['a text', Buffer.from('hello'), 'is not a PNG, JPEG, GIF, WebP or SVG image.'],
  [
    'a large image',
    Buffer.concat([Buffer.from('GIF89a'), Buffer.alloc(60_000)]),
    'has 59 kB; a logo may have up to 48 kB.',
  ],
  ['no file', null, 'cannot be read: it does not exist.'],
])('%s is refused as a logo before anything is sent', async (_, bytes, message) => {
  const file = join(freshHome(), 'given');
  if (bytes !== null) writeFileSync(file, bytes);
  const sent = box.requests.length;
  const { exit, stderr } = await box.run(['stores', 'update', 'str_1', '--logo', file]);
  expect([exit, stderr]).toEqual([2, expect.stringContaining(message)]);
  expect(box.requests).toHaveLength(sent);
});

test('the input of a new store is prompted for in a terminal', async () => {
  const answers = ['Grill', '43 E Ohio St, Chicago, IL 60611', '+13125550101'];
  const asked = await box.run(['stores', 'create'], { tty: true, answers, env: { NO_COLOR: '1' } });
  expect(asked).toMatchObject({ exit: 0, stdout: expect.stringMatching(/^ID +str_/) });
  expect(asked.stderr).toMatch(/Use it as the pickup: waybill orders create --store str_/);
  const questions = [
    'Contact name at the pickup location',
    'Address (street, city, state, ZIP)',
    'Phone (US, or international',
  ];
  for (const [index, question] of questions.entries()) {
    const options = { tty: true, answers: answers.slice(0, index) };
    expect((await box.run(['stores', 'create'], options)).stderr).toContain(`no answer for: ${question}`);
  }
});

test('an empty change, and a field both set and cleared, are exit 2', async () => {
  const sent = box.requests.length;
  expect(await box.run(['stores', 'update', 'str_1'])).toMatchObject({ exit: 2, stdout: '' });
  const both = await box.run(['stores', 'update', 'str_1', '--unit', '4', '--clear', 'unit']);
  expect(both).toMatchObject({ exit: 2, stderr: expect.stringContaining('cannot be used together') });
  expect(await failureOf(box.run(['stores', 'update', 'str_1', '--clear', 'name', '--json']))).toMatchObject({
    exit: 2,
    choices: ['unit', 'notes', 'support-phone-number', 'logo', 'provider'],
  });
  expect(box.requests.length).toBe(sent);
});

test('a store has exact coordinates', async () => {
  const id = await newStore(box, 'Grill');
  const line = ['stores', 'update', id, '--latitude', '41.8925', '--longitude', '-87.6282'];
  expect(await box.json(line)).toMatchObject({ latitude: 41.8925, longitude: -87.6282, precision: 'exact' });
  const shown = await box.run(['stores', 'get', id], { tty: true, env: { NO_COLOR: '1' } });
  expect(shown.stdout).toMatch(/^Place +41\.8925, -87\.6282 \(exact\)$/m);
});

test('a paused store dispatches nothing and says how to resume it', async () => {
  const box = await sandbox();
  const id = await newStore(box, 'Loop');
  const paused = await box.run(['stores', 'pause', 'Loop', '--until', '9pm']);
  expect([paused.exit, paused.stderr]).toEqual([
    0,
    expect.stringContaining(
      'Nothing is dispatched from it: 0 orders that are not sent wait, and 0 deliveries under way go on. Resume it: waybill stores resume Loop\n',
    ),
  ]);
  expect(paused.stderr).toContain('"9pm" is Mon, Mar 2, 2026, 21:00 CST');
  expect(await box.json(['stores', 'get', id])).toMatchObject({ paused_until: '2026-03-03T03:00:00.000Z' });
  const order = [
    ...[
      '--store',
      'Loop',
      '--dropoff-address',
      '233 S Wacker Dr, Chicago, IL 60606',
      '--dropoff-name',
      'Ana',
    ],
    ...['--dropoff-phone', '312-555-0142', '--item', 'Soup'],
  ];
  const refused = await box.run(['deliveries', 'create', ...order, '--initiate', '--json']);
  expect([refused.exit, errorOf(refused.stderr)]).toEqual([
    6,
    expect.objectContaining({
      code: 'store_paused',
      message: expect.stringContaining('the store "Loop" is paused until'),
      next: [expect.objectContaining({ args: expect.arrayContaining(['stores', 'resume']) })],
    }),
  ]);
  const people = { tty: true, columns: 100, env: { NO_COLOR: '1' } };
  expect((await box.run(['stores', 'get', id], people)).stdout).toMatch(/^Paused until +.*21:00/m);
  expect(await box.json(['stores', 'resume', 'Loop'])).toMatchObject({ paused_until: null });
  expect((await box.run(['stores', 'open', 'Loop'])).stderr).toContain('Loop is open.\n');
  await box.json(['stores', 'pause', id]);
  expect((await box.run(['stores', 'get', id], people)).stdout).toMatch(/^Paused +until it is resumed$/m);
  for (const past of ['yesterday', '2026-03-01T10:00', '2026-03-01T10:00Z', '2am']) {
    const refused = await box.run(['stores', 'pause', id, '--until', past, '--json']);
    expect([refused.exit, errorOf(refused.stderr).param]).toEqual([2, '--until']);
  }
  expect(await box.json(['stores', 'get', id])).toMatchObject({ paused_until: '9999-12-31T00:00:00.000Z' });
});

test('a store prefers providers, which is cleared', async () => {
  const box = await sandbox();
  const id = await newStore(box, 'Loop', '--provider', 'swiftly, metrobike');
  expect(await box.json(['stores', 'get', id])).toMatchObject({ providers: ['swiftly', 'metrobike'] });
  expect(await box.json(['stores', 'update', id, '--provider', 'poolride'])).toMatchObject({
    providers: ['poolride'],
  });
  expect(await box.json(['stores', 'update', id, '--clear', 'provider'])).toMatchObject({ providers: [] });
  expect((await box.run(['stores', 'update', id, '--provider', 'nobody'])).exit).toBe(2);
});

test('nothing is created for a paused store, and today says until when it is paused, in its zone', async () => {
  const shop = await sandbox();
  const id = await newStore(shop, 'Loop Pizza');
  // Its name alone does not say which one is to be resumed.
  await newStore(shop, 'Loop Pizza');
  const paused = await shop.run(['stores', 'pause', id, '--until', '9pm']);
  expect(paused.stderr).toContain(`Resume it: waybill stores resume ${id}`);
  const line = ['ship', '--store', id, ...orderLine.slice(8), '--cheapest'];
  const { exit, stderr } = await shop.run(line);
  expect([exit, stderr]).toEqual([
    6,
    expect.stringMatching(
      /The store "Loop Pizza" is paused until .*21:00.*: nothing is dispatched[\s\S]*waybill stores resume str_/,
    ),
  ]);
  expect(JSON.parse((await shop.run(['orders', 'list', '--json'])).stdout)).toEqual([]);
  const order = await shop.json(['orders', 'create', '--store', id, ...orderLine.slice(8)]);
  const sent = await shop.run(['ship', String(order.id), '--cheapest', '--json']);
  expect([sent.exit, errorOf(sent.stderr).code]).toEqual([6, 'store_paused']);
  expect(JSON.parse((await shop.run(['routes', 'list', '--json'])).stdout)).toEqual([]);
  const stored = await shop.json(['deliveries', 'create', '--store', id, ...orderLine.slice(8)]);
  const asked = await shop.run(['deliveries', 'initiate', String(stored.id)]);
  expect(asked.stderr).toMatch(/"Loop Pizza" is paused until Mar 2, 9:00 PM CST/);
  expect(asked.stderr).toContain(`waybill stores resume ${id}`);
  const today = await shop.run(['today'], { tty: true });
  expect(today.stdout + today.stderr).toMatch(
    /Loop Pizza is paused until .*21:00.*: 2 orders wait\. Resume it: waybill stores resume str_/,
  );
  // One of them is listed.
  expect((await shop.run(['orders', 'list', '--store', id, '--limit', '1'], { tty: true })).stderr).toMatch(
    /Loop Pizza is paused until .*21:00.*: 2 orders wait\./,
  );
  const { paused_stores } = await shop.json(['today']);
  expect(paused_stores).toMatchObject([{ id, name: 'Loop Pizza', waiting_orders: 2 }]);
  for (const look of ['orders get', 'deliveries explain', 'orders list --store']) {
    const said = await shop.run([...look.split(' '), look.endsWith('store') ? id : String(order.id)]);
    expect([look, said.stderr]).toEqual([
      look,
      expect.stringMatching(/Loop Pizza is paused until .*21:00[^.]*\. Resume it/),
    ]);
  }
});

test('a delivery of a paused store is not canceled to give it another time', async () => {
  const shop = await sandbox();
  const id = await newStore(shop, 'Loop Pizza');
  const gone = await shop.json([
    'orders',
    'create',
    '--store',
    id,
    ...orderLine.slice(8),
    '--ref',
    'under way',
  ]);
  const shipped = ['ship', String(gone.id), '--cheapest', '--idempotency-key', 'ship'];
  expect((await shop.run(shipped, shop.passing)).exit).toBe(0);
  await shop.json(['stores', 'pause', id, '--until', '9pm']);
  const later = ['deliveries', 'reschedule', String(gone.id), '--dropoff-at', '8pm', '--yes', '--json'];
  const kept = await shop.run(later);
  expect([kept.exit, errorOf(kept.stderr)]).toMatchObject([
    6,
    { code: 'store_paused', hint: 'Nothing was changed.' },
  ]);
  expect(await shop.json(['orders', 'get', String(gone.id)])).toMatchObject({ status: 'dispatched' });
  expect((await shop.run(shipped)).stderr).not.toContain('paused');
});

test('a pause may be given by its length', async () => {
  const time = async (...flags: string[]) =>
    (await box.json(['stores', 'pause', 'Paused for', ...flags])).paused_until;
  const created = await box.run([
    ...['stores', 'create', '--name', 'Paused for', '--address', '43 E Ohio St, Chicago, IL 60611'],
    ...['--phone', '+13125550101', '--quiet'],
  ]);
  expect(created).toEqual({ exit: 0, stdout: expect.stringMatching(/^str_\w+\n$/), stderr: '' });
  expect(await time('--for', '30m')).toBe(await time('--until', '30m'));
  const { exit, stderr } = await box.run(['stores', 'pause', 'Loop', '30m']);
  expect([exit, stderr]).toEqual([2, expect.stringContaining('waybill stores pause Loop --until 30m')]);
});
