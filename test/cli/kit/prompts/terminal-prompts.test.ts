import type { PassThrough } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { Interrupted } from '../../../../src/cli/kit/errors/failure.ts';
import { WentBack } from '../../../../src/cli/kit/host/host.ts';
import { typist } from '../../commands/new/typist.ts';
import { promptsOn } from './terminal.ts';

const size = { columns: 60, rows: 20 };
const down = '\u001b[B';
const named = (...names: string[]) => names.map((name) => ({ name, value: name }));

/** Prompts, and a function that types once the screen shows a text. */
function openPrompts(options = size) {
  const terminal = promptsOn(options);
  const shows = (text: string) =>
    expect.poll(async () => (await terminal.lines()).join('\n'), { interval: 2 }).toContain(text);
  const type = async (shown: string, keys: string) => {
    await shows(shown);
    terminal.input.write(keys);
  };
  return { ...terminal, shows, type };
}

test('an answered question leaves one line with its answer, in order', async () => {
  const { prompts, lines, type } = openPrompts();
  const answers = (async () => [
    await prompts.text('Name', { hint: '(- for none)', format: (text) => text.toUpperCase() }),
    await prompts.select('Which', named('one', 'two')),
    await prompts.checkbox('Which of them', named('a', 'b', 'c')),
    await prompts.search('Find', named('left', 'right')),
    await prompts.confirm('Sure'),
    await prompts.secret('Key'),
  ])();
  await type('? Name (- for none)', 'joe\r');
  await type('? Which', `${down}\r`);
  await type('? Which of them', ` ${down}${down} \r`);
  await type('? Find', 'righ');
  await type('❯ right', '\r');
  await type('? Sure', 'y\r');
  await type('? Key', 'hidden\r');
  expect(await answers).toEqual(['joe', 'two', ['a', 'c'], 'right', true, 'hidden']);
  expect(await lines()).toEqual([
    '✔ Name (- for none) JOE',
    '✔ Which two',
    '✔ Which of them a, c',
    '✔ Find right',
    '✔ Sure Yes',
    '✔ Key',
  ]);
});

test.each(['select', 'confirm'] as const)(
  'Enter before the question is no answer to it: %s',
  async (kind) => {
    const { input, prompts, type } = openPrompts();
    const answer = kind === 'select' ? prompts.select('Sure', named('one', 'y')) : prompts.confirm('Sure');
    // A terminal delivers what was typed during other work once it is read again.
    await delay(5);
    input.write('\n');
    await type('? Sure', kind === 'select' ? `${down}\r` : 'y\r');
    expect(await answer).toBe(kind === 'select' ? 'y' : true);
  },
);

test('an error of an answer is displayed under the input, which stays as typed', async () => {
  const { prompts, lines, type } = openPrompts();
  const check = (text: string) => (text === '12345' ? null : 'Enter 5 digits.');
  const answer = prompts.text('ZIP code', { check });
  await type('? ZIP code', '1234\r');
  await type('> Enter 5 digits.', '5');
  await expect.poll(lines, { interval: 2 }).toEqual(['? ZIP code 12345']);
  await type('12345', '\r');
  expect(await answer).toBe('12345');
});

test('a proposed answer is taken by Enter, edited after Tab and removed by Backspace', async () => {
  for (const [keys, expected] of [
    ['\r', 'Joe'],
    ['\ty\r', 'Joey'],
    ['\u007f\r', ''],
  ] as const) {
    const { prompts, type } = openPrompts();
    const answer = prompts.text('Name', { initial: 'Joe' });
    await type('? Name (Joe)', keys);
    expect(await answer).toBe(expected);
  }
});

test('a list is searched by the start of a name or by number', async () => {
  const choices = [
    { name: 'north', value: 'n' },
    { name: 'south', value: 's' },
    { name: 'west', value: 'w' },
  ];
  for (const keys of ['we\r', '3\r']) {
    const { prompts, type } = openPrompts();
    const answer = prompts.select('Where', choices);
    await type('? Where', keys);
    expect(await answer).toBe('w');
  }
});

test('the proposed choice is active first', async () => {
  const { prompts, type } = openPrompts();
  const answer = prompts.select('Which', named('one', 'two'), { initial: 'two' });
  await type('❯ two', '\r');
  expect(await answer).toBe('two');
});

test('lists have a choice to go back, and Esc goes back from any question and erases it', async () => {
  const { prompts, lines, type } = openPrompts();
  const caught = (error: unknown) => error;
  const chosen = prompts.select('Which', named('one'), { back: true }).catch(caught);
  await type('Go back', `${down}\r`);
  expect(await chosen).toBeInstanceOf(WentBack);
  const left = prompts.checkbox('Which of them', named('a'), { back: true }).catch(caught);
  await type('esc go back', ' \u001b');
  expect(await left).toBeInstanceOf(WentBack);
  expect(await lines()).toEqual(['✔ Which Go back']);
});

