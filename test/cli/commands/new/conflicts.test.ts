import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { freshHome, newInterruption } from '../../harness.ts';
import { newOrder, sandbox } from '../../sandbox.ts';
import { back, ctrlC, person, type Reply, typedOrder } from './person.ts';

const box = await sandbox();
const orders = 'What would you like to send?';
const toQuotes = [...typedOrder, [orders, 'Continue: create'], ['2 stops', 'Request']] as const;
const toPrice = [...toQuotes, ['Choose a quote', 'poolride']] as const;
type Replies = readonly (readonly [string, Reply])[];

/** Runs the wizard in a new home. */
async function walk(replies: Replies) {
  // Records created now are the newest.
  box.advance(1);
  const prompts = person(replies);
  const home = freshHome();
  const interruption = newInterruption();
  const outcome = await box.run(['new'], { home, tty: true, prompts, interruption, ...box.passing });
  const isKept = existsSync(join(home, '.local', 'share', 'waybill', 'new', 'sandbox.json'));
  return {
    ...outcome,
    asked: prompts.asked,
    left: prompts.left(),
    isKept,
    status: interruption.status()?.text ?? null,
  };
}

const newest = async (group: string, ...flags: string[]) => {
  const { stdout } = await box.run([group, 'list', '-o', 'id', '--limit', '1', ...flags]);
  return stdout.trim();
};

/** Another process is faster while the prompt is open. */
const meddled =
  (reply: Reply, meddle: () => Promise<unknown>): Reply =>
  async () => {
    await meddle();
    return reply;
  };

const dispatchedElsewhere = async () => {
  const route = await newest('routes');
  const { data } = await box.json(['quotes', 'list', route]).catch(() => ({ data: null }));
  if (data === null) await box.json(['routes', 'quote', route]);
  box.advance(10_000);
  await box.json(['dispatch', route, '--fastest']);
};
const deletedElsewhere = async () => box.json(['routes', 'delete', await newest('routes')]);

const taken = /^Route (rte_\w+) is now dispatched: someone else changed it\.$/m;
const choices = [
  'Watch its deliveries until they end',
  'Show its deliveries and quit',
  'Start again from the orders',
  'Quit',
];

test('dispatched by somebody else at the confirmation: reported, its deliveries shown, nothing repeated', async () => {
  const { exit, stdout, stderr, asked, left, isKept } = await walk([
    ...toPrice,
    ['Dispatch with', meddled('Dispatch it', dispatchedElsewhere)],
    ['What now?', 'Show its deliveries'],
  ]);
  expect([exit, left, isKept]).toEqual([0, 0, false]);
  expect(asked.at(-1)?.choices).toEqual(choices);
  expect(stderr).toMatch(taken);
  expect(stdout).toMatch(/\n\S*\w{5}\S* +\S*waiting for a driver\S* +swiftly/);
  expect(stderr).toMatch(/Next: waybill deliveries watch dlv_/);
});

test.each([
  [0, 'happy_path', []],
  [9, 'provider_cancel_before_pickup', []],
  [8, 'happy_path', ['--dropoff-at', '2026-03-03T10:00:00Z']],
] as const)(
  'followed to exit %i, the wizard ends, and nothing is left to resume',
  async (code, scenario, flags) => {
    await box.json(['sandbox', 'scenario', 'set', scenario]);
    const open = await newOrder(box, ...flags);
    const { exit, stderr, left, isKept } = await walk([
      [orders, 'Add open orders'],
      ['Which orders?', [open]],
      ...toPrice.slice(typedOrder.length),
      ['Dispatch with', meddled('Dispatch it', dispatchedElsewhere)],
      ['What now?', 'Watch'],
    ]);
    await box.json(['sandbox', 'scenario', 'set', 'happy_path']);
    expect([exit, left, isKept, stderr]).toEqual([code, 0, false, expect.stringMatching(taken)]);
  },
);

