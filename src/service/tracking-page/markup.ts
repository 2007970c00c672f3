import { hash } from 'node:crypto';
import { type MapTiles, tilesOrigin } from '../../domain/operator-settings.ts';

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

/** Data for a page's script. A browser does not execute it, so that the page's policy does not concern it. */
export function dataBlock(id: string, data: object): Markup {
  const text = JSON.stringify(data).replaceAll('<', '\\u003c');
  return verbatim(`<script type="application/json" id="${id}">${text}</script>`);
}

/** The sources that a page may load from, besides its own inline style and script. */
interface PageContent {
  style: string;
  script: string;
  /** Further rules, such as `worker-src 'self'`. */
  rules?: readonly string[];
  /** The sources of pictures. */
  pictures: readonly string[];
  /** The tile server of its map; null: the map is drawn. */
  tiles?: MapTiles | null;
}

/** The files of Leaflet in the head of a page that shows tiles; `root` is where the service is for it. */
export function leafletFiles(tiles: MapTiles | null, root: string): Markup | null {
  if (tiles === null) return null;
  return html`<link rel="stylesheet" href="${root}leaflet.css">
<script defer src="${root}leaflet.js"></script>`;
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

type Palette = Readonly<Record<keyof (typeof palettes)['light'], string>>;

function variables(palette: Palette): string {
  return Object.entries(palette)
    .map(([name, colour]) => `--${name}:${colour}`)
    .join(';');
}

const rules = `
*,::before,::after{box-sizing:border-box}
*{margin:0}
body{background:var(--paper);color:var(--ink);font:1rem/1.45 system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",sans-serif;overflow-wrap:anywhere;-webkit-text-size-adjust:100%}
header,main,footer{max-width:60rem;margin:0 auto;padding:0 1rem}
header{display:flex;flex-wrap:wrap;justify-content:space-between;align-items:baseline;gap:.25rem 1rem;padding-top:1.1rem;padding-bottom:.9rem}
header b{font-size:1.1rem}
a{color:inherit}
header b{display:flex;flex-wrap:wrap;align-items:center;gap:.2rem .6rem}
.logo{flex:none;height:2.2rem;max-width:9rem;object-fit:contain}
.order p,.order ul{margin-bottom:.6rem}
.order p:last-child{margin-bottom:0}
ul{padding-left:1.2rem}
.call{display:flex;flex-wrap:wrap;align-items:center;gap:.3rem .7rem;margin-top:.9rem}
h1,.call a{hyphens:auto}
.courier .call,.order .call{margin-bottom:0}
.courier .call a,button{display:inline-block;font:inherit;font-weight:600;color:var(--onaccent);background:var(--accent);border:0;border-radius:10px;padding:.5rem .9rem;text-decoration:none;cursor:pointer}
.call span{white-space:nowrap}
.call span,.notes p,.pin-note p{color:var(--soft)}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
.pin-note{margin-top:1rem;padding-top:.9rem;border-top:1px solid var(--line)}
.pin-note b{display:block;color:var(--ink);font-size:min(2.1rem,12vw);line-height:1.2;letter-spacing:.12em;white-space:nowrap;font-variant-numeric:tabular-nums}
.proof{margin-top:.5rem}
.proof summary{cursor:pointer;text-decoration:underline}
.proof img{display:block;max-width:100%;margin-top:.6rem;border-radius:10px}
textarea{display:block;width:100%;font:inherit;color:var(--ink);background:var(--paper);border:1px solid var(--soft);border-radius:10px;padding:.6rem;resize:vertical}
.notes form>*+*,.notes noscript>*+*{margin-top:.5rem}
.notes #notes-hint{font-size:.9rem}
.kept{white-space:pre-wrap}
@media(scripting:none){.notes form{display:none}}
header span,footer,.card small,.map p,.status .arrival p{color:var(--soft)}
.test{border:1px solid;border-radius:99px;padding:.05rem .6rem;font-size:.8rem}
main,main>div{display:grid;gap:.9rem;align-content:start;min-width:0}
.card{background:var(--card);border:1px solid var(--line);border-radius:16px;padding:1.15rem;min-width:0}
h1{font-size:min(1.7rem,11vw);line-height:1.2;letter-spacing:-.01em;text-wrap:balance}
h2{font-size:.95rem;color:var(--soft);font-weight:600;margin-bottom:.7rem}
.status h1+p{margin-top:.35rem}
.over h1{color:var(--bad)}
.progress{display:flex;gap:5px;margin-bottom:1rem}
.progress i{flex:1;height:6px;border-radius:3px;background:var(--line)}
.progress .done{background:var(--accent)}
.arrival{margin-top:1rem;padding-top:.9rem;border-top:1px solid var(--line)}
.arrival b{display:block;color:var(--ink);font-size:min(2.1rem,13vw);white-space:nowrap;line-height:1.2;letter-spacing:-.02em;font-variant-numeric:tabular-nums}
.arrival p{text-wrap:balance}
.status .arrival .late{color:var(--late);font-weight:600}
.map{padding:0;overflow:hidden}
.map svg{display:block;width:100%;height:auto}
.map svg[hidden]{display:none}
.tiles{height:min(60vw,20rem);z-index:0}
.tiles .mark{display:block;width:100%;height:100%;border-radius:50%;border:2px solid var(--card);background:var(--ink)}
.tiles .shop{border-radius:4px}
.tiles .rider{background:var(--accent)}
.map p{padding:.55rem 1.15rem;font-size:.85rem;border-top:1px solid var(--line)}
.land{fill:var(--land)}
.scale{fill:none;stroke:var(--soft);stroke-width:1.5}
.way,.lead{fill:none;stroke:var(--accent);stroke-linecap:round;stroke-linejoin:round}
.way{stroke-width:4;opacity:.3}
.lead{stroke-width:4;stroke-dasharray:1 8}
.way.done{opacity:1}
.pin{fill:var(--card);stroke:var(--ink);stroke-width:2.5}
.dot,.home{fill:var(--ink)}
.house,.box{fill:none;stroke:var(--card);stroke-width:1.6;stroke-linecap:round;stroke-linejoin:round}
.badge{fill:var(--accent);stroke:var(--card);stroke-width:2.5}
.box{stroke:var(--onaccent);stroke-width:1.4}
.halo{fill:var(--accent);opacity:.22}
.map text{font-size:12px;font-weight:600;fill:var(--ink);stroke:var(--land);stroke-width:4;stroke-linejoin:round;paint-order:stroke;text-anchor:middle}
.map .length{font-weight:400;text-anchor:start}
.courier>div{display:flex;gap:.8rem;align-items:center}
.face{flex:none;display:grid;place-items:center;width:3rem;height:3rem;border-radius:50%;background:var(--accent);color:var(--onaccent);font-size:1.3rem}
.face svg{fill:currentColor}
.card small{display:block;font-size:.9rem;font-weight:400}
ol{list-style:none;padding:0}
ol li{display:flex;flex-wrap:wrap;justify-content:space-between;align-items:baseline;gap:0 1rem;position:relative;padding:0 0 1.05rem 1.6rem}
ol li>span{flex:1 1 7em}
ol li:last-child{padding-bottom:0}
ol li::before{content:"";position:absolute;left:0;top:.35rem;width:.8rem;height:.8rem;border-radius:50%;background:var(--accent);z-index:1}
ol li::after{content:"";position:absolute;left:calc(.4rem - 1px);top:.7rem;height:100%;border-left:2px solid var(--accent)}
ol li:last-child::after{display:none}
li time,li small{color:var(--soft);font-size:.9rem;text-align:right;flex:none;max-width:100%}
ol li.now{font-weight:600}
li.now time{font-weight:400}
ol li.now::before{box-shadow:0 0 0 4px color-mix(in srgb,var(--accent) 25%,transparent)}
ol li.now::after,ol li.coming::after{border-left:2px dotted var(--line)}
li.coming{color:var(--soft)}
ol li.coming::before{background:var(--card);border:2px solid color-mix(in srgb,var(--soft) 55%,var(--card))}
.over ol li.now::before{background:var(--bad);box-shadow:none}
.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
footer{padding-top:1rem;padding-bottom:2rem;font-size:.85rem}
[hidden]{display:none}
@media(min-width:52rem){
main{grid-template-columns:3fr 2fr}
.map text{font-size:9.5px}
}
@media(prefers-reduced-motion:no-preference){
.courier{transition:transform .8s ease-out}
.halo{animation:pulse 2.4s ease-out infinite}
}
@keyframes pulse{0%{opacity:.4;r:11px}100%{opacity:0;r:24px}}
`;

/** The inline style of the page. */
export const style = themed(rules);

/** Rules with the colors of both schemes. */
export function themed(text: string): string {
  return `:root{color-scheme:light dark;${variables(palettes.light)}}
@media(prefers-color-scheme:dark){:root{${variables(palettes.dark)}}}${text}`;
}
