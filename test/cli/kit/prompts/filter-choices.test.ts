import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { linePrompts } from '../../../../src/cli/kit/prompts/accessible-prompts.ts';
import { narrowed } from '../../../../src/cli/kit/prompts/filter-choices.ts';
import { openBoard } from '../../../../src/cli/kit/prompts/screen.ts';
import { terminalPrompts } from '../../../../src/cli/kit/prompts/terminal-prompts.ts';

const choices = [
  { name: '#1042  Joe Diner  delivered  4 min ago', value: 'dlv_1', description: 'dlv_1' },
  { name: '#1043  Zoë        request    9 min ago', value: 'dlv_2', description: 'dlv_2' },
];
const check = (text: string) => (text === 'bad' ? 'It is bad.' : null);
const { signal } = new AbortController();

/** A terminal that somebody types in. */
function desk() {
  const input = new PassThrough();
  let shown = '';
  const paper = {
    columns: 100,
    rows: 30,
    write: (text: string) => {
      shown += text;
    },
    on: () => {},
    off: () => {},
  };
  const sees = (text: string) => expect.poll(() => shown, { interval: 5 }).toContain(text);
  const type = async (text: string, then: string) => {
    shown = '';
    input.write(text);
    await sees(then);
  };
  return { input, paper, sees, type };
}

async function picking() {
  const { input, paper, ...rest } = desk();
  const prompts = await terminalPrompts(signal, 0, { input, board: openBoard(paper) });
  const answer = prompts.pick('Which delivery', choices, { check });
  await rest.sees('Zoë');
  return { answer, input, ...rest };
}

test('the latest are there at once, and ↓ and Enter take one', async () => {
  const { answer, input, type } = await picking();
  await type('\u001b[B', 'dlv_2');
  input.write('\r');
  expect(await answer).toBe('dlv_2');
});

test('what is typed narrows the list; where it is none of it, it is taken as it is', async () => {
  const first = await picking();
  await first.type('joe del', '❯ #1042');
  first.input.write('\r');
  expect(await first.answer).toBe('dlv_1');
  const second = await picking();
  await second.type('+13125550142', 'As it is typed');
  second.input.write('\r');
  expect(await second.answer).toBe('+13125550142');
});

test('what cannot be taken is said, and not taken', async () => {
  const { answer, input, type } = await picking();
  await type('bad', 'It is bad.');
  input.write('\r');
  await type('\u007f\u007f\u007fdlv_9', 'As it is typed');
  input.write('\r');
  expect(await answer).toBe('dlv_9');
});

test('every word counts, in the name or the id; what is typed comes last, once', () => {
  const values = (text: string) => narrowed(choices.map(made), text, check).map(({ value }) => value);
  const made = (choice: (typeof choices)[number]) => ({ ...choice, disabled: false as const });
  expect(values('')).toEqual(['dlv_1', 'dlv_2']);
  expect(values(' 104 MIN')).toEqual(['dlv_1', 'dlv_2', '104 MIN']);
  expect(values('joe 1043')).toEqual(['joe 1043']);
  expect(values('DLV_2')).toEqual(['dlv_2', 'DLV_2']);
  expect(values('dlv_2')).toEqual(['dlv_2']);
  expect(narrowed([], 'bad', check)).toMatchObject([{ value: 'bad', disabled: 'It is bad.' }]);
});

test('as plain lines it is a numbered list, and takes a number or what is typed', async () => {
  for (const [typed, taken] of [
    ['2', 'dlv_2'],
    ['#77', '#77'],
    ['bad\n3', '3'],
  ]) {
    const input = new PassThrough();
    const output = new PassThrough();
    const lines = { input, output: Object.assign(output, { isTTY: true, columns: 100 }) };
    const answer = linePrompts(signal, lines).pick('Which delivery', choices, { check });
    for (const line of typed?.split('\n') ?? []) {
      await expect.poll(() => output.readableLength, { interval: 5 }).toBeGreaterThan(0);
      input.write(`${line}\n`);
    }
    expect(await answer).toBe(taken);
    expect(String(output.read())).toContain('  2. #1043');
  }
});
