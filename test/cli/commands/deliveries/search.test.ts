import { expect, test } from 'vitest';
import { errorOf, linesIn } from '../../harness.ts';
import { orderLine, sandbox } from '../../sandbox.ts';
import { ctrlC, person } from '../new/person.ts';

const box = await sandbox();

async function made(...flags: string[]): Promise<Record<string, unknown>> {
  box.advance(1);
  return box.json(['deliveries', 'create', ...orderLine.slice(2), ...flags]);
}

const zoe = await made(
  ...['--ref', '#1001', '--dropoff-name', 'Zoë Müller', '--dropoff-phone', '+13125554177', '--initiate'],
  ...['--dropoff-unit', '12B', '--dropoff-notes', 'Blue door', '--simulate', 'happy_path'],
);
const anna = await made('--ref', 'B 2002', '--dropoff-name', 'Anna Schmidt', '--initiate');
const annabel = await made('--ref', 'B-2003', '--dropoff-name', 'Annabel Lee', '--simulate', 'happy_path');
const open = await box.json(['orders', 'create', ...orderLine.slice(2), '--dropoff-name', 'Olga Open']);
const [zoeId, annaId, annabelId] = [zoe, anna, annabel].map(({ id }) => String(id));

test.each([
  ['muller', 'dropoff name'],
  ['zoe mull', 'dropoff name'],
  ['4177', 'dropoff phone ending 4177'],
  ['555-4177', 'dropoff phone ending 4177'],
  ['100', 'reference'],
  ['12b', 'dropoff unit'],
  ['blue door', 'dropoff notes'],
  [String(zoe.id).slice(-6), 'end of the delivery ID'],
  [String(zoe.tracking_url), 'tracking link'],
  [String(zoe.tracking_url).split('/').at(-1) ?? '', 'tracking link'],
  [String(zoe.order_id), 'order ID'],
])('deliveries get "%s" shows the delivery and says that its %s matched', async (text, matched) => {
  const { stdout, stderr, exit } = await box.run(['deliveries', 'get', text, '--json=id']);
  expect([exit, JSON.parse(stdout)]).toEqual([0, { id: zoeId }]);
  const shown = await box.run(['deliveries', 'get', text]);
  expect(shown.stderr).toContain(`Matched ${matched}.`);
  expect(stderr).not.toContain('Matched');
});

test.each([
  ['deliveries get', '+1 312 555 0999', 'names and phone numbers, also of drivers'],
  ['deliveries list --phone', '+1 312 555 0999', "A driver's: waybill deliveries list --search 13125550999"],
])('%s %s finds nothing, and says what was searched', async (command, number, how) => {
  const { stderr } = await box.run([...command.split(' '), number]);
  expect(stderr.replaceAll('\n', ' ')).toContain(how);
});

const other = await made('--ref', 'B-19', '--initiate');
await box.json(['orders', 'create', ...orderLine.slice(2), '--ref', 'C-19']);

// A C is in Chicago, and 19 in B-19.
test.each([
  ['deliveries get C-19', 'open'],
  ['deliveries get c-19', null],
  ['deliveries get D-19', null],
  ['deliveries wait C-19 --until delivered --timeout 1s', 'open'],
  ['deliveries explain C-19', 'open'],
  ['charges list --delivery C-19', 'open'],
  ['events list --delivery C-19', 'open'],
  ['track C-19 --text', 'open'],
  ['where C-19', 'open'],
  ['deliveries cancel C-19 --yes', 'open'],
])('%s answers for no other delivery', async (line, status) => {
  for (const flags of [[], ['--json']]) {
    const { exit, stdout, stderr } = await box.run([...line.split(' '), ...flags]);
    expect([exit, stdout.includes(String(other.id))]).toEqual([5, false]);
    if (status !== null) expect(stderr).toContain(`is ${status}`);
  }
});

const refusal = ['--simulate', 'customer_refused', '--initiate'];

