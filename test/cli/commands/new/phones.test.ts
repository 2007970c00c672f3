import { expect, test } from 'vitest';
import { freshHome } from '../../harness.ts';
import { newOrder, sandbox } from '../../sandbox.ts';
import { ctrlC, person, type Reply, typedOrder } from './person.ts';

const box = await sandbox();
const orders = 'What would you like to send?';
const whole = '+13125550142';
const masked = '+1 312 *** **42';
type Replies = readonly (readonly [string, Reply])[];

async function walk(argv: readonly string[], replies: Replies, home = freshHome()) {
  const prompts = person(replies);
  const outcome = await box.run(argv, { home, tty: true, prompts, ...box.passing });
  const choices = prompts.asked.flatMap((each) => each.choices);
  // A displayed command must be complete.
  const shown = outcome.stderr.split('\n').filter((line) => !line.startsWith('  $ waybill '));
  return { ...outcome, asked: prompts.asked, left: prompts.left(), shown: [...shown, ...choices].join('\n') };
}

/** An order from elsewhere, whose name the person changes. */
async function renamed(name: string): Promise<Replies> {
  const open = await newOrder(box);
  return [
    [orders, 'Add open orders'],
    ['Which orders?', [open]],
    [orders, 'Edit an order'],
    ['Which field?', 'Dropoff name: Joe Diner'],
    ['Dropoff name', name],
  ];
}

test('phone numbers of other orders are masked when shown, and complete when edited', async () => {
  const { exit, left, asked, shown, stderr } = await walk(
    ['new'],
    [
      ...(await renamed('Ada')),
      ['Which field?', `Dropoff phone number: ${masked}`],
      ['Dropoff phone', ''],
      ['Which field?', 'Done'],
      ['Create this order?', 'Create order'],
      [orders, 'Edit an order'],
      ['Which field?', 'Dropoff name: Ada'],
      ['Dropoff name', 'Eve'],
      ['Which field?', 'Done'],
      ['Create this order?', 'Create order'],
      [orders, 'Leave'],
    ],
  );
  expect([exit, left]).toEqual([3, 0]);
  expect(asked.find(({ message }) => message.startsWith('Dropoff phone'))?.initial).toBe(whole);
  expect(shown).not.toMatch(/1312555\d{4}/);
  for (const name of ['Ada', 'Eve'])
    expect(shown).toContain(`  To: ${name}, 233 S Wacker Dr, Chicago, IL 60606, USA, ${masked}\n`);
  expect(shown).toMatch(/^ {2}From: Grill, .*, \+1 312 \*{3} \*{2}01$/m);
  expect(stderr).toContain(`--dropoff-phone-number ${whole} `);
});

test('so are they after resuming; a number typed here is shown as typed', async () => {
  const home = freshHome();
  const started = await walk(
    ['new'],
    [...(await renamed('Ada')), ['Which field?', 'Done'], ['Create this order?', ctrlC]],
    home,
  );
  expect(started.shown).toContain(masked);
  const { shown, exit, left } = await walk(
    ['new', '--resume'],
    [
      [orders, 'Continue the unfinished order'],
      ['Create this order?', 'Edit'],
      ['Which field?', `Dropoff phone number: ${masked}`],
      ['Dropoff phone', '(312) 555-0177'],
      ['Which field?', 'Dropoff phone number: +13125550177'],
      ['Dropoff phone', ''],
      ['Which field?', 'Done'],
      ['Create this order?', 'Discard'],
      [orders, 'Create another order'],
      ...typedOrder.slice(1),
      [orders, 'Leave'],
    ],
    home,
  );
  expect([exit, left]).toEqual([3, 0]);
  expect(shown).toContain('  To: Ada, 233 S Wacker Dr, Chicago, IL 60606, USA, +13125550177\n');
  expect(shown).toContain(`  To: Joe Diner, 233 S Wacker Dr, Chicago, IL 60606, ${whole}\n`);
});
