import { expect, test } from 'vitest';
import type { Transport } from '../../../../src/contract/operation.ts';
import { account } from '../../fake-service.ts';
import { freshHome, jsonOf, waybill } from '../../harness.ts';
import { newDelivery, sandbox } from '../../sandbox.ts';

const box = await sandbox();
const terminal = { tty: true, columns: 120, env: { NO_COLOR: '1' } };

const sent = (...flags: string[]) => newDelivery(box, '--initiate', ...flags);

async function page(id: string): Promise<string> {
  return (await box.run(['deliveries', 'explain', id], terminal)).stdout;
}

test('a retried delivery names the next attempt and suggests no retry', async () => {
  const first = await sent();
  await box.run(['deliveries', 'cancel', first, '--yes']);
  expect(await page(first)).toContain(`waybill deliveries retry ${first}`);
  const { id } = await box.json(['deliveries', 'retry', first]);
  const text = await page(first);
  expect(text).not.toContain('deliveries retry');
  expect(text).toMatch(
    new RegExp(`  waybill deliveries explain ${id} {2,}it was tried again as this delivery\n`),
  );
});

test('a delivery that was never sent names no provider', async () => {
  const text = await page(await sent('--simulate', 'payment_declined'));
  expect(text).toMatch(/delivery_created .*meant for poolride, and never sent$/m);
  expect(text).not.toMatch(/has it|with poolride/);
  await box.run(['sandbox', 'provider', 'poolride', '--no-capacity']);
  const refused = await page(await sent());
  await box.run(['sandbox', 'provider', 'poolride', '--up']);
  expect(refused).not.toMatch(/poolride has it|with poolride/);
  const later = await sent();
  await box.run(['deliveries', 'cancel', later, '--yes']);
  expect(await page(later)).toMatch(/delivery_created .*poolride has it$/m);
});

test('the service says whether steps are possible, not the address', async () => {
  const id = await sent();
  const transport = await answersOf(id);
  const env = { WAYBILL_BASE_URL: 'https://deliveries.test', WAYBILL_API_KEY: 'wb_test_madeup' };
  const line = ['deliveries', 'explain', id, '--json'];
  const next = async (sandboxed: boolean) => {
    const { stdout } = await waybill(line, { home: freshHome(), env, transport: transport(sandboxed) });
    return JSON.stringify(jsonOf(stdout).next);
  };
  expect(await next(true)).toContain(`waybill sandbox step ${id}`);
  expect(await next(false)).not.toContain('sandbox step');
});

/** The same delivery on a service that is a sandbox or not. */
async function answersOf(id: string): Promise<(isSandbox: boolean) => Transport> {
  const delivery = await box.json(['deliveries', 'get', id]);
  const terms = await box.json(['deliveries', 'cancel', id, '--price']);
  const order = await box.json(['orders', 'get', String(delivery.order_id)]);
  const steps = await box.json(['api', 'GET', `/v2/sandbox/deliveries/${id}/steps`]);
  return (isSandbox) => async (request) => {
    const bodies: Record<string, unknown> = {
      '/v2/account': { ...account, sandbox: isSandbox },
      [`/v1/delivery/${id}`]: delivery,
      [`/v1/delivery/${id}/cancellation`]: terms,
      [`/v2/orders/${order.id}`]: order,
      [`/v2/sandbox/deliveries/${id}/steps`]: steps,
    };
    const path = request.path.split('?')[0] ?? '';
    const body = bodies[path] ?? { object: 'list', data: [], has_more: false, next_cursor: null };
    return { status: 200, headers: {}, body: JSON.stringify(body) };
  };
}