test('what is stored of the driver and of the outcome is found, also by its number and reason', async () => {
  const refused = await made('--ref', 'why-1', ...['--dropoff-phone', '+1 312 555 2671'], ...refusal);
  box.advance(2 * 3_600_000);
  const [{ courier_name, courier_phone_number, failure_message }] = [
    await box.json(['deliveries', 'get', String(refused.id)]),
  ];
  const canceled = await made('--ref', 'why-2', '--initiate');
  await box.json(['deliveries', 'cancel', String(canceled.id), '--yes', '--reason', 'Wrong kitchen']);
  for (const [text, ref, matched] of [
    [String(courier_phone_number), 'why-1', 'driver phone'],
    [String(failure_message), 'why-1', 'reason'],
    ['kitchen', 'why-2', 'reason'],
  ] as const) {
    const rows = JSON.parse((await box.run(['deliveries', 'list', '--search', text, '--json'])).stdout);
    const found = rows.find((row: { external_order_ref: string }) => row.external_order_ref === ref);
    expect([text, found?.details.matched]).toEqual([text, matched]);
    // The order is found by the same words.
    const { stdout } = await box.run(['orders', 'list', '--search', text, '--ref', ref, '--json=matched']);
    expect([text, JSON.parse(stdout)]).toEqual([text, [{ matched }]]);
  }
  const name = String(courier_name);
  const { stdout, stderr } = await box.run(['orders', 'list', '--search', name, '-o', 'table']);
  expect(stdout).toMatch(/ driver$/m);
  expect(stderr.replaceAll('\n', ' ')).toContain(`No recipient is called ${name}: `);
});

test('drivers and the notes of your people are found, and a whole e-mail address finds no other one', async () => {
  const found = async (...flags: string[]) => {
    const { stdout } = await box.run(['deliveries', 'list', ...flags, '--json']);
    return JSON.parse(stdout).map(({ id }: { id: string }) => id);
  };
  const one = await made('--ref', 'mail-1', '--dropoff-email', 'li.wei@mail.example', '--initiate');
  await made('--ref', 'mail-2', '--dropoff-name', 'Li Wei', '--dropoff-email', 'lina.wei@mail.example');
  expect(await found('--search', 'LI.wei@mail.example')).toEqual([one.id]);
  await box.run(['deliveries', 'note', String(one.id), 'Quokka at the gate']);
  expect(await found('--search', 'quokka')).toEqual([one.id]);
  await box.json(['sandbox', 'step', String(one.id), 'driver_assigned']);
  const { courier_name } = await box.json(['deliveries', 'get', String(one.id)]);
  const [, last = ''] = String(courier_name).split(' ');
  expect(await found('--search', `${last} quokka`)).toEqual([one.id]);
  expect(await found('--driver', last)).toContain(one.id);
  expect(await found('--driver', 'quokka')).toEqual([]);
  // An edit keeps them.
  await box.run(['deliveries', 'edit', String(one.id), '--dropoff-notes', 'Knock']);
  expect(await found('--search', `${last} quokka knock`)).toEqual([one.id]);
});

test('lists say what matched, with and without other filters', async () => {
  const list = async (...flags: string[]) => {
    const { stdout } = await box.run(['deliveries', 'list', ...flags, '--json=id,details.matched']);
    return JSON.parse(stdout);
  };
  const found = (id: string | undefined, matched = 'dropoff name') => ({ id, details: { matched } });
  expect(await list('--search', 'ANNA')).toEqual([found(annabelId), found(annaId)]);
  expect(await list('--search', 'anna', '--ref', 'B 2002')).toEqual([found(annaId)]);
  expect(await list('--search', 'b2003')).toEqual([found(annabelId, 'reference')]);
  expect(await list('--search', '#%')).toEqual([]);
  const { stdout } = await box.run(['deliveries', 'list', '--search', 'anna', '-o', 'csv']);
  expect(stdout.split('\n')[0]).toContain('matched');
});

test.each(['00 1 312 555 4177', '011 1 312 555 4177', '+1(312)555\u20114177', '312/555/4177'])(
  'a phone number is found as people write and paste it: %s',
  async (phone) => {
    const { id } = await box.json(['deliveries', 'get', phone]);
    const { stdout } = await box.run(['deliveries', 'list', '--phone', phone, '-o', 'id']);
    expect(linesIn(stdout)).toContain(id);
  },
);

