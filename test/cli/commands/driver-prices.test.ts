import { expect, test } from 'vitest';
import type { Transport } from '../../../src/contract/operation.ts';
import { startFixture } from '../../service/fixture.ts';
import { errorOf, jsonOf, waybill } from '../harness.ts';
import { sandbox } from '../sandbox.ts';

test('prices are given in dollars and shown, to programs in cents; what is not named stays', async () => {
  const box = await sandbox();
  const prices = async (...flags: string[]) => box.json(['drivers', 'prices', ...flags]);
  expect(await prices()).toEqual({ per_delivery: 0, per_mile: 0, ask_pin: false });
  const set = await prices('--per-delivery', '2.50', '--per-mile', '0.75');
  expect(set).toEqual({ per_delivery: 250, per_mile: 75, ask_pin: false });
  expect(await prices('--ask-pin')).toEqual({ ...set, ask_pin: true });
  expect(await prices('--per-mile', '0')).toEqual({ per_delivery: 250, per_mile: 0, ask_pin: true });
  expect(await prices('--no-ask-pin')).toEqual({ per_delivery: 250, per_mile: 0, ask_pin: false });
  const people = await box.run(['drivers', 'prices'], { tty: true, env: { NO_COLOR: '1' } });
  expect(people.stdout).toMatch(/Each delivery +\$2\.50\n.*Each mile +\$0\.00\n/);
  expect(people.stderr).toContain('waybill drivers prices --per-delivery');
});

test('without flags nothing is changed, and variables of the environment count as flags', async () => {
  const box = await sandbox();
  await box.json(['drivers', 'prices']);
  expect(box.requests.filter(({ method }) => method !== 'GET')).toEqual([]);
  const env = { WAYBILL_ASK_PIN: '1' };
  expect(await box.json(['drivers', 'prices'], { env })).toMatchObject({ ask_pin: true });
});

test('a price that is no amount in dollars is refused', async () => {
  const box = await sandbox();
  for (const amount of ['-1', 'two', '1.234']) {
    const { exit, stderr } = await box.run(['drivers', 'prices', `--per-mile=${amount}`, '--json']);
    expect([exit, errorOf(stderr).message]).toEqual([2, expect.stringContaining('--per-mile')]);
  }
  expect(box.requests.filter(({ method }) => method === 'PATCH')).toEqual([]);
});

test('a price above the limit is refused with the limit in dollars', async () => {
  const box = await sandbox();
  const { exit, stderr } = await box.run(['drivers', 'prices', '--per-mile', '1000000', '--json']);
  const { message } = errorOf(stderr);
  expect([exit, message]).toEqual([2, '--per-mile must be at most 999999.99 dollars, not "1000000".']);
});

test('a key without the permission of an admin sees the prices, and does not set them', async () => {
  const fixture = await startFixture();
  const { data } = await fixture.client().keys.create({ body: { permission: 'write' } });
  const transport: Transport = (request) =>
    fixture.service.fetch({ ...request, headers: { ...request.headers, 'x-api-key': data.key ?? '' } });
  const shown = await waybill(['drivers', 'prices', '--json'], { transport, now: fixture.now });
  expect([shown.exit, jsonOf(shown.stdout)]).toMatchObject([0, { per_mile: 0 }]);
  const line = ['drivers', 'prices', '--per-mile', '1.00', '--json'];
  const refused = await waybill(line, { transport, now: fixture.now });
  expect([refused.exit, errorOf(refused.stderr).code]).toEqual([4, 'unauthorized']);
});

test('a service without the setting is told from one without prices', async () => {
  const box = await sandbox();
  const { exit, stderr } = await box.run(['drivers', 'prices', '--ask-pin', '--json'], {
    transport: async (request) => {
      const response = await box.transport(request);
      const { fleet: _, ...rest } = JSON.parse(response.body);
      return { ...response, body: JSON.stringify(rest) };
    },
  });
  expect([exit, errorOf(stderr).code]).toEqual([6, 'not_supported']);
  expect(box.requests.filter(({ method }) => method === 'PATCH')).toEqual([]);
});
