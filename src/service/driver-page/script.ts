import { replaceChanged } from '../tracking-page/script.ts';

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

async function keep(tap) {
  const entry = { page, tap };
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

/** The part of the page's script that asks for proofs, why a handover failed, and whether a shift ends with stops left. */
const questions = `
function ask(dialog) {
  dialog.returnValue = '';
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => resolve(dialog.returnValue === 'ok'), { once: true });
  });
}

async function askLeaving(tap) {
  const left = all('.stop').length;
  if (tap.on || left === 0) return tap;
  const dialog = one('#leave');
  one('[data-left]', dialog).textContent = stopCount(left);
  return (await ask(dialog)) ? tap : null;
}

async function askReason(button, tap) {
  const dialog = one('#fail');
  one('[data-reasons]', dialog).hidden = button.dataset.question === 'pickup';
  one('[name=note]', dialog).value = '';
  if (!(await ask(dialog))) return null;
  const note = one('[name=note]', dialog).value.trim();
  return { ...tap, failure_reason: one('[name=reason]:checked', dialog).value, ...(note ? { note } : {}) };
}

let isSigned = false;
/** The proofs that the open dialog asks for, and what they became. */
let wants = [];
let photo = null;
let wasOffline = false;
let isChecking = false;

const proofText = (name) => one('#proof [name=' + name + ']').value.trim();

function showFault(fault) {
  one('#proof [data-fault]').textContent = fault;
}

function showWanted() {
  const shown = wasOffline ? [...wants, 'photo'] : wants;
  for (const part of all('#proof [data-want]')) part.hidden = !shown.includes(part.dataset.want);
}

async function askProof(card, tap) {
  const dialog = one('#proof');
  wants = ['pin', 'photo', 'signature'].filter((what) => card.dataset[what]);
  if (wants.length === 0) return tap;
  photo = null;
  wasOffline = false;
  showWanted();
  for (const input of all('input', dialog)) input.value = '';
  clearSignature();
  showFault('');
  if (!(await ask(dialog))) return null;
  const made = { ...tap };
  if (wants.includes('pin')) made.pin = proofText('pin');
  if (wasOffline) made.was_offline = true;
  if (photo) made.photo = photo;
  else if (proofText('no_photo_reason')) made.no_photo_reason = proofText('no_photo_reason');
  if (wants.includes('signature')) {
    made.signed_by = proofText('signed_by');
    made.signature = one('canvas', dialog).toDataURL('image/jpeg', 0.8);
  }
  return made;
}

/** What is still missing. Without a connection no PIN can be checked, so that a photo is asked for, too. */
async function proofFault() {
  if (wants.includes('pin') && proofText('pin') === '') return 'Enter the PIN.';
  if (wants.includes('pin')) {
    showFault('Checking the connection.');
    const isConnected = await post([]).then(() => true, () => false);
    const isNew = !wasOffline && !isConnected;
    wasOffline = !isConnected;
    showWanted();
    if (isNew && !wants.includes('photo'))
      return 'No connection: the PIN cannot be checked now. Take a photo, too.';
  }
  const [file] = one('#proof [name=photo]').files;
  const needsPhoto = (wasOffline || wants.includes('photo')) && proofText('no_photo_reason') === '';
  photo = file ? await resizePicture(file).catch(() => null) : null;
  if (file && !photo && needsPhoto) return 'This photo cannot be read. Take another one, or say why there is none.';
  if (!photo && needsPhoto) return 'Take a photo, or say why there is none.';
  if (!wants.includes('signature')) return '';
  if (proofText('signed_by') === '') return 'Enter the name of the recipient.';
  return isSigned ? '' : 'Sign in the field, or use the name.';
}

/** Closes the dialog once nothing is missing. */
async function checkProof() {
  if (isChecking) return;
  isChecking = true;
  const asked = wants;
  try {
    const fault = await proofFault();
    // The dialog may be about another handover by now.
    if (asked !== wants) return;
    showFault(fault);
    if (!fault) one('#proof').close('ok');
  } finally {
    isChecking = false;
  }
}

/** A JPEG of at most 1280 pixels. */
async function resizePicture(file) {
  const picture = await createImageBitmap(file);
  const scale = Math.min(1, 1280 / Math.max(picture.width, picture.height));
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(picture.width * scale);
  canvas.height = Math.round(picture.height * scale);
  canvas.getContext('2d').drawImage(picture, 0, 0, canvas.width, canvas.height);
  return canvas.toDataURL('image/jpeg', 0.7);
}

function clearSignature() {
  const canvas = one('#proof canvas');
  const pen = canvas.getContext('2d');
  pen.fillStyle = '#fff';
  pen.fillRect(0, 0, canvas.width, canvas.height);
  isSigned = false;
}

function drawName() {
  clearSignature();
  const canvas = one('#proof canvas');
  const pen = canvas.getContext('2d');
  pen.fillStyle = '#000';
  pen.font = 'italic 80px serif';
  pen.fillText(one('[name=signed_by]').value.trim(), 40, 190, canvas.width - 80);
  isSigned = one('[name=signed_by]').value.trim() !== '';
}

function draw(event) {
  const canvas = event.target;
  if (canvas.tagName !== 'CANVAS' || (event.type === 'pointermove' && event.buttons === 0)) return;
  const pen = canvas.getContext('2d');
  const box = canvas.getBoundingClientRect();
  const x = ((event.clientX - box.left) * canvas.width) / box.width;
  const y = ((event.clientY - box.top) * canvas.height) / box.height;
  if (event.type === 'pointerdown') {
    pen.beginPath();
    pen.moveTo(x, y);
    pen.lineWidth = 6;
    pen.lineCap = 'round';
  }
  pen.lineTo(x, y);
  pen.stroke();
  isSigned = true;
}

document.addEventListener('pointerdown', draw);
document.addEventListener('pointermove', draw);

document.addEventListener('submit', (event) => {
  if (event.target.parentElement.id !== 'proof' || event.submitter.value !== 'ok') return;
  event.preventDefault();
  checkProof();
});

for (const kind of ['input', 'pointerdown']) {
  one('#proof').addEventListener(kind, () => {
    if (!isChecking) showFault('');
  });
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

/**
 * The service worker of the driver's page: it keeps the last version of the page, and shows it without a connection.
 * A page that is no longer valid is forgotten.
 */
export const worker = `
const name = 'drive-1';

self.addEventListener('install', () => self.skipWaiting());
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));

async function answer(request) {
  const cache = await caches.open(name);
  const key = new URL(request.url).pathname;
  try {
    const response = await fetch(request);
    if (response.ok) await cache.put(key, response.clone());
    else if (response.status === 404) await cache.delete(key);
    return response;
  } catch (fault) {
    const kept = await cache.match(key);
    if (kept) return kept;
    throw fault;
  }
}

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const path = new URL(request.url).pathname;
  if (request.method === 'GET' && /\\/drive\\/[^/]+$/.test(path)) event.respondWith(answer(request));
});
`;
