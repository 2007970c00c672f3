import { hash } from 'node:crypto';

/** HTML markup. */
export interface Markup {
  readonly markup: string;
}

/** A value in a template: texts are escaped, markup is not, null is omitted. */
type Part = string | number | Markup | null | readonly Markup[];

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

/** The sources that a page may load from, besides its own inline style and script. */
interface PageContent {
  style: string;
  script: string;
  /** Further rules, such as `worker-src 'self'`. */
  rules?: readonly string[];
  /** The sources of pictures. */
  pictures: readonly string[];
}

/** The policy of a page: its own inline style and script, and requests to the service (Content Security Policy 3). */
export function contentPolicy({ style, script, rules = [], pictures }: PageContent): Markup {
  const all = [
    "default-src 'none'",
    `style-src '${hashOf(style)}'`,
    `script-src '${hashOf(script)}'`,
    "connect-src 'self'",
    ...rules,
    ['img-src', ...pictures].join(' '),
    "base-uri 'none'",
    "form-action 'none'",
  ];
  return html`<meta http-equiv="Content-Security-Policy" content="${verbatim(all.join('; '))}">`;
}

/** The hash source of an inline text (Content Security Policy Level 3, 2.3.1). */
function hashOf(text: string): string {
  return `sha256-${hash('sha256', text, 'base64')}`;
}
