import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { Interrupted } from '../../../../src/cli/kit/errors/failure.ts';
import { WentBack } from '../../../../src/cli/kit/host/host.ts';
import { accessiblePrompts } from '../../../../src/cli/kit/prompts/accessible-prompts.ts';
import { timer } from '../../../../src/cli/kit/system/streams.ts';
import { promptsOn } from './terminal.ts';

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

test('the lines of a paste are one text, which is said', async () => {
  const { prompts, written } = atTerminal(40, '43 E Ohio St\nChicago, IL 60611\n', 'Joe');
  expect(await prompts.text('Pickup address')).toBe('43 E Ohio St, Chicago, IL 60611');
  expect(await prompts.text('Name')).toBe('Joe');
  expect(written().join(' ')).toContain('2 lines were pasted, and are read as one: 43 E Ohio St, Chicago,');
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

const choices = [
  { name: '#1042  Joe Diner  delivered  4 min ago', value: 'dlv_1', description: 'dlv_1' },
  { name: '#1043  Zoë        request    9 min ago', value: 'dlv_2', description: 'dlv_2' },
];
const check = (text: string) => (text === 'bad' ? 'It is bad.' : null);
const { signal } = new AbortController();

async function searching() {
  const { input, prompts, lines } = promptsOn({ columns: 100, rows: 30 });
  const answer = prompts.search('Which delivery', choices, { check });
  const sees = (text: string) =>
    expect.poll(async () => (await lines()).join('\n'), { interval: 2 }).toContain(text);
  const type = async (text: string, then: string) => {
    input.write(text);
    await sees(then);
  };
  await sees('Zoë');
  return { answer, input, lines, type };
}

test('the latest are shown at once, and ↓ and Enter choose one', async () => {
  const { answer, input, type } = await searching();
  await type('\u001b[B', '❯ #1043');
  input.write('\r');
  expect(await answer).toBe('dlv_2');
});

test('typing narrows the list; without a match the text itself is used', async () => {
  const first = await searching();
  await first.type('joe del', '❯ #1042');
  first.input.write('\r');
  expect(await first.answer).toBe('dlv_1');
  const second = await searching();
  await second.type('+13125550142', '❯ +13125550142');
  second.input.write('\r');
  expect(await second.answer).toBe('+13125550142');
});

test('a text that is not valid says why and stays in the line', async () => {
  const { answer, input, type } = await searching();
  await type('bad', '❯ bad');
  await type('\r', '> It is bad.');
  await type('\u007f\u007f\u007fdlv_9', '❯ dlv_9');
  input.write('\r');
  expect(await answer).toBe('dlv_9');
});

test.each([
  [' 104 MIN', ['#1042', '#1043', '104 MIN']],
  ['joe 1043', ['joe 1043']],
  ['DLV_2', ['#1043', 'DLV_2']],
  ['dlv_2', ['#1043']],
])(
  'every word of "%s" must match, in the name or the id; the typed text is the last choice',
  async (text, found) => {
    const { input, lines, answer } = await searching();
    input.write(text);
    const listed = async () => (await lines()).flatMap((line) => /^[❯ ] (#\d+|\S.*)/.exec(line)?.[1] ?? []);
    await expect.poll(listed, { interval: 2 }).toEqual(found);
    input.end();
    await expect(answer).rejects.toThrow(Interrupted);
  },
);

test('in accessible mode it is a numbered list, and takes a number or a text', async () => {
  for (const [typed, taken] of [
    ['2', 'dlv_2'],
    ['#77', '#77'],
    ['bad\n3', '3'],
  ]) {
    const input = new PassThrough();
    const output = new PassThrough();
    const terminal = { input, output: Object.assign(output, { isTTY: true, columns: 100 }) };
    const answer = accessiblePrompts({ ...terminal, signal, timer }).search('Which delivery', choices, {
      check,
    });
    for (const line of typed?.split('\n') ?? []) {
      await expect.poll(() => output.readableLength, { interval: 5 }).toBeGreaterThan(0);
      input.write(`${line}\n`);
    }
    expect(await answer).toBe(taken);
    expect(String(output.read())).toContain('  2. #1043');
  }
});
