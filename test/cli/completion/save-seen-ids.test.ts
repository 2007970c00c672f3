import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { freshHome, jsonOf, waybill } from '../harness.ts';
import { deliveryLine, type Machine, machine } from './machine.ts';

/** The files of collected ids, in the cache folder of a home. */
function files(home: string): string[] {
  const folder = join(home, '.cache', 'waybill', 'completion');
  return existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
}

function textOf(home: string): string {
  return files(home)
    .map((file) => readFileSync(file, 'utf8'))
    .join('');
}

async function delivery(box: Machine, reference: string, env: Record<string, string> = {}): Promise<string> {
  const { stdout, exit } = await box.run(deliveryLine(reference), env);
  expect(exit).toBe(0);
  return stdout.trim();
}

test('an id and a reference shown in a terminal are completed, with their status', async () => {
  const box = machine();
  const id = await delivery(box, '#1042');
  expect(box.lines(['--', 'deliveries', 'get', ''])).toEqual(['values', `${id}\trequest, #1042`]);
  expect(box.lines(['--', 'deliveries', 'get', '#1'])).toEqual(['values', `#1042\trequest, ${id}`]);
  expect(box.words('deliveries', 'list', '--ref', '')).toEqual(['#1042']);
  expect(box.words('deliveries', 'list', '--ref=')).toEqual(['--ref=#1042']);
  expect(box.words('charges', 'list', `--delivery=${id.slice(0, 8)}`)).toEqual([`--delivery=${id}`]);
  expect(box.words('orders', 'get', 'dlv')).toEqual([]);
  expect(box.words('sandbox', 'advance', '--until', 'dlv')).toContain(`${id}:delivered`);
  expect(box.words('sandbox', 'advance', `--until=${id}:ret`)).toEqual([`--until=${id}:returned`]);
  expect(box.words('sandbox', 'advance', '--until', '')).toEqual([`${id}:`, '#1042:']);
  await box.run(['deliveries', 'cancel', id, '--yes']);
  expect(box.lines(['--', 'deliveries', 'get', 'dlv'])[1]).toContain('customer_canceled, #1042');
});

test('the ids of a list, a record or a plot are saved, newest first', async () => {
  const box = machine();
  const first = await delivery(box, 'A-1', { WAYBILL_NO_CACHE: '1' });
  const second = await delivery(box, 'A-2', { WAYBILL_NO_CACHE: '1' });
  expect(files(box.home)).toEqual([]);
  await box.run(['deliveries', 'explain', first]);
  expect(box.words('deliveries', 'get', 'dlv')).toEqual([first]);
  await box.run(['deliveries', 'list', '--json']);
  expect(box.words('deliveries', 'get', 'dlv')).toEqual([second, first]);
  await box.run(['keys', 'create', '--name', 'Ada Lovelace', '--permission', 'read']);
  expect(box.lines(['--', 'keys', 'revoke', ''])[1]).toMatch(/^key_\w+\tread test$/);
  await box.run([
    'stores',
    'create',
    '--name',
    'Ada',
    '--address',
    '43 E Ohio St, Chicago, IL 60611',
    '--phone-number',
    '+13125550100',
  ]);
  const [, store = ''] = box.lines(['--', 'stores', 'get', '']);
  expect(store).toMatch(/^str_\w+\tmade \d{4}-\d\d-\d\d$/);
  await box.run(['stores', 'delete', store.split('\t')[0] ?? '', '--yes']);
  expect(box.words('stores', 'get', '')).toEqual([]);
});

test('quotes of the current route are offered with provider and price', async () => {
  const box = machine();
  const order = await waybill(['orders', 'create', ...deliveryLine('R-1').slice(2)], { home: box.home });
  const route = await waybill(['routes', 'create', order.stdout.trim(), '-o', 'id'], { home: box.home });
  const id = route.stdout.trim();
  await box.run(['sandbox', 'clock', 'manual']);
  await box.run(['routes', 'quote', id]);
  await box.run(['sandbox', 'advance', '--by', '1m']);
  await box.run(['quotes', 'list', id]);
  const found = box.lines(['--', 'dispatch', id, '--quote', '']).slice(1);
  expect(found.length).toBeGreaterThan(2);
  expect(found[0]).toMatch(/^rq_\w+\t[a-z]+ \d+\.\d\d, rte_/);
  expect(box.words('deliveries', 'initiate', 'dlv_1', '--quote', '')).toEqual([]);
});

test('no name, address, phone number or note is saved, and the file is private', async () => {
  const box = machine();
  await delivery(box, '#7');
  await box.run(['deliveries', 'list', '-o', 'wide']);
  await box.run(['orders', 'list']);
  const text = textOf(box.home);
  expect(text).toContain('#7');
  for (const part of ['Joe', 'Ohio', 'Chicago', '3125550', 'Ring', 'Lunch', 'wb_test'])
    expect(text).not.toContain(part);
  for (const file of files(box.home)) expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(statSync(join(box.home, '.cache', 'waybill', 'completion')).mode & 0o777).toBe(0o700);
});

