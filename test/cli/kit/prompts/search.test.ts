import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { Interrupted } from '../../../../src/cli/kit/errors/failure.ts';
import { accessiblePrompts } from '../../../../src/cli/kit/prompts/accessible-prompts.ts';
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
