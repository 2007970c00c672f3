/** The short help of a command, which `-h` shows: what fits the screen of a terminal. */
import { type CommandSpec, type Example, flagLabel, globalsFor } from '../kit/args/command-input.ts';
import type { Flag } from '../kit/args/flags.ts';
import { argumentLines, flagWords, usageSection } from './command-help.ts';
import {
  type HelpLine,
  linesSection,
  max_page_width,
  type Page,
  pageText,
  textSection,
} from './page-layout.ts';

/** The limits of a short page. */
const max_lines = 40;
const max_examples = 3;
const max_flags = 10;
/** The longest text beside a flag that stays on its line. */
const max_flag_text = 46;

/** Creates the short page: usage, examples, arguments and the flags that matter, as many as fit. */
export function shortCommandPage(path: readonly string[], command: CommandSpec): Page {
  for (let examples = max_examples; examples > 1; examples -= 1) {
    for (let flags = max_flags; flags >= max_flags / 2; flags -= 1) {
      const page = shortPage(path, command, { examples, flags });
      if (linesOf(page).length <= max_lines) return page;
    }
  }
  return shortPage(path, command, { examples: 1, flags: max_flags / 2 });
}

function linesOf(page: Page): string[] {
  return pageText(page).trimEnd().split('\n');
}

function shortPage(
  path: readonly string[],
  command: CommandSpec,
  limits: { examples: number; flags: number },
): Page {
  const name = ['waybill', ...path].join(' ');
  const examples = command.examples.filter(fitsPage).slice(0, limits.examples);
  const shown = mainFlags(command, examples).slice(0, limits.flags);
  const inOrder = allFlags(command).filter(([flag]) => shown.includes(flag));
  const left = allFlags(command).length - inOrder.length;
  return {
    name,
    summary: command.summary,
    sections: [
      ...usageSection(path, command),
      { title: 'Examples', blocks: [{ kind: 'examples', examples }] },
      ...linesSection('Arguments', argumentLines(command.positionals)),
      ...linesSection(
        'Flags',
        inOrder.map((entry) => shortLine(entry, examples)),
      ),
      textSection(
        null,
        `${left} more flags, JSON fields, exit codes: ${name} --help, or, about a word, ${name.replace(' ', ' help ')} WORD`,
      ),
    ],
  };
}

/** False for an example with a quoted word that is wider than the page. */
function fitsPage(example: Example): boolean {
  const sections = [{ title: 'Examples', blocks: [{ kind: 'examples', examples: [example] } as const] }];
  return linesOf({ name: '', summary: '', sections }).every((line) => line.length <= max_page_width);
}

type NamedFlag = readonly [name: string, flag: Flag<unknown>];

function allFlags(command: CommandSpec): NamedFlag[] {
  return Object.entries({ ...command.flags, ...globalsFor(command) });
}

/**
 * The names of its own flags and the format: first those that are required, used in the examples shown or narrow the
 * output.
 */
function mainFlags(command: CommandSpec, examples: readonly Example[]): string[] {
  const rank = ([name, { required, aliases }]: NamedFlag) => {
    if (required === true) return 0;
    if (name === 'yes' && command.confirms) return 1;
    if (name === 'json' || isUsed(examples, flagLabel(name)) || usedAliases(examples, aliases).length > 0)
      return 2;
    if (Object.hasOwn(command.flags, name)) return 3;
    return name === 'output' ? 4 : 5;
  };
  return allFlags(command)
    .filter((entry) => rank(entry) < 5)
    .sort((left, right) => rank(left) - rank(right))
    .map(([name]) => name);
}

function isUsed(examples: readonly Example[], label: string): boolean {
  const isIn = new RegExp(`${label}(?![a-z-])`);
  return examples.some((example) => isIn.test(example.command));
}

/** The other names of a flag that its page must show, as an example has them. */
function usedAliases(examples: readonly Example[], aliases: readonly string[]): string[] {
  return aliases.filter((alias) => isUsed(examples, `--${alias}`));
}

function shortLine([name, flag]: NamedFlag, examples: readonly Example[]): HelpLine {
  const { summary, choices, required } = flag;
  const few = choices.length > 0 && choices.join(', ').length < max_flag_text / 2;
  const text = firstClause(summary) + (few ? ` (${choices.join(', ')})` : '');
  const aliases = usedAliases(examples, flag.aliases);
  return [flagWords(name, { ...flag, aliases }), required === true ? `${text} (required)` : text];
}

/** A summary up to the first explanation, if the whole does not fit its line. */
function firstClause(summary: string): string {
  if (summary.length <= max_flag_text) return summary;
  return summary.split(/; |: | \(/, 1)[0] ?? summary;
}
