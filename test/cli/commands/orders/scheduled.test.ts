import { expect, test } from 'vitest';
import { zonedTime } from '../../../../src/cli/kit/output/times.ts';
import { orderLine, sandbox } from '../../sandbox.ts';

const box = await sandbox();

test('a scheduled time without a zone is repeated, also in the zone of the address', async () => {
  const at = new Date(2026, 2, 12, 18).getTime();
  const near = await box.run([...orderLine, '--pickup-at', '3/12/2026 6pm']);
  expect(near).toMatchObject({ exit: 0 });
  expect(near.stderr).toContain(`"3/12/2026 6pm" is ${zonedTime(at)}`);
  expect(near.stderr).toContain('is Thu, Mar 12, 2026, 18:00');
  const away = ['Utulei, Pago Pago, AS 96799', 'US/Samoa'] as const;
  const far = await box.run([...orderLine, '--dropoff-address', away[0], '--dropoff-at', '3/12/2026 6pm']);
  expect(far).toMatchObject({ exit: 0 });
  expect(far.stderr).toContain(`which is ${zonedTime(at, away[1])} at the dropoff.`);
  const exact = await box.run([...orderLine, '--pickup-at', '2026-03-12T18:00Z']);
  expect(exact.stderr).not.toContain('" is ');
});

test('a scheduled pickup at a store is also shown in the store’s zone', async () => {
  const at = new Date(2026, 2, 12, 18).getTime();
  const place = { address: 'Utulei, Pago Pago, AS 96799', name: 'Samoa Grill', phone_number: '+13125550100' };
  const flags = Object.entries(place).flatMap(([name, text]) => [`--${name.replace('_', '-')}`, text]);
  const { id } = await box.json(['stores', 'create', ...flags]);
  const dropoff = orderLine.slice(orderLine.indexOf('--dropoff-address'));
  const line = ['orders', 'create', '--store', String(id), ...dropoff, '--pickup-at', '3/12/2026 6pm'];
  const { stderr } = await box.run(line);
  expect(stderr).toContain(`which is ${zonedTime(at, 'US/Samoa')} at the pickup.`);
});
