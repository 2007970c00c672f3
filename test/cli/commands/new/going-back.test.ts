import { expect, test } from 'vitest';
import { fakeServer } from '../../../fakes/places/geocoder.ts';
import { freshHome, waybill } from '../../harness.ts';
import { sandbox } from '../../sandbox.ts';
import { back, typedOrder } from './person.ts';
import { type Typing, typist } from './typist.ts';

const box = await sandbox();
const orders = 'What would you like to send?';

/** The final screen. */
async function walk(replies: Typing, columns: number): Promise<string[]> {
  const person = await typist(replies, { columns });
  const options = { home: freshHome(), tty: true, columns, ...person, ...box.passing };
  const { exit, stderr } = await box.run(['new'], options);
  expect([await person.end(), exit, stderr]).toEqual([0, 0, expect.any(String)]);
  return person.screen();
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

const lists = ['Create this order?', '2 stops', 'Choose a quote', 'Dispatch with'];

/** Each prompt is left once, texts with Esc and lists with their choice; then both are answered. */
const wandering: Typing = straight.flatMap((each, at): Typing => {
  const [question] = each;
  const before = straight.slice(question === 'Create this order?' ? at - 2 : at - 1, at);
  const left = [question, lists.includes(question) ? 'Go back' : back] as const;
  return question === orders ? [each] : [left, ...before.map(again), each];
});

test.each([40, 120])('%i columns: one can go back from every question but the first', async (columns) => {
  const screen = await walk(wandering, columns);
  expect(screen.filter((line) => line.startsWith('?'))).toEqual([]);
  expect(screen.join('').match(/Go ?back/g)).toHaveLength(lists.length);
  expect(screen.join('\n')).toContain('Dispatched to poolride');
});

test('the wizard warns of an address that the geocoder does not find, and goes on', async () => {
  const fake = await fakeServer(() => ({ body: '[]' }));
  const person = await typist([...typedOrder, ['What would you like to send?', 'Leave']], { columns: 120 });
  const env = { WAYBILL_GEOCODER: `nominatim+${fake.url}`, WAYBILL_GEOCODER_RATE: '1000' };
  const { stderr } = await waybill(['new'], { home: freshHome(), tty: true, columns: 120, env, ...person });
  expect(stderr.match(/is not found by the geocoder\. Check it/g)).toHaveLength(2);
});

test('the wizard says what may be wrong with an address, and how it is read', async () => {
  const typing = typedOrder.map(([question, text]): Typing[number] => [
    question,
    question === 'Dropoff address' ? 'Union Station, Chicgo, IL 60606' : text,
  ]);
  const person = await typist([...typing, ['What would you like to send?', 'Leave']], { columns: 120 });
  const { stderr } = await waybill(['new'], { home: freshHome(), tty: true, columns: 120, ...person });
  const shown = stderr.replace(/\s+/g, ' ');
  expect(shown).toContain('which is read as Chicago; has no house number.');
  expect(shown).toContain('It is read as Union Station, Chicgo, IL 60606, USA.');
});
