import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { WentBack } from '../../../../src/cli/kit/host/host.ts';
import { accessiblePrompts } from '../../../../src/cli/kit/prompts/accessible-prompts.ts';
import { timer } from '../../../../src/cli/kit/system/streams.ts';

/** Prompts at a terminal with a number of columns, with these lines typed one after another. */
function atTerminal(columns: number, ...typed: string[]) {
  const input = new PassThrough();
  const output = Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY: true, columns });
  let written = '';
  output.on('data', (text: string) => {
    written += text;
    const line = text.endsWith('\n') ? undefined : typed.shift();
    if (line === undefined) return;
    written += `${line}\n`;
    input.write(`${line}\n`);
  });
  const prompts = accessiblePrompts({ input, output, timer, signal: new AbortController().signal });
  return { prompts, written: () => written.trimEnd().split('\n') };
}

const named = (...names: string[]) => names.map((name) => ({ name, value: name }));

test('a text: wrapped at spaces, and an error names its question', async () => {
  const { prompts, written } = atTerminal(40, '43 E Ohio St', '312 555 0142');
  const check = (text: string) =>
    /\d{7}|0142/.test(text) ? null : 'It has an area code, or a plus and the country.';
  const format = () => '+13125550142';
  const options = { check, format, initial: 'none', hint: '(- for none)' };
  expect(await prompts.text('Pickup phone (312-555-0142, or +13125550142)', options)).toBe('312 555 0142');
  expect(written()).toEqual([
    'Pickup phone (312-555-0142, or',
    '+13125550142) (- for none) [none] 43 E Ohio St',
    'Pickup phone: It has an area code, or a',
    'plus and the country.',
    'Pickup phone (312-555-0142, or',
    '+13125550142) (- for none) [none] 312 555 0142',
    'Pickup phone: stored as +13125550142.',
  ]);
});

test('a list: plain and numbered, and an error names its question', async () => {
  const { prompts, written } = atTerminal(40, '9', 'two', '2', '1');
  const quotes = named('poolride, $6.47 ($5.99 + $0.48), there at 10:41', 'metrobike', 'swiftly');
  const late = quotes.map((each, at) => (at === 1 ? { ...each, disabled: 'expired' } : each));
  await prompts.select('Which quote is taken? (cost + fee)', late, { back: true });
  const fault = ['Which quote is taken: enter a number', 'from 0 to 3.'];
  expect(written()).toEqual([
    'Which quote is taken? (cost + fee)',
    '  1. poolride, $6.47 ($5.99 + $0.48),',
    '    there at 10:41',
    '  2. metrobike: expired',
    '  3. swiftly',
    '  0. Go back',
    ...['Number: 9', ...fault, 'Number: two', ...fault],
    'Number: 2',
    'Which quote is taken: metrobike:',
    'expired.',
    'Number: 1',
  ]);
});

test('several of a list, a confirmation, and going back', async () => {
  const { prompts, written } = atTerminal(60, '1, 4', '2,3', 'yes', '0', '<');
  expect(await prompts.checkbox('Which of them?', named('a', 'b', 'c'))).toEqual(['b', 'c']);
  expect(written()).toContain('Which of them: enter numbers from 1 to 3.');
  expect(await prompts.confirm('Dispatch to poolride for $6.47?')).toBe(true);
  await expect(prompts.select('Which?', named('a'), { back: true })).rejects.toThrow(WentBack);
  await expect(prompts.text('Name', { back: true })).rejects.toThrow(WentBack);
  expect(written().join('')).not.toContain('\u001b');
});
