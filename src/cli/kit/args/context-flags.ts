import { argvOf, type Invocation } from '../result/message.ts';
import { type GlobalName, globalFlags } from './global-flags.ts';
import { flagLabel } from './input.ts';
import type { Parsed } from './parsed-line.ts';

/** The global flags of this line that a suggested command needs too. */
export interface ContextFlags {
  /** Flags that select the account. */
  account: readonly string[];
  /** Flags that select the format. */
  format: readonly string[];
}

export const noContextFlags: ContextFlags = { account: [], format: [] };

/** Returns the flags of a line without those from the environment, which also applies to the suggested command. */
export function contextFlagsOf({ global, origins }: Pick<Parsed, 'global' | 'origins'>): ContextFlags {
  const words = (...names: GlobalName[]) =>
    names
      .filter((name) => origins.get(name) === 'flag')
      .flatMap((name) => flagWords(name, global.flags.get(name) ?? []));
  // Evaluated lazily, as few results suggest a command.
  return {
    get account() {
      return words('profile', 'baseUrl', 'apiKeyFile');
    },
    get format() {
      return words('output', 'json', 'columns', 'raw', 'jq', 'time');
    },
  };
}

function flagWords(name: GlobalName, texts: readonly string[]): string[] {
  const { kind, bare } = globalFlags[name];
  const text = kind === 'list' ? texts.join(',') : (texts.at(-1) ?? '');
  if (kind === 'switch') return [flagLabel(text === 'false' ? `no-${name}` : name)];
  if (!bare) return [flagLabel(name), text];
  return [text === '' ? flagLabel(name) : `${flagLabel(name)}=${text}`];
}

/** These commands use no account. */
const withoutAccount: readonly string[] = ['profiles', 'start', 'serve', 'help', 'commands', 'openapi'];

/** Adds the account flags of this run to a command, unless it has its own. */
export function withContextFlags<T extends Invocation>(line: T, { account }: ContextFlags): T {
  const [noun = ''] = argvOf(line);
  const isElsewhere =
    noun === '' ||
    withoutAccount.includes(noun) ||
    line.args.some((arg) => /^--(?:profile|base-url)(?:=|$)/.test(arg));
  return isElsewhere || account.length === 0 ? line : { ...line, context: account };
}
