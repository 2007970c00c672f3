import type { Choice } from '../host/prompts.ts';
import { oneLine } from '../output/sanitize.ts';

/**
 * The choices whose name or value contains every word of the typed text, and the typed text itself as the last choice
 * unless it is the value of one of them.
 */
export function filterChoices(
  choices: readonly Choice<string>[],
  text: string,
  check: (text: string) => string | null,
): Choice<string>[] {
  const typed = text.trim();
  const words = typed.toLowerCase().split(/\s+/);
  const found = choices.filter(({ name, value }) => {
    const searched = `${name} ${value}`.toLowerCase();
    return words.every((word) => searched.includes(word));
  });
  if (typed === '' || found.some(({ value }) => value === typed)) return found;
  return [
    ...found,
    { name: `Use "${oneLine(typed)}" as typed`, value: typed, disabled: check(typed) ?? undefined },
  ];
}
