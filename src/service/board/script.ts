import {
  closed_tag,
  type DeliveryStatus,
  fleet_provider,
  handoverFailures,
  reportableStatuses,
} from '../../contract/vocabulary.ts';
import { zoneTables } from '../../domain/addresses.ts';
import { canMove, skippedStatuses } from '../../domain/delivery-states.ts';
import { late_tolerance_ms } from '../../domain/delivery-times.ts';
import { max_wrong_pins } from '../../domain/order-rules.ts';
import { replaceChanged } from '../tracking-page/script.ts';
import { driverScript } from './driver-script.ts';
import { listScript, problemScript } from './list-script.ts';
import { mapScript, tileMapScript } from './map-script.ts';
import { panelScript } from './panel-script.ts';
import { recordScript } from './record-script.ts';

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

/** The words and limits of the service that the script uses. */
const vocabulary = {
  open_groups: openGroups,
  ended_groups: endedGroups,
  fleet: fleet_provider,
  reportable,
  tapped_statuses: reportableStatuses,
  handover_failures: handoverFailures,
  max_wrong_pins,
  late_tolerance_ms,
  closed_tag,
  zones: zoneTables,
};

/** Small functions of all parts. Texts are set as text, never as HTML. */
const basics = `
const { open_groups, ended_groups, fleet, zones, tapped_statuses, reportable, handover_failures, max_wrong_pins, late_tolerance_ms, closed_tag } = ${JSON.stringify(vocabulary)};
const one = (selector, from = document) => from.querySelector(selector);
const all = (selector, from = document) => [...from.querySelectorAll(selector)];

function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === true) made.setAttribute(key, '');
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

/** Replaces the children of an element. Unchanged ones stay, with their focus. */
function setChildren(holder, children) {
  const next = holder.cloneNode(false);
  next.append(...children);
  match(holder, next);
}

/** The time zone of an address; undefined if it is unknown. */
function zoneOf(address = '') {
  const [, state, zip = ''] = new RegExp(zones.ending).exec(address) ?? [];
  const known = zones.states[state];
  return known && (zones.zips[zip] ?? zones.zips[zip.slice(0, 4)] ?? zones.zips[zip.slice(0, 3)] ?? known);
}

const formats = new Map();

/** How times of a zone are written: with the name of the zone where it is not the time of the reader. */
function formatsOf(timeZone) {
  if (!formats.has(timeZone)) {
    const day = new Intl.DateTimeFormat('en-US', { timeZone, dateStyle: 'short', timeStyle: 'short' });
    const isElsewhere = day.format() !== new Intl.DateTimeFormat('en-US', { dateStyle: 'short', timeStyle: 'short' }).format();
    const clock = { hour: 'numeric', minute: '2-digit', timeZone, ...(isElsewhere ? { timeZoneName: 'short' } : {}) };
    formats.set(timeZone, {
      day: new Intl.DateTimeFormat('en-US', { timeZone }),
      time: new Intl.DateTimeFormat([], clock),
      dated: new Intl.DateTimeFormat([], { month: 'short', day: 'numeric', ...clock }),
    });
  }
  return formats.get(timeZone);
}

/** A time in a zone, otherwise in that of the reader, with the date unless it is that of today. */
function clock(time, zone, today = now()) {
  const { day, time: short, dated } = formatsOf(zone);
  const at = new Date(time);
  return (day.format(at) === day.format(today) ? short : dated).format(at);
}

const words = (code) => code.replaceAll('_', ' ');
const capital = (text) => text.slice(0, 1).toUpperCase() + text.slice(1);
const withoutCountry = (address) => (address ?? '').replace(/, USA$/, '');
const dollars = (cents) => '$' + (cents / 100).toFixed(2);
const counted = (count, noun) => count + ' ' + noun + (count === 1 ? '' : 's');
const minutesSince = (time) => Math.max(0, Math.floor((now() - Date.parse(time)) / 60000));

/** Minutes, or hours and minutes. */
function lengthOf(minutes) {
  if (minutes < 60) return minutes + ' min';
  return Math.floor(minutes / 60) + ' h' + (minutes % 60 === 0 ? '' : ' ' + (minutes % 60) + ' min');
}
`;

