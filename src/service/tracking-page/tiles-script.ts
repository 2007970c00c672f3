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
