/** HTML markup. */
export interface Markup {
  readonly markup: string;
}

/** A value in a template: texts are escaped, markup is not, null is omitted. */
export type Part = string | number | Markup | null | readonly Markup[];

/** HTML from a template: every value is escaped unless it is markup. */
export function html(texts: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  const markup = texts.map((text, index) => text + textOf(parts[index] ?? null)).join('');
  return { markup };
}

/** Trusted constants such as the page's style. */
export function verbatim(markup: string): Markup {
  return { markup };
}

function textOf(part: Part): string {
  if (part === null) return '';
  if (typeof part === 'number') return String(part);
  if (typeof part === 'string') return escaped(part);
  return 'markup' in part ? part.markup : part.map(({ markup }) => markup).join('');
}

/** Text that keeps its line breaks. */
export function multiline(text: string): Markup {
  return { markup: text.split(/\r?\n/).map(escaped).join('\n') };
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

/** Control characters, including bidirectional ones. */
const unseen = /[\p{Cc}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]+/gu;

function seen(text: string): string {
  return text.toWellFormed().replace(unseen, ' ');
}

/** Converts third-party text to one line of visible characters. */
export function plain(text: string): string {
  return seen(text).replace(/\s+/g, ' ').trim();
}
