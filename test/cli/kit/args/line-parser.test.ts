import { CommanderError } from 'commander';
import { expect, test } from 'vitest';
import { choice, type Flag, flag, integer, list, text } from '../../../../src/cli/kit/args/flags.ts';
import { LineParser, newLineState } from '../../../../src/cli/kit/args/parsed-line.ts';
import { errorOf, waybill } from '../../harness.ts';
import { orderLine, sandbox } from '../../sandbox.ts';

const flags = {
  externalOrderRef: text({ summary: 'Your own reference', aliases: ['ref'] }),
  limit: integer({ summary: 'How many', default: 20 }),
  output: choice({ summary: 'Format', choices: ['json', 'id'], short: 'o' }),
  quiet: flag({ summary: 'Less', short: 'q' }),
  input: flag({ summary: 'Prompts', default: true }),
  noPager: flag({ summary: 'No pager' }),
  item: list({ summary: 'Again for each' }),
  json: { ...text({ summary: 'JSON' }), bare: true },
};

const read = (each: Flag<unknown>, texts: readonly string[]) => each.read(texts);

function parserOf() {
  const state = newLineState();
  const parser = new LineParser({ name: 'try' }, state).addFlags(flags, read).allowExcessArguments();
  parser.action(() => {});
  return { state, parser };
}

test.each<[string[], Record<string, unknown>, string[]]>([
  [['--ref', 'R1', 'a'], { externalOrderRef: 'R1' }, ['a']],
  [['--external-order-ref=R1', '--ref', 'R2'], { externalOrderRef: 'R2' }, []],
  [['-qo', 'json'], { quiet: true, output: 'json' }, []],
  [['-ojson'], { output: 'json' }, []],
  [['--no-input', '--no-pager'], { input: false, noPager: true }, []],
  [['--item', 'a', '--item', 'b'], { item: ['a', 'b'] }, []],
  [['--json', 'id'], { json: '' }, ['id']],
  [['--json=id', '--', '--json'], { json: 'id' }, ['--json']],
  [['--limit', '3', '-5'], { limit: 3 }, ['-5']],
])('%j is read by Commander', (argv, values, words) => {
  const { parser } = parserOf();
  parser.parse(argv, { from: 'user' });
  const given = Object.keys(values);
  expect(Object.fromEntries(given.map((name) => [name, parser.getOptionValue(name)]))).toEqual(values);
  expect(given.map((name) => parser.getOptionValueSource(name))).toEqual(given.map(() => 'cli'));
  expect(parser.args).toEqual(words);
});

test.each([
  [['--made-up'], 'commander.unknownOption'],
  [['--quiet=yes'], 'commander.unknownOption'],
  [['--limit'], 'commander.optionMissingArgument'],
  [['--limit', 'x', '--help'], 'commander.helpDisplayed'],
])('%j ends with the code %s, and what was parsed before it is kept', (argv, code) => {
  const { parser, state } = parserOf();
  const caught: unknown[] = [];
  try {
    parser.parse(['--output', 'json', ...argv.filter((each) => each !== 'x')], { from: 'user' });
  } catch (error) {
    caught.push(error);
  }
  expect(caught).toEqual([expect.any(CommanderError)]);
  expect(caught[0]).toMatchObject({ code });
  expect(state.texts.get('output')).toEqual(['json']);
});

const box = await sandbox();
const delivery = ['deliveries', ...orderLine.slice(1)];

test.each([
  [['--ref', '--dry-run'], '--ref'],
  [['--external-order-ref', '-q'], '--external-order-ref'],
  [['--dropoff-notes', '--no-initiate'], '--dropoff-notes'],
  [['--ref', '--json=id'], '--ref'],
  [['--ref', '--tip=2'], '--ref'],
  [['--ref', '--yes'], '--ref'],
  [['--ref', '--'], '--ref'],
  [['-f', '--dry-run'], '-f'],
  [['-qo', '--dry-run'], '-qo'],
])('%j: a flag is not the value of the previous one, and nothing is sent', async (end, label) => {
  const before = box.requests.length;
  const { stdout, stderr, exit } = await box.run([...delivery, ...end]);
  expect([exit, stdout, box.requests.length]).toEqual([2, '', before]);
  const message = stderr.startsWith('{') ? errorOf(stderr).message : stderr;
  expect(message).toContain(`${label} needs a value.`);
});

test('a value that begins with a dash needs =, or is an unknown flag', async () => {
  const ref = async (...words: string[]) => (await box.json([...delivery, ...words])).external_order_ref;
  expect(await ref('--ref=--dry-run')).toBe('--dry-run');
  expect(await ref('--ref', '--dry-run-7')).toBe('--dry-run-7');
  expect(await ref('--ref', '-12')).toBe('-12');
  expect(await ref('--ref', '-', '-q', '--dropoff-notes', 'Ring - twice')).toBe('-');
});

test('a switch, or a flag that requires =value, consumes no word', async () => {
  const { exit } = await waybill(['profiles', 'list', '-q', '--json', '--no-input']);
  expect(exit).toBe(0);
});

test('at the end of the line the error is the same', async () => {
  const { exit, stderr } = await box.run([...delivery, '--ref', '--json']);
  expect([exit, errorOf(stderr)]).toMatchObject([
    2,
    { code: 'missing_value', message: '--ref needs a value.' },
  ]);
  expect((await box.run([...delivery, '--ref'])).stderr).toMatch(/^Error: --ref needs a value\.\n/);
});
