/**
 * The dispatcher's board as HTML, the same for everyone and without data: its script (`browser/`) reads the data with the API
 * key of its reader. What the script needs to know of the service is sent along as `vocabulary`.
 */
import type { showBoard } from '../../contract/pages.ts';
import {
  closed_tag,
  type DeliveryStatus,
  deliveryStatuses,
  fleet_provider,
  handoverFailures,
  nobody,
  reportableStatuses,
  unverified_tag,
} from '../../contract/vocabulary.ts';
import { zoneTables } from '../../domain/addresses.ts';
import { canMove, isPickedUp, skippedStatuses } from '../../domain/delivery-states.ts';
import { window_ms, window_step_ms } from '../../domain/estimates.ts';
import { late_tolerance_ms, silent_ms, stuck_after_ms } from '../../domain/lateness.ts';
import type { MapTiles } from '../../domain/operator-settings.ts';
import { max_wrong_pins } from '../../domain/order-rules.ts';
import { max_open_orders } from '../fleet/offers.ts';
import type { Handler } from '../http/handler.ts';
import matchScript from '../pages/browser/match.js?raw';
import tilesScript from '../pages/browser/tiles.js?raw';
import { leafletFiles } from '../pages/leaflet.ts';
import { contentPolicy, documentHead, html, jsonData, themed, verbatim } from '../pages/markup.ts';
import actionsScript from './browser/actions.js?raw';
import basicsScript from './browser/basics.js?raw';
import basicRules from './browser/board.css?raw';
import controlsScript from './browser/controls.js?raw';
import detailRules from './browser/details.css?raw';
import driversScript from './browser/drivers.js?raw';
import formsScript from './browser/forms.js?raw';
import layoutRules from './browser/layout.css?raw';
import listsScript from './browser/lists.js?raw';
import mapScript from './browser/map.js?raw';
import panelScript from './browser/panel.js?raw';
import problemsScript from './browser/problems.js?raw';
import recordsScript from './browser/records.js?raw';
import requestsScript from './browser/requests.js?raw';
import startScript from './browser/start.js?raw';
import suggestionsScript from './browser/suggestions.js?raw';
import tileMapScript from './browser/tile-map.js?raw';

export const board: Handler<typeof showBoard> = async ({ service }) => boardPage(service.map_tiles ?? null);

function boardPage(tiles: MapTiles | null): string {
  const script = boardScript({ withTiles: tiles !== null });
  const policy = contentPolicy({ style, script, tiles, pictures: ["'self'", 'data:'] });
  return html`<!doctype html>
<html lang="en">
<head>
${documentHead('Deliveries', policy, leafletFiles(tiles, './'))}
<style>${verbatim(style)}</style>
<script type="application/json" id="vocabulary">${jsonData(vocabulary)}</script>
<script type="module">${verbatim(script)}</script>
</head>
<body>
<header><h1 id="merchant">Deliveries</h1><span id="test" class="test" hidden>Test</span>
${tools}
<span id="net" role="status"></span>
<button type="button" class="plain" id="show-keys" aria-label="Show the keys">?</button>
<button type="button" id="leave" class="plain" aria-label="Forget the key" hidden>Forget<span> the key</span></button></header>
<p id="said" role="alert"></p>
<main id="enter" aria-label="Sign in" hidden>
<form>
<h2>Deliveries and drivers</h2>
<label for="key">API key</label>
<input id="key" type="password" autocomplete="off" required>
<button>Open the board</button>
<p class="soft">The key is kept in this tab only, until it is closed.</p>
</form>
</main>
<main id="board" aria-label="Deliveries and orders" hidden>
${lists}
${map(tiles)}
${drivers}
${panel}
</main>
${renewal}
${keys}
<noscript><p>This page needs JavaScript.</p></noscript>
</body>
</html>
`.markup;
}

const style = themed([basicRules, detailRules, layoutRules].join(''));

/** States of deliveries that the board tells apart. */
interface BoardGroup {
  title: string;
  statuses: readonly DeliveryStatus[];
}

/** The deliveries under way. Those that are only stored (`request`) are not on the board. */
export const openGroups: readonly BoardGroup[] = [
  { title: 'No driver', statuses: ['delivery_created', 'scheduled', 'driver_not_assigned'] },
  { title: 'To the shop', statuses: ['driver_assigned', 'enroute_pickup', 'arrived_at_pickup'] },
  {
    title: 'To the recipient',
    statuses: ['pickup_complete', 'enroute_dropoff', 'arrived_at_dropoff', 'dropoff_complete'],
  },
  { title: 'Coming back', statuses: ['enroute_to_return'] },
];

/** The deliveries that have ended. */
export const endedGroups: readonly BoardGroup[] = [
  { title: 'Failed', statuses: ['failed'] },
  { title: 'Canceled', statuses: ['provider_canceled', 'customer_canceled', 'burq_canceled'] },
  { title: 'Returned', statuses: ['returned'] },
  { title: 'Delivered', statuses: ['delivered'] },
  { title: 'Disputed', statuses: ['disputed'] },
];

const states = [...openGroups, ...endedGroups].map(({ title }) => html`<option>${title}</option>`);

const tools = html`<div id="tools" role="search" hidden>
<input id="q" type="search" autocomplete="off" aria-label="Search deliveries and orders" title="By name, street, phone or reference" placeholder="Search">
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

/** What is shown and typed stays when the key is revoked. */
const renewal = html`<form id="renew" aria-label="Sign in again" hidden>
<p role="alert"><label for="new-key">The key no longer works. Nothing is sent until you enter another one.</label></p>
<input id="new-key" type="password" autocomplete="off" required>
<button>Go on</button>
<button type="button" class="plain" id="renew-close">Close the board</button>
</form>`;

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

/** The statuses that can be reported of a delivery in each status. */
const reportable = Object.fromEntries(
  openGroups.flatMap(({ statuses }) =>
    statuses.map((from) => [from, reportableStatuses.filter((to) => canReport(from, to))]),
  ),
);

function canReport(from: DeliveryStatus, to: DeliveryStatus): boolean {
  const steps = [from, ...skippedStatuses(from, to), to];
  return steps.slice(1).every((step, index) => canMove(steps[index] ?? from, step));
}

/** The words and limits of the service that the script uses, which it reads from the page. */
const vocabulary = {
  open_groups: openGroups,
  ended_groups: endedGroups,
  fleet: fleet_provider,
  reportable,
  tapped_statuses: reportableStatuses,
  handover_failures: handoverFailures,
  max_wrong_pins,
  late_tolerance_ms,
  stuck_after_ms,
  silent_ms,
  picked_up: deliveryStatuses.filter(isPickedUp),
  window_step_ms,
  window_ms,
  closed_tag,
  nobody,
  unverified_tag,
  max_open_orders,
  zones: zoneTables,
};

/** The script of the board: one text, whose parts see each other's functions, and whose last one starts it. */
function boardScript({ withTiles }: { withTiles: boolean }): string {
  const data = [matchScript, basicsScript, requestsScript, recordsScript];
  const shown = [problemsScript, listsScript, driversScript, panelScript, mapScript];
  const actions = [formsScript, suggestionsScript, actionsScript];
  return [
    ...data,
    ...shown,
    ...actions,
    ...(withTiles ? [tilesScript, tileMapScript] : []),
    controlsScript,
    startScript,
  ].join('\n');
}
