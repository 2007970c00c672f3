import { replaceChanged } from '../tracking-page/script.ts';
import { alerts } from './alerts-script.ts';
import { questions } from './questions-script.ts';
import { mapApps } from './stop-cards.ts';

/** The part of the page's script that stores taps until they are sent: in IndexedDB, or in memory without it. */
const queue = `
const memory = [];
const database = new Promise((resolve) => {
  try {
    const opening = indexedDB.open('drive', 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore('taps', { keyPath: 'number', autoIncrement: true });
    opening.onsuccess = () => resolve(opening.result);
    opening.onerror = () => resolve(null);
  } catch {
    resolve(null);
  }
});

async function inQueue(mode, work) {
  const opened = await database;
  if (!opened) return null;
  return new Promise((resolve, reject) => {
    const request = work(opened.transaction('taps', mode).objectStore('taps'));
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

async function waiting() {
  const kept = (await inQueue('readonly', (store) => store.getAll())) ?? memory;
  return kept.filter((entry) => entry.page === page);
}

async function keep(tap, label, held_until) {
  const entry = { page, tap, label, held_until };
  if ((await inQueue('readwrite', (store) => store.add(entry))) === null) memory.push({ ...entry, number: memory.length });
}

async function forget(numbers) {
  for (const number of numbers) {
    await inQueue('readwrite', (store) => store.delete(number));
    const at = memory.findIndex((entry) => entry.number === number);
    if (at >= 0) memory.splice(at, 1);
  }
}
`;

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

${queue}
// What a tap changes on the page, before the service has answered.

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
    if (completing.includes(tap.kind)) for (const part of parts) part.remove();
    else showStep(stop, Number(button.dataset.at) + 1, tap);
    if (!one('[data-id]', stop)) stop.remove();
  }
  const first = one('.stop:not(.waiting)');
  if (tap.goes_on && first && first === one('.stop')) showStep(first, 1, tap);
  showStops();
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

/** How many taps wait; without a connection each of them, and for some seconds the last one, which can be undone. */
async function showWaiting() {
  if (!one('#net')) return;
  const entries = await waiting();
  const count = entries.length;
  const text = count === 1 ? '1 tap waits' : count + ' taps wait';
  const shown = !isOnline && count > 0 ? 'No connection: ' + text + ' to be sent.' : isOnline ? '' : 'No connection.';
  showText(one('#net'), shown === '' ? [] : [shown]);
  const last = entries.at(-1);
  const isHeld = last !== undefined && last.held_until > Date.now();
  showText(one('#undo'), isHeld ? [last.label, undoButton()] : []);
  const list = entries.map(({ number, label, tap }) => {
    const line = document.createElement('p');
    const name = document.createElement('span');
    name.textContent = label + ', ' + timeText(new Date(tap.at)) + ', not sent yet';
    line.append(name, ...(number === last.number && !isHeld && !inFlight.includes(number) ? [undoButton()] : []));
    return line;
  });
  showText(one('#unsent'), isOnline ? [] : list);
}

function showText(element, content) {
  element.hidden = content.length === 0;
  const next = element.cloneNode();
  next.append(...content);
  if (!next.isEqualNode(element)) element.replaceChildren(...next.childNodes);
}

function undoButton() {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'plain';
  button.dataset.undo = '';
  button.textContent = 'Undo';
  return button;
}

/** Takes the last tap back while it has not been sent. */
async function undo() {
  const last = (await waiting()).at(-1);
  if (!last || inFlight.includes(last.number)) return;
  await forget([last.number]);
  await showPage();
  await showWaiting();
}

// Sending, one batch after the other.

let isOnline = true;
let sending = null;
let retry;
let retryMs = 3000;
let position = null;

let isAgain = false;
let inFlight = [];
let heldSend;
/** A tap that completes a stop is sent after this time, so that a slip can be undone. */
const hold_ms = 5000;

/** What is tapped while a batch is being sent is sent right after it. */
function send() {
  clearTimeout(retry);
  isAgain = sending !== null;
  sending ??= sendAll().finally(() => {
    sending = null;
    if (isAgain) send();
  });
  return sending;
}

