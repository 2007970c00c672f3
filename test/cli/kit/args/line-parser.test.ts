import { CommanderError } from 'commander';
import { expect, test } from 'vitest';
import { choice, type Flag, flag, integer, list, text } from '../../../../src/cli/kit/args/flags.ts';
import { globalsFor } from '../../../../src/cli/kit/args/global-flags.ts';
import { flagLabel } from '../../../../src/cli/kit/args/input.ts';
import { LineParser, newLineState } from '../../../../src/cli/kit/args/line-parser.ts';
import { commands } from '../../commands-of-tree.ts';

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

test('missing flags have their defaults', () => {
  const { parser, state } = parserOf();
  parser.parse([], { from: 'user' });
  expect(parser.opts()).toMatchObject({ limit: 20, input: true, quiet: false, item: [] });
  expect(parser.getOptionValueSource('limit')).toBe('default');
  expect([...state.texts]).toEqual([]);
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

test.each(commands)('$words is a command with an option for each name of its flags', ({ path, command }) => {
  const all: Record<string, Flag<unknown>> = { ...globalsFor(command), ...command.flags };
  const parser = new LineParser({ name: path.at(-1) ?? '' }, newLineState());
  parser.addFlags(all, () => undefined).addPlaces(command.positionals);
  const names = Object.entries(all).flatMap(([name, { aliases, negatable }]) => [
    flagLabel(name),
    ...aliases.map((alias) => `--${alias}`),
    ...(negatable ? [`--no-${flagLabel(name).slice(2)}`] : []),
  ]);
  expect(parser.options.map(({ long }) => long)).toEqual(names);
  for (const option of parser.options) {
    const declared = all[option.attributeName()];
    expect(option.argChoices ?? []).toEqual(declared?.choices);
    expect(option.required).toBe(declared?.kind !== 'switch' && declared?.bare !== true);
  }
  expect(parser.registeredArguments.map((each) => each.name())).toEqual(Object.keys(command.positionals));
});
