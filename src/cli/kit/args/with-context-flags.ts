import { argvOf, type Invocation } from '../result/invocation.ts';
import { type GlobalName, globalFlags } from './global-flags.ts';
import { flagLabel } from './input.ts';
import type { Parsed } from './parsed-line.ts';

/** The global flags of a line which a command to run next must have too, as words of a line. */
export interface ContextFlags {
  /** Those that say whose account it is. */
  account: readonly string[];
  /** Those that say how the answer is written. */
  format: readonly string[];
}

export const noContextFlags: ContextFlags = { account: [], format: [] };

/** What the flags of a line say, not the environment, which the next command has as well. */
export function contextFlagsOf({ global, origins }: Pick<Parsed, 'global' | 'origins'>): ContextFlags {
  const words = (...names: GlobalName[]) =>
    names
      .filter((name) => origins.get(name) === 'flag')
      .flatMap((name) => flagWords(name, global.flags.get(name)?.at(-1) ?? ''));
  // Asked for by what names a command, which few answers do.
  return {
    get account() {
      return words('profile', 'baseUrl', 'apiKeyFile');
    },
    get format() {
      return words('output', 'json', 'jq', 'template', 'time');
    },
  };
}

function flagWords(name: GlobalName, text: string): string[] {
  if (!globalFlags[name].bare) return [flagLabel(name), text];
  return [text === '' ? flagLabel(name) : `${flagLabel(name)}=${text}`];
}

/** These work in no account. */
const withoutAccount: readonly string[] = ['profiles', 'start', 'serve', 'help', 'commands', 'openapi'];

/** The command with the flags of the account that this run works in, unless it names one itself. */
export function withContextFlags<T extends Invocation>(line: T, { account }: ContextFlags): T {
  const [noun = ''] = argvOf(line);
  const isElsewhere =
    noun === '' ||
    withoutAccount.includes(noun) ||
    line.args.some((arg) => /^--(?:profile|base-url)(?:=|$)/.test(arg));
  return isElsewhere || account.length === 0 ? line : { ...line, context: account };
}
