import { product } from '../product.ts';
import { quoted, shellWords } from './shell-words.ts';

/** A command to run, as data: its words in the tree, and the arguments behind them. */
export interface Invocation {
  /** `orders get`; empty for the program alone. */
  command: string;
  args: readonly string[];
  /** Flags in front of the command, which make it work in the same account as this run. */
  context?: readonly string[];
}

/** A command to run next, and when. */
export interface NextStep extends Invocation {
  when: string;
}

/** An example of help. */
interface ExampleLine {
  command: string;
}

/** Examples as commands to run next; one that is more than a command, such as a pipe, is left out. */
export function exampleSteps(examples: readonly ExampleLine[]): NextStep[] {
  return examples.flatMap(({ command }) => {
    const [, ...args] = shellWords(command);
    const isPipe = args.some((arg) => /^[|<>]/.test(arg));
    return isPipe ? [] : [{ command: '', args, when: 'for example' }];
  });
}

type FlagValue = string | number | boolean | undefined;
export type InvocationFlags = Readonly<Record<string, FlagValue>>;

/** A command with its flags by their names in the code; flags without a value are left out. */
export function invocation(
  command: string,
  args: readonly string[] = [],
  flags: InvocationFlags = {},
): Invocation {
  return { command, args: [...args, ...flagArgs(flags)] };
}

/** The same with more arguments behind its own. */
export function withArgs(base: Invocation, more: readonly string[]): Invocation {
  return { ...base, args: [...base.args, ...more] };
}

/** Flags as the words of a line. */
export function flagArgs(flags: InvocationFlags): string[] {
  return Object.entries(flags).flatMap(([name, value]) => {
    if (value === undefined || value === false) return [];
    const label = `--${dashed(name)}`;
    return value === true ? [label] : [label, String(value)];
  });
}

/** Every word behind the name of the program. */
export function argvOf({ command, args, context = [] }: Invocation): string[] {
  const words = command === '' ? [] : command.split(' ');
  return [...context, ...words, ...args];
}

/** The line for a shell. */
export function shellLine(line: Invocation): string {
  return [product.name, ...argvOf(line)].map(quoted).join(' ');
}

/** A command to run next, for programs: as a line for a shell, and as the arguments of the program. */
export interface StepObject {
  command: string;
  args: string[];
  when: string;
}

export function stepObject(step: NextStep): StepObject {
  return { command: shellLine(step), args: argvOf(step), when: step.when };
}

/** Whether two are the same command with the same arguments, in whichever account. */
export function isSameInvocation(left: Invocation, right: Invocation): boolean {
  return shellLine({ ...left, context: [] }) === shellLine({ ...right, context: [] });
}

/** `pickupAddress` as it is typed: `pickup-address`. */
export function dashed(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
