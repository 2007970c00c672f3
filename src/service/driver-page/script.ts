import { replaceChanged } from '../tracking-page/replace-changed.ts';
import { questions } from './questions.ts';
import { queue } from './tap-queue.ts';

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
  if (tap.offer_id) return one('[data-offer="' + tap.offer_id + '"]')?.remove();
  for (const card of all('.stop')) {
    const ids = card.dataset.ids.split(' ');
    if (!tap.delivery_ids?.some((id) => ids.includes(id))) continue;
    const button = one('[data-tap="' + tap.kind + '"]', card);
    if (tap.kind === 'pick_up' && card.dataset.kind === 'dropoff') card.classList.remove('waiting');
    if (!button) continue;
    if (completing.includes(tap.kind)) card.remove();
    else card.dataset.step = Math.max(Number(card.dataset.step), Number(button.dataset.at) + 1);
  }
  const left = all('.stop').length;
  const heading = one('h1');
  if (heading) heading.textContent = stopCount(left);
  const empty = one('[data-empty]');
  if (empty) empty.hidden = left > 0;
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

async function showWaiting() {
  const count = (await waiting()).length;
  const net = one('#net');
  const text = count === 1 ? '1 tap waits' : count + ' taps wait';
  const shown = !isOnline && count > 0 ? 'No connection: ' + text + ' to be sent.' : isOnline ? '' : 'No connection.';
  if (net.textContent !== shown) net.textContent = shown;
  net.hidden = shown === '';
}

// Sending, one batch after the other.

let isOnline = true;
let sending = null;
let retry;
let retryMs = 3000;
let position = null;

let isAgain = false;

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
      const entries = batchOf(await waiting());
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
  await showWaiting();
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

async function recordTap(tap) {
  say('');
  const made = { id: newId(), at: new Date().toISOString(), ...tap };
  await keep(made);
  apply(made);
  if (tap.kind === 'duty') follow();
  await send();
}

/** A driver starts to a building and arrives there for all its recipients; each of them has a handover. */
function cardsOf(kind, card) {
  if (kind !== 'start_dropoff' && kind !== 'arrive_dropoff') return [card];
  return all('.stop[data-kind=dropoff]:not(.waiting)').filter(({ dataset }) => dataset.place === card.dataset.place);
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
  const button = event.target.closest('[data-tap]');
  if (!button || isAsking || Date.now() - tapped_at < double_tap_ms) return;
  tapped_at = Date.now();
  const { tap: kind } = button.dataset;
  const card = button.closest('.stop');
  const offer = button.closest('[data-offer]');
  let tap = { kind };
  if (kind === 'duty') tap.on = button.dataset.on === '';
  if (offer) tap.offer_id = offer.dataset.offer;
  if (card) tap.delivery_ids = cardsOf(kind, card).flatMap(({ dataset }) => dataset.ids.split(' '));
  isAsking = true;
  try {
    if (kind === 'duty') tap = await askLeaving(tap);
    if (kind === 'fail') tap = await askReason(button, tap);
    if (kind === 'deliver') tap = await askProof(card, tap);
  } finally {
    isAsking = false;
  }
  if (tap) await recordTap(tap);
});

// The page as the service has it now.

const clock = { hour: 'numeric', minute: '2-digit' };

function localize(from) {
  for (const time of all('time', from)) {
    const at = new Date(time.dateTime);
    const isToday = at.toDateString() === new Date().toDateString();
    const day = isToday ? '' : at.toLocaleDateString([], { weekday: 'short', month: 'short', day: 'numeric' }) + ', ';
    time.textContent = day + at.toLocaleTimeString([], clock);
  }
}

${replaceChanged}
async function refreshPage() {
  const response = await fetch(page, { cache: 'no-store', headers: { accept: 'text/html' }, signal: AbortSignal.timeout(15000) });
  const next = new DOMParser().parseFromString(await response.text(), 'text/html');
  if (response.status === 404 || response.status === 403) return document.body.replaceChildren(...next.body.childNodes);
  if (!response.ok) throw new Error(response.status);
  const policy = '[http-equiv=Content-Security-Policy]';
  if (one(policy, next).content !== one(policy).content) return location.reload();
  localize(next);
  for (const part of ['header', 'main', 'footer']) match(one(part), one(part, next));
  for (const { tap } of await waiting()) apply(tap);
  follow();
}

// Position and screen while on duty.

let watch = null;
let lock = null;

async function follow() {
  const isOn = one('[data-tap=duty]')?.dataset.on === '1';
  if (isOn && watch === null && navigator.geolocation) {
    watch = navigator.geolocation.watchPosition(({ coords, timestamp }) => {
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

setInterval(() => {
  if (!document.hidden) send();
}, 15000);
addEventListener('online', send);
document.addEventListener('visibilitychange', () => {
  follow();
  if (!document.hidden) send();
});
navigator.serviceWorker?.register('../drive-worker.js', { scope: './' }).catch(() => {});
localize(document);
for (const { tap } of await waiting()) apply(tap);
follow();
send();
`;
