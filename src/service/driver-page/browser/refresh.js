/** The part of the page's script that loads the page again, and applies to it the taps that still wait to be sent. */

/** @type {Intl.DateTimeFormatOptions} */
const clock = { hour: 'numeric', minute: '2-digit' };

/** In the time zone of the shop; if that is unknown, of the phone. */
function timeText(at, from = document) {
  const timeZone = one('main', from)?.dataset.zone || undefined;
  const dayOf = (time) => time.toLocaleDateString('en-US', { timeZone });
  const day =
    dayOf(at) === dayOf(shopTime(Date.now()))
      ? ''
      : `${at.toLocaleDateString([], { weekday: 'short', month: 'short', day: 'numeric', timeZone })}, `;
  // No line breaks within a time.
  return day + at.toLocaleTimeString([], { ...clock, timeZone }).replace(/\s/g, '\u00a0');
}

function localize(from) {
  for (const time of all('time', from)) time.textContent = timeText(new Date(time.dateTime), from);
}

/** By how much the clock of the service is ahead of the phone's. */
let clockOffset = 0;
/** A time of the phone's clock, by the clock of the service. */
const shopTime = (time) => new Date(new Date(time).getTime() + clockOffset);
/** The page as the service last sent it, and its tag. */
let latest = document.documentElement.outerHTML;
let tag = '';
/** When the page was last as the service has it, by the clock of the service. */
let updated_at = null;

/** Shows the page as the service has it now; for a link that is no longer valid or a suspended shop a page that says so. */
async function refreshPage() {
  const response = await fetch(page, {
    cache: 'no-store',
    headers: { accept: 'text/html', ...(tag && { 'if-none-match': tag }) },
    signal: AbortSignal.timeout(15000),
  });
  const now = Date.parse(response.headers.get('x-service-time') ?? '');
  if (response.status === 304) {
    noteUpdate(now);
    taken = [];
    return showPage();
  }
  const text = await response.text();
  const next = parse(text);
  const policyOf = (from) => one('[http-equiv=Content-Security-Policy]', from)?.content;
  const isPage = response.ok || response.status === 403 || response.status === 404;
  if (!isPage || !policyOf(next)) throw faultOf(response);
  if (response.headers.has('x-kept')) throw new Error('no connection');
  if (policyOf(next) !== policyOf(document)) {
    // A reload would lose an open dialog, and the taps that are in memory only.
    if (!one('dialog[open]') && memory.length === 0) location.reload();
    return;
  }
  noteUpdate(now);
  latest = text;
  tag = response.headers.get('etag') ?? '';
  taken = [];
  await showPage(next);
}

/** A page of the worker's cache has the time at which it was kept. */
function noteUpdate(now) {
  if (Number.isNaN(now)) return;
  clockOffset = now - Date.now();
  updated_at = now;
}

function showUpdate() {
  const lines = [
    ...(updated_at === null ? [] : [fill(texts.updated, { time: timeText(new Date(updated_at)) })]),
    ...(seen_at === null ? [] : [fill(texts.seen, { time: timeText(shopTime(seen_at)) })]),
  ];
  const element = one('[data-updated]');
  element.textContent = lines.join(' ');
  element.dataset.updated = updated_at === null ? '' : new Date(updated_at).toISOString();
}

const parse = (text) => new DOMParser().parseFromString(text, 'text/html');

// The map app that the driver has chosen, kept on this phone.

const stored_map = 'drive-map';
let chosenMap = null;
try {
  chosenMap = localStorage.getItem(stored_map);
} catch {}

/** Before the page is compared with the one that is shown, so that links stay as they are. */
function chooseMaps(from = document) {
  const app = all('#maps option').find(({ value }) => value === chosenMap);
  if (!app) return;
  for (const link of all('[data-map]', from))
    link.href = app.dataset.url + encodeURIComponent(link.dataset.map);
  one('#maps').value = chosenMap;
}

document.addEventListener('change', chooseApp);

/** @param {any} event */
function chooseApp({ target }) {
  if (target.id !== 'maps') return;
  chosenMap = target.value;
  try {
    localStorage.setItem(stored_map, chosenMap);
  } catch {}
  chooseMaps();
}

async function showPage(next = parse(latest)) {
  localize(next);
  chooseMaps(next);
  const entries = await waiting();
  for (const part of ['header', 'main']) {
    const shown = one(part, next);
    if (shown) match(one(part), shown);
    else one(part).hidden = true;
  }
  for (const tap of [...taken, ...entries.map((entry) => entry.tap)]) apply(tap);
  showStops();
  showUpdate();
  checkArrival();
  countDown();
  tellNews();
  follow();
}
