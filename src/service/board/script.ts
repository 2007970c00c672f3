import { type DeliveryStatus, fleet_provider } from '../../contract/vocabulary.ts';
import { max_wrong_pins } from '../../domain/order-rules.ts';

/** The deliveries under way. Those that are only stored (`request`) are not on the board. */
export const openGroups: readonly BoardGroup[] = [
  { title: 'Without a driver', statuses: ['delivery_created', 'scheduled', 'driver_not_assigned'] },
  { title: 'To the pickup', statuses: ['driver_assigned', 'enroute_pickup', 'arrived_at_pickup'] },
  {
    title: 'To the recipient',
    statuses: ['pickup_complete', 'enroute_dropoff', 'arrived_at_dropoff', 'dropoff_complete'],
  },
  { title: 'Coming back', statuses: ['enroute_to_return'] },
];

/** The last column: the newest deliveries that have ended. */
export const endedGroup: BoardGroup = {
  title: 'Ended',
  statuses: [
    ...(['delivered', 'disputed', 'failed', 'returned'] as const),
    ...(['provider_canceled', 'customer_canceled', 'burq_canceled'] as const),
  ],
};

/** The words of the contract that the script uses. */
const vocabulary = {
  groups: openGroups.map(({ statuses }) => statuses),
  ended: endedGroup.statuses,
  fleet: fleet_provider,
  max_wrong_pins,
};

/** The cards of deliveries and drivers. Texts are set as text, never as HTML. */
const cardScript = `
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === true) made.setAttribute(key, '');
    else if (value !== false && value !== null) made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

const clock = (time) => new Date(time).toLocaleTimeString([], { hour: 'numeric', minute: '2-digit' });
const words = (status) => status.replaceAll('_', ' ');

/** Updates a list to these records: unchanged cards stay, and so does one that is being used. */
function fill(list, records, cardOf) {
  const olds = new Map(all('li', list).map((card) => [card.dataset.id, card]));
  records.forEach((record, index) => {
    const card = cardOf(record);
    const old = olds.get(record.id);
    olds.delete(record.id);
    const isKept = old && (old.isEqualNode(card) || old.contains(document.activeElement));
    const shown = isKept ? old : card;
    if (old && !isKept) old.replaceWith(card);
    if (list.children[index] !== shown) list.insertBefore(shown, list.children[index] ?? null);
  });
  for (const gone of olds.values()) gone.remove();
}

function waitingCard({ id, order, waiting_since, next_attempt_at, reason }) {
  const minutes = Math.max(0, Math.floor((Date.now() + serviceAhead - Date.parse(waiting_since)) / 60000));
  const next = next_attempt_at === null ? 'Being tried now' : 'Tried again at ' + clock(next_attempt_at);
  return element(
    'li',
    { 'data-id': id, class: reason ? 'is-late' : null },
    element('b', {}, [order.external_order_ref, order.dropoff_name].filter(Boolean).join(' · ') || id),
    element('span', {}, order.dropoff_address),
    element('span', { class: reason ? 'late' : null }, 'Waiting for ' + minutes + ' min' + (reason ? ': ' + reason : '')),
    element('span', { class: 'soft' }, next),
  );
}

function deliveryCard(delivery, drivers) {
  const { id, status, service, external_order_ref, dropoffs, courier_name, tracking_url } = delivery;
  const [{ dropoff_name = '', dropoff_address = '', dropoff_eta = null } = {}] = dropoffs;
  const isOpen = groups.some((statuses) => statuses.includes(status));
  const canAssign = service === fleet && isOpen;
  const { promised_at = null, is_late: isLate = false, pin_locked: isLocked = false } = delivery.details ?? {};
  const late = Date.parse(dropoff_eta) > Date.now() + serviceAhead ? ', now ' + clock(dropoff_eta) : ', late';
  const eta = isOpen && dropoff_eta ? (isLate ? 'Promised ' + clock(promised_at) + late : 'Expected ' + clock(dropoff_eta)) : null;
  return element(
    'li',
    { 'data-id': id, 'data-delivery': canAssign ? id : null, draggable: canAssign ? 'true' : null, class: isLate || isLocked ? 'is-late' : null },
    element('b', {}, [external_order_ref, dropoff_name].filter(Boolean).join(' · ') || id),
    element('span', {}, dropoff_address),
    eta && element('span', { class: isLate ? 'late' : null }, eta),
    element('span', { class: 'soft' }, words(status) + (courier_name ? ', ' + courier_name : '') + (service ? ' (' + service + ')' : '')),
    isLocked ? element('span', { class: 'late' }, 'Locked after ' + max_wrong_pins + ' wrong PINs') : null,
    isLocked ? element('button', { type: 'button', 'data-unlocks': id }, 'Let the driver try again') : null,
    canAssign ? driverChoice(delivery, drivers) : null,
    /^https?:/.test(tracking_url) ? element('a', { href: tracking_url, target: '_blank', rel: 'noreferrer', class: 'soft' }, 'Tracking page') : null,
  );
}

function driverChoice({ id, courier_name, courier_phone_number, dropoffs }, drivers) {
  const label = 'Driver for ' + (dropoffs[0]?.dropoff_name || id);
  const current = drivers.find(({ phone_number, name }) => phone_number === courier_phone_number && name === courier_name);
  return element(
    'select',
    { 'data-assigns': id, 'aria-label': label },
    element('option', { value: '' }, current ? 'With ' + current.name : 'Choose a driver'),
    ...drivers
      .filter((driver) => driver !== current)
      .map(({ id: driver_id, name, on_duty }) => element('option', { value: driver_id }, name + (on_duty ? '' : ' (off duty)'))),
  );
}

function driverCard({ id, name, on_duty, stops_left, location: at }) {
  const stops = stops_left === 1 ? '1 stop left' : stops_left + ' stops left';
  const seen = at ? 'seen ' + clock(at.recorded_at) : 'position unknown';
  return element(
    'li',
    { 'data-id': id, 'data-driver': id, class: on_duty ? null : 'off' },
    element('b', {}, name),
    element('span', { class: 'soft' }, (on_duty ? 'On duty' : 'Off duty') + ', ' + stops + ', ' + seen),
  );
}
`;