test('dispatched by somebody else at any other step: start again with new orders, or leave', async () => {
  const asksAgain: Replies = [
    ...toQuotes,
    ['Choose a quote', meddled('Request new', dispatchedElsewhere)],
    ['What now?', 'Start again'],
    [orders, 'Leave'],
  ];
  const goesBack: Replies = [
    ...toQuotes,
    ['Choose a quote', meddled(back, dispatchedElsewhere)],
    ['What now?', 'Quit'],
  ];
  const changes: Replies = [
    ...toQuotes,
    ['Choose a quote', back],
    ['2 stops', back],
    [orders, meddled('Remove an order', dispatchedElsewhere)],
    ['What should happen to', 'Cancel it'],
    ['What now?', 'Quit'],
  ];
  for (const replies of [asksAgain, goesBack, changes]) {
    const { exit, stderr, left, isKept } = await walk(replies);
    expect([exit, left, isKept]).toEqual([3, 0, false]);
    expect(stderr).toMatch(taken);
    expect(stderr).toMatch(/Order ord_\w+ is now dispatched: removed from this delivery\.\n/);
    expect(stderr).not.toMatch(/\n.*Nothing was dispatched/);
  }
});

test('if the person leaves at that question, the message is true', async () => {
  const { stderr, isKept, status } = await walk([
    ...toPrice,
    ['Dispatch with', meddled('Dispatch it', dispatchedElsewhere)],
    ['What now?', ctrlC],
  ]);
  const route = taken.exec(stderr)?.[1] ?? '';
  expect(isKept).toBe(true);
  expect(status).toEqual(`Route ${route} is now dispatched. See it with: \`waybill routes get ${route}\`.`);
});

test('a route deleted by somebody else is created again, without its canceled order', async () => {
  const gone = await walk([
    ...toPrice,
    ['Dispatch with', meddled('Dispatch it', deletedElsewhere)],
    ['2 stops', meddled('Request', deletedElsewhere)],
    ['2 stops', 'Leave'],
  ]);
  expect([gone.exit, gone.left, gone.isKept]).toEqual([3, 0, true]);
  expect(gone.stderr.match(/Route rte_\w+ no longer exists\.\n/g)).toHaveLength(2);
  const canceled = await walk([
    ...toQuotes,
    [
      'Choose a quote',
      meddled('Request new', async () => {
        await deletedElsewhere();
        await box.json(['orders', 'cancel', await newest('orders'), '--yes']);
      }),
    ],
    [orders, 'Leave'],
  ]);
  expect([canceled.exit, canceled.left]).toEqual([3, 0]);
  expect(canceled.stderr).toMatch(/Order ord_\w+ is now canceled: removed from this delivery\.\n/);
});

test('an order to be replaced that is dispatched meanwhile stays beside the new one', async () => {
  const changed: Replies = [
    ...toQuotes,
    ['Choose a quote', back],
    ['2 stops', back],
    [orders, 'Edit an order'],
    ['Which field?', 'Dropoff name: Joe Diner'],
    ['Dropoff name', 'Ada'],
    ['Which field?', 'Done'],
    ['Create this order?', meddled('Create order', dispatchedElsewhere)],
  ];
  const seen = await walk([...changed, ['What now?', 'Show']]);
  expect([seen.exit, seen.left]).toEqual([0, 0]);
  expect(seen.stderr).toMatch(/Order ord_\w+ is not part of it and stays as it is\.\n/);
  const { exit, stderr, left } = await walk([
    ...changed,
    ['What now?', 'Start again'],
    [orders, 'Remove an order'],
    ['What should happen to', 'Cancel it'],
    [orders, 'Leave'],
  ]);
  expect([exit, left]).toEqual([3, 0]);
  const beside = /Order (ord_\w+) is now dispatched and was not canceled\.\nThe new order (ord_\w+) exists/;
  const [, old, made] = beside.exec(stderr) ?? [];
  expect(await box.json(['orders', 'get', old ?? ''])).toMatchObject({ status: 'dispatched' });
  expect(await box.json(['orders', 'get', made ?? ''])).toMatchObject({ status: 'canceled' });
});

test('stopping undoes everything except what somebody else uses', async () => {
  await box.json(['sandbox', 'scenario', 'set', 'no_quotes_then']);
  const elsewhere = async () => {
    await box.json(['sandbox', 'scenario', 'set', 'happy_path']);
    await deletedElsewhere();
    const { id } = await box.json(['routes', 'create', await newest('orders')]);
    for (const _ of [1, 2, 3, 4]) {
      await box.json(['routes', 'quote', String(id)]);
      box.advance(10_000);
    }
    await dispatchedElsewhere();
  };
  const { exit, stdout, left } = await walk([...toQuotes, ['No quotes', meddled('Stop', elsewhere)]]);
  expect([exit, left]).toEqual([0, 0]);
  expect(stdout).toBe('Nothing was dispatched from here. What someone else changed stays as it is.\n');
  expect(await box.json(['orders', 'get', await newest('orders')])).toMatchObject({ status: 'dispatched' });
});
