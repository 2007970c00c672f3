import { expect, test } from 'vitest';
import { contextLine, errorOf, jsonOf } from '../../harness.ts';
import { orderLine, sandbox } from '../../sandbox.ts';

const box = await sandbox();
const create = ['deliveries', 'create', ...orderLine.slice(2)];
const start = [...create, '--initiate'];

/** Runs a command while the clock advances. */
function run(line: readonly string[], stdin?: string) {
  box.advance(1);
  return box.run(line, { ...box.passing, ...(stdin === undefined ? {} : { stdin }) });
}

async function kept(...flags: string[]): Promise<string> {
  box.advance(1);
  return String((await box.json([...create, ...flags])).id);
}

function posts(): number {
  return box.requests.filter(({ method }) => method === 'POST').length;
}

test('create, initiate and retry wait for the given or a later status', async () => {
  const made = await run([...start, '--wait', 'arrived_at_pickup', '--json']);
  expect([made.exit, made.stderr, jsonOf(made.stdout).status]).toEqual([0, contextLine, 'pickup_complete']);
  const id = await kept();
  const sent = await run(['deliveries', 'initiate', id, '--wait', 'delivered']);
  expect([sent.exit, sent.stdout]).toEqual([0, expect.stringContaining('status\tdelivered\n')]);
  expect(sent.stderr).toMatch(/\npoolride has it for \$6\.47\.\n$/);
  const lost = String((await box.json([...start, '--ref', 'again'])).id);
  await box.json(['deliveries', 'cancel', lost, '--yes']);
  const again = await run(['deliveries', 'retry', lost, '--wait', 'delivered', '--json']);
  expect([again.exit, jsonOf(again.stdout)]).toMatchObject([0, { status: 'delivered' }]);
  expect(jsonOf(again.stdout)).toMatchObject({
    external_order_ref: 'again',
    id: expect.not.stringMatching(lost),
  });
});

test('exit 9 at once after a failed outcome, and 8 after the time-out, each with the delivery', async () => {
  const id = await kept('--simulate', 'no_driver');
  const bad = await run(['deliveries', 'initiate', id, '--wait', 'delivered', '--json']);
  expect([bad.exit, errorOf(bad.stderr).code]).toEqual([9, 'delivery_provider_canceled']);
  expect(jsonOf(bad.stdout)).toMatchObject({ id, status: 'provider_canceled' });
  const given = await run([...start, '--wait', 'delivered', '--fail-on', 'pickup_complete']);
  expect([given.exit, given.stdout]).toEqual([9, expect.stringContaining('status\tpickup_complete\n')]);
  const line = [...start, '--wait', 'delivered', '--timeout', '3m', '--interval', '30s', '--json'];
  const late = await run(line);
  expect([late.exit, errorOf(late.stderr)]).toMatchObject([
    8,
    {
      message: expect.stringContaining('Time ran out after 3m: '),
      next: [
        {
          command: `waybill deliveries wait ${jsonOf(late.stdout).id} --until delivered --interval 30s`,
        },
      ],
    },
  ]);
});

test('a delivery that fails at once is the result, unless that status is waited for', async () => {
  const declined = [...start, '--simulate', 'payment_declined', '--json', '--wait'];
  const failed = await run([...declined, 'delivered']);
  expect([failed.exit, errorOf(failed.stderr).code]).toEqual([9, 'delivery_failed']);
  expect(errorOf(failed.stderr).next).toMatchObject([{ when: expect.stringContaining('try it again') }]);
  const wanted = await run([...declined, 'failed']);
  expect([wanted.exit, jsonOf(wanted.stdout).status]).toEqual([0, 'failed']);
});

test('several deliveries are waited for together', async () => {
  const [body] = box.requests.filter(({ path }) => path === '/v1/delivery_information');
  const one = { ...jsonOf(body?.body ?? ''), initiate: true };
  const line = ['deliveries', 'create', '-', '--wait', 'delivered', '--timeout', '3h', '--json'];
  const all = await run(line, JSON.stringify([one, one]));
  expect([all.exit, JSON.parse(all.stdout)]).toMatchObject([
    0,
    [{ status: 'delivered' }, { status: 'delivered' }],
  ]);
  const lost = { ...one, dropoff_phone_number: '+13125550136' };
  const bad = await run(line, JSON.stringify([one, lost]));
  expect([bad.exit, JSON.parse(bad.stdout)]).toMatchObject([9, [{}, { status: 'enroute_to_return' }]]);
});

test('waiting for an uninitiated delivery is refused, and none is created', async () => {
  const before = posts();
  const { exit, stderr } = await run([...create, '--wait', 'delivered', '--json']);
  expect([exit, errorOf(stderr).message]).toEqual([2, expect.stringContaining('--wait requires --initiate')]);
  for (const line of [start, ['deliveries', 'initiate', 'x'], ['deliveries', 'retry', 'x']]) {
    const idle = await run([...line, '--timeout', '1m', '--json']);
    expect([idle.exit, errorOf(idle.stderr).message]).toEqual([2, expect.stringMatching(/requires? --wait/)]);
  }
  expect(posts()).toBe(before);
});

test('a repeat with the same key creates nothing and continues to wait', async () => {
  const line = [...start, '--idempotency-key', 'ci-7', '--json', '--wait', 'delivered'];
  const late = await run([...line, '--timeout', '1m']);
  expect(late.exit).toBe(8);
  const again = await run(line);
  expect([again.exit, jsonOf(again.stdout)]).toMatchObject([
    0,
    { id: jsonOf(late.stdout).id, status: 'delivered' },
  ]);
});
