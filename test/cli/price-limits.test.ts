import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { oneOf } from '../in-part.ts';
import { errorOf, freshHome, type Outcome } from './harness.ts';
import { liveService, newDelivery, newOrder, orderFields, orderLine, sandbox } from './sandbox.ts';

const box = await sandbox();
const tip = ['--tip', '2'];
/** The cheapest quote is $6.47, of which the tip is no part. */
const [price, below] = ['8.47', '8.46'];

/** A file in a home of its own. */
function fileWith(text: string, name: string): { home: string; name: string } {
  const home = freshHome();
  writeFileSync(join(home, name), text);
  return { home, name };
}

async function quotedRoute(): Promise<string> {
  const { id } = await box.json(['routes', 'create', await newOrder(box, ...tip)]);
  await box.json(['routes', 'quote', String(id), '--wait'], box.passing);
  return String(id);
}

async function canceledDelivery(): Promise<string> {
  const id = await newDelivery(box, ...tip, '--initiate');
  await box.json(['deliveries', 'cancel', id, '--yes']);
  return id;
}

const fields = orderLine.slice(2);
const jsonOrder = JSON.stringify({ ...orderFields, tip: 200 });

/** Every way to have a delivery dispatched: its line, and the home with its file. */
const ways: Readonly<Record<string, () => Promise<{ line: string[]; home?: string }>>> = {
  ship: async () => ({ line: ['ship', ...fields, ...tip, '--cheapest'] }),
  'ship ORDER': async () => ({ line: ['ship', await newOrder(box, ...tip), '--cheapest'] }),
  dispatch: async () => ({ line: ['dispatch', await quotedRoute(), '--cheapest'] }),
  'dispatch --tip': async () => ({ line: ['dispatch', await quotedRoute(), '--fastest', '--tip', '2'] }),
  'deliveries create': async () => ({ line: ['deliveries', 'create', ...fields, ...tip, '--initiate'] }),
  'deliveries create --file': async () => {
    const { home, name } = fileWith(`[${jsonOrder}]`, 'deliveries.json');
    return { line: ['deliveries', 'create', '--file', name, '--initiate'], home };
  },
  'deliveries initiate': async () => ({
    line: ['deliveries', 'initiate', await newDelivery(box, ...tip)],
  }),
  'deliveries retry': async () => ({ line: ['deliveries', 'retry', await canceledDelivery()] }),
  'deliveries retry --from': async () => {
    const { home, name } = fileWith(await canceledDelivery(), 'ids.txt');
    return { line: ['deliveries', 'retry', '--from', name, '--yes'], home };
  },
  'orders create --auto': async () => ({
    line: [...orderLine, ...tip, '--auto', '--retry-window', '0s', '--wait', '--timeout', '5m'],
  }),
  'orders import --auto': async () => {
    const { home, name } = fileWith(`${jsonOrder}\n`, 'orders.ndjson');
    return { line: ['orders', 'import', name, '--auto', '--retry-window', '0s', '--wait'], home };
  },
};

/** What is charged in all, in cents. */
async function charged(): Promise<number> {
  const { stdout } = await box.run(['charges', 'list', '--all', '--json']);
  const charges: { amount: number }[] = JSON.parse(stdout);
  return charges.reduce((sum, { amount }) => sum + amount, 0);
}

/** Runs a way with further flags; returns what it has charged. */
async function spentBy(name: string, ...flags: string[]): Promise<Outcome & { spent: number }> {
  const { line, home } = (await ways[name]?.()) ?? { line: [] };
  const before = await charged();
  const options = { ...box.passing, ...(home === undefined ? {} : { home }) };
  const outcome = await box.run([...line, ...flags], options);
  return { ...outcome, spent: (await charged()) - before };
}

test.each(Object.keys(ways).filter((name) => name !== 'dispatch --tip'))(
  '%s: --max-cost is what is charged in all, with the tip',
  async (name) => {
    const refused = await spentBy(name, '--max-cost', below);
    expect([refused.spent, refused.exit]).toEqual([0, expect.toSatisfy((exit) => exit === 6 || exit === 9)]);
    const sent = await spentBy(name, '--max-cost', price);
    expect([sent.spent, sent.exit, sent.stderr]).toEqual([
      ...[847, 0],
      expect.not.stringContaining('without a limit'),
    ]);
  },
);

test.each(Object.keys(ways).filter(oneOf(2)))(
  '%s: a tip above --max-cost is refused, at no cost',
  async (name) => {
    const { spent, exit } = await spentBy(name, '--max-cost', '1');
    expect([spent, exit]).toEqual([0, 6]);
  },
);