test.each<[string, { tty?: boolean; env?: Record<string, string> }]>([
  ['a pipe', {}],
  ['continuous integration', { tty: true, env: { CI: 'true' } }],
  ['WAYBILL_NO_CACHE', { tty: true, env: { WAYBILL_NO_CACHE: '1' } }],
])('nothing is kept in %s', async (_, options) => {
  const home = freshHome();
  expect((await waybill(deliveryLine('#1'), { home, ...options })).exit).toBe(0);
  expect(files(home)).toEqual([]);
});

test('ids seen in another profile, service or account are never offered', async () => {
  const box = machine();
  const id = await delivery(box, '#1');
  const made = await box.run(['keys', 'create', '--name', 'x', '--permission', 'admin', '--json']);
  const { key } = jsonOf(made.stdout);
  await box.run(['profiles', 'create', 'mine', '--embedded']);
  await box.run(['profiles', 'create', 'far', '--base-url', 'http://127.0.0.1:1']);
  const seen = (words: string[], env: Record<string, string> = {}) =>
    box.lines(['--', ...words, 'deliveries', 'get', ''], env).slice(1);
  expect(seen([])).toHaveLength(1);
  expect(seen(['--profile', 'sandbox'])).toHaveLength(1);
  for (const words of [
    ['--profile', 'mine'],
    ['--profile=far'],
    ['--base-url', 'http://127.0.0.1:1'],
    ['--profile', 'none'],
  ])
    expect(seen(words)).toEqual([]);
  for (const env of [
    { WAYBILL_PROFILE: 'mine' },
    { WAYBILL_API_KEY: String(key) },
    { WAYBILL_DATA_DIR: box.home },
    { WAYBILL_BASE_URL: 'http://127.0.0.1:1' },
    { WAYBILL_API_KEY_FILE: 'nowhere' },
  ])
    expect(seen([], env)).toEqual([]);
  await box.run(['deliveries', 'get', id], { WAYBILL_API_KEY: String(key) });
  expect(seen([], { WAYBILL_API_KEY: String(key) })).toHaveLength(1);
  writeFileSync(join(box.home, 'key'), `${key}\n`);
  expect(seen(['--api-key-file', 'key'])).toHaveLength(1);
  spawnSync('mkfifo', [join(box.home, 'pipe')]);
  expect(seen(['--api-key-file', 'pipe'])).toEqual([]);
  await box.run(['profiles', 'use', 'mine']);
  expect(seen([])).toEqual([]);
});

test.each([
  ['a file of another program', 'something else\ndelivery\tdlv_00000\trequest\t\t1\n'],
  [
    'a file with invalid lines',
    'waybill completion 1\ndelivery\tdlv_0\u001b[31m\trequest\t\t1\ndelivery\n\n\u0000\n',
  ],
  ['an empty file', ''],
])('%s gives no candidates and is replaced', async (_, text) => {
  const box = machine();
  await delivery(box, '#1');
  const [file = ''] = files(box.home);
  writeFileSync(file, text);
  expect(box.words('deliveries', 'get', '')).toEqual([]);
  const id = await delivery(box, '#2');
  expect(box.words('deliveries', 'get', '')).toEqual([id]);
});

test('a cache that cannot be written changes nothing', async () => {
  const box = machine();
  mkdirSync(join(box.home, '.cache'));
  writeFileSync(join(box.home, '.cache', 'waybill'), '');
  const { stderr, exit } = await box.run(deliveryLine('#1'));
  expect({ exit, isSaid: /cache/i.test(stderr) }).toEqual({ exit: 0, isSaid: false });
  chmodSync(join(box.home, '.cache', 'waybill'), 0o600);
});

test('a reference with control characters is not saved; a reset forgets everything', async () => {
  const box = machine();
  await delivery(box, 'a\u202eb');
  expect(textOf(box.home)).not.toContain('\u202e');
  expect(box.words('deliveries', 'get', 'dlv')).toHaveLength(1);
  await box.run(['sandbox', 'reset', '--yes']);
  expect(box.words('deliveries', 'get', 'dlv')).toEqual([]);
});

test('a watched record is saved in its last state', async () => {
  const box = machine();
  const id = await delivery(box, 'A-1', { WAYBILL_NO_CACHE: '1' });
  await box.run(['sandbox', 'clock', 'scaled', '--rate', '20000']);
  await box.run(['deliveries', 'initiate', id], { WAYBILL_NO_CACHE: '1' });
  const { exit, stdout } = await box.run(['deliveries', 'watch', id]);
  expect([exit, stdout]).toEqual([0, expect.stringContaining('driver_assigned')]);
  expect(box.lines(['--', 'deliveries', 'get', 'dlv'])).toEqual(['values', `${id}\tdelivered, A-1`]);
});