test('an interruption leaves the question', async () => {
  const { prompts, lines, input, shows } = openPrompts();
  const left = prompts.text('Name').catch((error: unknown) => error);
  await shows('? Name');
  input.write('\u0003');
  expect(await left).toBeInstanceOf(Interrupted);
  expect(await lines()).toEqual(['? Name']);
});

test('at 24 columns a question and its choices wrap at their spaces', async () => {
  const { prompts, lines, type } = openPrompts({ columns: 24, rows: 30 });
  const quote = 'poolride, $6.47 ($5.99 + $0.48), arrives 10:41, 4:07 left';
  for (const options of [{}, { current: () => named(quote, 'haulvan') }]) {
    const answer = prompts.select('Which quote would you like to choose?', named(quote, 'haulvan'), options);
    await type('haulvan', '');
    expect((await lines()).slice(-9)).toEqual([
      ...['? Which quote would you', 'like to choose?'],
      ...['❯ poolride, $6.47', '    ($5.99 + $0.48),', '    arrives 10:41, 4:07', '    left'],
      ...['  haulvan', '', '↑↓ navigate • ⏎ select'],
    ]);
    await type('haulvan', '\r');
    expect(await answer).toBe(quote);
  }
});

test('of a long list as many choices are displayed as fit around the active one', async () => {
  const { prompts, visibleLines, type } = openPrompts({ columns: 40, rows: 12 });
  const names = Array.from({ length: 30 }, (_, at) => `choice ${at + 1}`);
  const answer = prompts.select('Which?', named(...names));
  await type('choice 1', down.repeat(20));
  await expect
    .poll(visibleLines, { interval: 2 })
    .toEqual([
      '? Which?',
      ...['  choice 18', '  choice 19', '  choice 20', '❯ choice 21', '  choice 22', '  choice 23'],
      ...['', '↑↓ navigate • ⏎ select'],
    ]);
  await type('choice 21', '\r');
  expect(await answer).toBe('choice 21');
});

const esc = '\u001b';
const choices = ['first', 'second', 'third'].map((name) => ({ name, value: name }));

/**
 * Resolves with whatever comes first, independent of the speed of the machine: timers set at the same time fire in
 * order.
 */
async function within<T>(ms: number, answer: Promise<T>): Promise<T | 'nothing yet'> {
  const { promise, resolve } = Promise.withResolvers<'nothing yet'>();
  const timer = setTimeout(resolve, ms, 'nothing yet');
  return Promise.race([answer, promise]).finally(() => clearTimeout(timer));
}

/** Types the rest of a key at the next turn of the event loop: on a busy machine a time would be over too late. */
function later(input: PassThrough, text: string): void {
  setImmediate(() => input.write(text));
}

test('Esc goes back promptly, in a text and in a list, also at the second question', async () => {
  const { input, prompts, shows } = openPrompts();
  const questions = [
    () => prompts.text('Name', { back: true }),
    () => prompts.select('Which', choices, { back: true }),
    () => prompts.select('Which', choices, { back: true, current: () => choices }),
  ];
  for (const ask of questions) {
    const gone = ask().catch((error: unknown) => error);
    await shows('? ');
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
    const { input, prompts, shows } = openPrompts();
    const answer = prompts.select('Which', choices, { back: true });
    await shows('? ');
    input.write(first);
    later(input, rest);
    expect(await answer).toBe('second');
  }
});

test('pasted text is inserted completely, whatever keys are in it', async () => {
  const { input, prompts, shows } = openPrompts();
  const answer = prompts.text('Name', { back: true });
  await shows('? ');
  input.write(`Joe Diner${esc}[D${esc}[D${esc}`);
  later(input, `[Dé\r`);
  expect(await answer).toBe('Joe Diéner');
});

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

test.each([
  ['with line ends', 'Grill\r43 E Ohio St,\rChicago, IL 60611\r'],
  ['with those of mails', 'Grill\n43 E Ohio St,\nChicago, IL 60611\n'],
  ['marked by the terminal', '\u001b[200~Grill\r43 E Ohio St,\r\rChicago, IL 60611\r\u001b[201~', '\r'],
  ['marked, in two parts', '\u001b[200~Grill\r43 E Ohio', ' St,\rChicago, IL 60611\u001b[201~', '\r'],
  ['after typed text', 'Gr', 'ill\n43 E Ohio St\nChicago, IL 60611\n'],
])('the lines of a paste %s are one text', async (_, ...keys) => {
  const { input, prompts, lines, written } = promptsOn({ columns: 40 });
  const type = async (text: string, after: string) => {
    await expect.poll(written, { interval: 5 }).toContain(after);
    await new Promise((resolve) => setImmediate(resolve));
    input.write(text);
  };
  const answer = prompts.text('Pickup address');
  for (const each of keys) await type(each, 'Pickup address');
  expect(await answer).toBe('Grill, 43 E Ohio St, Chicago, IL 60611');
  expect((await lines()).join(' ')).toContain('Grill, 43 E');
  const next = prompts.text('Name');
  await type('Joe\r', 'Name');
  expect(await next).toBe('Joe');
});
