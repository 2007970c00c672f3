/**
 * The part of a page's script that shows a map with tiles. `L` is Leaflet, which the page loads only if tiles are set;
 * it may be absent, and no tile may be loaded.
 */

/**
 * The browser has run Leaflet's file before this script, unless it could not be loaded.
 * @type {any}
 */
const leaflet = Reflect.get(window, 'L');

/** Makes a map in an element; calls 'failed' if the first tiles cannot be loaded. */
function makeTileMap(holder, { tiles, attribution }, failed) {
  const copyright =
    '<a href="https://www.openstreetmap.org/copyright" target="_blank" rel="noreferrer">OpenStreetMap</a>';
  const map = leaflet.map(holder, { scrollWheelZoom: false, zoomSnap: 0.25 });
  map.attributionControl.setPrefix(false);
  // Tile servers may refuse requests that do not say which site they are for; the address of the page is a secret.
  const layer = leaflet.tileLayer(tiles, {
    maxZoom: 19,
    referrerPolicy: 'origin',
    attribution: textOf(attribution).innerHTML.replace('OpenStreetMap', copyright),
  });
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
  return leaflet.marker(at, {
    keyboard: false,
    icon: leaflet.divIcon({ html: icon, className: '', iconSize: [2 * radius, 2 * radius] }),
  });
}
