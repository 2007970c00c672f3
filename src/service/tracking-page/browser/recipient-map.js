/** Shows the tiles on the recipient's page, at its start and after each change of the page; without tiles no map. */

let tileMap = null;
let hasNoTiles = leaflet === undefined;
let shownPlaces = '';

function showTiles() {
  const section = one('.map');
  if (hasNoTiles || !section) return;
  const holder = one('.tiles', section);
  const { places, shop, you } = section.dataset;
  section.hidden = false;
  tileMap ??= makeTileMap(holder, section.dataset, () => {
    hasNoTiles = true;
    tileMap.remove();
    one('.map').hidden = true;
  });
  if (places === shownPlaces) return;
  shownPlaces = places;
  const { pickup, dropoff, courier } = JSON.parse(places);
  const bounds = leaflet.latLngBounds([pickup, dropoff, courier].filter(Boolean));
  if (!tileMap.marks || !tileMap.getBounds().contains(bounds))
    tileMap.fitBounds(bounds, { paddingTopLeft: [40, 50], paddingBottomRight: [40, 65], maxZoom: 16 });
  tileMap.marks?.remove();
  const isBelow = pickup !== null && pickup.lat >= dropoff.lat;
  tileMap.marks = leaflet
    .layerGroup([
      ...(pickup ? [tileMark(pickup, 'shop', 9).bindTooltip(textOf(shop), labelAt(isBelow))] : []),
      tileMark(dropoff, 'home', 11).bindTooltip(textOf(you), labelAt(!isBelow)),
      ...(courier ? [tileMark(courier, 'rider', 12)] : []),
    ])
    .addTo(tileMap);
}

/** Labels are above the northern place and below the southern one: the courier is between them. */
function labelAt(isAbove) {
  return { permanent: true, direction: isAbove ? 'top' : 'bottom', offset: [0, isAbove ? -8 : 8] };
}

function tileMark(at, kind, radius) {
  const icon = document.createElement('i');
  icon.className = `mark ${kind}`;
  return tileMarker(at, icon, radius);
}

document.addEventListener('shown', showTiles);
showTiles();
