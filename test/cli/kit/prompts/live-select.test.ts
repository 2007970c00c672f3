import { expect, test } from 'vitest';
import { typist } from '../../commands/new/typist.ts';

const quotes = ['poolride', 'metrobike', 'swiftly'];
const since = (...late: string[]) =>
  quotes.map((name) => ({ name, value: name, ...(late.includes(name) ? { disabled: 'expired' } : {}) }));

test('a choice available when first shown is taken, even if it is shown as unavailable by now', async () => {
  let now = since();
  const late = () => {
    now = since('poolride', 'metrobike');
    return 'metrobike';
  };
  const { prompts, screen } = await typist([['Choose a quote', late]], { columns: 80 });
  expect(await prompts.select('Choose a quote', since(), { current: () => now })).toBe('metrobike');
  expect((await screen()).join('\n')).toContain('Choose a quote metrobike');
});
