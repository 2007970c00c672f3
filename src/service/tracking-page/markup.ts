/** Text that is HTML already. */
export interface Markup {
  readonly markup: string;
}

/** What can stand in a template: a text is escaped, markup is not, null is nothing. */
export type Part = string | number | Markup | null | readonly Markup[];

/** HTML from a template: whatever is put in is escaped unless it came from a template itself. */
export function html(texts: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  const markup = texts.map((text, index) => text + textOf(parts[index] ?? null)).join('');
  return { markup };
}

/** Constants of the page that are no HTML of their own, such as its style. */
export function verbatim(markup: string): Markup {
  return { markup };
}

function textOf(part: Part): string {
  if (part === null) return '';
  if (typeof part === 'number') return String(part);
  if (typeof part === 'string') return escaped(part);
  return 'markup' in part ? part.markup : part.map(({ markup }) => markup).join('');
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return seen(text).replace(/[&<>"']/g, (sign) => entities[sign] ?? '');
}

/** Control characters, and those that turn the direction of what stands around them. */
const unseen = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]+/gu;

function seen(text: string): string {
  return text.toWellFormed().replace(unseen, ' ');
}

/** Other people's text in one line of signs that can be seen. */
export function plain(text: string): string {
  return seen(text).replace(/\s+/g, ' ').trim();
}
