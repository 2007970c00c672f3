import type { showBoard } from '../../contract/pages.ts';
import type { MapTiles } from '../../domain/map-tiles.ts';
import type { Handler } from '../http/handler.ts';
import { contentPolicy, documentHead, html, leafletFiles, verbatim } from '../tracking-page/markup.ts';
import { boardScript, endedGroups, openGroups } from './script.ts';
import { style } from './style.ts';

/** The same page for everyone: it reads its data with the key that its reader has. */
export const board: Handler<typeof showBoard> = async ({ service }) => boardPage(service.map_tiles ?? null);

const states = [...openGroups, ...endedGroups].map(({ title }) => html`<option>${title}</option>`);

/** Search and filters. */
const tools = html`<div id="tools" role="search" hidden>
<input id="q" type="search" autocomplete="off" aria-label="Search deliveries and orders" placeholder="Search: name, street, phone, #reference">
<button type="button" class="plain" id="filter-toggle" aria-expanded="false" aria-controls="filters">Filters</button>
<div id="filters">
<select id="store" aria-label="Store"><option value="">All stores</option></select>
<select id="driver" aria-label="Driver"><option value="">All drivers</option></select>
<select id="state" aria-label="State"><option value="">Any state</option>${states}</select>
<select id="sort" aria-label="Sort deliveries by"><option value="">Urgent first</option><option value="promised">Promised time</option><option value="store">Store</option><option value="newest">Newest first</option></select>
<button type="button" class="plain" id="clear" hidden>Clear filters</button>
</div></div>`;

const lists = html`<section id="lists" aria-label="Lists">
<div class="views" role="group" aria-label="Show">
<button type="button" data-view="act" aria-pressed="true">Act now <span id="act-count">0</span></button>
<button type="button" data-view="all" aria-pressed="false">Deliveries <span id="all-count">0</span></button>
<button type="button" class="narrow" data-view="drivers" aria-pressed="false">Drivers</button>
<button type="button" class="narrow" data-view="map" aria-pressed="false">Map</button>
</div>
<div id="act">
<div class="chips" id="kinds" role="group" aria-label="Kinds"></div>
<div class="list" id="act-list" role="listbox" tabindex="0" aria-label="Act now" hidden><div class="space" role="presentation"></div></div>
<p class="none" id="act-none"></p>
</div>
<div id="all">
<div class="list" id="all-list" role="listbox" tabindex="0" aria-label="Deliveries" hidden><div class="space" role="presentation"></div></div>
<p class="none" id="all-none"></p>
<p class="soft" id="cut" hidden>There are more deliveries than fit here. The search finds all of them.</p>
</div>
</section>`;

const map = (tiles: MapTiles | null) => html`<section id="map-area" aria-labelledby="map-title">
<div class="head"><h2 id="map-title">Map</h2><button type="button" class="plain" id="map-toggle" aria-expanded="true" aria-controls="map-body">Hide</button></div>
<div id="map-body">
${tiles === null ? null : html`<div id="tiles" role="group" aria-label="Map with streets" data-tiles="${tiles.url}" data-attribution="${tiles.attribution}"></div>`}
<svg id="map" role="img" aria-labelledby="map-title map-text"><desc id="map-text"></desc></svg>
<p id="map-note"></p>
</div>
</section>`;

const drivers = html`<aside id="drivers" aria-labelledby="drivers-title">
<div class="head"><h2 id="drivers-title">Drivers <span class="count" id="driver-count"></span></h2></div>
<div id="axis" aria-hidden="true"></div>
<div class="list" id="driver-list" role="listbox" tabindex="0" aria-label="Drivers" hidden><div class="space" role="presentation"></div></div>
<p class="none" id="driver-none" hidden>No drivers yet. Add one with <code>waybill drivers add</code>.</p>
</aside>`;

const panel = html`<section id="panel" aria-labelledby="panel-title" hidden>
<div class="head"><h2 id="panel-title" tabindex="-1">…</h2><button type="button" class="plain" id="panel-close">Close</button></div>
<div id="results" role="status" tabindex="-1"></div>
<div id="summary"></div>
<div id="actions"></div>
<div id="facts"></div>
</section>`;

const keys = html`<dialog id="keys" aria-labelledby="keys-title">
<h2 id="keys-title">Keys</h2>
<dl><dt><kbd>/</kbd></dt><dd>Search</dd>
<dt><kbd>↑</kbd> <kbd>↓</kbd></dt><dd>Move in a list; Page Up, Page Down, Home and End too</dd>
<dt><kbd>Enter</kbd></dt><dd>Open what is marked</dd>
<dt><kbd>Tab</kbd></dt><dd>Go to the next list, button or field</dd>
<dt><kbd>Esc</kbd></dt><dd>Close the panel, empty the search</dd>
<dt><kbd>?</kbd></dt><dd>Show these keys</dd></dl>
<form method="dialog"><button>Close</button></form>
</dialog>`;

/** The dispatcher's board as a complete document, without data. */
function boardPage(tiles: MapTiles | null): string {
  const script = boardScript({ tiles: tiles !== null });
  const policy = contentPolicy({ style, script, tiles, pictures: ["'self'", 'data:'] });
  return html`<!doctype html>
<html lang="en">
<head>
${documentHead('Deliveries', policy, leafletFiles(tiles, './'))}
<style>${verbatim(style)}</style>
<script type="module">${verbatim(script)}</script>
</head>
<body>
<header><h1 id="merchant">Deliveries</h1><span id="test" class="test" hidden>Test</span>
${tools}
<span id="net" role="status"></span>
<button type="button" class="plain" id="show-keys" aria-label="Show the keys">?</button>
<button type="button" id="leave" class="plain" hidden>Forget the key</button></header>
<p id="said" role="alert"></p>
<main id="enter" hidden>
<form>
<h2>Deliveries and drivers</h2>
<label for="key">API key</label>
<input id="key" type="password" autocomplete="off" required>
<button>Open the board</button>
<p class="soft">The key is kept in this tab only, until it is closed.</p>
</form>
</main>
<main id="board" hidden>
${lists}
${map(tiles)}
${drivers}
${panel}
</main>
${keys}
<noscript><p>This page needs JavaScript.</p></noscript>
</body>
</html>
`.markup;
}
