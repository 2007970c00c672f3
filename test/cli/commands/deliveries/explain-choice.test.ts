import { expect, test } from 'vitest';
import { errorOf } from '../../harness.ts';
import { orderLine, quotedRoute, sandbox } from '../../sandbox.ts';

const box = await sandbox();
const minute = 60_000;
const terminal = { tty: true, columns: 120, env: { NO_COLOR: '1' } };

/** Passes time and runs what is due. */
async function pass(minutes: number): Promise<void> {
  for (let passed = 0; passed < minutes * 2; passed += 1) {
    box.advance(minute / 2);
    await box.run(['orders', 'list', '--limit', '1']);
  }
}

/** A new order of a batch of one, after its first attempt. */
async function tried(...flags: string[]): Promise<Record<string, unknown>> {
  box.advance(1);
  await box.json([...orderLine, '--auto', ...flags]);
  await pass(1);
  const { stdout } = await box.run(['orders', 'list', '--limit', '1', '-o', 'id']);
  return box.json(['orders', 'get', stdout.trim()]);
}

async function page(id: unknown): Promise<string> {
  return (await box.run(['deliveries', 'explain', String(id)], terminal)).stdout;
}

const explained = (id: unknown) => box.json(['deliveries', 'explain', String(id)]);

test('the chosen quote with its reason, and every rejected one', async () => {
  const order = await tried();
  const text = await page(order.delivery_id);
  expect(text).toContain(
    [
      '\nSelection',
      '  Chosen by auto dispatch at the first try: poolride, $6.47, the cheapest quote.',
      '  Left out:',
      '    metrobike  $0.62 more expensive',
      '    swiftly    $2.06 more expensive',
      '',
    ].join('\n'),
  );
  expect(await explained(order.delivery_id)).toMatchObject({
    choice: {
      batch_id: order.batch_id,
      try: { object: 'try', number: 1, status: 'dispatched', provider: 'poolride' },
      earlier: [],
    },
  });
  const { stdout } = await box.run(['deliveries', 'explain', String(order.delivery_id)]);
  expect(stdout).toContain('choice\t1\tdispatched\tpoolride\tthe cheapest quote\n');
  expect(stdout).toContain('left_out\tswiftly\tdearer\t$2.06 more expensive\n');
});

test('a manual dispatch has no choice to explain', async () => {
  const route = await quotedRoute(box);
  await box.run(['dispatch', route, '--cheapest']);
  const [id = ''] = (await box.run(['deliveries', 'list', '-o', 'id'])).stdout.split('\n');
  expect(await page(id)).not.toContain('Selection');
  expect(await explained(id)).toMatchObject({ choice: null });
});

test('a failed attempt is left to auto dispatch and is in the history of the next', async () => {
  await box.run(['sandbox', 'provider', 'poolride', '--no-capacity']);
  const { id, delivery_id: refused, batch_id } = await tried('--retry-interval', '5m');
  const text = await page(refused);
  expect(text).toContain('poolride, $6.47; it came to nothing: poolride has no courier available.\n');
  expect(text).toMatch(
    new RegExp(
      `^ {2}waybill orders tries ${id} {2}auto dispatch tries it again by itself at \\d\\d:\\d\\d$`,
      'm',
    ),
  );
  expect(text).not.toContain('deliveries retry');
  const retry = await box.run(['deliveries', 'retry', String(refused), '--json']);
  expect([retry.exit, errorOf(retry.stderr)]).toMatchObject([
    6,
    { code: 'delivery_not_initiable', message: expect.stringContaining(String(batch_id)) },
  ]);
  await pass(6);
  await box.run(['sandbox', 'provider', 'poolride', '--up']);
  const { delivery_id: next } = await box.json(['orders', 'get', String(id)]);
  const after = await page(next);
  expect(after).toContain('Chosen by auto dispatch at try 2: metrobike, $7.09, the cheapest quote.');
  expect(after).toMatch(/^ {2}Try 1 {2}\d\d:\d\d {2}refused {2}poolride has no courier available$/m);
  expect(await page(refused)).toContain(`waybill deliveries explain ${next}`);
  expect(await explained(next)).toMatchObject({ choice: { earlier: [{ number: 1, status: 'refused' }] } });
});

test('a manual retry was not chosen by auto dispatch', async () => {
  const { id, delivery_id } = await tried();
  await box.run(['deliveries', 'cancel', String(delivery_id), '--yes']);
  expect(await page(delivery_id)).toContain(`waybill deliveries retry ${delivery_id}`);
  const again = await box.json(['deliveries', 'retry', String(delivery_id)]);
  expect(await explained(again.id)).toMatchObject({ choice: null, delivery: { order_id: id } });
});
