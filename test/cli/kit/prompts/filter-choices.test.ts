import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { accessiblePrompts } from '../../../../src/cli/kit/prompts/accessible-prompts.ts';
import { filterChoices } from '../../../../src/cli/kit/prompts/filter-choices.ts';
import { timer } from '../../../../src/cli/kit/system/streams.ts';
import { promptsOn } from './terminal.ts';

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
  return { answer, input, type };
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
  await second.type('+13125550142', 'Use "+13125550142" as typed');
  second.input.write('\r');
  expect(await second.answer).toBe('+13125550142');
});

test('a choice that is not available says why and is not taken', async () => {
  const { answer, input, type } = await searching();
  await type('bad', 'It is bad.');
  input.write('\r');
  await type('\u007f\u007f\u007fdlv_9', 'Use "dlv_9" as typed');
  input.write('\r');
  expect(await answer).toBe('dlv_9');
});

test('every word must match, in the name or the id; the typed text is the last choice', () => {
  const values = (text: string) => filterChoices(choices, text, check).map(({ value }) => value);
  expect(values('')).toEqual(['dlv_1', 'dlv_2']);
  expect(values(' 104 MIN')).toEqual(['dlv_1', 'dlv_2', '104 MIN']);
  expect(values('joe 1043')).toEqual(['joe 1043']);
  expect(values('DLV_2')).toEqual(['dlv_2', 'DLV_2']);
  expect(values('dlv_2')).toEqual(['dlv_2']);
  expect(filterChoices([], 'bad', check)).toMatchObject([{ value: 'bad', disabled: 'It is bad.' }]);
});

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
