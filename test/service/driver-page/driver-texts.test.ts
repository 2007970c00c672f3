import { expect, test } from 'vitest';
import { driverTexts } from '../../../src/service/driver-page/driver-texts.ts';
import { tapTexts, wrongPinText } from '../../../src/service/fleet/handover-proofs.ts';

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

test('each message about a tap is in both languages', () => {
  const texts = [...Object.values(tapTexts), wrongPinText(1), wrongPinText(4)].filter(({ en }) => en !== '');
  expect(texts.filter(({ en, es }) => es === '' || es === en)).toEqual([]);
  expect(wrongPinText(1)).toEqual({
    en: 'The PIN is wrong. Ask the recipient again. 1 try is left.',
    es: 'El PIN no es correcto. Pregunte otra vez al destinatario. Intentos que quedan: 1.',
  });
});
