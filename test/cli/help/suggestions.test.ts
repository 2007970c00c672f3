import { expect, test } from 'vitest';
import { errorOf, waybill } from '../harness.ts';

const id = '01KJQ1M7VDW0EYRS5NSYJF40GX';

test.each([
  // Swapped words, one word, the singular, or a synonym of the noun.
  ['create order', 'waybill orders create'],
  ['list orders', 'waybill orders list'],
  ['show delivery', 'waybill deliveries get'],
  ['create webhooks', 'waybill webhooks create'],
  ['create order --pickup-name Joe', 'waybill orders create'],
  ['orders:create', 'waybill orders create'],
  ['order-create --file x', 'waybill order create'],
  [`get delivery dlv_${id}`, `waybill deliveries get dlv_${id}`],
  ['deliveries find 1042', 'waybill deliveries get 1042'],
  ['version', 'waybill --version'],
  // What is wrong with deliveries, as a verb or alone.
  ['deliveries late', 'waybill deliveries list --late'],
  ['deliveries failed', 'waybill deliveries list --status failed'],
  ['stuck deliveries', 'waybill deliveries list --stuck 20m'],
  ['failed', 'waybill deliveries list --status failed'],
  ['late', 'waybill deliveries list --late'],
  // Commands of other programs, and words that callers use.
  ['demo', 'waybill start'],
  ['init', 'waybill start or waybill login'],
  ['refund', 'waybill deliveries cancel or waybill deliveries dispute or waybill charges list'],
  [
    'refund 1042',
    'waybill deliveries cancel 1042 or waybill deliveries dispute 1042 or waybill charges list',
  ],
  ['login https://deliveries.example', '--base-url https://deliveries.example'],
  // An extra word.
  ['orders get ord_1 --json id,status', '--json=id,status'],
  ['orders get --json id,status ord_1', '--json=id,status'],
  ['orders list --json id', '--json=id'],
  ['deliveries list 1042', 'waybill deliveries get 1042 or waybill deliveries list --search 1042'],
  ['orders list 1042', 'waybill orders get 1042 or waybill orders list --search 1042'],
  ['charges list 1042', 'waybill charges list --order 1042'],
  ['audit list 1042', 'waybill audit list --record 1042'],
  // Only an id.
  [`dlv_${id}`, `waybill deliveries get dlv_${id}`],
  [`orders ord_${id}`, `waybill orders get ord_${id}`],
  [`quotes rte_${id}`, `waybill quotes list rte_${id}`],
  // Under another noun, or none.
  [`routes dispatch rte_${id}`, `waybill dispatch rte_${id}`],
  ['orders explain 1042', 'waybill orders get 1042'],
  ['orders help', 'waybill help orders'],
  ['orders help create', 'waybill help orders create'],
  ['advance', 'waybill sandbox advance'],
  // Misspelled.
  ['ordrs list', 'orders'],
  ['wheer 1042', 'where'],
  ['explian 1042', 'explain'],
  ['keys lst', 'list'],
  ['webhoks list', 'webhooks'],
  ['help outptu', 'output'],
  ['help ordrs', 'orders'],
  // Flags, including names from other programs.
  ['keys list --limt 3', '--limit'],
  ['--versoin', '--version'],
  ['orders list --hepl', '--help'],
  ['keys list --verbose', '--debug'],
  ['keys list --no-color', '--color never'],
  ['keys list --api-key wb_test_x', '--api-key-file'],
  ['keys list --format json', '--output'],
  ['keys revoke key_1 --force', '--yes'],
  ['audit list --delivery 1042', '--record'],
  ['charges list --ref 1042', '--delivery'],
  ['webhooks list --failed', 'waybill webhooks attempts --failed'],
  ['events list --failed', 'waybill webhooks attempts --failed'],
  // Values of an enumeration.
  ['orders list --status opn', 'open'],
  ['deliveries list --status deliverd', 'delivered'],
  ['deliveries list --status late', '--late'],
  ['deliveries list --status Stuck', '--stuck WHEN'],
  ['deliveries wait dlv_1 --until deliverd', 'delivered'],
  ['deliveries wait dlv_1 --fail-on retruned', 'returned'],
  ['events list --type delivery.updatd', 'delivery.updated'],
  ['webhooks create https://shop.example --events order.faild', 'order.failed'],
  ['orders list --color nevr', 'never'],
  ['sandbox clock manul', 'manual'],
  ['config set outptu wide', 'output'],
  // Values that only the service or the settings know.
  ['sandbox provider swiftl --down', 'swiftly'],
  ['profiles use sandbx', 'sandbox'],
  ['orders list --profile sandbx', 'sandbox'],
])('%s: did you mean %s?', async (line, meant) => {
  const { stderr, stdout } = await waybill([...line.split(' '), '--json']);
  const error = errorOf(stderr);
  expect({ stdout, hint: error.hint }).toEqual({
    stdout: '',
    hint: expect.stringContaining(`Did you mean ${meant}`),
  });
  expect(error.exit).toBe(error.code === 'record_not_found' || error.code === 'profile_not_found' ? 5 : 2);
});

test('a verb of several nouns lists them', async () => {
  const { stderr, exit } = await waybill(['list']);
  expect(exit).toBe(2);
  expect(stderr).toContain('waybill orders list or waybill routes list');
});

test('without a similar word the list of commands is suggested', async () => {
  const { stderr } = await waybill(['frobnicate']);
  expect(stderr).not.toContain('Did you mean');
  expect(stderr).toContain('waybill --help');
});
