import { product } from '../product.ts';
import { quoted, shellWords } from './shell-words.ts';

/** A suggested command as data: its name in the tree, and its arguments. */
export interface Invocation {
  /** `orders get`; empty for the program itself. */
  command: string;
  args: readonly string[];
  /** Flags before the command that make it use the same account as this run. */
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

/** Converts examples to suggested commands; leaves out those that are more than one command, such as a pipe. */
export function exampleSteps(examples: readonly ExampleLine[]): NextStep[] {
  return examples.flatMap(({ command }) => {
    const [, ...args] = shellWords(command);
    const isPipe = args.some((arg) => /^[|<>]/.test(arg));
    return isPipe ? [] : [{ command: '', args, when: 'for example' }];
  });
}

type FlagValue = string | number | boolean | undefined;
export type InvocationFlags = Readonly<Record<string, FlagValue>>;

/** Creates a command with flags by their names in the code; leaves out flags without a value. */
export function invocation(
  command: string,
  args: readonly string[] = [],
  flags: InvocationFlags = {},
): Invocation {
  return { command, args: [...args, ...flagArgs(flags)] };
}

/** Appends arguments to a command. */
export function withArgs(base: Invocation, more: readonly string[]): Invocation {
  return { ...base, args: [...base.args, ...more] };
}

/** Formats flags as words of a line. */
export function flagArgs(flags: InvocationFlags): string[] {
  return Object.entries(flags).flatMap(([name, value]) => {
    if (value === undefined || value === false) return [];
    const label = `--${dashed(name)}`;
    return value === true ? [label] : [label, String(value)];
  });
}

/** All words after the program's name. */
export function argvOf({ command, args, context = [] }: Invocation): string[] {
  const words = command === '' ? [] : command.split(' ');
  return [...context, ...words, ...args];
}

/** The line for a shell. */
export function shellLine(line: Invocation): string {
  return [product.name, ...argvOf(line)].map(quoted).join(' ');
}

/** A suggested command for programs: as a shell line, and as arguments. */
export interface StepObject {
  command: string;
  args: string[];
  when: string;
}

export function stepObject(step: NextStep): StepObject {
  return { command: shellLine(step), args: argvOf(step), when: step.when };
}

/** True if two commands and their arguments are equal, in any account. */
export function isSameInvocation(left: Invocation, right: Invocation): boolean {
  return shellLine({ ...left, context: [] }) === shellLine({ ...right, context: [] });
}

/** Converts `pickupAddress` to `pickup-address`. */
export function dashed(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
