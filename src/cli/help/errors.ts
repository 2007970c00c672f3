import { commonErrorsOf } from '../../contract/operation.ts';
import { exits } from '../errors/exit-codes.ts';
import { type OwnMeaning, ownCodes, usualCodes } from '../errors/own-codes.ts';
import { serviceMeanings } from '../errors/service-errors.ts';
import type { CommandSpec } from '../kit/args/command-spec.ts';
import { type Facts, operationNamed } from './facts/fact.ts';

/** An error code of a command: its meaning and exit code. */
export interface CommandError {
  code: string;
  exit: number;
  when: string;
}

/** An exit code of a command, with a specific meaning if there is one. */
export interface CommandExit {
  code: number;
  meaning: string;
}

const meanings: Readonly<Record<string, OwnMeaning>> = {
  ...serviceMeanings,
  ...usualCodes,
  ...ownCodes,
};

/** The meaning of an error code of the service or this program. */
export function meaningOf(code: string): CommandError {
  const found = meanings[code];
  if (found === undefined)
    throw new TypeError(`no table has the error code ${code}: src/cli/errors/own-codes.ts is for it`);
  return { code, exit: found.exit, when: found.when };
}

/** A command's own error codes: those of its requests without the common ones, then this program's. */
export function errorsOf({ calls, errors = [] }: Facts): CommandError[] {
  const called = calls.flatMap((name) => operationNamed(name).errors);
  return [...new Set<string>([...called, ...errors])]
    .map(meaningOf)
    .sort((left, right) => left.exit - right.exit);
}

/** The common error codes of a command's requests. */
export function commonErrors({ calls }: Facts): CommandError[] {
  const codes = calls.flatMap((name) => commonErrorsOf(operationNamed(name)));
  const own = calls.length === 0 ? [] : ['no_api_key', 'route_api_key_test_mode_mismatch', 'unreachable'];
  return [...new Set<string>([...codes, ...own])]
    .map(meaningOf)
    .sort((left, right) => left.exit - right.exit);
}

/** Every exit code of a command. */
export function exitsOf(command: Pick<CommandSpec, 'confirms' | 'flags'>, facts: Facts): CommandExit[] {
  const own: Readonly<Partial<Record<number, string>>> = facts.exits ?? {};
  const codes = new Set([
    ...[0, 1, 2, 129, 130, 143],
    ...Object.keys(own).map(Number),
    ...[...errorsOf(facts), ...commonErrors(facts)].map(({ exit }) => exit),
    ...(command.confirms ? [3] : []),
    ...flagExits(command),
  ]);
  return exits
    .filter(({ code }) => codes.has(code))
    .map(({ code, meaning }) => ({ code, meaning: own[code] ?? meaning }));
}

/** A wait can time out or end badly; a limit can be exceeded. */
function flagExits({ flags }: Pick<CommandSpec, 'flags'>): number[] {
  const has = (...names: string[]) => names.some((name) => Object.hasOwn(flags, name));
  return [
    ...(has('timeout') ? [8] : []),
    // `until` with choices takes statuses; otherwise it is a time.
    ...(has('failOn') || (flags.until?.choices.length ?? 0) > 0 ? [9] : []),
    ...(has('maxCost', 'maxFee') ? [6] : []),
  ];
}
