import { expect, test } from 'vitest';
import { noContextFlags, withContextFlags } from '../../../../src/cli/kit/args/parsed-line.ts';
import type { Interruption } from '../../../../src/cli/kit/host/host.ts';
import { type Invocation, invocation, shellLine } from '../../../../src/cli/kit/result/message.ts';
import { page, service } from '../../fake-service.ts';
import { errorOf, waybill } from '../../harness.ts';
import { quotedRoute, sandbox } from '../../sandbox.ts';

const shop = { account: ['--profile', 'my shop'], format: [] };

test.each<[Invocation, string]>([
  [invocation('dispatch', ['rte_1']), "waybill --profile 'my shop' dispatch rte_1"],
  [invocation('login', [], { profile: 'far' }), 'waybill login --profile far'],
  [invocation('profiles list'), 'waybill profiles list'],
  [invocation('orders list', ['--base-url=http://a.test']), 'waybill orders list --base-url=http://a.test'],
  [{ command: '', args: ['keys', 'list'] }, "waybill --profile 'my shop' keys list"],
])('a command gets the account of the line, unless it has its own or none: %o', (line, placed) => {
  expect(shellLine(withContextFlags(line, shop))).toBe(placed);
  expect(withContextFlags(line, noContextFlags)).toBe(line);
});

const far = ['--base-url', 'https://far.test', '--api-key-file', 'the key'];

test('the command for the next page keeps the context and format of the line', async () => {
  const transport = service({ '/v2/api_keys': { ...page, has_more: true, next_cursor: 'c1' } });
  const env = { WAYBILL_API_KEY: 'wb_test_0123456789abcdef' };
  const line = ['keys', 'list', '--limit', '1', '--base-url', 'https://far.test'];
  expect((await waybill([...line, '--json=id'], { transport, env })).stderr).toBe(
    'There is more: waybill --base-url https://far.test keys list --limit 1 --cursor c1 --json=id\n',
  );
  const twin = { ...env, WAYBILL_BASE_URL: 'https://far.test', WAYBILL_OUTPUT: 'id' };
  expect((await waybill(['keys', 'list', '--limit', '1'], { transport, env: twin })).stderr).toBe(
    'There is more: waybill keys list --limit 1 --cursor c1\n',
  );
});

test('the next command of an error keeps the context of the line', async () => {
  const { stderr } = await waybill(['whoami', '--base-url', 'https://far.test', '--json']);
  expect(errorOf(stderr).next).toMatchObject([{ command: 'waybill --base-url https://far.test login' }]);
  const people = await waybill(['whoami', ...far.slice(0, 2)]);
  expect(people.stderr).toContain('  waybill --base-url https://far.test login');
});

test('the next command of a result keeps the context of the line', async () => {
  const box = await sandbox();
  const { stderr } = await box.run(['orders', 'get', 'ord_1', '--profile', 'sandbox']);
  expect(stderr).toContain('`waybill --profile sandbox whoami`');
});

test('the message of an interruption keeps the context of the line', async () => {
  const box = await sandbox();
  const route = await quotedRoute(box);
  const interruption: Interruption = { status: () => null, work: [], listen: () => {} };
  await box.run(['quotes', 'list', route, '--watch', '--profile', 'sandbox'], {
    interruption,
  });
  expect(interruption.status()?.text).toContain(`waybill --profile sandbox quotes list ${route}`);
});
