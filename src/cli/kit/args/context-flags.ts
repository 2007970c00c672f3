/**
 * The flags of a line that its suggested commands need, too: after `waybill --profile kitchen orders get ord_1`, a suggested
 * `waybill dispatch ord_1` has `--profile kitchen`. A command that charges something also has the most that may be charged.
 */
import { type Invocation, toArgv } from '../result/message.ts';
import { type Flags, flagLabel } from './command-input.ts';
import { type GlobalName, globalFlags } from './global-flags.ts';
import type { ParsedLine } from './parsed-line.ts';

/** The flags of this line that a suggested command needs, as words. */
export interface ContextFlags {
  /** Flags that select the account. */
  account: readonly string[];
  /** Flags that select the format. */
  format: readonly string[];
  /** The most that may be charged, for suggested commands that charge something. */
  limit?: readonly string[];
}

export const noContextFlags: ContextFlags = { account: [], format: [] };

/** Returns the flags of a line without those from the environment, which also applies to the suggested command. */
export function readContextFlags({ own, global, origins }: ParsedLine): ContextFlags {
  const words = (...names: GlobalName[]) =>
    names
      .filter((name) => origins.get(name) === 'flag')
      .flatMap((name) => typedFlagWords(name, globalFlags[name], global.flags.get(name) ?? []));
  // Evaluated lazily, as few results suggest a command.
  return {
    get account() {
      return words('profile', 'baseUrl', 'apiKeyFile');
    },
    get format() {
      return words('output', 'json', 'columns', 'raw', 'jq', 'time');
    },
    get limit() {
      const text = origins.get('maxCost') === 'flag' ? own.flags.get('maxCost')?.at(-1) : undefined;
      return text === undefined ? [] : ['--max-cost', text];
    },
  };
}

/** The flags of the command itself that were typed, as words of a line, without those named in `except`. */
export function typedOwnWords(
  flags: Flags,
  { own, origins }: Pick<ParsedLine, 'own' | 'origins'>,
  except: readonly string[] = [],
): string[] {
  return [...own.flags]
    .filter(([name]) => origins.get(name) === 'flag' && !except.includes(name))
    .flatMap(([name, texts]) => typedFlagWords(name, flags[name], texts));
}

/** A flag with its texts as words of a line; none for a secret. */
export function typedFlagWords(
  name: string,
  flag: Flags[string] | undefined,
  texts: readonly string[],
): string[] {
  if (flag === undefined || flag.secret === true) return [];
  const { kind, hasOptionalValue } = flag;
  const isOwnList = kind === 'list' && !Object.hasOwn(globalFlags, name);
  if (isOwnList) return texts.flatMap((text) => [flagLabel(name), text]);
  const text = kind === 'list' ? texts.join(',') : (texts.at(-1) ?? '');
  if (kind === 'switch') return [flagLabel(text === 'false' ? `no-${name}` : name)];
  if (!hasOptionalValue) return [flagLabel(name), text];
  return [text === '' ? flagLabel(name) : `${flagLabel(name)}=${text}`];
}

/** The commands that do not take every flag that selects an account, by their first words; a test compares the tree. */
const accountFlagsTaken: Readonly<Record<string, readonly string[]>> = {
  'admin accounts': [],
  'admin erase': [],
  'admin clean': [],
  'admin export': [],
  backup: [],
  commands: [],
  completion: [],
  'config set': ['--profile'],
  'config unset': ['--profile'],
  help: [],
  logout: ['--profile'],
  migrate: [],
  openapi: ['--profile', '--base-url'],
  profiles: [],
  restore: [],
  secrets: [],
  serve: [],
  start: [],
  'webhooks verify': [],
};

/** The commands that have a delivery dispatched, and the flag with which they do; null if they always do. */
const dispatching: Readonly<Record<string, string | null>> = {
  ship: null,
  dispatch: null,
  retry: null,
  'deliveries retry': null,
  'deliveries initiate': null,
  'deliveries create': '--initiate',
  'orders create': '--auto',
  'orders import': '--auto',
};

/** The commands that ask which quote to take, unless a flag selects it. */
const askingForQuote: readonly string[] = ['ship', 'dispatch'];

/** The flags that select a quote without showing it first. */
const quoteSelectors: readonly string[] = ['--cheapest', '--fastest', '--provider', '--driver'];

/**
 * How a command has a delivery dispatched without a maximum: `any-price` without showing a price, `asks` if it asks which
 * quote to take or names one. Null if it dispatches nothing, or has a maximum.
 */
export function unlimitedDispatch(words: readonly string[]): 'any-price' | 'asks' | null {
  const [noun = '', verb = '', ...rest] = words;
  const name = Object.hasOwn(dispatching, noun) ? noun : `${noun} ${verb}`;
  const flag = dispatching[name];
  const args = name === noun ? [verb, ...rest] : rest;
  if (flag === undefined || args.some((arg) => /^(?:-h$|--help$|--price$|--max-cost(?:=|$))/.test(arg)))
    return null;
  if (flag !== null && !args.includes(flag)) return null;
  const isChosen = !askingForQuote.includes(name) || args.some((arg) => quoteSelectors.includes(arg));
  return isChosen && args.some((arg) => arg !== '') ? 'any-price' : 'asks';
}

/**
 * Adds the most that may be charged to a command that dispatches, unless it has a maximum of its own. That is the maximum
 * of this run. Without one it is a placeholder, as only the user knows it, if the command shows no price or names a quote.
 */
function withLimit<T extends Invocation>(line: T, limit: readonly string[]): T {
  const unlimited = unlimitedDispatch(toArgv({ ...line, context: [] }));
  if (unlimited === null) return line;
  if (limit.length > 0) return { ...line, args: [...line.args, ...limit] };
  const isNamed = line.args.some((arg) => /^--quote(?:=|$)/.test(arg));
  if (line.isOwnLine === true || (unlimited === 'asks' && !isNamed)) return line;
  return { ...line, args: [...line.args, '--max-cost', 'DOLLARS'] };
}

/**
 * Adds the account flags of this run to a command, unless it has its own; only those that it takes. A command that
 * charges something gets the maximum of this run, too.
 */
export function addContextFlags<T extends Invocation>(
  invocation: T,
  { account, limit = [] }: ContextFlags,
): T {
  const line = withLimit(invocation, limit);
  const [noun = '', verb = ''] = toArgv(line);
  const hasAccount = noun === '' || line.args.some((arg) => /^--(?:profile|base-url)(?:=|$)/.test(arg));
  if (hasAccount || account.length === 0) return line;
  const taken = accountFlagsTaken[`${noun} ${verb}`] ?? accountFlagsTaken[noun];
  // Each flag is followed by its value, which is kept or left out with it.
  const context = account.filter((_, index) => taken?.includes(account[index - (index % 2)] ?? '') ?? true);
  return context.length === 0 ? line : { ...line, context };
}
