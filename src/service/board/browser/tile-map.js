/** Draws the places of the board on tiles instead of `drawMap`, if the operator has set a tile server. */

let tileMap = null;
let tileMarks = null;
let fittedFor = null;

function drawTiles(places) {
  const fitted = fittedPlaces(places);
  one('#map-note').textContent = noteOf(places, fitted, '');
  if (places.length === 0 && tileMap === null) return;
  if (tileMap === null) {
    tileMap = makeTileMap(one('#tiles'), one('#tiles').dataset, () => {
      drawPlaces = drawMap;
      tileMap.remove();
      one('#tiles').remove();
      one('#map').classList.remove('spare');
      show();
    });
    tileMap.on('zoomend', () => drawTileMarks(placesNow()));
  }
  tileMap.invalidateSize({ animate: false });
  // A map that the reader has moved stays so until another record is opened.
  if (fitted.length > 0 && (fittedFor === null || (fittedFor !== filters.open && filters.open !== ''))) {
    fittedFor = filters.open;
    tileMap.fitBounds(leaflet.latLngBounds(fitted), { padding: [30, 30], maxZoom: 16, animate: false });
  }
  drawTileMarks(places);
}

function drawTileMarks(places) {
  tileMarks?.remove();
  const hasOpened = places.some(isOpened);
  const drawn = joined(places, (place) => tileMap.latLngToLayerPoint(place)).map((place) => ({
    ...place,
    rank: !hasOpened ? 0 : isOpened(place) ? 1 : -1,
  }));
  tileMarks = leaflet
    .layerGroup(
      drawn.map((place) => {
        const { ids, kind, rank } = place;
        const { inside, radius, title } = looksOf(place);
        const icon = element('i', { class: markClass(place), title }, inside);
        const made = tileMarker(place, icon, radius).setZIndexOffset(
          rank * 1000 + (kind.startsWith('driver') ? 500 : 0),
        );
        return ids.length > 0 ? made.on('click', () => openPlace(ids)) : made;
      }),
    )
    .addTo(tileMap);
}

if (leaflet === undefined) one('#tiles').remove();
else {
  drawPlaces = drawTiles;
  one('#map').classList.add('spare');
}
