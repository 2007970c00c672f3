import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testHooksOf } from '../../../src/cli/session/embedded-settings.ts';
import { openStorage } from '../../../src/storage/open-storage.ts';
import { errorOf, freshHome, waybill } from '../harness.ts';
import { newDelivery, orderLine, sandbox } from '../sandbox.ts';

test('an internal error of the embedded service is shown only with --debug', async () => {
  const home = freshHome();
  const made = await waybill([...orderLine, '-o', 'id'], { home });
  const storage = await openStorage(join(home, '.local', 'share', 'waybill', 'waybill.db'));
  await storage.run((db) => db.updateTable('orders').set({ record: 'broken' }).execute());
  await storage.close();
  const line = ['orders', 'get', made.stdout.trim(), '--json'];
  const quiet = await waybill(line, { home });
  expect(quiet.exit).toBe(7);
  expect(errorOf(quiet.stderr)).toMatchObject({ code: 'internal_error' });
  expect(quiet.stderr).not.toContain('SyntaxError');
  const outcome = await waybill([...line, '--debug'], { home });
  expect(outcome.stderr).toContain('SyntaxError');
});

test.each([
  ['http://shop.example', 1],
  ['https://shop.example', 0],
  ['http://127.0.0.1:4010', 0],
  ['http://localhost:4010', 0],
])('a key for %s is sent with %d warnings that others can read it', async (url, count) => {
  const box = await sandbox();
  const env = { WAYBILL_BASE_URL: url, WAYBILL_API_KEY: 'wb_test_1' };
  const { stderr } = await box.run(['orders', 'list'], { env });
  expect(stderr.split('The API key is sent without encryption').length - 1).toBe(count);
  const dry = await box.run([...orderLine, '--dry-run', '--quiet'], { env });
  expect(dry.stderr).not.toContain('without encryption');
});

test.each([
  ['the embedded service', ['whoami']],
  ['a server', ['serve', '--port', '0', '--database', ':memory:']],
])('an unknown crash point is a usage error of %s', async (_service, argv) => {
  const { stdout, stderr, exit } = await waybill(argv, { env: { WAYBILL_CRASH_AT: 'nowhere:2' } });
  expect([exit, stdout]).toEqual([2, '']);
  expect(stderr).toContain(
    "WAYBILL_CRASH_AT: 'nowhere:2' is not a crash point: they are batch.before_commit,",
  );
});

test('no test hook is active unless the environment names it', () => {
  const nothing = { crashAt: undefined, courierRecords: undefined };
  expect(testHooksOf({ environment: {} })).toEqual(nothing);
  expect(testHooksOf({ environment: { WAYBILL_CRASH_AT: '', WAYBILL_COURIER_BOOKS: '' } })).toEqual(nothing);
});

const emptyBox = await sandbox();

test.each([
  ['orders', 'orders create'],
  ['routes', 'routes create ORDER'],
  ['deliveries', 'ship'],
  ['charges', 'ship'],
  ['events', 'ship'],
  ['disputes', 'deliveries dispute DELIVERY'],
  ['audit', 'orders create'],
  ['keys', 'keys create'],
  ['stores', 'stores create'],
  ['drivers', 'drivers add'],
  ['batches', 'orders create --auto --max-cost DOLLARS'],
  ['webhooks', 'webhooks create URL'],
])('an empty list of %s says how the first record is made', async (noun, command) => {
  const transport: typeof emptyBox.transport = async (request) => {
    const response = await emptyBox.transport(request);
    if (!request.path.startsWith('/v2/api_keys')) return response;
    return { ...response, body: JSON.stringify({ ...JSON.parse(response.body), data: [] }) };
  };
  const { exit, stdout, stderr } = await emptyBox.run([noun, 'list'], { transport });
  expect([exit, stdout]).toEqual([0, '']);
  expect(stderr).toMatch(new RegExp(`: waybill ${command}\n$`));
});

const searchBox = await sandbox();
await newDelivery(searchBox, '--dropoff-name', 'Maria Rossi');

test('a search without a result names the words that match nothing, and similar ones', async () => {
  const got = await searchBox.run(['deliveries', 'get', 'maria rossy', '--json']);
  expect([got.exit, errorOf(got.stderr).code]).toEqual([5, 'record_not_found']);
  for (const line of [
    ['deliveries', 'get', 'maria rossy'],
    ['deliveries', 'list', '--search', 'rossy'],
    ['orders', 'list', '--search', 'Rossy'],
  ]) {
    const { stderr } = await searchBox.run(line);
    expect(stderr, line.join(' ')).toContain('Nothing contains "rossy". Did you mean "Rossi"?');
  }
  // Two letters are in a name, but do not begin a word.
  const short = await searchBox.run(['deliveries', 'list', '--search', 'ri']);
  expect(short.stderr).toContain('Nothing is found by "ri". Parts of words are found from three letters on.');
  const apart = await newDelivery(searchBox, '--dropoff-name', 'Tom Ford').then(() =>
    searchBox.run(['deliveries', 'get', 'tom rossi']),
  );
  expect(apart.stderr).toContain('No single record has all of these words.');
  for (const [text, answer] of [
    ['tom rossi 10', '"10" is not enough of a phone number: at least its last four digits.'],
    ['rossi 10', '"rossi" is found without "10".'],
    ['maria rossi ford', '"maria rossi" is found without "ford".'],
  ] as const)
    expect((await searchBox.run(['deliveries', 'list', '--search', text])).stderr, text).toContain(answer);
  for (const line of [
    ['deliveries', 'list', '--search', 'rossi', '--status', 'failed'],
    ['deliveries', 'list', '--search', 'maria rossi', '--late'],
    ['orders', 'list', '--search', 'Rossi', '--status', 'canceled'],
  ])
    expect((await searchBox.run(line)).stderr, line.join(' ')).toMatch(
      /\n"(rossi|maria rossi|Rossi)" is found without the other filters\.\n$/,
    );
});
