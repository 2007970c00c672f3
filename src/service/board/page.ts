import type { showBoard } from '../../contract/pages.ts';
import type { Handler } from '../http/handler.ts';
import { contentPolicy, html, palettes, themed, verbatim } from '../tracking-page/markup.ts';
import { endedGroup, openGroups, script } from './script.ts';

/** The same page for everyone: it reads its data with the key that its reader has. */
export const board: Handler<typeof showBoard> = async () => boardPage;

const columns = [...openGroups, endedGroup].map(
  ({ title }, index) => html`<section aria-labelledby="group-${index}" data-group="${index}">
<h2 id="group-${index}">${title} <span data-count>0</span></h2>
<ol></ol>
</section>`,
);

/** The inline style of the board: columns on a screen, one list on a phone. */
const style = themed(`
*,::before,::after{box-sizing:border-box}
*{margin:0}
body{background:var(--paper);color:var(--ink);font:1rem/1.4 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;overflow-wrap:anywhere}
header{display:flex;flex-wrap:wrap;align-items:center;gap:.5rem 1rem;padding:.8rem 1rem}
header b{font-size:1.2rem}
#net{flex:1;color:var(--soft)}
#net.bad,.late{color:var(--late);font-weight:600}
#said{padding:0 1rem .6rem;color:var(--bad);font-weight:600}
#said:empty{display:none}
.test{border:1px solid;border-radius:99px;padding:.05rem .6rem;font-size:.85rem}
.soft{color:var(--soft);font-size:.9rem}
h2{font-size:1rem;margin-bottom:.5rem}
h2 span{color:var(--soft);font-weight:400}
ol,ul{list-style:none;padding:0;display:grid;gap:.6rem}
main{display:grid;gap:1rem;padding:0 1rem 2rem}
#groups{display:grid;gap:1rem;align-items:start}
aside{display:grid;gap:1rem;align-content:start}
li{background:var(--card);border:1px solid var(--line);border-radius:12px;padding:.7rem .8rem;display:grid;gap:.25rem}
li.is-late{border-left:4px solid var(--late)}
li[draggable=true]{cursor:grab}
#drivers li.over{outline:3px dashed var(--accent);outline-offset:2px}
#drivers li.off{opacity:.75}
svg{display:block;width:100%;background:var(--land);border:1px solid var(--line);border-radius:12px}
svg text{font:600 11px system-ui,sans-serif;fill:var(--ink);paint-order:stroke;stroke:var(--land);stroke-width:3px}
svg .driver{fill:var(--accent)}
svg .courier{fill:var(--soft)}
svg .scale{stroke:var(--soft);stroke-width:2;fill:none}
label{font-size:.9rem;color:var(--soft)}
select,input,button{font:inherit;min-height:2.5rem;border-radius:8px;border:1px solid var(--soft);background:var(--paper);color:var(--ink);padding:.3rem .6rem;max-width:100%;width:100%}
button{width:auto;cursor:pointer;font-weight:600;background:var(--accent);border-color:var(--accent);color:var(--onaccent)}
button.plain{background:var(--card);color:var(--accent)}
:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
#enter{max-width:26rem;margin:3rem auto;padding:0 1rem;display:grid;gap:.8rem}
h1{font-size:1.3rem}
noscript p{padding:1rem}
[hidden]{display:none!important}
@media(min-width:60rem){
main{grid-template-columns:20rem 1fr}
#groups{grid-template-columns:repeat(auto-fit,minmax(11rem,1fr))}
}
`);

/** The dispatcher's board as a complete document, without data. */
const boardPage: string = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
${contentPolicy({ style, script, pictures: ['data:'] })}
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex">
<meta name="referrer" content="no-referrer">
<meta name="theme-color" content="${palettes.light.paper}" media="(prefers-color-scheme:light)">
<meta name="theme-color" content="${palettes.dark.paper}" media="(prefers-color-scheme:dark)">
<title>Deliveries</title>
<link rel="icon" href="data:,">
<style>${verbatim(style)}</style>
<script type="module">${verbatim(script)}</script>
</head>
<body>
<header><b id="merchant">Deliveries</b><span id="test" class="test" hidden>Test</span>
<span id="net" role="status"></span><button type="button" id="leave" class="plain" hidden>Forget the key</button></header>
<p id="said" role="alert"></p>
<form id="enter" hidden>
<h1>Deliveries and drivers</h1>
<label for="key">API key</label>
<input id="key" type="password" autocomplete="off" required>
<button>Open the board</button>
<p class="soft">The key is kept in this tab only, until it is closed.</p>
</form>
<main id="board" hidden>
<aside>
<section aria-labelledby="drivers-title"><h2 id="drivers-title">Drivers <span id="driver-count">0</span></h2>
<ul id="drivers"></ul>
<p class="soft" id="no-drivers" hidden>No drivers yet. Add one with <code>waybill drivers add</code>.</p></section>
<section aria-labelledby="map-title"><h2 id="map-title">Map</h2>
<svg id="map" viewBox="0 0 360 260" role="img" aria-labelledby="map-title map-text"><desc id="map-text"></desc></svg>
<p class="soft" id="map-note"></p></section>
</aside>
<div id="groups">
<section aria-labelledby="waiting-title">
<h2 id="waiting-title">Waiting for a courier <span id="waiting-count">0</span></h2>
<ol id="waiting"></ol>
</section>
${columns}</div>
</main>
<noscript><p>This page needs JavaScript.</p></noscript>
</body>
</html>
`.markup;
