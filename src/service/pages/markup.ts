/** What all pages are made of: markup that escapes every value (`html`), their head, content policy and colors. */
import { hash } from 'node:crypto';
import { type MapTiles, tilesOrigin } from '../../domain/operator-settings.ts';
import base from './browser/base.css?raw';

export interface Markup {
  readonly markup: string;
}

/** A value in a template: texts are escaped, markup is not, null is omitted. */
type Part = string | number | Markup | null | readonly Markup[];

/** HTML from a template: every value is escaped unless it is markup. */
export function html(texts: TemplateStringsArray, ...parts: readonly Part[]): Markup {
  const markup = texts.map((text, index) => text + partText(parts[index] ?? null)).join('');
  return { markup };
}

/** Trusted constants such as the page's style. */
export function verbatim(markup: string): Markup {
  return { markup };
}

function partText(part: Part): string {
  if (part === null) return '';
  if (typeof part === 'number') return String(part);
  if (typeof part === 'string') return escaped(part);
  return 'markup' in part ? part.markup : part.map(({ markup }) => markup).join('');
}

/**
 * Data for a script, as the content of a `script` element: JSON in which no element begins or ends. A browser does not
 * execute it, so that the policy of the page does not concern it.
 */
export function jsonData(data: object): Markup {
  return { markup: JSON.stringify(data).replaceAll('<', '\\u003c') };
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
  /** The tile server of the map; null: the map is drawn. */
  tiles?: MapTiles | null;
}

/** The head of a page before its style; `links` are the files that it loads. */
export function documentHead(title: string, policy: Markup, links: Markup | null): Markup {
  return html`<meta charset="utf-8">
${policy}
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex">
<meta name="referrer" content="no-referrer">
<meta name="theme-color" content="${palettes.light.paper}" media="(prefers-color-scheme:light)">
<meta name="theme-color" content="${palettes.dark.paper}" media="(prefers-color-scheme:dark)">
<title>${title}</title>
<link rel="icon" href="data:,">
${links}`;
}

/** The policy of a page: its own inline style and script, and requests to the service (Content Security Policy 3). */
export function contentPolicy({ style, script, rules = [], pictures, tiles = null }: PageContent): Markup {
  // Leaflet is a file of the service.
  const own = tiles === null ? '' : " 'self'";
  const all = [
    "default-src 'none'",
    `style-src '${hashOf(style)}'${own}`,
    `script-src '${hashOf(script)}'${own}`,
    "connect-src 'self'",
    ...rules,
    ['img-src', ...pictures, ...(tiles === null ? [] : [tilesOrigin(tiles)])].join(' '),
    "base-uri 'none'",
    "form-action 'none'",
  ];
  return html`<meta http-equiv="Content-Security-Policy" content="${verbatim(all.join('; '))}">`;
}

/** The hash source of an inline text (Content Security Policy Level 3, 2.3.1). */
function hashOf(text: string): string {
  return `sha256-${hash('sha256', text, 'base64')}`;
}

/** The colors of each scheme, by purpose. */
export const palettes = {
  light: {
    paper: '#f3f2ee',
    card: '#ffffff',
    ink: '#1b1f1d',
    soft: '#575d59',
    line: '#dedcd4',
    accent: '#0b6b4f',
    onaccent: '#ffffff',
    bad: '#a3261b',
    late: '#8a4a00',
    land: '#ebe9e1',
  },
  dark: {
    paper: '#101312',
    card: '#1a1f1d',
    ink: '#edf1ee',
    soft: '#a6aea9',
    line: '#333a36',
    accent: '#58d1a2',
    onaccent: '#06281c',
    bad: '#ff9c90',
    late: '#ffbe69',
    land: '#222826',
  },
} as const;

/** The rules of a page, after the colors of both schemes and the rules that all pages share. */
export function themed(text: string): string {
  return `:root{color-scheme:light dark;${variables(palettes.light)}}
@media(prefers-color-scheme:dark){:root{${variables(palettes.dark)}}}${base}${text}`;
}

type Palette = Readonly<Record<keyof (typeof palettes)['light'], string>>;

function variables(palette: Palette): string {
  return Object.entries(palette)
    .map(([name, colour]) => `--${name}:${colour}`)
    .join(';');
}
