import { expect, test } from 'vitest';
import type { Interruption } from '../../../src/cli/host.ts';
import { anywhere, inPlace } from '../../../src/cli/line/place.ts';
import { errorOf, waybill } from '../harness.ts';
import { page, service } from '../made-up.ts';
import { quotedRoute, sandbox } from '../sandbox.ts';

const shop = { account: ' --profile shop', format: '' };

test.each([
  ['Next: waybill dispatch rte_1 --cheapest', 'Next: waybill --profile shop dispatch rte_1 --cheapest'],
  ['See it: `waybill routes get rte_1`.', 'See it: `waybill --profile shop routes get rte_1`.'],
  ['waybill keys list', 'waybill --profile shop keys list'],
  ['Next: waybill login --profile far', 'Next: waybill login --profile far'],
  ['waybill profiles create far --base-url URL', 'waybill profiles create far --base-url URL'],
  ['This is a fault of waybill and no command.', 'This is a fault of waybill and no command.'],
])('%s', (text, placed) => {
  expect(inPlace(text, shop)).toBe(placed);
  expect(inPlace(text, anywhere)).toBe(text);
});

const far = ['--base-url', 'http://far.test', '--api-key-file', 'the key'];

test('what goes on with a list has the place and the format that were typed', async () => {
  const transport = service({ '/v2/api_keys': { ...page, has_more: true, next_cursor: 'c1' } });
  const env = { WAYBILL_API_KEY: 'wb_test_0123456789abcdef' };
  const line = ['keys', 'list', '--limit', '1', '--base-url', 'http://far.test'];
  expect((await waybill([...line, '--json=id'], { transport, env })).stderr).toBe(
    'There is more: waybill --base-url http://far.test keys list --limit 1 --cursor c1 --json=id\n',
  );
  const twin = { ...env, WAYBILL_BASE_URL: 'http://far.test', WAYBILL_OUTPUT: 'id' };
  expect((await waybill(['keys', 'list', '--limit', '1'], { transport, env: twin })).stderr).toBe(
    'There is more: waybill keys list --limit 1 --cursor c1\n',
  );
});

test('the next step of an error has the place that was typed', async () => {
  const { stderr } = await waybill(['whoami', '--base-url', 'http://far.test', '--json']);
  expect(errorOf(stderr).next).toMatchObject([{ command: 'waybill --base-url http://far.test login' }]);
  const people = await waybill(['whoami', ...far.slice(0, 2)]);
  expect(people.stderr).toContain('  waybill --base-url http://far.test login');
});

test('the next step of an answer has the place that was typed', async () => {
  const box = await sandbox();
  const { stderr } = await box.run(['orders', 'get', 'ord_1', '--profile', 'sandbox']);
  expect(stderr).toContain('`waybill --profile sandbox whoami`');
});

test('what is said on an interruption has the place that was typed', async () => {
  const box = await sandbox();
  const route = await quotedRoute(box);
  const interruption: Interruption = { standing: () => null, work: [], listen: () => {} };
  await box.run(['quotes', 'list', route, '--watch', '--profile', 'sandbox'], {
    interruption,
  });
  expect(interruption.standing()).toContain(`waybill --profile sandbox quotes list ${route}`);
});
