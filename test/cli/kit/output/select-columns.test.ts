import { expect, test } from 'vitest';
import { fullTime } from '../../../../src/cli/kit/output/times.ts';
import { dollars } from '../../../../src/domain/money.ts';
import { quotedRoute, sandbox } from '../../sandbox.ts';

const box = await sandbox();
const route = await quotedRoute(box, '--dropoff-notes', '=1+1');
await box.json(['dispatch', route, '--cheapest', '--yes']);
const [delivery] = JSON.parse((await box.run(['deliveries', 'list', '--json'])).stdout);
const line = ['deliveries', 'list'];
const out = async (...argv: string[]) => {
  const { stdout, exit } = await box.run(argv);
  expect(exit).toBe(0);
  return stdout;
};
const price = dollars(delivery.payment_amount);
const number = price.slice(1);
const created = fullTime(delivery.created_at);

test('a CSV of chosen columns is for people: dollars, local times, masked phones, in the order asked for', async () => {
  const csv = await out(...line, '-o', 'csv', '--columns', 'agreed_price,id,created,Dropoff-Phone');
  expect(csv).toBe(
    `agreed_price (USD),id,created (America/Chicago),dropoff_phone\n${number},${delivery.id},${created},'+1 312 *** **42\n`,
  );
  const open = await out(...line, '-o', 'csv', '--columns', 'dropoff_phone', '--show-pii');
  expect(open).toBe("dropoff_phone\n'+1 312 555 0142\n");
  const age = await out(...line, '-o', 'csv', '--columns', 'created', '--time', 'relative');
  expect(age).toBe('created\njust now\n');
});

test('--raw gives the values of the API in every format, --no-raw those for people', async () => {
  const names = 'payment_amount,created_at,dropoff_phone_number,test_mode';
  const { payment_amount, created_at } = delivery;
  const values = [payment_amount, created_at, '13125550142', 'true'];
  expect(await out(...line, '-o', 'csv', '--raw', '--columns', names)).toBe(
    `${names}\n${values.join(',')}\n`,
  );
  expect(await out(...line, '-o', 'tsv', '--columns', names)).toBe(`${values.join('\t')}\n`);
  const table = await out(...line, '-o', 'table', '--raw', '--columns', names);
  expect(table.split('\n')[1]?.trim().split(/ {2,}/)).toEqual(values.map(String));
  const shown = `${price}\t${created}\t'+1 312 *** **42\tyes\n`;
  expect(await out(...line, '-o', 'tsv', '--no-raw', '--columns', names)).toBe(shown);
});

test('a whole CSV has the values of the API, as scripts expect, and with --no-raw those for people', async () => {
  const [, cells = ''] = (await out(...line, '-o', 'csv')).split('\n');
  expect(cells).toContain(`,${delivery.payment_amount},${delivery.created_at},`);
  const [header = '', people = ''] = (await out(...line, '-o', 'csv', '--no-raw')).split('\n');
  expect(people).toContain(`,${number},${created},`);
  expect(new Set(header.split(',')).size).toBe(header.split(',').length);
  expect(header.split(',')).toEqual(
    expect.arrayContaining(['Agreed price (USD)', 'Created (America/Chicago)', 'Status', 'Ref']),
  );
  const [utc = ''] = (await out(...line, '-o', 'csv', '--no-raw', '--time', 'iso')).split('\n');
  expect(utc).toContain(',Created (UTC)');
});

test('JSON and filters have the chosen columns as fields', async () => {
  const names = ['--columns', 'id,agreed_price,courier_name'];
  const chosen = { id: delivery.id, agreed_price: delivery.payment_amount, courier_name: null };
  expect(JSON.parse(await out(...line, '--json', ...names))).toEqual([chosen]);
  expect(JSON.parse(await out('deliveries', 'get', delivery.id, '--json', ...names))).toEqual(chosen);
  expect(await out(...line, '--jq', '.[].agreed_price', ...names)).toBe(`${delivery.payment_amount}\n`);
  expect(await out(...line, '-o', 'id', '--columns', 'order_id')).toBe(`${delivery.order_id}\n`);
  const rounds = JSON.parse(await out('quotes', 'list', route, '--json', '--columns', 'provider,total'));
  expect(Object.keys(rounds[0])).toEqual(['provider', 'total']);
});

