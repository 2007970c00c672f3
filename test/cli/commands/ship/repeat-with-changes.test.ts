import { expect, test } from 'vitest';
import { errorOf, jsonOf } from '../../harness.ts';
import { orderLine, sandbox } from '../../sandbox.ts';

const box = await sandbox();

/** A command whose idempotency key is the reference of its order. */
function ship(ref: string, ...flags: string[]) {
  box.advance(1);
  const line = ['ship', ...orderLine.slice(2), '--ref', ref, '--idempotency-key', ref, '--json', ...flags];
  return box.run(line, box.passing);
}

async function shipped(ref: string, ...flags: string[]): Promise<string> {
  const { stdout } = await ship(ref, ...flags);
  return JSON.parse(stdout).deliveries[0].id;
}

test('a repeat with a lower maximum than was paid is exit 6, and the delivery stays', async () => {
  const delivery = await shipped('dear', '--cheapest', '--max-cost', '7');
  const { stdout, stderr, exit } = await ship('dear', '--cheapest', '--max-cost', '6.46');
  expect([exit, stdout]).toEqual([6, '']);
  expect(errorOf(stderr)).toMatchObject({
    code: 'above_max_cost',
    message: expect.stringMatching(
      /^Route rte_\w+ was already dispatched for \$6\.47, above --max-cost \$6\.46\.$/,
    ),
    hint: expect.stringMatching(/^Nothing was changed/),
    next: [{ command: `waybill deliveries explain ${delivery}` }],
  });
  expect((await ship('dear', '--cheapest', '--max-cost', '6.47')).exit).toBe(0);
});

test.each([
  ['more', ['--tip', '1'], ['--tip', '2.50'], '$1.00; the tip of $2.50'],
  ['none', ['--tip', '1'], [], '$1.00; the tip of $0.00'],
  ['some', [], ['--tip', '0.50'], '$0.00; the tip of $0.50'],
])('a repeat with another tip is a conflict: %s', async (ref, first, then, text) => {
  await shipped(ref, '--cheapest', ...first);
  const { stderr, exit } = await ship(ref, '--cheapest', ...then);
  expect([exit, errorOf(stderr)]).toMatchObject([
    6,
    {
      code: 'idempotency_key_reuse',
      message: expect.stringContaining(`with a tip of ${text} was not applied`),
    },
  ]);
  expect((await ship(ref, '--cheapest', ...first)).exit).toBe(0);
});

test('a repeat that would choose another quote says what was not applied, and others do not', async () => {
  const delivery = await shipped('choice', '--cheapest');
  const { stdout, stderr, exit } = await ship('choice', '--fastest');
  expect([exit, jsonOf(stdout)]).toMatchObject([0, { deliveries: [{ id: delivery, service: 'poolride' }] }]);
  expect(stderr).toMatch(
    /nothing was created twice\. It used the quote of poolride: --fastest was not applied/,
  );
  expect((await ship('choice', '--cheapest')).stderr).not.toContain('applied');
});

test('all missing input is named at once, including the choice of a quote', async () => {
  const before = box.requests.length;
  const line = ['ship', '--pickup-name', 'Grill', '--store', 'str_1', '--dropoff-name', 'Joe', '--json'];
  const { stderr, exit } = await box.run(line);
  expect([exit, errorOf(stderr)]).toMatchObject([
    2,
    {
      code: 'missing_input',
      missing: [
        '--dropoff-address',
        '--dropoff-phone-number',
        '--item',
        '--cheapest or --fastest or --provider or --driver',
      ],
      choices: ['--cheapest', '--fastest', '--provider', '--driver'],
    },
  ]);
  const bad = await box.run([...line, '--tip', 'much']);
  expect(errorOf(bad.stderr).missing).toContain('--cheapest or --fastest or --provider or --driver');
  expect(box.requests).toHaveLength(before);
});
