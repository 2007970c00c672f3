/** Asks in a terminal for missing input, and for a value in place of each placeholder such as `--reason TEXT`. */
import { UsageError } from '../errors/failure.ts';
import type { Choice, Prompts } from '../host/host.ts';
import {
  type CommandSpec,
  findFaults,
  flagLabel,
  type MissingInput,
  positionalLabel,
  type RawInput,
} from './command-input.ts';
import { BadValue } from './flags.ts';
import type { ParsedLine } from './parsed-line.ts';

/** Lists the records to choose from if an ID is missing. */
export type OfferRecords = (kind: string) => Promise<readonly Choice<string>[]>;

/** Prompts for missing input in sequence; an answer may require more. */
export async function askForMissing(
  command: CommandSpec,
  raw: RawInput,
  prompts: Prompts,
  offerRecords: OfferRecords,
): Promise<RawInput> {
  let given = raw;
  for (;;) {
    const { missing } = findFaults(command.flags, command.positionals, given);
    const first = missing.find(({ part }) => !('isAskedLater' in part && part.isAskedLater));
    if (first === undefined) return given;
    given = withAnswer(given, first, await askFor(first, prompts, offerRecords));
  }
}

/** An input whose text is the placeholder of help or of a suggested command: `--reason TEXT`, or any `VALUE`. */
interface StandIn extends MissingInput {
  text: string;
  /** The index of a positional's word; null for a flag. */
  index: number | null;
}

export function standInsOf(
  { flags, positionals }: Pick<CommandSpec, 'flags' | 'positionals'>,
  { own, origins }: Pick<ParsedLine, 'own' | 'origins'>,
): StandIn[] {
  const typed = Object.entries(flags).flatMap(([name, part]): StandIn[] => {
    const text = origins.get(name) === 'flag' ? own.flags.get(name)?.at(-1) : undefined;
    const isStandIn =
      text === 'VALUE' || (text !== undefined && /^[A-Z]+$/.test(text) && text === part.placeholder);
    return isStandIn ? [{ label: flagLabel(name), name, part, text, index: null }] : [];
  });
  const words = Object.entries(positionals).flatMap(([name, part], index): StandIn[] => {
    const label = positionalLabel(name);
    return own.words[index] === label ? [{ label, name, part, text: label, index }] : [];
  });
  return [...words, ...typed];
}

/**
 * The error for placeholders that nobody can be asked to replace. It suggests no command: examples have values, such as
 * a maximum price, that the caller did not choose, and suggestions are often run as they are.
 */
export function standInError(standIns: readonly StandIn[]): UsageError {
  const sentences = standIns.map(({ label, text }) =>
    label === text
      ? `${label} stands for a value of your own.`
      : `${label} needs a value in place of ${text}.`,
  );
  const choices = standIns.flatMap(({ part }) => ('choices' in part ? part.choices : []));
  return new UsageError(sentences.join('\n'), { code: 'bad_value', choices });
}

/** Prompts for the values of placeholders, and puts each in its place. */
export async function askForStandIns(
  standIns: readonly StandIn[],
  raw: RawInput,
  prompts: Prompts,
  offerRecords: OfferRecords,
): Promise<RawInput> {
  let given = raw;
  for (const standIn of standIns) {
    const { name, index } = standIn;
    const answer = await askFor(standIn, prompts, offerRecords);
    given =
      index === null
        ? { ...given, flags: new Map([...given.flags, [name, [answer]]]) }
        : { ...given, words: given.words.with(index, answer) };
  }
  return given;
}

function withAnswer(raw: RawInput, missing: MissingInput, answer: string): RawInput {
  if ('variadic' in missing.part) return { ...raw, words: [...raw.words, answer] };
  return { ...raw, flags: new Map([...raw.flags, [missing.name, [answer]]]) };
}

async function askFor(
  { label, part }: MissingInput,
  prompts: Prompts,
  offerRecords: OfferRecords,
): Promise<string> {
  const question = ('question' in part && part.question) || `${part.summary} (${label})`;
  if ('secret' in part && part.secret) return prompts.secret(question);
  if ('choices' in part && part.choices.length > 0) {
    const choices = part.choices.map((name) => ({ name, value: name }));
    return prompts.select(question, choices);
  }
  const check = (text: string) => answerFault(text, part);
  const offered = 'variadic' in part ? await offerRecords(part.kind) : [];
  if (offered.length === 0) return prompts.text(question, { check });
  const older = offered.length < max_offered ? '' : `; the latest ${max_offered}, type an older one`;
  return prompts.search(`${question}${older}`, offered, { check });
}

/** The maximum number of records in a picker; typing filters them. */
export const max_offered = 50;

/** The fault of an answer for a flag or positional; null if it is valid. */
export function answerFault(text: string, part: MissingInput['part']): string | null {
  if (text.trim() === '') return 'It cannot be empty.';
  try {
    part.read([text]);
    return 'check' in part ? (part.check?.(text) ?? null) : null;
  } catch (error) {
    if (error instanceof BadValue) return `It ${error.message}.`;
    throw error;
  }
}
