import { replaceChanged } from '../tracking-page/script.ts';
import { alerts } from './alerts-script.ts';
import { questions } from './questions-script.ts';
import { sending } from './sending-script.ts';
import { mapApps } from './stop-cards.ts';

/**
 * The script of the driver's page. A tap is stored first and shown at once, then sent; without a connection it waits,
 * and all are sent in order, each once by its id. The page is loaded again periodically, and what still waits is
 * applied to it.
 */
export const script = `
const page = location.pathname;
const one = (selector, from = document) => from.querySelector(selector);
const all = (selector, from = document) => [...from.querySelectorAll(selector)];
const newId = () => [...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(36)).join('-');

// Changes the page after a tap, before the service has answered.

const completing = ['pick_up', 'deliver', 'return', 'fail'];

function apply(tap) {
  if (tap.kind === 'duty') return showDuty(tap.on);
  if (tap.offer_id) return one('[data-offers~="' + tap.offer_id + '"]')?.remove();
  for (const stop of all('.stop')) {
    const parts = all('[data-id]', stop).filter(({ dataset }) => tap.delivery_ids?.includes(dataset.id));
    if (parts.length === 0) continue;
    const button = one('[data-tap="' + tap.kind + '"]', stop);
    if (tap.kind === 'pick_up' && stop.dataset.kind === 'dropoff') {
      for (const part of [stop, ...parts]) part.classList.remove('waiting');
    }
    if (!button) continue;
    stop.classList.add('unsent');
    for (const part of parts) {
      if (tap.kind === 'fail' && stop.dataset.kind === 'dropoff' && !part.matches('.waiting')) showReturn(part);
      if (completing.includes(tap.kind)) part.remove();
    }
    if (!completing.includes(tap.kind)) showStep(stop, Number(button.dataset.at) + 1, tap);
    if (!one('[data-id]', stop)) stop.remove();
  }
  const first = one('.stop:not(.waiting)');
  if (tap.goes_on && first && first === one('.stop')) showStep(first, 1, tap);
  showStops();
}

/** The last stop is where a parcel is brought back; the service sends that stop once it has the tap. */
function showReturn({ dataset }) {
  const { id, name, shop, shopAddress } = dataset;
  const key = 'return ' + shopAddress.toLowerCase();
  let stop = all('.stop').find((each) => each.dataset.key === key);
  if (!stop) {
    stop = one('#back').content.firstElementChild.cloneNode(true);
    stop.classList.add('stop', 'unsent');
    Object.assign(stop.dataset, { key, kind: 'return', step: '2', arrived: '', house: '' });
    one('.fold b', stop).textContent = 'Bring back: ' + shop;
    one('h2', stop).append(shop);
    one('[data-address]', stop).textContent = shopAddress;
    one('[data-tap]', stop).ariaLabel = 'Returned: ' + shop;
    one('ol').append(stop);
  }
  const order = document.createElement('li');
  order.dataset.id = id;
  order.textContent = name;
  one('.orders', stop).append(order);
}

/** A driver who starts to a later stop makes it first. */
function showStep(stop, step, tap) {
  if (step === 2) stop.dataset.arrived = new Date(Date.parse(tap.at) + clockOffset).toISOString();
  if (step === 1 && stop.previousElementSibling) stop.parentElement.prepend(stop);
  stop.dataset.step = Math.max(Number(stop.dataset.step), step);
}

function showStops() {
  const left = all('.stop').length;
  const heading = one('h1');
  if (heading && one('ol')) heading.textContent = stopCount(left);
  const empty = one('[data-empty]');
  if (empty) empty.hidden = left > 0 || one('[data-offers]') !== null;
  for (const stop of all('.stop')) {
    const isOpen = opened.has(stop.dataset.key);
    stop.classList.toggle('open', isOpen);
    one('.fold', stop).setAttribute('aria-expanded', isOpen);
    for (const box of all('[type=checkbox]', stop)) box.checked = !leftOut.has(box.closest('[data-id]').dataset.id);
    showCount(stop);
  }
}

/** The later stops that the driver has opened, and the orders that the driver leaves out of a pickup. */
const opened = new Set();
const leftOut = new Set();

function showCount(stop) {
  if (!one('[type=checkbox]', stop)) return;
  const count = chosenIds(stop).length;
  const button = one('[data-tap=pick_up]', stop);
  button.textContent = 'Picked up ' + (count === 1 ? '1 order' : count + ' orders');
  button.ariaLabel = button.textContent + ': ' + one('.fold b', stop).textContent.replace('Pick up: ', '');
  for (const each of [button, one('[data-tap=fail]', stop)]) each.disabled = count === 0;
}

function stopCount(count) {
  return count === 1 ? '1 stop' : count + ' stops';
}

function showDuty(isOn) {
  const button = one('[data-tap=duty]');
  button.dataset.on = isOn ? '1' : '';
  button.textContent = isOn ? 'Go off duty' : 'Go on duty';
  button.classList.toggle('plain', isOn);
}

${sending}
async function recordTaps(taps, label) {
  say('');
  one('#news').textContent = '';
  if (taps.some(({ kind }) => selecting.includes(kind))) leftOut.clear();
  for (const tap of taps) {
    const made = { id: newId(), at: new Date().toISOString(), ...tap };
    const isHeld = completing.includes(tap.kind) && tap.pin === undefined;
    await keep(made, label, isHeld ? Date.now() + hold_ms : 0);
    if (['deliver', 'return', 'fail'].includes(tap.kind)) for (const id of tap.delivery_ids) finished.add(id);
    apply(made);
    if (tap.kind === 'duty') follow();
  }
  focusNext();
  await showWaiting();
  await send();
}

/** Moves the focus to the next step if a tap has removed or hidden the element that had it. */
function focusNext() {
  const { activeElement } = document;
  if (activeElement !== document.body && activeElement.offsetParent) return;
  all('main button').find((each) => each.offsetParent)?.focus({ preventScroll: true });
}

/** The deliveries of a stop that are ready, or at a dropoff picked up. */
function readyIds(stop) {
  return all('[data-id]:not(.waiting)', stop).map(({ dataset }) => dataset.id);
}

/** Those of them that the driver does not leave out. */
function chosenIds(stop) {
  return readyIds(stop).filter((id) => !leftOut.has(id));
}

/** An order can be left out of these; the way and the arrival are the same for all orders of a stop. */
const selecting = ['pick_up', 'fail'];

${questions}
let isAsking = false;
let tapped_at = 0;
/** A second tap on the same place would hit the button of the next step. */
const double_tap_ms = 700;

document.addEventListener('click', async (event) => {
  const { sign } = event.target.dataset ?? {};
  if (sign === 'clear') return clearSignature();
  if (sign === 'name') return drawName();
  const stop = event.target.closest('.stop');
  if (event.target.closest('[data-fold]')) return toggle(opened, stop.dataset.key, !stop.matches('.open'));
  if (event.target.closest('[data-undo]')) return undo();
  const button = event.target.closest('[data-tap]');
  if (!button || isAsking || Date.now() - tapped_at < double_tap_ms) return;
  tapped_at = Date.now();
  const { tap: kind } = button.dataset;
  const offers = button.closest('[data-offers]')?.dataset.offers.split(' ') ?? [];
  const part = button.closest('[data-id]');
  let tap = { kind };
  if (kind === 'duty') tap.on = button.dataset.on === '';
  if (stop) tap.delivery_ids = part ? [part.dataset.id] : selecting.includes(kind) ? chosenIds(stop) : readyIds(stop);
  if (completing.includes(kind) || kind === 'accept') tap.goes_on = true;
  const label = button.ariaLabel ?? button.textContent;
  isAsking = true;
  try {
    if (kind === 'duty') tap = await askLeaving(tap);
    if (kind === 'fail') tap = await askReason(button, tap);
    if (tap?.kind === 'deliver') tap = await askProof(part, tap, kind === 'fail');
  } finally {
    isAsking = false;
  }
  if (kind === 'duty' && tap?.on) {
    alertDriver();
    subscribe();
  }
  if (kind === 'accept') expectsStops = true;
  const taps = offers.length > 0 ? offers.map((offer_id) => ({ ...tap, offer_id })) : tap ? [tap] : [];
  if (tap && stop?.dataset.near) taps.unshift(arrivalAt(stop));
  if (taps.length > 0) await recordTaps(taps, label);
});

document.addEventListener('change', ({ target }) => {
  if (target.type === 'checkbox') toggle(leftOut, target.closest('[data-id]').dataset.id, !target.checked);
});

function toggle(set, key, isIn) {
  if (isIn) set.add(key);
  else set.delete(key);
  showStops();
}

// The page as the service has it now.

const clock = { hour: 'numeric', minute: '2-digit' };

/** In the time zone of the shop; if that is unknown, of the phone. */
function timeText(at, from = document) {
  const timeZone = one('main', from)?.dataset.zone || undefined;
  const dayOf = (time) => time.toLocaleDateString('en-US', { timeZone });
  const day =
    dayOf(at) === dayOf(new Date())
      ? ''
      : at.toLocaleDateString([], { weekday: 'short', month: 'short', day: 'numeric', timeZone }) + ', ';
  return day + at.toLocaleTimeString([], { ...clock, timeZone });
}

function localize(from) {
  for (const time of all('time', from)) time.textContent = timeText(new Date(time.dateTime), from);
}

/** By how much the clock of the service is ahead of the phone's. */
let clockOffset = 0;
/** The page as the service last sent it. */
let latest = document.documentElement.outerHTML;

${replaceChanged}
/** Shows the page as the service has it now; for a link that is no longer valid or a suspended shop a page that says so. */
async function refreshPage() {
  const response = await fetch(page, { cache: 'no-store', headers: { accept: 'text/html' }, signal: AbortSignal.timeout(15000) });
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
  const { now } = one('main', next).dataset;
  if (now) clockOffset = Date.parse(now) - Date.now();
  latest = text;
  taken = [];
  await showPage(next);
}

const parse = (text) => new DOMParser().parseFromString(text, 'text/html');

// The map app that the driver has chosen, kept on this phone.

const mapUrls = ${JSON.stringify(Object.fromEntries(mapApps.map(({ code, url }) => [code, url])))};
const stored_map = 'drive-map';
let chosenMap = null;
try {
  chosenMap = localStorage.getItem(stored_map);
} catch {}

/** Before the page is compared with the one that is shown, so that links stay as they are. */
function chooseMaps(from = document) {
  const url = mapUrls[chosenMap];
  if (!url) return;
  for (const link of all('[data-map]', from)) link.href = url + encodeURIComponent(link.dataset.map);
  const choice = one('#maps');
  if (choice) choice.value = chosenMap;
}

document.addEventListener('change', ({ target }) => {
  if (target.id !== 'maps') return;
  chosenMap = target.value;
  try {
    localStorage.setItem(stored_map, chosenMap);
  } catch {}
  chooseMaps();
});

async function showPage(next = parse(latest)) {
  localize(next);
  chooseMaps(next);
  const entries = await waiting();
  for (const part of ['header', 'main', 'footer']) {
    const shown = one(part, next);
    if (shown) match(one(part), shown);
    else one(part).hidden = true;
  }
  for (const tap of [...taken, ...entries.map((entry) => entry.tap)]) apply(tap);
  showStops();
  checkArrival();
  countDown();
  tellNews();
  follow();
}

${alerts}
// Position and screen while on duty.

let watch = null;
let lock = null;

async function follow() {
  const isOn = one('header:not([hidden]) [data-tap=duty]')?.dataset.on === '1';
  if (isOn && watch === null && navigator.geolocation) {
    watch = navigator.geolocation.watchPosition(({ coords, timestamp }) => {
      place = coords;
      checkArrival();
      position = { lat: coords.latitude, lng: coords.longitude, at: new Date(Math.min(timestamp, Date.now())).toISOString() };
    }, () => {}, { enableHighAccuracy: true, maximumAge: 10000 });
  }
  if (!isOn && watch !== null) {
    navigator.geolocation.clearWatch(watch);
    watch = null;
  }
  try {
    if (isOn && !document.hidden) lock ??= await navigator.wakeLock?.request('screen');
    else await lock?.release();
    lock?.addEventListener('release', () => (lock = null), { once: true });
  } catch {}
}

/** Also in the background while on duty, so that an offer is heard. */
setInterval(() => {
  if (!document.hidden || one('[data-tap=duty]')?.dataset.on === '1') send();
}, 10000);
addEventListener('online', send);
document.addEventListener('visibilitychange', () => {
  follow();
  send();
});
navigator.serviceWorker?.register('../drive-worker.js', { scope: './' }).catch(() => {});
showPhone();
await showPage();
send();
`;
