import type { Command } from './command.ts';
import type { Prompts } from './context.ts';
import { UsageError } from './failure.ts';
import { BadValue } from './flags.ts';
import { faultsOf, type InputFaults, type MissingInput, type Raw } from './input.ts';

/** Everything wrong with the words of a command as one error. */
export function inputError({ missing, bad }: InputFaults, command: Command): UsageError {
  const labels = missing.map(({ label }) => label);
  const parts = [
    ...bad.map(({ label, message }) => `${label} ${message}.`),
    ...(labels.length === 0 ? [] : [`Missing: ${labels.join(', ')}.`]),
  ];
  return new UsageError(parts.join('\n'), {
    code: labels.length > 0 ? 'missing_input' : 'bad_value',
    missing: labels,
    choices: bad.flatMap(({ choices }) => choices),
    next: command.examples.slice(0, 1).map((example) => ({ command: example.command, when: 'for example' })),
  });
}

/** Asks for what is missing, one after the other; what is asked for may depend on what was answered. */
export async function completed(command: Command, raw: Raw, prompts: Prompts): Promise<Raw> {
  let given = raw;
  for (;;) {
    const [first] = faultsOf(command.flags, command.positionals, given).missing;
    if (first === undefined) return given;
    given = await withAnswer(given, first, prompts);
  }
}

async function withAnswer(raw: Raw, missing: MissingInput, prompts: Prompts): Promise<Raw> {
  const answer = await askFor(missing, prompts);
  if ('variadic' in missing.part) return { ...raw, words: [...raw.words, answer] };
  return { ...raw, flags: new Map([...raw.flags, [missing.name, [answer]]]) };
}

function askFor({ label, part }: MissingInput, prompts: Prompts): Promise<string> {
  const question = `${part.summary} (${label})`;
  if ('secret' in part && part.secret) return prompts.secret(question);
  if ('choices' in part && part.choices.length > 0) {
    const choices = part.choices.map((name) => ({ name, value: name }));
    return prompts.select(question, choices);
  }
  return prompts.text(question, { check: (text) => faultIn(text, () => part.read([text])) });
}

function faultIn(text: string, read: () => unknown): string | null {
  if (text.trim() === '') return 'It cannot be empty.';
  try {
    read();
    return null;
  } catch (error) {
    if (error instanceof BadValue) return `It ${error.message}.`;
    throw error;
  }
}
