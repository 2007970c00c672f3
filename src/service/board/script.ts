import { fleet_provider } from '../../contract/vocabulary.ts';
import { max_wrong_pins } from '../../domain/order-rules.ts';
import { cardScript } from './card-script.ts';
import { endedGroup, openGroups } from './groups.ts';
import { mapScript } from './map-script.ts';

/** The words of the contract that the script uses. */
const vocabulary = {
  groups: openGroups.map(({ statuses }) => statuses),
  ended: endedGroup.statuses,
  fleet: fleet_provider,
  max_wrong_pins,
};

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
