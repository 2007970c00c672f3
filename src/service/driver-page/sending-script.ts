/**
 * The part of the page's script that stores taps until the service has them, and sends them in their order. A tap is
 * forgotten only when the service has taken or refused that tap itself; whatever else a request meets, it waits.
 */
export const sending = `
// Taps that wait: in IndexedDB, or in memory where the phone does not store them.

const driver = one('main').dataset.driver;
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

/** The result of work on the stored taps once it is stored for good; null if the phone does not store them. */
async function inQueue(mode, work) {
  const opened = await database;
  if (!opened) return null;
  return new Promise((resolve) => {
    try {
      const transaction = opened.transaction('taps', mode);
      const request = work(transaction.objectStore('taps'));
      transaction.oncomplete = () => resolve(request.result);
      transaction.onabort = () => resolve(null);
    } catch {
      resolve(null);
    }
  });
}

/** The taps of the driver that wait, also those of an earlier link of the same driver. */
async function waiting() {
  const stored = (await inQueue('readonly', (store) => store.getAll())) ?? [];
  return [...stored, ...memory].filter((entry) => entry.driver === driver);
}

async function keep(tap, label, held_until) {
  const entry = { driver, tap, label, held_until };
  if ((await inQueue('readwrite', (store) => store.add(entry))) === null) memory.push({ ...entry, number: newId() });
}

async function forget(numbers) {
  for (const number of numbers) {
    const at = memory.findIndex((entry) => entry.number === number);
    if (at >= 0) memory.splice(at, 1);
    else await inQueue('readwrite', (store) => store.delete(number));
  }
}

/** How many taps wait; while they cannot be sent each of them, and for some seconds the last one, which can be undone. */
async function showWaiting() {
  const entries = await waiting();
  const count = entries.length;
  const isSlow = sending !== null && Date.now() - sending_since > slow_ms;
  const text = trouble === '' ? (isSlow ? 'Sending.' : '') : count === 0 ? trouble + '.' : trouble + ': ' + waitText(count);
  showText(one('#net'), text === '' ? [] : [memory.length > 0 ? text + ' Keep this page open.' : text]);
  document.body.classList.toggle('offline', trouble !== '');
  const last = entries.at(-1);
  const isHeld = last !== undefined && last.held_until > Date.now() && canUndo(last);
  showText(one('#undo'), isHeld ? [last.label, undoButton()] : []);
  const list = entries.map((entry) => {
    const { label, tap } = entry;
    const line = document.createElement('p');
    const name = document.createElement('span');
    const sent = tried.has(tap.id) ? ', may have been sent' : ', not sent yet';
    name.textContent = label + ', ' + timeText(new Date(tap.at)) + sent;
    line.append(name, ...(entry === last && !isHeld && canUndo(entry) ? [undoButton()] : []));
    return line;
  });
  showText(one('#unsent'), trouble === '' ? [] : list);
}

function waitText(count) {
  return (count === 1 ? '1 tap waits' : count + ' taps wait') + ' to be sent.';
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

/** The taps that were sent without an answer: the service may have them. */
const tried = new Set();

function canUndo({ tap }) {
  return !tried.has(tap.id);
}

/** Takes the last tap back while it has not been sent. */
async function undo() {
  const last = (await waiting()).at(-1);
  if (!last || !canUndo(last)) return;
  await forget([last.number]);
  for (const id of last.tap.delivery_ids ?? []) finished.delete(id);
  await showPage();
  await showWaiting();
}

// Sending, one batch after the other.

/** Why taps cannot be sent now; empty if they can. */
let trouble = '';
let sending = null;
let sending_since = 0;
let retry;
let retryMs = 3000;
let position = null;

let isAgain = false;
let heldSend;
/** A tap that completes a stop is sent after this time, so that a slip can be undone. */
const hold_ms = 5000;
/** Sending that takes longer is shown. */
const slow_ms = 2000;

/** What is tapped while a batch is being sent is sent right after it. */
function send() {
  clearTimeout(retry);
  isAgain = sending !== null;
  if (sending === null) {
    sending_since = Date.now();
    setTimeout(showWaiting, slow_ms + 100);
  }
  sending ??= sendAll().finally(() => {
    sending = null;
    showWaiting();
    if (isAgain) send();
  });
  return sending;
}

async function sendAll() {
  try {
    await sendTaps();
    await refreshPage();
    trouble = '';
    retryMs = 3000;
  } catch (fault) {
    trouble = fault.isAnswer ? fault.message : 'No connection';
    // The page of a link that is no longer valid shows no stops.
    if (fault.isAnswer) await refreshPage().catch(() => {});
    retry = setTimeout(send, retryMs);
    retryMs = Math.min(retryMs * 2, 60000);
  }
}

/** A request that is refused is divided, so that one tap that the service cannot read keeps no other from it. */
async function sendTaps() {
  const refusals = [];
  let size = 20;
  for (let isFirst = true; ; isFirst = false) {
    const entries = batchOf(await ripe(), size);
    if (entries.length === 0 && !(isFirst && position)) break;
    const at = position;
    if (navigator.onLine) for (const { tap } of entries) tried.add(tap.id);
    await showWaiting();
    const results = await post(entries.map(({ tap }) => tap));
    if (position === at) position = null;
    if (results === null && (entries.length > 1 || at)) {
      size = 1;
      continue;
    }
    await forget(entries.map(({ number }) => number));
    entries.forEach(({ label }, index) => {
      const { outcome, message } = results?.[index] ?? { message: 'The service refused this.' };
      if (outcome !== 'done') refusals.push(label + ': ' + message);
    });
  }
  if (refusals.length > 0) say([...new Set(refusals)].join(' '));
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
function batchOf(entries, size) {
  const heavy = entries.findIndex(({ tap }) => tap.photo || tap.signature);
  return entries.slice(0, heavy === 0 ? 1 : heavy > 0 ? Math.min(heavy, size) : size);
}

/** What became of each tap; null if the service refuses the request itself. Throws if it cannot take any now. */
async function post(taps) {
  const body = { sent_at: new Date().toISOString(), taps, ...(position ? { position } : {}) };
  const response = await fetch(page + '/taps', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(20000),
  });
  if (response.ok) return (await response.json()).taps;
  const { object } = await response.json().catch(() => ({}));
  // What a proxy refuses may be right for the service.
  if (object === 'error' && [400, 413, 422].includes(response.status)) return null;
  throw faultOf(response);
}

const faultTexts = { 403: 'Your shop cannot get your taps now', 404: 'This link is no longer valid' };

function faultOf({ status }) {
  const message = faultTexts[status] ?? 'The service does not answer as it should (' + status + ')';
  return Object.assign(new Error(message), { isAnswer: true });
}

function say(message) {
  one('#said').textContent = message;
}
`;
