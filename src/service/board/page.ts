import { contentPolicy } from '../tracking-page/content-policy.ts';
import { html, verbatim } from '../tracking-page/markup.ts';
import { palettes } from '../tracking-page/style.ts';
import { endedGroup, openGroups } from './groups.ts';
import { script } from './script.ts';
import { style } from './style.ts';

const columns = [...openGroups, endedGroup].map(
  ({ title }, index) => html`<section aria-labelledby="group-${index}" data-group="${index}">
<h2 id="group-${index}">${title} <span data-count>0</span></h2>
<ol></ol>
</section>`,
);

/** The dispatcher's board as a complete document, without data. */
export const boardPage: string = html`<!doctype html>
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
