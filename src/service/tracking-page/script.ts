/**
 * The part of a page's script that makes a node equal to its new version and touches only what differs, so that what is
 * not new keeps the focus. Elements with keys (`data-key`) are recognized by them, others by their name and order; those
 * with `data-kept` stay as they are.
 */
export const replaceChanged = `
function match(old, next) {
  if (old.isEqualNode(next)) return;
  if (old.nodeType !== 1 || !isAlike(old, next)) return old.replaceWith(next);
  if ('kept' in old.dataset && 'kept' in next.dataset) return;
  for (const name of old.getAttributeNames()) if (!next.hasAttribute(name)) old.removeAttribute(name);
  for (const name of next.getAttributeNames()) {
    if (old.getAttribute(name) !== next.getAttribute(name)) old.setAttribute(name, next.getAttribute(name));
  }
  const nexts = [...next.childNodes];
  const rest = [...old.childNodes].filter((child) => {
    const stays = !child.dataset?.key || nexts.some((each) => isAlike(child, each));
    if (!stays) child.remove();
    return stays;
  });
  for (const child of nexts) {
    const found = rest.findIndex((each) => isAlike(each, child));
    // A text is not worth the elements before it.
    if (found < 0 || (found > 0 && child.nodeType !== 1)) {
      old.insertBefore(child, rest[0] ?? null);
      continue;
    }
    const skipped = rest.splice(0, found);
    const same = rest.shift();
    const later = skipped.filter((each) => each.dataset?.key);
    for (const each of skipped) if (!later.includes(each)) each.remove();
    if (later.length > 0) old.insertBefore(same, later[0]);
    rest.unshift(...later);
    match(same, child);
  }
  for (const child of rest) child.remove();
}

function isAlike(left, right) {
  return left.nodeName === right.nodeName && left.dataset?.key === right.dataset?.key;
}
`;

/**
 * The page's script: it formats times by the reader's locale, in the zone of the dropoff or, if that is unknown, of the
 * reader, and reloads the page periodically, replacing only changed parts, so that a screen reader announces only the
 * changes.
 */
export const script = `
const main = () => document.querySelector('main');
const clock = { hour: 'numeric', minute: '2-digit' };
const day = { weekday: 'short', month: 'short', day: 'numeric' };

const locale = document.documentElement.lang + '-US';

const unbroken = (text) => text.replace(/\\s/g, '\\u00a0');

function localize(page) {
  const now = new Date(page.querySelector('main').dataset.now);
  const zone = page.querySelector('[data-zone]');
  const timeZone = zone.dataset.zone || undefined;
  const dayOf = (at) => at.toLocaleDateString('en-US', { timeZone });
  for (const time of page.querySelectorAll('time')) {
    const at = new Date(time.dateTime);
    const date = dayOf(at) === dayOf(now) ? '' : unbroken(at.toLocaleDateString(locale, { ...day, timeZone })) + ', ';
    time.textContent = date + unbroken(at.toLocaleTimeString([], { ...clock, timeZone }));
  }
  const parts = new Intl.DateTimeFormat(locale, { timeZone, timeZoneName: 'long' }).formatToParts(now);
  zone.textContent = parts.find(({ type }) => type === 'timeZoneName').value;
}

${replaceChanged}
const policy = (page) => page.querySelector('[http-equiv=Content-Security-Policy]').content;

async function save(form) {
  const [field, said, button] = ['textarea', '[role=status]', 'button'].map((each) => form.querySelector(each));
  const { saved, failed } = form.dataset;
  button.disabled = true;
  said.textContent = '';
  try {
    const answer = await fetch(location.pathname, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ dropoff_notes: field.value }),
      signal: AbortSignal.timeout(10000),
    });
    said.textContent = answer.ok ? saved : (form.getAttribute('data-' + answer.status) ?? failed);
    if (answer.ok) field.defaultValue = field.value;
  } catch {
    said.textContent = failed;
  }
  button.disabled = false;
}

document.addEventListener('submit', (event) => {
  event.preventDefault();
  save(event.target);
});

let timer;

function wait() {
  clearTimeout(timer);
  const seconds = Number(main().dataset.refresh);
  if (seconds > 0 && !document.hidden) timer = setTimeout(refreshPage, seconds * 1000);
}

async function refreshPage() {
  try {
    const answer = await fetch(location.href, {
      cache: 'no-store',
      headers: { accept: 'text/html' },
      signal: AbortSignal.timeout(10000),
    });
    const next = new DOMParser().parseFromString(await answer.text(), 'text/html');
    if (!answer.ok || !next.querySelector('main[data-refresh]')) throw new Error(answer.status);
    // The policy of a document cannot change, and a new picture needs another one.
    if (policy(next) !== policy(document)) return location.reload();
    localize(next);
    document.title = next.title;
    match(document.body, next.body);
    document.dispatchEvent(new Event('shown'));
  } catch {
    document.querySelector('[data-stale]').hidden = false;
  }
  wait();
}

document.addEventListener('visibilitychange', () => {
  clearTimeout(timer);
  if (!document.hidden && Number(main().dataset.refresh) > 0) refreshPage();
});
localize(document);
wait();
`;

