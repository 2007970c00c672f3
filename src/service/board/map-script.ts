/**
 * Draws the positions of drivers and couriers, north up, with a scale. Nothing is loaded from elsewhere, so there are
 * no streets. Distances are great-circle miles, flat at the middle of the drawing.
 */
export const mapScript = `
const svgName = 'http://www.w3.org/2000/svg';
const miles_per_degree = 69.1;
const drawn = { width: 360, height: 260, margin: 40 };

function shape(name, attributes, text) {
  const element = document.createElementNS(svgName, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text) element.textContent = text;
  return element;
}

/** Places: { lat, lng, label, kind }. */
function drawMap(places) {
  const map = one('#map');
  for (const old of all('g', map)) old.remove();
  one('#map-note').textContent = places.length === 0 ? 'No position is known yet.' : 'North is up. Streets are not drawn.';
  one('#map-text').textContent = places.map(({ label }) => label).join(', ');
  if (places.length === 0) return;
  const [south, north] = range(places.map(({ lat }) => lat));
  const [west, east] = range(places.map(({ lng }) => lng));
  const narrowing = Math.cos((((south + north) / 2) * Math.PI) / 180);
  // At least half a mile is shown.
  const least = 0.5 / miles_per_degree;
  const scale = Math.min(
    (drawn.width - 2 * drawn.margin) / Math.max((east - west) * narrowing, least),
    (drawn.height - 2 * drawn.margin) / Math.max(north - south, least),
  );
  const group = shape('g', {});
  for (const { lat, lng, label, kind } of places) {
    const x = drawn.width / 2 + (lng - (west + east) / 2) * narrowing * scale;
    const y = drawn.height / 2 - (lat - (south + north) / 2) * scale;
    group.append(shape('circle', { cx: x, cy: y, r: 7, class: kind }));
    group.append(shape('text', { x, y: y - 11, 'text-anchor': 'middle' }, label.slice(0, 20)));
  }
  group.append(...scaleBar(scale / miles_per_degree));
  map.append(group);
}

function range(values) {
  return [Math.min(...values), Math.max(...values)];
}

/** A bar of a round number of miles, up to a third of the drawing. */
function scaleBar(units_per_mile) {
  const lengths = [0.1, 0.25, 0.5, 1, 2, 5, 10, 25, 50, 100, 500];
  const miles = lengths.filter((length) => length * units_per_mile <= drawn.width / 3).at(-1) ?? lengths[0];
  const end = 12 + miles * units_per_mile;
  return [
    shape('path', { d: 'M12 242v6H' + end + 'v-6', class: 'scale' }),
    shape('text', { x: 14, y: 238 }, miles + ' mi'),
  ];
}
`;
