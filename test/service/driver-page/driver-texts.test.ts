import { expect, test } from 'vitest';
import { driverTexts, tapMessageIn } from '../../../src/service/driver-page/driver-texts.ts';

/** Each text with its name; functions are called with a count or a name. */
function written(texts: object): [string, string][] {
  return Object.entries(texts).flatMap(([name, text]): [string, string][] => {
    if (typeof text === 'function') return [[name, text(3, 3)]];
    return typeof text === 'object' ? written(text) : [[name, String(text)]];
  });
}

/** Words that are the same in both languages. */
const same = ['PIN', ''];

test.each(['page', 'script'] as const)('no text of the %s stays English in Spanish', (part) => {
  const spanish = new Map(written(driverTexts.es[part]));
  const kept = written(driverTexts.en[part]).filter(
    ([name, text]) => spanish.get(name) === text && !same.includes(text),
  );
  expect(kept).toEqual([]);
});

test('what is filled in is the same in both languages', () => {
  const marks = (text: string) => (text.match(/\{\w+\}/g) ?? []).toSorted();
  const spanish = new Map(written(driverTexts.es.script));
  for (const [name, text] of written(driverTexts.en.script))
    expect([name, marks(spanish.get(name) ?? '')]).toEqual([name, marks(text)]);
});

const messages = [
  ['The PIN is wrong. Ask the recipient again. 1 try is left.', 'quedan: 1'],
  ['The PIN is wrong. Ask the recipient again. 4 tries are left.', 'quedan: 4'],
  ['Locked after 5 wrong PINs, until your shop lifts it.', 'tras 5 PIN'],
  ['This was already changed elsewhere.', 'otro lugar'],
  ['This offer has ended.', 'oferta'],
  ['This was refused. Report the handover again.', 'rechazó'],
  ['Report the handover to each recipient by itself.', 'por separado'],
  ['This order needs a photo. Take one, or say why there is none.', 'foto'],
  ['This order needs a signature. Let the recipient sign, or say why there is none.', 'firma'],
] as const;

test.each(messages)('%s', (message, part) => {
  expect(tapMessageIn('en', message)).toBe(message);
  expect(tapMessageIn('es', message)).toContain(part);
});

test('a message that has no translation is shown as it is', () => {
  expect(tapMessageIn('es', 'Something new.')).toBe('Something new.');
});
