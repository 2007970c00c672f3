/**
 * Draws shops, recipients, drivers and couriers to scale, north up, without streets. The scale is that of the middle of
 * the drawing.
 */

const svgName = 'http://www.w3.org/2000/svg';
const miles_per_degree = 69.1;
const margin = 36;
/** Marks that are closer than this, in pixels, are drawn as one with their number. */
const crowded = 20;

function shape(name, attributes, text) {
  const made = document.createElementNS(svgName, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text) made.textContent = text;
  return made;
}

/** The marks of the map: { lat, lng, kind, label, ids, isLate }. */
function placesNow() {
  const open = [...records.deliveries.values()].filter(
    (each) => isOpen(each) && matchesFilters(deliveryItem(each)),
  );
  const shops = new Map();
  const dropoffs = [];
  const waiting = [...records.waiting.map(({ order }) => order), ...records.open_orders]
    .map((order) => ({ ...order, details: order, late: 0 }))
    .filter((order) => matchesFilters({ store: storeOf(order), driver: '', status: null }));
  for (const { id, pickup_name, dropoff_name, details, late } of [...open.map(placed), ...waiting]) {
    const { pickup_latitude: lat, pickup_longitude: lng, dropoff_latitude, dropoff_longitude } = details;
    if (lat === undefined) continue;
    shops.set(`${lat} ${lng}`, { lat, lng, kind: 'shop', label: pickup_name, ids: [] });
    dropoffs.push({
      lat: dropoff_latitude,
      lng: dropoff_longitude,
      kind: 'dropoff',
      label: dropoff_name,
      ids: [id],
      isLate: late > 0,
    });
  }
  const drivers = records.drivers
    .filter(
      ({ id, location: at, on_duty, stops_left }) =>
        at && (on_duty || stops_left > 0) && (!filters.driver || filters.driver === id),
    )
    .map((driver) => ({
      ...driver.location,
      kind: driver.on_duty ? 'driver' : 'driver off',
      label: driver.name,
      ids: [driver.id],
    }));
  // Own drivers are shown by their own positions.
  const couriers = open
    .filter((each) => each.service !== fleet && each.courier_location_lat !== null)
    .map((each) => ({
      lat: each.courier_location_lat,
      lng: each.courier_location_lng,
      kind: 'courier',
      label: each.courier_name ?? each.service,
      ids: [each.id],
    }));
  return [...shops.values(), ...dropoffs, ...couriers, ...drivers];
}

const placed = (delivery) => ({
  ...delivery,
  dropoff_name: recipientOf(delivery).dropoff_name,
  late: lateMinutes(delivery),
});

const joinable = ['dropoff', 'courier'];

/** Joins recipients, and couriers, that are drawn at one place. */
function joined(places, pointOf) {
  const groups = [];
  for (const place of places) {
    const { x, y } = pointOf(place);
    const isNear = (other) => other.kind === place.kind && Math.hypot(other.x - x, other.y - y) < crowded;
    const near = joinable.includes(place.kind) ? groups.find(isNear) : undefined;
    if (!near) groups.push({ ...place, x, y });
    else
      Object.assign(near, {
        ids: [...near.ids, ...place.ids],
        isLate: near.isLate || place.isLate,
        label: '',
      });
  }
  return groups;
}

/** Whether a place belongs to the record that is open in the panel. */
function isOpened({ ids, kind }) {
  if (filters.open === '') return false;
  const driver = records.drivers.find(({ id }) => id === filters.open);
  if (driver && kind === 'dropoff') return driver.deliveries.some(({ id }) => ids.includes(id));
  return (
    ids.includes(filters.open) ||
    (kind.startsWith('driver') && driverWith(records.deliveries.get(filters.open) ?? {})?.id === ids[0])
  );
}

/** Without streets the map is folded away until someone asks for it. */
const isMapFolded = () => (filters.map === '' ? drawPlaces === drawMap : filters.map === 'hidden');

one('#map-toggle').addEventListener('click', () => setFilters({ map: isMapFolded() ? 'shown' : 'hidden' }));

function showMap() {
  // On a phone the map is a view of its own.
  const isMapHidden = isMapFolded() && !isNarrow();
  document.body.classList.toggle('no-map', isMapHidden);
  one('#map-toggle').textContent = isMapHidden ? 'Show' : 'Hide';
  one('#map-toggle').setAttribute('aria-expanded', String(!isMapHidden));
  one('#map-body').hidden = isMapHidden;
  if (isMapHidden || one('#map-body').clientWidth === 0) return;
  drawPlaces(placesNow());
}

/** Draws the places; on tiles instead, if the operator has set a server of them. */
let drawPlaces = drawMap;

/** The text in a mark: the initials of a driver, or the number of recipients. */
function textInMark({ kind, label, ids, isLate }) {
  const [first = '', second = ''] = label.split(' ').map(([letter = '']) => letter);
  if (kind.startsWith('driver')) return (first + second).toUpperCase();
  if (kind === 'shop') return '';
  if (ids.length > 1) return String(ids.length);
  return isLate ? '!' : '';
}

/** The text in a mark, its radius in pixels, and its title. */
function looksOf(place) {
  const { kind, label, ids } = place;
  const isDriver = kind.startsWith('driver');
  const inside = textInMark(place);
  return {
    inside,
    radius: isDriver ? 12 : inside ? 9 : kind === 'shop' ? 7 : 6,
    title: label || `${ids.length} at this place`,
  };
}

const markClass = ({ kind, isLate, rank }) =>
  `mark ${kind}${isLate ? ' late' : ''}${rank > 0 ? ' opened' : rank < 0 ? ' dim' : ''}`;