test('a command that changes a delivery accepts a search result only in a terminal', async () => {
  const { stderr, exit } = await box.run(['deliveries', 'cancel', 'schmidt', '--yes', '--json']);
  expect([exit, errorOf(stderr).choices]).toEqual([2, [annaId]]);
  const { stdout } = await box.run(['deliveries', 'get', 'schmidt', '--json=status']);
  expect(JSON.parse(stdout)).not.toEqual({ status: 'canceled' });
});

test('an order without a delivery is found by its words, without a command that dispatches it', async () => {
  const { stderr, exit } = await box.run(['deliveries', 'get', 'olga', '--json']);
  const { message, next } = errorOf(stderr);
  expect(exit).toBe(5);
  expect(message).toMatch(
    new RegExp(
      `^No delivery matches "olga"\\. One order does, by its dropoff name: ${open.id} for Olga.*, open\\.$`,
    ),
  );
  expect(next).toEqual([expect.objectContaining({ args: ['orders', 'list', '--search', 'olga'] })]);
  const { stdout } = await box.run(['orders', 'list', '--search', 'olga', '--json=id,matched']);
  expect(JSON.parse(stdout)).toEqual([{ id: open.id, matched: 'dropoff name' }]);
});

test.each([
  ['rte_01JX5F9K7Q2M4N6P8R0S2T4V6W', 'routes get'],
  ['bat_01JX5F9K7Q2M4N6P8R0S2T4V6W', 'batches get'],
])('%s is not a delivery: the error names the command that shows it', async (id, command) => {
  const { stderr, exit } = await box.run(['deliveries', 'get', id, '--json']);
  expect(exit).toBe(5);
  expect(errorOf(stderr).next).toEqual([expect.objectContaining({ command: `waybill ${command} ${id}` })]);
});

test('a search by an internal note names the note, and a driver is found by his present name', async () => {
  await box.json(['deliveries', 'note', String(zoeId), 'the bell is broken']);
  expect((await box.run(['deliveries', 'get', 'bell broken'])).stderr).toContain('Matched note.');
});

test('of several matches the one that is called so comes first', async () => {
  await made('--dropoff-name', 'Customer 11');
  await made('--dropoff-name', 'Customer 5', '--dropoff-address', '1104 W Ohio St, Chicago, IL 60642');
  const { stderr } = await box.run(['deliveries', 'get', 'customer 11']);
  expect(/Customer (11|5)/.exec(stderr)?.[0]).toBe('Customer 11');
});

const screen = { tty: true, env: { NO_COLOR: '1' } };
const driver = String(
  (await box.json(['sandbox', 'advance', '--until', `${zoeId}:enroute_pickup`])) &&
    (await box.json(['deliveries', 'get', String(zoeId)])).courier_name,
);
const [longest = ''] = driver.split(' ').toSorted((left, right) => right.length - left.length);
const misspelled = longest.slice(0, 3) + longest.slice(4);

test.each([
  ['--driver', misspelled, `Did you mean "${longest}"?`],
  ['--search', 'Scmidt', 'Did you mean "Schmidt"?'],
  ['--address', 'Waker', 'Did you mean "Wacker"?'],
  ['--ref', 'routed', 'is in the route rte_'],
])('deliveries list %s %s finds nothing and says why', async (flag, word, why) => {
  if (word === 'routed') {
    const { id } = await box.json(['orders', 'create', ...orderLine.slice(2), '--ref', 'routed']);
    await box.json(['routes', 'create', String(id)]);
  }
  const { stderr } = await box.run(['deliveries', 'list', flag, word], screen);
  expect(stderr).toContain('No deliveries found.');
  expect(stderr.replace(/\s+/g, ' ')).toContain(why);
});

test('the end of an ID, as a narrow list shows it, finds its order and its store', async () => {
  const store = await box.json([
    ...['stores', 'create', '--name', 'End', '--address', '43 E Ohio St, Chicago, IL 60611'],
    ...['--phone', '+13125550101'],
  ]);
  for (const [group, id] of [
    ['orders', String(open.id)],
    ['stores', String(store.id)],
  ] as const) {
    const narrow = await box.run([group, 'list'], { ...screen, columns: 60 });
    const end = narrow.stdout.match(new RegExp(`^(${id.slice(-5)}|${id})\\b`, 'm'))?.[1] ?? '';
    expect(end).not.toBe('');
    expect(await box.json([group, 'get', id.slice(-6)])).toMatchObject({ id });
  }
});