test('a table shows the chosen columns only, also wide ones, and becomes cards if they do not fit', async () => {
  const names = ['--columns', 'dropoff_address,id,agreed_price'];
  const [head = '', row = ''] = (await out(...line, '-o', 'table', ...names)).split('\n');
  expect(head.trim().split(/ {2,}/)).toEqual(['TO', 'ID', 'AGREED PRICE']);
  expect(row.trim().split(/ {2,}/)).toEqual([delivery.dropoffs[0].dropoff_address, delivery.id, price]);
  const cards = await box.run([...line, ...names], { tty: true, columns: 50, env: { NO_COLOR: '1' } });
  expect(cards.stdout).toContain(`ID            ${delivery.id}\n`);
  expect(cards.stderr).not.toContain('-o wide');
  const empty = ['--columns', 'upsell,tried_again,id'];
  for (const columns of [80, 20]) {
    const { stdout } = await box.run([...line, ...empty], { tty: true, columns, env: { NO_COLOR: '1' } });
    expect(stdout).toMatch(/UPSELL\s+(\S+\s+)?TRIED AGAIN\s/i);
  }
});

test('formulas are escaped in the values for people too; amounts below zero are none', async () => {
  const notes = await out(...line, '-o', 'csv', '--columns', 'dropoff_notes');
  expect(notes).toBe("dropoff_notes\n'=1+1\n");
  await box.json(['deliveries', 'cancel', delivery.id, '--yes']);
  const refunds = await out('charges', 'list', '--kind', 'refund', '-o', 'csv', '--columns', 'amount');
  expect(refunds).toMatch(/^amount \(USD\)\n-\d+\.\d\d\n/);
});

test('an unknown column is refused before anything is sent, with the names and the one that was meant', async () => {
  const before = box.requests.length;
  const { stderr, exit } = await box.run([...line, '--columns', 'id,chargd']);
  expect([exit, box.requests.length]).toEqual([2, before]);
  expect(stderr).toContain('--columns cannot be "chargd".');
  expect(stderr).toContain('Did you mean charged?');
  const { error } = JSON.parse((await box.run([...line, '--json', '--columns', 'statsu'])).stderr);
  expect(error).toMatchObject({ code: 'bad_value', hint: 'Did you mean status?' });
  expect(error, 'one name is enough').not.toHaveProperty('choices');
  const unlike = JSON.parse((await box.run([...line, '--json', '--columns', 'xyzzy'])).stderr);
  expect(unlike.error.choices).toContain('payment_amount');
});

test('fields of --json and --columns are two ways to say the same: the other one is suggested', async () => {
  const both = await box.run([...line, '--json=id', '--columns', 'id']);
  expect([both.exit, both.stderr]).toEqual([2, expect.stringContaining('cannot be used together')]);
  const csv = await box.run([...line, '--json=id,dropoffs.dropoff_name', '-o', 'csv']);
  expect(csv.stderr).toContain('Did you mean -o csv --columns id,dropoff_name?');
});

test('a stream has no columns', async () => {
  const { stderr, exit } = await box.run([...line, '--watch', '--columns', 'id']);
  expect([exit, stderr]).toEqual([2, expect.stringContaining('--columns needs a list or a record')]);
  const update = await box.run(['deliveries', 'explain', delivery.id, '--columns', 'id']);
  expect([update.exit, update.stderr]).toEqual([2, expect.stringContaining('no flag --columns')]);
});

test('the command that continues a list has the same columns', async () => {
  await quotedRoute(box);
  const flags = ['--limit', '1', '-o', 'csv', '--columns', 'id', '--columns', 'status', '--no-raw'];
  const { stderr } = await box.run(['orders', 'list', ...flags]);
  expect(stderr).toContain('--output csv --columns id,status --no-raw');
});
