import type { Invocation } from '../result/invocation.ts';
import { invocation } from '../result/invocation.ts';
import type { Text } from '../result/message.ts';
import type { BadInput, CommandSpec } from './command-spec.ts';
import { tooMany } from './input.ts';
import type { Parsed } from './parsed-line.ts';
import { meant } from './suggestions.ts';

type Line = Pick<Parsed, 'own' | 'global' | 'origins'>;

/** What is wrong with a line, and of a word too many what was meant by it, where that can be told. */
export function withMeantWords(bad: readonly BadInput[], command: CommandSpec, line: Line): BadInput[] {
  return bad.map((fault) => {
    const hint = fault.message.startsWith(tooMany) ? hintFor(fault.label, command, line) : undefined;
    return hint === undefined ? fault : { ...fault, hint };
  });
}

function hintFor(word: string, command: CommandSpec, line: Line): Text | undefined {
  if (/^[{[]/.test(word) && Object.hasOwn(command.flags, 'file'))
    return 'JSON comes from a file with --file FILE, or from stdin with --file -.';
  const fields = fieldsMeant(word, line);
  return fields === undefined ? meant(listsMeant(word, command)) : meant([`--json=${fields}`]);
}

const isField = (text: string) => /^[a-z][\w.]*$/.test(text);

/** `--json` takes its fields behind `=` alone: those that stand as a word of their own, `id,status`. */
function fieldsMeant(word: string, { own, global, origins }: Line): string | undefined {
  if (global.flags.get('json')?.at(-1) !== '' || origins.get('json') !== 'flag') return undefined;
  const list = own.words.find((each) => each.includes(',') && each.split(',').every(isField));
  return list ?? (isField(word) ? word : undefined);
}

/** A list takes no word: the record of that reference, or what is found with it. */
function listsMeant(word: string, { name, flags, examples }: CommandSpec): Invocation[] {
  const group = examples[0]?.command.split(' ')[1];
  if (name !== 'list' || group === undefined || !Object.hasOwn(flags, 'externalOrderRef')) return [];
  if (word === '""') return [];
  const filter = Object.hasOwn(flags, 'search') ? { search: word } : { ref: word };
  return [invocation(`${group} get`, [word]), invocation(`${group} list`, [], filter)];
}
