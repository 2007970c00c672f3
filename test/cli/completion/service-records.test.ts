import { spawnSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { serviceRecords } from '../../../src/cli/completion/service-records.ts';
import { freshHome, hostFor, jsonOf, waybill } from '../harness.ts';
import { storeLine } from '../sandbox.ts';
import { deliveryLine, type Machine, machine } from './machine.ts';

async function delivery(box: Machine, reference: string): Promise<string> {
  const { stdout, exit } = await box.run(deliveryLine(reference));
  expect(exit).toBe(0);
  return stdout.trim();
}

test('deliveries are completed by id and reference, newest first, each with its status', async () => {
  const box = machine();
  const id = await delivery(box, '#1042');
  expect(await box.lines(['--', 'deliveries', 'get', ''])).toEqual(['values', `${id}\trequest, #1042`]);
  expect(await box.lines(['--', 'deliveries', 'get', '#1'])).toEqual(['values', `#1042\trequest, ${id}`]);
  expect(await box.words('deliveries', 'list', '--ref', '')).toEqual(['#1042']);
  expect(await box.words('deliveries', 'list', '--ref=')).toEqual(['--ref=#1042']);
  expect(await box.words('charges', 'list', `--delivery=${id.slice(0, 8)}`)).toEqual([`--delivery=${id}`]);
  expect(await box.words('orders', 'get', 'dlv')).toEqual([]);
  expect(await box.words('sandbox', 'advance', '--until', 'dlv')).toContain(`${id}:delivered`);
  expect(await box.words('sandbox', 'advance', `--until=${id}:ret`)).toEqual([`--until=${id}:returned`]);
  expect(await box.words('sandbox', 'advance', '--until', '')).toEqual([`${id}:`, '#1042:']);
  await box.run(['deliveries', 'cancel', id, '--yes']);
  const newer = await delivery(box, 'A-2');
  expect(await box.lines(['--', 'deliveries', 'get', 'dlv'])).toEqual([
    ...['values', `${newer}\trequest, A-2`, `${id}\tcustomer_canceled, #1042`],
  ]);
});

test('each kind of record is completed with what identifies it', async () => {
  const box = machine();
  await box.run(['orders', 'create', ...deliveryLine('A-1').slice(2), '--auto']);
  await box.run(['keys', 'create', '--name', 'Till', '--permission', 'read']);
  await box.run(storeLine);
  await box.run(['drivers', 'add', 'Ada', '--phone', '+13125550142']);
  await box.run(['webhooks', 'create', '--url', 'http://127.0.0.1:1/']);
  const found = async (...line: string[]) => (await box.lines(['--', ...line, ''])).slice(1);
  expect(await found('keys', 'revoke')).toContainEqual(expect.stringMatching(/^key_\w+\tTill, read$/));
  expect(await found('stores', 'get')).toEqual([expect.stringMatching(/^str_\w+\tGrill$/)]);
  expect(await found('drivers', 'get')).toEqual([expect.stringMatching(/^drv_\w+\tAda, off duty$/)]);
  expect(await found('webhooks', 'get')).toEqual([expect.stringMatching(/^whe_\w+\thttp:\/\/127/)]);
  expect(await found('batches', 'get')).toEqual([expect.stringMatching(/^bat_\w+\tprocessing$/)]);
  expect(await found('orders', 'get')).toEqual([expect.stringMatching(/^ord_\w+\t\w+, A-1$/)]);
  await delivery(box, 'B-1');
  expect(await found('events', 'get')).toContainEqual(expect.stringMatching(/^evt_\w+\tdelivery\.created$/));
});

test('quotes of the route of the line are offered with provider and price', async () => {
  const box = machine();
  const order = await box.run(['orders', 'create', ...deliveryLine('R-1').slice(2)]);
  const route = await box.run(['routes', 'create', order.stdout.trim(), '-o', 'id']);
  const id = route.stdout.trim();
  expect(await box.lines(['--', 'dispatch', ''])).toEqual(['values', `${id}\tdraft`]);
  await box.run(['sandbox', 'clock', 'manual']);
  await box.run(['routes', 'quote', id]);
  await box.run(['sandbox', 'advance', '--by', '1m']);
  const found = (await box.lines(['--', 'dispatch', id, '--quote', ''])).slice(1);
  expect(found.length).toBeGreaterThan(2);
  expect(found[0]).toMatch(/^rq_\w+\t[a-z]+ \d+\.\d\d, rte_/);
  expect(await box.words('dispatch', '--quote', '')).toEqual([]);
});

test('the records are those of the profile, the service and the key of the line', async () => {
  const box = machine();
  await delivery(box, '#1');
  const made = await box.run(['keys', 'create', '--name', 'x', '--permission', 'admin', '--json']);
  const { key } = jsonOf(made.stdout);
  await box.run(['profiles', 'create', 'far', '--base-url', 'http://127.0.0.1:1']);
  const found = async (words: string[], env: Record<string, string> = {}) =>
    (await box.lines(['--', ...words, 'deliveries', 'get', ''], env)).slice(1);
  expect(await found([])).toHaveLength(1);
  expect(await found(['--profile', 'sandbox'])).toHaveLength(1);
  for (const words of [['--profile=far'], ['--base-url', 'http://127.0.0.1:1'], ['--profile', 'none']])
    expect(await found(words)).toEqual([]);
  for (const env of [
    { WAYBILL_PROFILE: 'far' },
    { WAYBILL_DATA_DIR: join(box.home, 'empty') },
    { WAYBILL_BASE_URL: 'http://127.0.0.1:1' },
    { WAYBILL_API_KEY: 'wb_test_unknown' },
    { WAYBILL_API_KEY_FILE: 'nowhere' },
  ])
    expect(await found([], env)).toEqual([]);
  expect(await found([], { WAYBILL_API_KEY: String(key) })).toHaveLength(1);
  writeFileSync(join(box.home, 'key'), `${key}\n`);
  expect(await found(['--api-key-file', 'key'])).toHaveLength(1);
  spawnSync('mkfifo', [join(box.home, 'pipe')]);
  expect(await found(['--api-key-file', 'pipe'])).toEqual([]);
  expect(await box.lines(['--', 'profiles', 'use', ''])).toEqual([
    ...['values', 'sandbox\tembedded, in use', 'far\thttp://127.0.0.1:1'],
  ]);
});

test('completion creates nothing on a machine without a database', async () => {
  const box = machine();
  expect(await box.words('deliveries', 'get', '')).toEqual([]);
  expect(readdirSync(box.home)).toEqual(['completion.txt']);
});

test('a reference is offered without the characters that a terminal would interpret', async () => {
  const box = machine();
  const id = await delivery(box, 'a\u202eb');
  expect(await box.lines(['--', 'deliveries', 'get', 'dlv'])).toEqual(['values', `${id}\trequest, ab`]);
});

test('a service that does not answer within half a second gives no candidates', async () => {
  const waits: number[] = [];
  const sleep = async (ms: number) => void waits.push(ms);
  const home = freshHome();
  await waybill(['orders', 'list'], { home });
  const transport = () => new Promise<never>(() => {});
  const host = hostFor({ home, transport, sleep }, { stdout: '', stderr: '' });
  const query = { kinds: ['order'], statuses: [], flags: {}, words: [] };
  expect(await serviceRecords(query, host)).toEqual([]);
  expect(waits).toContain(500);
});
