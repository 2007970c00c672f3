import { expect, test } from 'vitest';
import { freshHome } from '../../harness.ts';
import { sandbox } from '../../sandbox.ts';
import { back, typedOrder } from './person.ts';
import { nothing, type Typed, type Typing, typist } from './typist.ts';

const box = await sandbox();
const widths = [40, 80, 120];
const orders = 'What would you like to send?';

/** The final screen; random parts are the same at the same position. */
async function walk(replies: Typing, columns: number): Promise<string[]> {
  const person = await typist(replies, { columns });
  const options = { home: freshHome(), tty: true, columns, ...person, ...box.passing };
  const { exit, stderr } = await box.run(['new', '--emit-script', 'again.sh'], options);
  expect([await person.end(), exit, stderr]).toEqual([0, 0, expect.any(String)]);
  const chance = /(?<=_)(?:[0-9A-Z]\n?){25}[0-9A-Z]|(?<=waybill-home-)(?:\w\n?){5}\w/g;
  const screen = (await person.screen()).join('\n');
  return screen.replace(chance, (name) => name.replace(/\w/g, 'X')).split('\n');
}

const straight: Typing = [
  ...typedOrder,
  [orders, 'Continue: create'],
  ['2 stops', 'Request'],
  ['Choose a quote', 'poolride'],
  ['Dispatch with', 'Dispatch it'],
];

/** The previous text is proposed; in a list the same choice is selected again. */
const again = ([question, reply]: Typing[number]): Typing[number] => [
  question,
  /^(Pickup|Dropoff|What is it)/.test(question) ? '' : reply,
];

/** Each prompt is left once with half an answer; then both are answered. */
const wandering: Typing = straight.flatMap((each, at): Typing => {
  const [question] = each;
  const before = straight.slice(question === 'Create this order?' ? at - 2 : at - 1, at);
  return question === orders ? [each] : [[question, back], ...before.map(again), each];
});

const modeLine = 'sandbox · test mode';

/** The screen before anything is created. The mode is only shown once something is sent. */
function asked(screen: readonly string[]): string[] {
  const made = screen.findIndex((line) => line.startsWith('Created order'));
  return screen.slice(0, made).filter((line) => line !== modeLine);
}

test.each(widths)(
  '%i columns: after going back from everywhere each answer is shown once, in its place',
  async (columns) => {
    const plain = await walk(straight, columns);
    const wandered = await walk(wandering, columns);
    expect(asked(wandered)).toEqual(asked(plain));
    // Actions at the service are shown where they happened.
    expect(wandered.toSorted()).toEqual(plain.toSorted());
    expect(wandered.filter((line) => line.startsWith('?'))).toEqual([]);
  },
);

const phone = '+13125550142';

/** The screen without the questions about items, which differ once items are changed one by one. */
function withoutItems(screen: readonly string[]): string[] {
  const first = screen.findIndex((line) => /^✔ (?:What is it|Which item)/.test(line));
  const end = screen.findIndex((line) => line.startsWith('✔ Create this order?'));
  return [...screen.slice(0, first), ...screen.slice(end)];
}

test.each(widths)('%i columns: changed answers are shown where they were given first', async (columns) => {
  const changed = await walk(
    [
      ...typedOrder.slice(0, 5),
      ['Dropoff name', 'Jo'],
      ['Dropoff phone', '+1 999 999'],
      ['What is it?', 'Soup'],
      ['Another item?', 'Bread'],
      ['Another item?', ''],
      ['Create this order?', 'Edit'],
      ['Which field?', 'Dropoff name: Jo'],
      ['Dropoff name', 'Joe'],
      ['Which field?', 'Item'],
      ['Which item?', '1 x Soup'],
      ['What is it?', 'Brisket Classic:4:small'],
      ['Which item?', '1 x Bread'],
      ['What is it?', '-'],
      ['Which item?', 'Done'],
      ['Which field?', 'Dropoff name: Joe'],
      ['Dropoff name', back],
      ['Which field?', 'Dropoff name: Joe'],
      ['Dropoff name', 'Joe Diner'],
      ['Which field?', 'Done'],
      ['Create this order?', 'Create order'],
      ['Dropoff phone', phone],
      ...straight.slice(9),
    ],
    columns,
  );
  const plain = await walk(straight, columns);
  const [items, ...others] = [asked(changed), asked(plain)].map(withoutItems);
  expect(items).toEqual(others[0]);
  const shown = asked(changed).join(' ').replace(/\s+/g, ' ');
  expect(shown).toContain('✔ Which item? Done: 4 x Brisket Classic (small) From: ');
  expect(shown).not.toMatch(/Soup|Bread/);
  expect(changed.filter((line) => line === modeLine)).toEqual([modeLine]);
});

test('going back from a second order leaves the first unchanged', async () => {
  const screen = await walk(
    [
      ...typedOrder,
      [orders, 'Create another'],
      ['Pickup address', '1060 W Addison St, Chicago, IL 60613'],
      ['Pickup name', back],
      ['Pickup address', back],
      [orders, 'Continue the unfinished'],
      ['Pickup name', back],
      ['Pickup address', ''],
      ...typedOrder.slice(2, 6),
      ['Dropoff phone', back],
      ['Dropoff name', ''],
      ...typedOrder.slice(6),
      ...straight.slice(10).map(([question, reply]): Typing[number] => [question.replace('2', '3'), reply]),
    ],
    80,
  );
  const once = (text: string) => screen.filter((line) => line.startsWith(`✔ ${text}`)).length;
  expect(['Pickup address', 'Pickup name', 'Dropoff name', orders].map(once)).toEqual([2, 2, 2, 3]);
});

test('resized at every question, each is shown once, as wide as the terminal', async () => {
  const resized = straight.map(([question, reply], at): Typing[number] => {
    const resize: Typed = async (person) => {
      for (const columns of [120, 40, 25, 80, 33]) {
        person.resize(columns);
        const screen = await person.screen();
        const isOpen = (line: string) => line.startsWith(`? ${question.slice(0, 9)}`);
        const open = screen.findLastIndex(isOpen);
        expect(screen.filter(isOpen)).toHaveLength(1);
        expect(screen.slice(open).join(' ')).not.toContain('✔');
        if (at === 12) expect(screen.filter((line) => line.includes(' left')).length).toBeLessThanOrEqual(4);
      }
      return typeof reply === 'string' ? reply : nothing;
    };
    return [question, resize];
  });
  const screen = await walk(resized, 80);
  expect(screen.filter((line) => line.startsWith('? '))).toEqual([]);
});