/**
 * Draws the positions of drivers and couriers, north up, with a scale. Nothing is loaded from elsewhere, so there are
 * no streets. Distances are great-circle miles, flat at the middle of the drawing.
 */
const mapScript = `
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

/**
 * The script of the board. It reads all open deliveries and drivers, shows them, and reads them again shortly after
 * each event of the stream, and periodically in case the stream is cut.
 */
export const script = `
const { groups, ended, fleet, max_wrong_pins } = ${JSON.stringify(vocabulary)};
const one = (selector, from = document) => from.querySelector(selector);
const all = (selector, from = document) => [...from.querySelectorAll(selector)];

// The key: from the link, then kept for this tab.

const stored = 'waybill-board-key';
const given = new URLSearchParams(location.hash.slice(1)).get('key');
if (given) {
  sessionStorage.setItem(stored, given);
  history.replaceState(null, '', location.pathname);
}
let key = sessionStorage.getItem(stored);

function forgetKey(message) {
  sessionStorage.removeItem(stored);
  key = null;
  stream?.abort();
  one('#board').hidden = true;
  one('#leave').hidden = true;
  one('#enter').hidden = false;
  one('#net').textContent = '';
  say(message);
}

one('#leave').addEventListener('click', () => forgetKey(''));
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

// Requests. The page lies beside the operations, also behind a proxy with a path of its own.

class Refused extends Error {}

/** How far service time is ahead of this machine's: test mode has a clock of its own. */
let serviceAhead = 0;