/** The places that the map is fitted to: those of the open record, or else all that are not far from the others. */
function fittedPlaces(places) {
  const opened = places.filter(isOpened);
  if (opened.length > 1) return opened;
  const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
  const [lat, lng] = [median(places.map((place) => place.lat)), median(places.map((place) => place.lng))];
  const away = (place) =>
    Math.hypot(place.lat - lat, (place.lng - lng) * Math.cos((lat * Math.PI) / 180)) * miles_per_degree;
  const max_away = Math.max(5, 5 * median(places.map(away)));
  return places.filter((place) => away(place) <= max_away);
}

/** The text below the map: what it leaves out, and what its marks mean. */
function noteOf(places, fitted, note) {
  if (places.length === 0) return 'No position is known yet.';
  const outside = places.length - fitted.length;
  const left_out =
    places.some(isOpened) || outside === 0
      ? ''
      : `${counted(outside, 'place')} far away ${outside === 1 ? 'is' : 'are'} not shown.`;
  return [
    note,
    left_out,
    'Squares are shops, dots recipients with their number, letters drivers, rings couriers.',
  ]
    .filter(Boolean)
    .join(' ');
}

function drawMap(places) {
  const map = one('#map');
  const { clientWidth: width, clientHeight: height } = map;
  map.setAttribute('viewBox', `0 0 ${width} ${height}`);
  for (const old of all('g', map)) old.remove();
  const fitted = fittedPlaces(places);
  one('#map-note').textContent = noteOf(places, fitted, 'North is up. Streets are not drawn.');
  const count = (wanted, noun) => counted(places.filter(({ kind }) => kind === wanted).length, noun);
  const labels = places.filter(({ kind }) => !joinable.includes(kind)).map(({ label }) => label);
  one('#map-text').textContent = [...labels, count('dropoff', 'recipient'), count('courier', 'courier')].join(
    ', ',
  );
  if (places.length === 0) return;
  const opened = places.filter(isOpened);
  const [south, north] = range(fitted.map(({ lat }) => lat));
  const [west, east] = range(fitted.map(({ lng }) => lng));
  const narrowing = Math.cos((((south + north) / 2) * Math.PI) / 180);
  // At least half a mile is shown.
  const min_degrees = 0.5 / miles_per_degree;
  const scale = Math.min(
    (width - 2 * margin) / Math.max((east - west) * narrowing, min_degrees),
    (height - 2 * margin) / Math.max(north - south, min_degrees),
  );
  const pointOf = ({ lat, lng }) => ({
    x: width / 2 + (lng - (west + east) / 2) * narrowing * scale,
    y: height / 2 - (lat - (south + north) / 2) * scale,
  });
  const group = shape('g', {});
  const taken = [];
  // The marks of the open record are drawn last, above the others, which are paler.
  const drawn = joined(places, pointOf).map((place) => ({
    ...place,
    rank: opened.length === 0 ? 0 : isOpened(place) ? 1 : -1,
  }));
  for (const place of drawn.sort((a, b) => a.rank - b.rank)) group.append(mark(place, taken, width));
  group.append(...scaleBar(scale / miles_per_degree, width, height));
  map.append(group);
}

/** A mark: shops are squares, recipients circles with their number, drivers and couriers are named. */
function mark(place, taken, width) {
  const { x, y, kind, label, ids, rank } = place;
  const { inside, radius, title } = looksOf(place);
  const made = shape('g', { class: markClass(place), 'data-ids': ids.join(' ') });
  if (kind === 'shop') made.append(shape('rect', { x: x - 7, y: y - 7, width: 14, height: 14, rx: 3 }));
  else made.append(shape('circle', { cx: x, cy: y, r: radius }));
  if (inside) made.append(shape('text', { x, y: y + 4, 'text-anchor': 'middle', class: 'number' }, inside));
  const half = Math.min(label.length, 18) * 3.4;
  const at = {
    x: Math.max(half + 2, Math.min(width - half - 2, x)),
    y: y - (kind.startsWith('driver') ? 16 : 13),
  };
  const isFree = !taken.some(
    (other) => Math.abs(other.y - at.y) < 14 && Math.abs(other.x - at.x) < other.half + half,
  );
  if (isFree && rank >= 0 && (!joinable.includes(kind) || rank > 0) && label) {
    taken.push({ ...at, half });
    made.append(
      shape('text', { ...at, 'text-anchor': 'middle' }, label.length > 18 ? `${label.slice(0, 17)}…` : label),
    );
  }
  made.append(shape('title', {}, title));
  return made;
}

function range(values) {
  return [Math.min(...values), Math.max(...values)];
}

/** A bar of a round number of miles, up to a third of the drawing. */
function scaleBar(units_per_mile, width, height) {
  const lengths = [0.1, 0.25, 0.5, 1, 2, 5, 10, 25, 50, 100, 500];
  const miles = lengths.filter((length) => length * units_per_mile <= width / 3).at(-1) ?? lengths[0];
  const end = 12 + miles * units_per_mile;
  return [
    shape('path', { d: `M12 ${height - 18}v6H${end}v-6`, class: 'scale' }),
    shape('text', { x: 14, y: height - 22 }, `${miles} mi`),
  ];
}

/** One delivery is opened; several of one place are listed. */
function openPlace(ids) {
  if (ids.length === 1) return openPanel(ids[0]);
  setFilters({ view: 'all', open: '', place: ids.join(' ') });
}

one('#map').addEventListener('click', ({ target }) => {
  const ids = target.closest('[data-ids]')?.dataset.ids.split(' ').filter(Boolean) ?? [];
  if (ids.length > 0) openPlace(ids);
});