async function sendAll() {
  try {
    for (let isFirst = true; ; isFirst = false) {
      const entries = batchOf(await ripe());
      inFlight = entries.map(({ number }) => number);
      if (entries.length === 0 && !(isFirst && position)) break;
      const at = position;
      const results = await post(entries.map(({ tap }) => tap));
      if (position === at) position = null;
      await forget(entries.map(({ number }) => number));
      for (const { outcome, message } of results) if (outcome !== 'done') say(message);
    }
    isOnline = true;
    retryMs = 3000;
    await refreshPage();
  } catch {
    isOnline = false;
    retry = setTimeout(send, retryMs);
    retryMs = Math.min(retryMs * 2, 60000);
  }
  inFlight = [];
  await showWaiting();
}

/** The taps up to the first one that can still be undone; a page that is left sends all. */
async function ripe() {
  const entries = await waiting();
  const held = entries.findIndex(({ held_until }) => held_until > Date.now() && !document.hidden);
  clearTimeout(heldSend);
  if (held < 0) return entries;
  heldSend = setTimeout(send, entries[held].held_until - Date.now());
  return entries.slice(0, held);
}

/** Taps with pictures are sent alone. */
function batchOf(entries) {
  const heavy = entries.findIndex(({ tap }) => tap.photo || tap.signature);
  return entries.slice(0, heavy === 0 ? 1 : heavy > 0 ? heavy : 20);
}

async function post(taps) {
  const body = { sent_at: new Date().toISOString(), taps, ...(position ? { position } : {}) };
  const response = await fetch(page + '/taps', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(20000),
  });
  if (response.ok) return (await response.json()).taps;
  // What the service refuses for good is not sent again.
  if (response.status >= 400 && response.status < 500 && response.status !== 429 && response.status !== 408) {
    return [{ outcome: 'refused', message: response.status === 404 ? 'This link is no longer valid.' : 'The service refused this.' }];
  }
  throw new Error(response.status);
}

function say(message) {
  one('#said').textContent = message;
}

async function recordTaps(taps, label) {
  say('');
  one('#news').textContent = '';
  leftOut.clear();
  for (const tap of taps) {
    const made = { id: newId(), at: new Date().toISOString(), ...tap };
    const isHeld = completing.includes(tap.kind) && tap.pin === undefined;
    await keep(made, label, isHeld ? Date.now() + hold_ms : 0);
    apply(made);
    if (tap.kind === 'duty') follow();
  }
  await showWaiting();
  await send();
}

/** The deliveries that a button of a stop is about: those of a recipient, or all that are ready and not left out. */
function chosenIds(stop) {
  const parts = all('[data-id]:not(.waiting)', stop);
  return parts.map(({ dataset }) => dataset.id).filter((id) => !leftOut.has(id));
}

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
  if (stop) tap.delivery_ids = part ? [part.dataset.id] : chosenIds(stop);
  if (completing.includes(kind) || kind === 'accept') tap.goes_on = true;
  const label = button.ariaLabel ?? button.textContent;
  isAsking = true;
  try {
    if (kind === 'duty') tap = await askLeaving(tap);
    if (kind === 'fail') tap = await askReason(button, tap);
    if (kind === 'deliver') tap = await askProof(part, tap);
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
async function refreshPage() {
  const response = await fetch(page, { cache: 'no-store', headers: { accept: 'text/html' }, signal: AbortSignal.timeout(15000) });
  const text = await response.text();
  const next = parse(text);
  if (response.status === 404 || response.status === 403) return document.body.replaceChildren(...next.body.childNodes);
  if (!response.ok || response.headers.has('x-kept')) throw new Error(response.status);
  const policy = '[http-equiv=Content-Security-Policy]';
  if (one(policy, next).content !== one(policy).content) return location.reload();
  clockOffset = Date.parse(one('main', next).dataset.now) - Date.now();
  latest = text;
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
  for (const part of ['header', 'main', 'footer']) match(one(part), one(part, next));
  for (const { tap } of entries) apply(tap);
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
  const isOn = one('[data-tap=duty]')?.dataset.on === '1';
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
await showPage();
send();
`;