/** The key, and requests with it. */
const requests = `
// The key: from the link, then kept for this tab.

const stored = 'waybill-board-key';

/** Takes the key of a link into this tab, and out of the address. */
function takeKey() {
  const given = new URLSearchParams(location.hash.slice(1)).get('key');
  if (!given) return false;
  sessionStorage.setItem(stored, given);
  history.replaceState(null, '', location.pathname);
  return true;
}

takeKey();
let key = sessionStorage.getItem(stored);

function forgetKey(message) {
  sessionStorage.removeItem(stored);
  key = null;
  stream?.abort();
  one('#board').hidden = true;
  one('#tools').hidden = true;
  one('#leave').hidden = true;
  one('#enter').hidden = false;
  one('#net').textContent = '';
  say(message);
}

one('#leave').addEventListener('click', () => {
  forgetKey('');
  location.replace(location.pathname);
});
one('#enter').addEventListener('submit', (event) => {
  event.preventDefault();
  key = one('#key').value.trim();
  one('#key').value = '';
  sessionStorage.setItem(stored, key);
  begin();
});

function say(message) {
  one('#said').textContent = message;
}

// The page lies beside the operations, also behind a proxy with a path of its own.

class Refused extends Error {}

/** How far service time is ahead of this machine's: test mode has a clock of its own. */
let serviceAhead = 0;
const now = () => Date.now() + serviceAhead;

async function call(method, path, body) {
  const response = await fetch('.' + path, {
    method,
    headers: { 'x-api-key': key, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
    signal: AbortSignal.timeout(20000),
  });
  const at = Date.parse(response.headers.get('x-service-time'));
  if (!Number.isNaN(at)) serviceAhead = at - Date.now();
  if (response.ok) return response.json();
  const { message, details } = await response.json().catch(() => ({}));
  if (response.status === 401) forgetKey('This API key is not valid. Enter another one.');
  if (response.status < 500) throw new Refused([message ?? 'The service refused this.', ...(details ?? []).map((each) => each.path + ' ' + each.message + '.')].join(' '));
  throw new Error(response.status);
}

/** Reads a list of up to this many pages of a hundred. */
async function listOf(path, pages) {
  const read = [];
  let cursor = '';
  for (let page = 0; page < pages; page += 1) {
    const { data, has_more, next_cursor } = await call('GET', path + 'limit=100' + cursor);
    read.push(...data);
    if (!has_more || !next_cursor) return read;
    cursor = '&cursor=' + encodeURIComponent(next_cursor);
  }
  read.isCut = true;
  return read;
}
`;