async function call(method, path, body) {
  const response = await fetch('.' + path, {
    method,
    headers: { 'x-api-key': key, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
    signal: AbortSignal.timeout(20000),
  });
  serviceAhead = Date.parse(response.headers.get('x-service-time')) - Date.now();
  if (response.ok) return response.json();
  const { message } = await response.json().catch(() => ({}));
  if (response.status === 401) forgetKey('This API key is not valid. Enter another one.');
  if (response.status < 500) throw new Refused(message ?? 'The service refused this.');
  throw new Error(response.status);
}

/** Reads a whole list, up to this many pages of a hundred. */
async function listOf(path, pages) {
  const records = [];
  let cursor = '';
  for (let page = 0; page < pages; page += 1) {
    const { data, has_more, next_cursor } = await call('GET', path + 'limit=100' + cursor);
    records.push(...data);
    if (!has_more || !next_cursor) break;
    cursor = '&cursor=' + encodeURIComponent(next_cursor);
  }
  return records;
}

${cardScript}
${mapScript}
// Reading and showing.

const open_pages = 10;
let reading = null;
let isStale = false;
let next;

/** Only one read runs at a time; a change during it starts another one right after. */
function refresh() {
  clearTimeout(next);
  isStale = reading !== null;
  reading ??= read().finally(() => {
    reading = null;
    next = setTimeout(refresh, isStale ? 1000 : 30000);
  });
}

async function read() {
  if (!key) return;
  const open = 'status=' + groups.flat().join(',') + '&';
  try {
    const [pending, deliveries, done, drivers] = await Promise.all([
      listOf('/v2/waiting_orders?', open_pages),
      listOf('/v2/deliveries?' + open, open_pages),
      call('GET', '/v1/deliveries?limit=20&status=' + ended.join(',')),
      listOf('/v2/drivers?', 3),
    ]);
    // The delivery of an order that a courier was asked to carry is on the board.
    const waiting = pending.filter(({ order }) => order.status !== 'dispatched');
    show({ waiting, deliveries, done: done.data, drivers });
    showNet('Updated ' + new Date().toLocaleTimeString([], { hour: 'numeric', minute: '2-digit' }), false);
  } catch (error) {
    if (key) showNet(error instanceof Refused ? error.message : 'No connection to the service. Trying again.', true);
  }
}

function showNet(text, isBad) {
  one('#net').textContent = text;
  one('#net').classList.toggle('bad', isBad);
}

function show({ waiting, deliveries, done, drivers }) {
  const waitingOrders = new Map(waiting.map((each) => [each.order.id, each]));
  const byWait = waiting.toSorted((a, b) => a.waiting_since.localeCompare(b.waiting_since));
  one('#waiting-count').textContent = waiting.length;
  fill(one('#waiting'), byWait.map((each) => ({ ...each, id: each.order.id })), waitingCard);
  const eta = ({ dropoffs }) => dropoffs[0]?.dropoff_eta ?? '';
  const rank = ({ details }) => (details.pin_locked ? 0 : details.is_late ? 1 : 2);
  const urgentFirst = (a, b) => rank(a) - rank(b) || eta(a).localeCompare(eta(b));
  [...groups, ended].forEach((statuses, index) => {
    const isEnded = index === groups.length;
    const shown = isEnded
      ? done.filter(({ order_id }) => !waitingOrders.has(order_id))
      : deliveries.filter(({ status }) => statuses.includes(status)).sort(urgentFirst);
    const section = one('[data-group="' + index + '"]');
    one('[data-count]', section).textContent = shown.length;
    fill(one('ol', section), shown, (each) => deliveryCard(each, drivers));
  });
  one('#driver-count').textContent = drivers.length;
  one('#no-drivers').hidden = drivers.length > 0;
  const byDuty = [...drivers].sort((a, b) => b.on_duty - a.on_duty || a.name.localeCompare(b.name));
  fill(one('#drivers'), byDuty, driverCard);
  drawMap([...courierPlaces(deliveries, drivers), ...driverPlaces(drivers)]);
}

function driverPlaces(drivers) {
  return drivers.flatMap(({ name, on_duty, location: at }) =>
    at && on_duty ? [{ lat: at.lat, lng: at.lng, label: name, kind: 'driver' }] : []);
}

/** The couriers of other companies; own drivers are shown by their own positions. */
function courierPlaces(deliveries) {
  return deliveries.flatMap(({ service, courier_name, courier_location_lat: lat, courier_location_lng: lng }) =>
    service === fleet || lat === null || lng === null ? [] : [{ lat, lng, label: courier_name ?? service, kind: 'courier' }]);
}

// Changing deliveries.

async function change(path, body, failed) {
  say('');
  try {
    await call('POST', path, body);
  } catch (error) {
    if (key) say(error instanceof Refused ? error.message : 'No connection: ' + failed);
  }
  refresh();
}

function assign(delivery_id, driver_id) {
  change('/v2/drivers/' + driver_id + '/assignments', { delivery_id }, 'the delivery was not given to the driver.');
}

document.addEventListener('click', ({ target }) => {
  const { unlocks } = target.dataset;
  if (!unlocks) return;
  target.blur();
  change('/v2/deliveries/' + unlocks + '/unlock', {}, 'the delivery is still locked.');
});

document.addEventListener('change', ({ target }) => {
  const { assigns } = target.dataset;
  if (!assigns || target.value === '') return;
  target.blur();
  assign(assigns, target.value);
});
document.addEventListener('dragstart', ({ target, dataTransfer }) => {
  if (target.dataset?.delivery) dataTransfer.setData('text/plain', target.dataset.delivery);
});
const driverAt = (event) => event.target.closest?.('#drivers li');
document.addEventListener('dragover', (event) => {
  const card = driverAt(event);
  for (const other of all('#drivers .over')) if (other !== card) other.classList.remove('over');
  if (!card) return;
  event.preventDefault();
  card.classList.add('over');
});
document.addEventListener('drop', (event) => {
  const card = driverAt(event);
  if (!card) return;
  event.preventDefault();
  card.classList.remove('over');
  assign(event.dataTransfer.getData('text/plain'), card.dataset.driver);
});

// The stream of events says when to read again; EventSource could not send the key.

let stream = null;

async function follow() {
  stream?.abort();
  const own = (stream = new AbortController());
  const types = 'delivery.created,delivery.updated,delivery.location_updated,order.unfulfilled,order.failed,order.canceled';
  while (key && !own.signal.aborted) {
    try {
      const headers = { 'x-api-key': key };
      const response = await fetch('./v2/events/stream?types=' + types, { headers, signal: own.signal });
      if (!response.ok) throw new Error(response.status);
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        if (part.value.includes('data:')) refresh();
      }
    } catch {}
    await new Promise((resolve) => setTimeout(resolve, 3000));
  }
}

async function begin() {
  say('');
  one('#enter').hidden = true;
  one('#board').hidden = false;
  one('#leave').hidden = false;
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
if (key) begin();
else one('#enter').hidden = false;
`;

/** A column of the board. */
interface BoardGroup {
  title: string;
  statuses: readonly DeliveryStatus[];
}
