import type { showBoard } from '../../contract/pages.ts';
import type { MapTiles } from '../../domain/operator-settings.ts';
import type { Handler } from '../http/handler.ts';
import {
  contentPolicy,
  dataBlock,
  documentHead,
  html,
  leafletFiles,
  themed,
  verbatim,
} from '../tracking-page/markup.ts';
import { boardScript, endedGroups, openGroups, vocabulary } from './script.ts';

/**
 * The inline style of the board: lists, map and drivers side by side on a wide screen, lists beside drivers on a tablet,
 * one of them at a time on a phone.
 */
export const style = themed(`
*,::before,::after{box-sizing:border-box}
*{margin:0}
html{height:100%}
body{background:var(--paper);color:var(--ink);font:1rem/1.35 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;overflow-wrap:anywhere;min-height:100%;display:flex;flex-direction:column}
header{display:flex;flex-wrap:wrap;align-items:center;gap:.4rem .8rem;padding:.5rem .8rem;border-bottom:1px solid var(--line)}
header h1{font-size:1.1rem}
#net{color:var(--soft);font-size:.85rem;margin-left:auto}
#net.bad{color:var(--bad);font-weight:600}
#said{padding:.4rem .8rem;color:var(--bad);font-weight:600}
#said:empty{display:none}
.test{border:1px solid;border-radius:99px;padding:.05rem .6rem;font-size:.8rem}
.soft{color:var(--soft)}
.bad{color:var(--bad)}
.late{color:var(--late)}
.good{color:var(--accent)}
.unseen{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
[hidden]{display:none!important}
h2{font-size:1rem}
h2 .count{color:var(--soft);font-weight:400}
h3{font-size:.95rem;margin:.9rem 0 .3rem}
label,legend{display:block;font-size:.9rem;color:var(--soft)}
select,input,textarea,button{font:inherit;min-height:2.25rem;border-radius:8px;border:1px solid var(--soft);background:var(--card);color:var(--ink);padding:.25rem .6rem;max-width:100%}
textarea{width:100%;resize:vertical}
button{cursor:pointer;font-weight:600;background:var(--accent);border-color:var(--accent);color:var(--onaccent)}
button:disabled{cursor:default;background:var(--paper);border-color:var(--line);color:var(--soft)}
button.plain,.views button,.chip{background:var(--card);border-color:var(--line);color:var(--ink);font-weight:400}
.views button[aria-pressed=true],.chip[aria-pressed=true]{border-color:var(--accent);box-shadow:inset 0 0 0 1px var(--accent);font-weight:600}
button.link{background:none;border:0;padding:.15rem 0;color:var(--accent);text-decoration:underline;text-align:left;min-height:1.5rem}
a{color:var(--accent)}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
#tools{display:flex;flex-wrap:wrap;gap:.4rem;align-items:center;flex:1 1 30rem;min-width:0;max-width:100%}
#q{min-width:9rem;flex:1 1 9rem}
#filters{display:flex;flex-wrap:wrap;gap:.4rem}
#filters select{max-width:9.5rem}
#filter-toggle{display:none}
#board{flex:1;min-height:0;display:grid;gap:.6rem;padding:.6rem .8rem .8rem}
#board>section,#board>aside{min-width:0;min-height:0;display:flex;flex-direction:column;gap:.4rem}
.head{display:flex;flex-wrap:wrap;align-items:center;gap:.3rem .6rem}
.views{display:flex;flex-wrap:wrap;gap:.3rem}
.chips{display:flex;flex-wrap:wrap;gap:.3rem}
.chip{min-height:1.75rem;padding:.1rem .6rem;border-radius:99px;font-size:.85rem}
.chip.bad{color:var(--bad);border-color:var(--bad)}
.chip.late{color:var(--late);border-color:var(--late)}
.list{position:relative;overflow-y:auto;flex:1 1 0;min-height:12rem;background:var(--card);border:1px solid var(--line);border-radius:10px}
.space{position:relative;overflow:hidden}
.row{position:absolute;left:0;right:0;height:3.5rem;padding:.35rem .6rem .35rem .75rem;border-bottom:1px solid var(--line);border-left:4px solid transparent;cursor:pointer;display:grid;align-content:center;gap:.1rem}
#driver-list .row{height:3.25rem}

#driver-list .line b{flex:none;max-width:55%}
#driver-list .line .side{flex:0 1 auto;font-size:.8rem}
.row.bad{border-left-color:var(--bad)}
.row.late{border-left-color:var(--late)}
.row,.row .soft{font-size:.875rem}
.row:hover{background:var(--paper)}
.row[aria-selected=true]{background:var(--land)}
.list:focus-visible .row.active{outline:2px solid var(--accent);outline-offset:-3px}
.list:focus-visible{outline-width:2px}
.row.bad,.row.late{color:var(--ink)}
.line{display:flex;gap:.4rem;align-items:baseline;white-space:nowrap;min-width:0}
.line b,.line .fill{overflow:hidden;text-overflow:ellipsis;min-width:2rem}
.line .side{margin-left:auto;flex:none;max-width:60%;overflow:hidden;text-overflow:ellipsis}
.word{flex:none;font-size:.8rem;border:1px solid var(--line);border-radius:5px;padding:0 .35rem;color:var(--soft)}
.word i{font-style:normal;font-weight:700;margin-right:.25rem}
.word.bad{background:var(--bad);border-color:var(--bad);color:var(--card);font-weight:600}
.word.late{color:var(--late);border-color:var(--late);font-weight:600}
.word.good{color:var(--accent);border-color:var(--accent)}
.lane{isolation:isolate;position:relative;display:block;height:1.1rem;margin-top:.1rem;border-radius:4px;background:linear-gradient(var(--line),var(--line)) 0 50%/100% 2px no-repeat}
.lane i{position:absolute;top:.05rem;width:1rem;height:1rem;border-radius:50%;background:var(--accent);color:var(--onaccent);border:1px solid var(--card);font:700 .65rem/1rem system-ui,sans-serif;text-align:center}
.lane .pickup{border-radius:2px;background:var(--ink);color:var(--card)}
.lane .return{border-radius:2px;background:var(--card);border-color:var(--ink);color:var(--ink)}
.lane .late{background:var(--late);color:var(--card)}
#axis{display:grid;grid-template-columns:repeat(4,1fr);font-size:.75rem;color:var(--soft);padding:0 .6rem 0 .9rem}
.none{padding:.8rem;color:var(--soft)}
#map-body{flex:1;min-height:10rem;display:flex;flex-direction:column;gap:.2rem}
#map{display:block;width:100%;flex:1 1 0;min-height:9rem;background:var(--land);border:1px solid var(--line);border-radius:10px}
#map.spare{display:none}
#tiles{flex:1 1 0;min-height:9rem;border:1px solid var(--line);border-radius:10px;z-index:0}
#tiles .mark{display:grid;width:100%;height:100%;border-radius:50%;border:1.5px solid var(--card);background:var(--accent);color:var(--onaccent);font:600 10px/1 system-ui,sans-serif;place-items:center}
#tiles .dropoff{background:var(--soft);color:var(--card)}
#tiles .late{background:var(--late);color:var(--card)}
#tiles .shop{border-radius:4px;background:var(--ink)}
#tiles .courier,#tiles .off{background:var(--card);color:var(--ink);border-color:var(--accent)}
#tiles .dim{opacity:.35}
#tiles .opened{border:3px solid var(--ink)}
#map-note{font-size:.8rem;color:var(--soft)}
#map text{font:600 11px system-ui,sans-serif;fill:var(--ink);paint-order:stroke;stroke:var(--land);stroke-width:3px}
#map .number{stroke:none;fill:var(--onaccent);font-size:10px}
#map .mark[data-ids]{cursor:pointer}
#map circle,#map rect{fill:var(--accent);stroke:var(--land);stroke-width:1.5px}
#map .dropoff circle{fill:var(--soft)}
#map .dropoff .number{fill:var(--card)}
#map .off .number,#map .courier .number{fill:var(--ink)}
#map .late circle{fill:var(--late)}
#map .late .number{fill:var(--card)}
#map .shop rect{fill:var(--ink)}
#map .courier circle,#map .off circle{fill:var(--card);stroke:var(--accent)}
#map .dim{opacity:.35}
#map .opened circle,#map .opened rect{stroke:var(--ink);stroke-width:3px}
#map .scale{stroke:var(--soft);stroke-width:2;fill:none}
#panel{background:var(--card);border:1px solid var(--line);border-radius:10px;padding:.7rem .9rem;overflow-y:auto;display:block}
#panel .head{justify-content:space-between;flex-wrap:nowrap;align-items:flex-start}
#panel h2{font-size:1.15rem}
#panel h2:focus{outline:none}
#panel p,#panel li,#panel dd,#panel dt{font-size:.925rem}
#panel ol,#panel ul{list-style:none;padding:0;display:grid;gap:.25rem}
#panel .stops li{display:grid;border-left:2px solid var(--line);padding-left:.6rem}
#panel .stops button{justify-self:start}
.state{font-weight:600;margin:.2rem 0}
.fact{display:grid;grid-template-columns:5.5rem 1fr;gap:.2rem .6rem;padding:.1rem 0}
dt,time{color:var(--soft)}
.calls{display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;margin-top:.4rem}
#panel img{display:block;max-width:100%;max-height:16rem;border-radius:8px;margin-top:.3rem}
#actions{display:flex;flex-wrap:wrap;gap:.4rem;margin:.6rem 0}
#actions>p,#actions details[open]{width:100%}
details{border:1px solid var(--line);border-radius:8px}
summary{cursor:pointer;padding:.4rem .7rem;font-weight:600;min-height:2.25rem}
details form{display:grid;gap:.5rem;padding:.2rem .7rem .7rem}
details form>button{justify-self:start}
details select{display:block;width:100%}
fieldset{border:0;padding:0;min-width:0}
.tick{color:var(--ink);padding:.15rem 0;display:flex;gap:.4rem;align-items:baseline}
.tick input{min-height:0;width:1.2rem;height:1.2rem;flex:none}
#results:not(:empty){border:1px solid var(--line);border-radius:8px;padding:.5rem .7rem;margin-top:.5rem;font-weight:600}
#results button{margin-top:.4rem}
#enter{max-width:26rem;margin:3rem auto;padding:0 1rem;width:100%}
#enter form{display:grid;gap:.8rem}
#enter h2{font-size:1.3rem}
dialog{margin:auto;background:var(--card);color:var(--ink);border:1px solid var(--line);border-radius:12px;padding:1.2rem;max-width:min(28rem,92vw)}
dialog dl{display:grid;grid-template-columns:auto 1fr;gap:.4rem 1rem;margin:.8rem 0}
kbd{border:1px solid var(--soft);border-radius:5px;padding:0 .4rem;font:inherit}
noscript p{padding:1rem}
#act,#all{display:none}
[data-view=act] #act,[data-view=all] #all{display:flex;flex-direction:column;gap:.4rem;flex:1;min-height:0}
@media(max-width:89.99rem){
#filters select{max-width:8.2rem}
}
@media(max-width:74.99rem){
#tools{order:1;flex:1 0 100%}
}
@media(max-width:44.99rem){
#net{order:2;flex:1 0 100%;margin:0}
#show-keys{margin-left:auto}
#filter-toggle{display:inline-block}
#filters{display:none;width:100%}
#filters.shown{display:grid;grid-template-columns:1fr 1fr}
#filters select{max-width:none;width:100%}
.views button{flex:1 1 auto;font-size:.85rem;padding:.25rem .35rem}
#lists .views{order:-1}
#board{display:flex;flex-direction:column}
#board>section,#board>aside{flex:1 1 auto}
[data-view=drivers] #lists,[data-view=map] #lists{flex:none}
[data-view=act] #drivers,[data-view=all] #drivers,[data-view=map] #drivers,[data-view=act] #map-area,[data-view=all] #map-area,[data-view=drivers] #map-area{display:none}
.list{height:65vh;flex:1 1 auto}
#map,#tiles{min-height:60vh}
.with-panel #board>:not(#panel){display:none}
.with-panel #panel{flex:1}
#map-toggle{display:none}
}
@media(min-width:45rem){
.narrow{display:none}
body{height:100%}
#board{grid-template:"lists drivers" minmax(14rem,1fr) "lists map" minmax(14rem,1fr) / minmax(0,1fr) minmax(0,1fr);overflow:auto}
#lists{grid-area:lists}
#drivers{grid-area:drivers}
#map-area{grid-area:map}
#panel{grid-area:drivers/drivers/map/map;z-index:1}
.no-map #board{grid-template-rows:minmax(14rem,1fr) auto}
}
@media(min-width:45rem) and (max-width:74.99rem){
.with-panel #drivers,.with-panel #map-area{display:none}
}
@media(min-width:75rem){
#board{grid-template:"lists map drivers" minmax(24rem,1fr) / minmax(0,1.05fr) minmax(0,1.3fr) minmax(0,1.15fr)}
.no-map #board{grid-template-rows:minmax(24rem,1fr);grid-template-columns:minmax(0,1.3fr) auto minmax(0,1.3fr)}
#panel{grid-area:panel}
.with-panel #board{grid-template:"lists map drivers" minmax(14rem,1fr) "lists panel drivers" minmax(0,1.8fr) / minmax(0,1.05fr) minmax(0,1.3fr) minmax(0,1.15fr)}
.with-panel.no-map #board{grid-template-rows:auto minmax(0,1fr)}
}
@media(forced-colors:active){
.lane i{border-color:CanvasText}
}
`);

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
<select id="sort" aria-label="Sort by"><option value="">Urgent first</option><option value="promised">Promised time</option><option value="store">Store</option><option value="newest">Newest first</option></select>
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
<div class="chips"><button type="button" class="chip" id="place" hidden></button></div>
<div class="list" id="all-list" role="listbox" tabindex="0" aria-label="Deliveries" hidden><div class="space" role="presentation"></div></div>
<p class="none" id="all-none"></p>
<p class="soft" id="cut" hidden></p>
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
  const script = boardScript({ withTiles: tiles !== null });
  const policy = contentPolicy({ style, script, tiles, pictures: ["'self'", 'data:'] });
  return html`<!doctype html>
<html lang="en">
<head>
${documentHead('Deliveries', policy, leafletFiles(tiles, './'))}
<style>${verbatim(style)}</style>
${dataBlock('vocabulary', vocabulary)}
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