/** Filters, search and keys of the whole page. */
const controls = `
// The view is in the fragment of the URL: it survives a reload and can be shared, and is not sent to any server.

const filterNames = ['view', 'q', 'store', 'driver', 'state', 'sort', 'open', 'kind', 'place', 'map'];
const filters = {};

function readHash() {
  const given = new URLSearchParams(location.hash.slice(1));
  for (const name of filterNames) filters[name] = given.get(name) ?? '';
  for (const name of ['q', 'store', 'driver', 'state', 'sort']) one('#' + name).value = filters[name];
  find(filters.q);
}

/** Changes filters, and shows what they leave. */
function setFilters(changes) {
  Object.assign(filters, changes);
  const kept = new URLSearchParams(filterNames.filter((name) => filters[name]).map((name) => [name, filters[name]]));
  history.replaceState(null, '', location.pathname + (kept.size > 0 ? '#' + kept : ''));
  show();
}

addEventListener('hashchange', () => {
  // Another key shows another shop.
  if (takeKey()) return location.reload();
  readHash();
  show();
});
for (const name of ['store', 'driver', 'state', 'sort']) {
  one('#' + name).addEventListener('change', ({ target }) => setFilters({ [name]: target.value, ...(name === 'sort' ? {} : { view: filters.view || 'all' }) }));
}
for (const button of all('button[data-view]')) {
  button.addEventListener('click', () => setFilters({ view: button.dataset.view, open: isNarrow() ? '' : filters.open }));
}
one('#clear').addEventListener('click', () => {
  for (const name of ['q', 'store', 'driver', 'state']) one('#' + name).value = '';
  find('');
  setFilters({ q: '', store: '', driver: '', state: '', place: '', kind: '' });
});
one('#place').addEventListener('click', () => {
  setFilters({ place: '' });
  one('#all-list').focus();
});
one('#filter-toggle').addEventListener('click', ({ target }) => {
  const isOpen = one('#filters').classList.toggle('shown');
  target.setAttribute('aria-expanded', isOpen);
});
const isNarrow = () => !matchMedia('(min-width:45rem)').matches;

/** Sets the options of a choice, keeping what is chosen. */
function setOptions(select, options) {
  const text = JSON.stringify(options);
  if (select.dataset.options === text) return;
  select.dataset.options = text;
  const first = select.firstElementChild;
  select.replaceChildren(first, ...options.map(([value, label]) => element('option', { value }, label)));
  select.value = filters[select.id];
}

// The search is the one of the service: it knows all deliveries and orders, not only those on the board.

let found = null;
let searching;

one('#q').addEventListener('input', () => {
  clearTimeout(searching);
  searching = setTimeout(search, 300);
});

/** Searches for what is typed, and shows what is found. */
async function search() {
  clearTimeout(searching);
  const text = one('#q').value.trim();
  const finding = find(text);
  setFilters({ q: text, view: text ? 'all' : filters.view });
  await finding;
}

/** Returns when the text has been searched for. */
function find(text) {
  if (!text) {
    found = null;
    return undefined;
  }
  if (found?.text === text && !found.problem) return found.reading;
  found = { text, deliveries: [], orders: [], isCut: false, isDone: false, problem: '' };
  found.reading = readFound(found);
  return found.reading;
}

async function readFound(own) {
  const query = 'q=' + encodeURIComponent(own.text);
  try {
    const [deliveries, orders] = await Promise.all([listOf('/v2/deliveries?' + query + '&', 1), listOf('/v2/orders?' + query + '&', 1)]);
    own.isCut = deliveries.isCut || orders.isCut;
    Object.assign(own, { deliveries, orders: orders.filter(({ delivery_id }) => delivery_id === null) });
  } catch (error) {
    own.problem = error instanceof Refused ? error.message : 'No connection to the service. Press Enter to search again.';
  }
  own.isDone = true;
  if (found === own) show();
}

// Keys.

document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') return leave(event);
  if (event.ctrlKey || event.metaKey || event.altKey || one('#board').hidden) return;
  if (event.target.closest?.('input,textarea,select,dialog')) return;
  if (event.key === '/') {
    event.preventDefault();
    one('#q').focus();
    one('#q').select();
  }
  if (event.key === '?') one('#keys').showModal();
});
one('#show-keys').addEventListener('click', () => one('#keys').showModal());
one('#q').addEventListener('keydown', async (event) => {
  if (event.key !== 'ArrowDown' && event.key !== 'Enter') return;
  event.preventDefault();
  const typed = event.target.value;
  await search();
  // The person may have typed more, or gone elsewhere.
  if (document.activeElement !== event.target || event.target.value !== typed) return;
  one(filters.view === 'all' ? '#all-list' : '#act-list').focus();
});

/** Esc leaves a field with a text, closes what is open, and then empties the search. */
function leave(event) {
  if (event.target.closest?.('dialog')) return;
  if (event.target.closest?.('#actions') && event.target.value) return event.target.closest('details').querySelector('summary').focus();
  if (filters.open) return closePanel();
  if (event.target.id === 'q' && event.target.value) {
    event.target.value = '';
    find('');
    setFilters({ q: '' });
  }
}
`;

/** Shows everything, and starts. */
const start = `
let busy = 0;
let isHeld = false;

/** Shows what is known; while an action is under way what arrives is held back. */
function show() {
  if (busy > 0) {
    isHeld = true;
    return;
  }
  isHeld = false;
  // The views of a phone; a wide screen shows drivers and map beside either list.
  const view = filters.view || 'act';
  const listed = isNarrow() || view === 'act' || view === 'all' ? view : 'act';
  document.body.dataset.view = listed;
  for (const button of all('button[data-view]')) button.setAttribute('aria-pressed', button.dataset.view === listed);
  setOptions(one('#store'), storeOptions());
  setOptions(one('#driver'), driverOptions());
  one('#clear').hidden = !['q', 'store', 'driver', 'state', 'place', 'kind'].some((name) => filters[name]);
  showProblems();
  showDeliveries();
  showDrivers();
  showPanel();
  showMap();
}

async function begin() {
  say('');
  one('#enter').hidden = true;
  one('#board').hidden = false;
  one('#tools').hidden = false;
  one('#leave').hidden = false;
  readHash();
  refresh();
  follow();
  try {
    const { name, test_mode } = await call('GET', '/v2/account');
    one('#merchant').textContent = name;
    document.title = 'Deliveries of ' + name;
    one('#test').hidden = !test_mode;
  } catch {}
}

document.addEventListener('visibilitychange', () => {
  if (!document.hidden) refresh();
});
setInterval(() => {
  if (key && !document.hidden) show();
}, 20000);
addEventListener('resize', () => show());
if (key) begin();
else one('#enter').hidden = false;
`;

/** The script of the board, also with tiles. */
export function boardScript({ tiles }: { tiles: boolean }): string {
  const parts = [
    replaceChanged,
    basics,
    requests,
    recordScript,
    problemScript,
    listScript,
    driverScript,
    panelScript,
    mapScript,
  ];
  return [...parts, ...(tiles ? [tileMapScript] : []), controls, start].join('');
}
