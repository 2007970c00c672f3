import type { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { WentBack } from '../../../../src/cli/kit/host/host.ts';
import { promptsOn } from './terminal.ts';

const esc = '\u001b';
const choices = ['first', 'second', 'third'].map((name) => ({ name, value: name }));

/** Prompts, and whether one of them is displayed. */
function openPrompts() {
  const { input, prompts, lines } = promptsOn({ columns: 80, rows: 24 });
  const shown = () => expect.poll(async () => (await lines()).join('\n'), { interval: 1 }).toMatch(/^\? /m);
  return { input, prompts, shown };
}

/**
 * Resolves with whatever comes first, independent of the speed of the machine: timers set at the same time fire in
 * order.
 */
async function within<T>(ms: number, answer: Promise<T>): Promise<T | 'nothing yet'> {
  const { promise, resolve } = Promise.withResolvers<'nothing yet'>();
  const timer = setTimeout(resolve, ms, 'nothing yet');
  return Promise.race([answer, promise]).finally(() => clearTimeout(timer));
}

/** Types the rest of a key shortly after its beginning. */
function later(input: PassThrough, text: string): void {
  setTimeout(() => input.write(text), 5);
}

test('Esc goes back promptly, in a text and in a list, also at the second question', async () => {
  const { input, prompts, shown } = openPrompts();
  const questions = [
    () => prompts.text('Name', { back: true }),
    () => prompts.select('Which', choices, { back: true }),
    () => prompts.select('Which', choices, { back: true, current: () => choices }),
  ];
  for (const ask of questions) {
    const gone = ask().catch((error: unknown) => error);
    await shown();
    input.write(esc);
    expect(await within(100, gone)).toBeInstanceOf(WentBack);
  }
});

test('an arrow key is one key, in one or two reads', async () => {
  for (const [first, rest] of [
    [`${esc}[B`, '\r'],
    [esc, '[B\r'],
    [`${esc}[`, 'B\r'],
  ] as const) {
    const { input, prompts, shown } = openPrompts();
    const answer = prompts.select('Which', choices, { back: true });
    await shown();
    input.write(first);
    later(input, rest);
    expect(await answer).toBe('second');
  }
});

test('pasted text is inserted completely, whatever keys are in it', async () => {
  const { input, prompts, shown } = openPrompts();
  const answer = prompts.text('Name', { back: true });
  await shown();
  input.write(`Joe Diner${esc}[D${esc}[D${esc}`);
  later(input, `[Dé\r`);
  expect(await answer).toBe('Joe Diéner');
});
