import { oneLine } from '../../output/sanitize.ts';

interface Item {
  name: string;
  value: string;
  description?: string;
  disabled: string | false;
}

/**
 * Of a list, those that have every word of what is typed in their names or values; and what is typed itself, where it
 * is none of them.
 */
export function narrowed(
  choices: readonly Item[],
  text: string,
  check: (text: string) => string | null,
): (Item & { short: string })[] {
  const typed = text.trim();
  const words = typed.toLowerCase().split(/\s+/);
  const found = choices.filter(({ name, value }) => {
    const said = `${name} ${value}`.toLowerCase();
    return words.every((word) => said.includes(word));
  });
  const isOwn = typed !== '' && found.every(({ value }) => value !== typed);
  const own: Item = {
    name: oneLine(typed),
    value: typed,
    description: 'As it is typed',
    disabled: check(typed) ?? false,
  };
  return [...found, ...(isOwn ? [own] : [])].map((item) => ({ ...item, short: oneLine(item.value) }));
}
