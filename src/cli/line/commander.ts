import { CommanderError, Option, Command as Parser } from 'commander';
import type { Flags } from '../command.ts';
import { UsageError } from '../failures/failure.ts';
import { invocation } from '../kit/output/invocation.ts';
import { refuseEatenFlags } from './eaten.ts';
import { globalFlags } from './globals.ts';
import { dashed } from './input.ts';
import type { Taken, Texts, Tokens } from './plain.ts';
import { meantFlag } from './suggestions.ts';

/** Takes a line apart with Commander, which knows every way to write flags. Throws UsageError. */
export function takenApart({ path, tokens, flags }: Tokens, given: Texts): Taken {
  refuseEatenFlags(tokens, flags);
  const program = silent(new Parser('waybill'));
  const parser = path.reduce((above, word) => above.command(word), program);
  parser
    .allowExcessArguments()
    .argument('[words...]')
    .action(() => {});
  let help = false;
  parser.addOption(new Option('-h, --help')).on('option:help', () => {
    help = true;
  });
  for (const [name, flag] of typed(flags, tokens)) addFlag(parser, name, flag, given);
  try {
    program.parse([...path, ...tokens], { from: 'user' });
    return { words: [...parser.args], help };
  } catch (error) {
    if (error instanceof CommanderError) throw usageError(error, flags, path);
    throw error;
  }
}

/** A command of Commander's that neither prints nor ends the process; its own commands take after it. */
function silent(parser: Parser): Parser {
  return parser
    .helpOption(false)
    .helpCommand(false)
    .exitOverride()
    .configureOutput({ writeOut: () => {}, writeErr: () => {} })
    .showSuggestionAfterError(false);
}

/** The flags that stand in the line: to make an option for each of the others costs more than to look. */
function typed(flags: Flags, tokens: readonly string[]): [string, Flags[string]][] {
  const longs = new Set(tokens.filter((token) => token.startsWith('--')).map((token) => token.split('=')[0]));
  const shorts = tokens.filter((token) => /^-[^-]/.test(token)).join('');
  return Object.entries(flags).filter(([name, flag]) => {
    const names = [dashed(name), `no-${dashed(name)}`, ...flag.aliases];
    return (
      names.some((long) => longs.has(`--${long}`)) || (flag.short !== null && shorts.includes(flag.short))
    );
  });
}

function addFlag(parser: Parser, name: string, flag: Flags[string], given: Texts): void {
  for (const option of optionsOf(name, flag)) {
    parser.addOption(option);
    parser.on(`option:${option.name()}`, (text: string | null | undefined) => {
      // A flag's own name may begin with `no-`, which Commander takes for the denial of another.
      const isDenied = option.negate && option.name() !== dashed(name);
      const value = isDenied ? 'false' : (text ?? 'true');
      given.set(name, [...(given.get(name) ?? []), value]);
    });
  }
}

function optionsOf(name: string, flag: Flags[string]): Option[] {
  const long = dashed(name);
  const value = flag.kind === 'switch' ? '' : flag.bare ? ' [value]' : ' <value>';
  const short = flag.short === null ? '' : `-${flag.short}, `;
  const negations = flag.negatable ? [new Option(`--no-${long}`)] : [];
  const aliases = flag.aliases.map((alias) => new Option(`--${alias}${value}`));
  return [new Option(`${short}--${long}${value}`), ...aliases, ...negations];
}

function usageError(error: CommanderError, flags: Flags, path: readonly string[]): UsageError {
  const name = /'([^']+)'/.exec(error.message)?.[1] ?? '';
  const long = /--[\w-]+/.exec(name)?.[0] ?? name;
  if (error.code === 'commander.optionMissingArgument') {
    return needsValue(long, flags);
  }
  const names = Object.entries(flags).flatMap(namesOf);
  const flag = long.replace(/=.*$/s, '');
  if (names.includes(flag))
    return new UsageError(`${flag} takes no value: it stands alone.`, { code: 'bad_value' });
  const hint = meantFlag(flag, names);
  const own = Object.entries(flags)
    .filter(([key]) => !Object.hasOwn(globalFlags, key))
    .flatMap(namesOf);
  return new UsageError(`There is no flag ${flag} for this command.`, {
    code: 'unknown_flag',
    ...(hint === undefined ? {} : { hint }),
    choices: own.length > 0 ? own : names,
    next: [{ ...invocation(path.join(' '), [], { help: true }), when: 'see its flags' }],
  });
}

function namesOf([key, flag]: [string, Flags[string]]): string[] {
  const names = [dashed(key), ...flag.aliases].map((word) => `--${word}`);
  return flag.negatable ? [...names, `--no-${dashed(key)}`] : names;
}

/** At the end of the line: what it would be a value of. */
function needsValue(long: string, flags: Flags): UsageError {
  const flag = Object.entries(flags).find((entry) => namesOf(entry).includes(long))?.[1];
  return new UsageError(`${long} needs a value.`, {
    code: 'missing_value',
    ...(flag === undefined ? {} : { hint: `${long} ${flag.placeholder}: ${flag.summary}.` }),
    choices: flag?.choices ?? [],
  });
}