test.each(Object.keys(ways))('%s: with a live key --yes needs --max-cost', async (name) => {
  const { line, home = freshHome() } = (await ways[name]?.()) ?? { line: [] };
  const before = await charged();
  const outcome = await box.run([...line, '--yes', '--json'], {
    ...box.passing,
    ...liveService(box.transport),
    home,
  });
  const error = errorOf(outcome.stderr.trim().split('\n').at(-1) ?? '');
  expect([outcome.exit, await charged()]).toEqual([2, before]);
  expect(error).toMatchObject({
    code: 'confirmation_needed',
    missing: expect.arrayContaining(['--max-cost']),
  });
});

/** What a script is told before it pays $8.47: the price if it is known, and whether the tip is in it. */
const said: Readonly<Record<string, RegExp>> = {
  ship: /for \$8\.47 \(includes \$2\.00 tip\)/,
  'ship ORDER': /for \$6\.47 \(plus the tips/,
  dispatch: /for \$6\.47 \(plus the tips/,
  'deliveries initiate': /for about \$8\.47/,
  'deliveries retry': /for about \$8\.47/,
  'deliveries retry --from': /for about \$8\.47/,
};

const untold = Object.keys(ways).filter((name) => name !== 'dispatch --tip');

test.each(untold.filter(oneOf(2)))(
  '%s: a script without --max-cost is told on stderr what it spends',
  async (name) => {
    const { exit, spent, stderr } = await spentBy(name);
    const warning = /^Warning: (.*), without a limit: --max-cost DOLLARS sets one/m.exec(stderr)?.[1];
    expect([exit, spent, warning]).toEqual([0, 847, expect.stringMatching(said[name] ?? /at any price$/)]);
    const { stderr: lines } = await spentBy(name, '--json');
    const warnings = lines.split('\n').filter((line) => line.startsWith('{'));
    expect(warnings.map((each) => JSON.parse(each).code)).toContain('no_max_cost');
  },
);

test('an order that was above its limit is offered with the price to agree to, and not with a limit', async () => {
  const auto = ['--auto', '--max-cost', below, '--retry-window', '0s', '--wait'];
  const made = await box.run([...orderLine, ...tip, '--ref', 'DEAR-1', ...auto], box.passing);
  expect(made.exit).toBe(9);
  const { stdout } = await box.run(['today', '--json']);
  const problems: { external_order_ref: string; next: { args: string[]; when: string } }[] =
    JSON.parse(stdout).items;
  const next = problems.find((each) => each.external_order_ref === 'DEAR-1')?.next;
  expect(next?.when).toBe('ask once more, if $8.47 or more is agreed: its limit was $8.46');
  expect(next?.args.slice(-2)).toEqual(['--max-cost', 'DOLLARS']);
  const agreed = (next?.args ?? []).map((word) => (word === 'DOLLARS' ? price : word));
  const { exit, stderr } = await box.run(agreed, box.passing);
  expect([exit, stderr]).toEqual([0, stderr]);
});

const unknownBefore = ['orders create --auto', 'orders import --auto', 'deliveries retry --from'];
const knownBefore = Object.keys(ways).filter((name) => !unknownBefore.includes(name));

test.each(knownBefore.filter(oneOf(2, 1)))(
  '%s: a maximum above five times the price is named on stderr',
  async (name) => {
    const { exit, stderr } = await spentBy(name, '--max-cost', '1200');
    // The quote that is taken need not be the cheapest.
    const charged = /: (\$[\d.]+) in all/.exec(stderr)?.[1] ?? price;
    expect([exit, stderr]).toEqual([
      0,
      expect.stringContaining(
        `--max-cost $1,200.00 is more than five times the price of ${charged.replace(/^\$?/, '$')}`,
      ),
    ]);
  },
);

test('the high limit of an order is offered again without a warning', async () => {
  const auto = ['--auto', '--max-cost', '1200', '--retry-window', '0s', '--wait'];
  await box.run([...orderLine, ...tip, '--ref', 'HIGH-1', ...auto], box.passing);
  const { stdout: id } = await box.run(['deliveries', 'list', '--ref', 'HIGH-1', '-o', 'id']);
  await box.run(['sandbox', 'step', id.trim(), 'driver_assigned']);
  await box.run(['sandbox', 'step', id.trim(), 'provider_canceled']);
  const { stdout } = await box.run(['today', '--json']);
  const problems: { id: string; next: { args: string[] } }[] = JSON.parse(stdout).items;
  const { args = [] } = problems.find((each) => each.id === id.trim())?.next ?? {};
  expect(args.slice(-2)).toEqual(['--max-cost', '1200.00']);
  const { exit, stderr } = await box.run(args, box.passing);
  expect([exit, stderr]).toEqual([0, expect.not.stringContaining('five times')]);
});