test.each(['deliveries get', 'deliveries explain', 'track --text'])(
  'of several matches %s takes the only one under way, and says what it left out; a change does not',
  async (line) => {
    const name = `Uma ${line.split(' ')[1]}`;
    const old = await made('--dropoff-name', name, '--initiate');
    await box.run(['deliveries', 'cancel', String(old.id), '--yes']);
    const { id } = await made('--dropoff-name', name, '--initiate');
    const { stderr } = await box.run([...line.split(' '), name]);
    const left = `1 other has ended: waybill deliveries list --search '${name}'`;
    expect(stderr.replaceAll('\n', ' ')).toContain(`Using ${id} (dropoff name), which is under way; ${left}`);
    expect((await box.run(['deliveries', 'note', name, 'Called'])).exit).toBe(2);
  },
);

test.each([
  ['+13125557733', '; not dlv_\\w+ for Ola First \\(customer_canceled\\)\\.'],
  ['7733', 'which is under way; \\d others have ended, also of Ola First: waybill'],
])(
  'of a phone number of two recipients the note names the one that was not taken: %s',
  async (typed, said) => {
    const phone = ['--dropoff-phone', '+13125557733'];
    const old = await made('--dropoff-name', 'Ola First', ...phone, '--initiate');
    await box.run(['deliveries', 'cancel', String(old.id), '--yes']);
    const { id } = await made('--dropoff-name', 'Pia Second', ...phone, '--initiate');
    const { stderr } = await box.run(['deliveries', 'get', typed]);
    await box.run(['deliveries', 'cancel', String(id), '--yes', '--reason', 'End of the test']);
    expect(stderr.replaceAll('\n', ' ')).toMatch(new RegExp(said));
  },
);

test('digits are first those of a recipient: a delivery whose driver has them is never taken for theirs', async () => {
  await box.json(['drivers', 'add', 'Nia Roe', '--phone', '+18725559911']);
  await box.json(['ship', ...orderLine.slice(2), '--dropoff-name', 'Stranger', '--driver', 'Nia Roe']);
  const own = await made('--dropoff-name', 'Caller', '--dropoff-phone', '+13125559911', '--initiate');
  await box.run(['deliveries', 'cancel', String(own.id), '--yes']);
  const { exit, stderr } = await box.run(['deliveries', 'get', '9911']);
  expect(exit).toBe(2);
  expect(stderr.indexOf('Caller')).toBeLessThan(stderr.indexOf('Stranger'));
  expect(stderr).toContain('driver phone ending 9911');
});

test('several matches are counted beyond those that are named; what was not read is said', async () => {
  for (let nth = 1; nth <= 51; nth++) await made('--dropoff-name', nth <= 12 ? 'Ida Few' : 'Otto Rest');
  const told = async (text: string) => (await box.run(['deliveries', 'get', text])).stderr.split('\n')[0];
  expect(await told('Ida Few')).toContain('match "Ida Few": 12, of which 10 are named.');
  expect(await told('+13125550142')).toContain(': at least 50, of which 10 are named.');
  const prompts = person([['Which delivery? The first 10 of 12: ask with more words', ctrlC]]);
  await box.run(['deliveries', 'get', 'Ida Few'], { tty: true, prompts });
  expect(prompts.asked).toHaveLength(1);
});

test('a list of a search says how many have its words in different fields, and how to list one customer', async () => {
  await made('--ref', 'B-2004', '--dropoff-name', 'Lee Anna', '--pickup-name', 'Bella');
  await made('--ref', 'B-2005', '--dropoff-name', 'Bella Lee');
  for (const search of ['bella lee', '"bella" lee']) {
    const { stderr } = await box.run(['deliveries', 'list', '--search', search]);
    expect(stderr).toMatch(/^1 of these 2 have the words in different fields.*dropoff_name ~ "bella lee"/m);
  }
});
