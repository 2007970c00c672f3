import type { CommandSpec, PositionalSpec } from '../kit/args/command-spec.ts';
import type { Flag } from '../kit/args/flags.ts';
import { placeLabel } from '../kit/args/input.ts';
import { columnName } from '../kit/result/column-names.ts';
import { dashed } from '../kit/result/invocation.ts';
import { commonErrors, errorsOf, exitsOf } from './errors.ts';
import type { Answer, Facts } from './facts/fact.ts';
import { groupedFlags } from './flag-groups.ts';
import { type Block, type Line, lines, type Page, type Section, text, words } from './page.ts';
import { shapeText } from './shapes.ts';

/** Creates the help page of a command, examples first. `related` are commands with their summaries. */
export function commandPage(
  path: readonly string[],
  command: CommandSpec,
  facts: Facts,
  related: readonly Line[],
): Page {
  const name = ['waybill', ...path].join(' ');
  const { description, examples, aliases } = command;
  return {
    name,
    summary: command.summary,
    sections: [
      ...lines('Usage', [[[name, ...placeWords(command.positionals), '[FLAGS]'].join(' '), '']]),
      { title: 'Examples', blocks: [{ kind: 'examples', examples }] },
      ...(description === null ? [] : [words('Description', description)]),
      ...lines('Arguments', argumentLines(command.positionals)),
      ...groupedFlags(command).flatMap(([heading, flags]) =>
        lines(
          heading,
          flags.map(([flagName, flag]): Line => [flagWords(flagName, flag), flagSummary(flag)]),
        ),
      ),
      ...columnSections(command.columns),
      ...answerSections(facts.answers),
      ...lines(
        'Exit codes',
        exitsOf(command, facts).map(({ code, meaning }): Line => [String(code), meaning]),
      ),
      ...errorSections(facts),
      ...lines('Related', related),
      ...(aliases.length === 0 ? [] : [words(null, `Aliases: ${aliases.join(', ')}`)]),
    ],
  };
}

/** A positional in the usage line: `ORDER`, `[FILE]`, `ORDER...`. */
export function placeWords(positionals: CommandSpec['positionals']): string[] {
  return Object.entries(positionals).map(([name, place]) => {
    const label = placeWord(name, place) + (place.variadic ? '...' : '');
    return place.required === true ? label : `[${label}]`;
  });
}

/** Short choices are shown as the placeholder: `real|scaled|manual`. */
function placeWord(name: string, { choices }: PositionalSpec<unknown>): string {
  return choices.length > 0 && choices.length < 5 ? choices.join('|') : placeLabel(name);
}

function argumentLines(positionals: CommandSpec['positionals']): Line[] {
  return Object.entries(positionals).map(([name, place]): Line => {
    const word = placeWord(name, place);
    const isNamed = place.choices.length === 0 || word === place.choices.join('|');
    return [word, isNamed ? place.summary : `${place.summary}: ${place.choices.join(', ')}`];
  });
}

function flagWords(name: string, flag: Flag<unknown>): string {
  const long = `--${flag.negatable ? '[no-]' : ''}${dashed(name)}`;
  const value = flag.kind === 'switch' ? '' : flag.bare ? `[=${flag.placeholder}]` : ` ${flag.placeholder}`;
  const aliases = flag.aliases.map((alias) => `, --${alias}`).join('');
  return `${flag.short === null ? '' : `-${flag.short}, `}${long}${value}${aliases}`;
}

function flagSummary(flag: Flag<unknown>): string {
  // Columns are listed in a section of their own.
  const isListed = flag.choices.length > 0 && flag.placeholder !== 'COLUMNS';
  const choices = isListed ? ` (${flag.choices.join(', ')})` : '';
  const initial = flag.defaultText === null ? '' : ` [${flag.defaultText}]`;
  const must = flag.required === true ? ' (required)' : '';
  const repeats = flag.kind === 'list' ? ' (repeatable)' : '';
  return flag.summary + choices + repeats + initial + must;
}

/** The names of columns, each with its heading where that is another name. */
function columnSections(columns: CommandSpec['columns']): Section[] {
  const names = columns.map(({ field, header }) => {
    const heading = columnName(header);
    return heading === field ? field : `${field} (${heading})`;
  });
  return names.length === 0 ? [] : [words('Columns (--columns)', [...new Set(names)].join(', '))];
}

const forms = {
  object: 'An object',
  array: 'An array of objects',
  lines: 'A line with an object for each, as it comes',
} as const;

/** The JSON fields of each result under its own heading; identical ones are merged. */
function answerSections(answers: readonly Answer[]): Section[] {
  if (answers.length === 0) return [];
  const shown = new Map<string, string>();
  const blocks = answers.flatMap(({ when, form, shape }): Block[] => {
    const label = when === null ? forms[form] : `${forms[form]}, ${when}`;
    const entries = shapeLines(shape);
    const [own, rest] = entries[0]?.[0] === 'type' ? [entries.slice(0, 1), entries.slice(1)] : [[], entries];
    const key = JSON.stringify(rest);
    const before = shown.get(key);
    shown.set(key, before ?? label);
    if (before === undefined) return [text(`${label}:`), { kind: 'lines', lines: entries }];
    const same = text(`${label}: the fields above${own.length === 0 ? '.' : ' and'}`);
    return own.length === 0 ? [same] : [same, { kind: 'lines', lines: own }];
  });
  return [{ title: 'JSON (--json)', blocks }];
}

function shapeLines(shape: Answer['shape']): Line[] {
  if (shape.kind === 'either') return shape.of.flatMap(shapeLines);
  if (shape.kind !== 'object') return [[shapeText(shape), '']];
  return shape.fields.map(({ name, shape: of, optional, says }): Line => {
    const type = shapeText(of, of.kind !== 'word');
    return [`${name}${optional ? '?' : ''}`, says === '' ? type : `${type}: ${says}`];
  });
}

/** The command's own error codes with explanations; common ones in one line. */
function errorSections(facts: Facts): Section[] {
  const own = errorsOf(facts);
  const explained = own.map(({ code, exit, when }): Line => [`${code} (${exit})`, when]);
  const common = commonErrors(facts)
    .filter(({ code }) => own.every((each) => each.code !== code))
    .map(({ code, exit }) => `${code} (${exit})`);
  const blocks: Block[] = [
    ...(own.length === 0 ? [] : [{ kind: 'lines', lines: explained } as const]),
    ...(common.length === 0 ? [] : [text(`Any call: ${common.join(', ')}.`)]),
  ];
  return blocks.length === 0 ? [] : [{ title: 'Error codes (exit code)', blocks }];
}