/**
 * The part of a page's script that shows a map with tiles instead of the drawn one. `L` is Leaflet, which the page
 * loads only if tiles are set; without it, or if no tile can be loaded, the drawn map stays.
 */
export const tilesScript = `
/** Makes a map in an element; calls 'failed' if the first tiles cannot be loaded. */
function makeTileMap(holder, { tiles, attribution }, failed) {
  const copyright = '<a href="https://www.openstreetmap.org/copyright" target="_blank" rel="noreferrer">OpenStreetMap</a>';
  const map = L.map(holder, { scrollWheelZoom: false, zoomSnap: 0.25 });
  map.attributionControl.setPrefix(false);
  // Tile servers may refuse requests that do not say which site they are for; the address of the page is a secret.
  const layer = L.tileLayer(tiles, { maxZoom: 19, referrerPolicy: 'origin', attribution: textOf(attribution).innerHTML.replace('OpenStreetMap', copyright) });
  let isLoaded = false;
  layer.on('tileload', () => (isLoaded = true));
  layer.on('tileerror', () => {
    if (!isLoaded) failed();
  });
  layer.addTo(map);
  return map;
}

/** An element with a text, which Leaflet would otherwise read as HTML. */
function textOf(text) {
  const made = document.createElement('span');
  made.textContent = text;
  return made;
}

/** A marker whose picture is an element. */
function tileMarker(at, icon, radius) {
  return L.marker(at, { keyboard: false, icon: L.divIcon({ html: icon, className: '', iconSize: [2 * radius, 2 * radius] }) });
}
`;

/** Shows the tiles on the recipient's page, at its start and after each change of the page. */
export const recipientTiles = `
${tilesScript}
// The browser has run Leaflet's file before this script, unless it could not be loaded.

let tileMap = null;
let hasNoTiles = typeof L === 'undefined';
let shownPlaces = '';

function showTiles() {
  const section = document.querySelector('.map');
  if (hasNoTiles || !section?.dataset.tiles) return;
  const [holder, drawing] = ['.tiles', 'svg'].map((each) => section.querySelector(each));
  const { places, shop, you } = section.dataset;
  holder.hidden = false;
  tileMap ??= makeTileMap(holder, section.dataset, () => {
    hasNoTiles = true;
    tileMap.remove();
    holder.remove();
    drawing.toggleAttribute('hidden', false);
    section.querySelector('p').hidden = false;
  });
  drawing.toggleAttribute('hidden', true);
  section.querySelector('p').hidden = true;
  if (places === shownPlaces) return;
  shownPlaces = places;
  const { pickup, dropoff, courier } = JSON.parse(places);
  const bounds = L.latLngBounds([pickup, dropoff, courier].filter(Boolean));
  if (!tileMap.marks || !tileMap.getBounds().contains(bounds)) tileMap.fitBounds(bounds, { paddingTopLeft: [40, 50], paddingBottomRight: [40, 65], maxZoom: 16 });
  tileMap.marks?.remove();
  tileMap.marks = L.layerGroup([
    tileMark(pickup, 'shop', 9).bindTooltip(textOf(shop), labelAt(pickup.lat >= dropoff.lat)),
    tileMark(dropoff, 'home', 11).bindTooltip(textOf(you), labelAt(dropoff.lat > pickup.lat)),
    ...(courier ? [tileMark(courier, 'rider', 12)] : []),
  ]).addTo(tileMap);
}

/** Labels are above the northern place and below the southern one: the courier is between them. */
function labelAt(isAbove) {
  return { permanent: true, direction: isAbove ? 'top' : 'bottom', offset: [0, isAbove ? -8 : 8] };
}

function tileMark(at, kind, radius) {
  const icon = document.createElement('i');
  icon.className = 'mark ' + kind;
  return tileMarker(at, icon, radius);
}

document.addEventListener('shown', showTiles);
showTiles();
`;
