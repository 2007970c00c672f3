import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { freshHome } from '../harness.ts';
import { orderLine, sandbox } from '../sandbox.ts';

const box = await sandbox();
const home = freshHome();
const place = (name: string) => join(home, name);
writeFileSync(place('typo.json'), JSON.stringify({ pickup_adress: '43 E Ohio St, Chicago, IL 60611' }));

/** Lines as a newcomer types them, the exit code, and what the error says. */
const lines: [typed: string[], exit: number, fault: RegExp][] = [
  [['deliveries', 'list', '--stuck', 'tomorrow'], 2, /--stuck tomorrow is still to come/],
  [['today', '--since', 'tomorrow'], 2, /--since tomorrow is still to come/],
  [['deliveries', 'list', '--since', '2026-02-30'], 2, /--since must be a time such as/],
  [['deliveries', 'list', 'failed'], 2, /Did you mean waybill deliveries list --status failed\?/],
  [['deliveries', 'list', 'late'], 2, /Did you mean waybill deliveries list --late\?/],
  [['audit', 'list', '--record', 'nobody'], 5, /No delivery matches "nobody"/],
  [['keys', 'revoke', 'foo', '--yes'], 5, /waybill keys list {3}\(see what there is\)/],
  [['today', '--watch', '--json=foo'], 2, /The answer has no field \\"foo\\"/],
  [['today', '--watch', '--json=next.foo'], 2, /The answer has no field \\"next\.foo\\"/],
  [['ship', '--file', place('none.json'), '--cheapest'], 2, /none\.json cannot be read: it does not exist/],
  [['ship', '--file', place('typo.json'), '--cheapest'], 2, /Unknown: pickup_adress\. Check the spelling/],
  [['orders', 'import', 'orders.xlsx'], 2, /Save the spreadsheet as CSV UTF-8/],
  [['orders', 'import', 'orders'], 2, /Cannot tell the format of orders from its name/],
  [['restore', place('none.db'), '--yes'], 2, /There is no file .*none\.db/],
  [['api', 'GET', 'orders'], 2, /Did you mean \/v2\/orders\?/],
  [['api', 'GET', 'v2/orders'], 2, /Did you mean \/v2\/orders\?/],
  [['profiles', 'create', 'x', '--base-url', 'localhost:1'], 2, /such as http:\/\/localhost:1\.\n/],
  [['profiles', 'create', 'x', '--base-url', 'shop.example'], 2, /such as https:\/\/shop\.example\.\n/],
  [['profiles', 'create', 'x', '--base-url', 'foo'], 2, /such as https:\/\/deliveries\.example\.\n/],
  [['login', '--profile', 'x'], 2, /waybill login --profile x --base-url https:/],
];

test.each(lines)('%j is refused with what to do', async (typed, exit, fault) => {
  const told = await box.run(typed);
  expect([told.exit, told.stdout, told.stderr]).toEqual([exit, '', expect.stringMatching(fault)]);
});

test('a tip above the limit is refused before anything is created', async () => {
  const line = ['ship', ...orderLine.slice(2), '--cheapest'];
  const { exit, stderr } = await box.run([...line, '--tip', '1000']);
  expect([exit, stderr]).toEqual([2, expect.stringMatching(/^Error: --tip must be at most \$100\.00 /)]);
  expect(box.requests.filter(({ method }) => method === 'POST')).toEqual([]);
  const worth = await box.run([...line, '--tip', '1000', '--order-value', '2000', '--dry-run']);
  expect(worth.exit).toBe(0);
});

test('flags of which one is missing are listed once', async () => {
  const { stderr } = await box.run(['deliveries', 'edit', '1001']);
  expect(stderr.match(/--dropoff-email/g)).toHaveLength(1);
  expect(stderr).not.toContain('Choose from');
});
