/**
 * The part of the page's script that stores taps until the service has them, and sends them in their order. A tap is
 * deleted only when the service has accepted or refused that tap. After any other error it stays and is sent again.
 */

// Taps that wait: in IndexedDB, or in memory where the phone does not store them.

const driver = one('main').dataset.driver;
const memory = [];
/** The taps that the service has answered, also if the phone could not delete them. */
const settled = new Set();
let database = openDatabase();
let lastOrder = 0;

/** The database; null if the phone has none. Browsers may close it at any time. */
function openDatabase() {
  return new Promise((resolve) => {
    try {
      const opening = indexedDB.open('taps', 1);
      opening.onupgradeneeded = () => opening.result.createObjectStore('taps', { keyPath: 'tap.id' });
      opening.onsuccess = () => resolve(opening.result);
      opening.onerror = () => resolve(null);
    } catch {
      resolve(null);
    }
  });
}

/** The result of work on the stored taps once it is committed; null if the phone does not store them. */
async function inQueue(mode, work, isRepeat = false) {
  const opened = await database;
  if (!opened) return null;
  try {
    const transaction = opened.transaction('taps', mode);
    const request = work(transaction.objectStore('taps'));
    return await new Promise((resolve) => {
      transaction.oncomplete = () => resolve(request.result);
      transaction.onabort = () => resolve(null);
    });
  } catch {
    if (isRepeat) return null;
    database = openDatabase();
    return inQueue(mode, work, true);
  }
}

/** The taps of the driver that wait, in their order, also those of an earlier link of the same driver. */
async function waiting() {
  const stored = (await inQueue('readonly', (store) => store.getAll())) ?? [];
  const unsent = [...stored, ...memory].filter(
    (entry) => entry.driver === driver && !settled.has(entry.tap.id),
  );
  return unsent.sort((a, b) => a.order - b.order);
}

async function keep(tap, label, held_until) {
  // Also after taps of an earlier visit, when the clock of the phone was ahead.
  const latest = (await waiting()).at(-1)?.order ?? 0;
  lastOrder = Math.max(Math.max(lastOrder, latest) + 1, Date.now());
  const entry = { driver, tap, label, held_until, order: lastOrder };
  mine.add(tap.id);
  if ((await inQueue('readwrite', (store) => store.add(entry))) === null) memory.push(entry);
}

async function forget(entries) {
  for (const entry of entries) {
    settled.add(entry.tap.id);
    if (memory.includes(entry)) memory.splice(memory.indexOf(entry), 1);
    else await inQueue('readwrite', (store) => store.delete(entry.tap.id));
  }
}

/**
 * Shows how many taps wait and, while they cannot be sent, each of them. The last one can be undone: for some seconds, or
 * until it is sent.
 */
async function showWaiting() {
  const entries = await waiting();
  const count = entries.length;
  const text = netText(count);
  showText(one('#net'), text === '' ? [] : [memory.length > 0 ? `${text} ${texts.keep_open}` : text]);
  document.body.classList.toggle('offline', trouble !== '');
  const last = entries.at(-1);
  const isHeld = last !== undefined && heldFor(last) > 0 && canUndo(last);
  showText(one('#undo'), isHeld ? [last.label, undoButton()] : []);
  const list = entries.map((entry) => {
    const { label, tap } = entry;
    const line = document.createElement('p');
    const text = document.createElement('span');
    // A name may be written from right to left; the time behind it is not part of it.
    const name = document.createElement('bdi');
    name.textContent = label;
    const sent = canUndo(entry) ? texts.not_sent : texts.may_be_sent;
    text.append(name, `, ${timeText(shopTime(tap.at))}, ${sent}`);
    line.append(text, ...(entry === last && !isHeld && canUndo(entry) ? [undoButton()] : []));
    return line;
  });
  showText(one('#unsent'), trouble === '' ? [] : list);
}

/** How the connection is, while that hinders sending; otherwise an empty text. */
function netText(count) {
  const isSlow = sending !== null && Date.now() - sending_since > slow_ms;
  if (trouble === '') return isSlow ? texts.sending : '';
  return count === 0 ? `${trouble}.` : `${trouble}: ${waitText(count)}`;
}

function waitText(count) {
  return count === 1 ? texts.one_waits : fill(texts.waits, { count });
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
  button.textContent = texts.undo;
  return button;
}

/** The taps that were sent without an answer: the service may have them. */
const tried = new Set();
/** The taps made on this page since it was loaded. Another tab may have sent the others. */
const mine = new Set();

function canUndo({ tap }) {
  return mine.has(tap.id) && !tried.has(tap.id);
}

/** For how many milliseconds a tap is not sent yet; 0 too if the clock of the phone was set back since it was made. */
function heldFor({ held_until }) {
  const left = held_until - Date.now();
  return left > 0 && left <= hold_ms ? left : 0;
}

/** Takes the last tap back while it has not been sent. */
async function undo() {
  const entries = await waiting();
  const last = entries.at(-1);
  if (!last || !canUndo(last)) return;
  // One tap may be about several recipients or offers.
  const undone = entries.filter((entry) => entry.tap.at === last.tap.at && canUndo(entry));
  await forget(undone);
  for (const id of undone.flatMap(({ tap }) => tap.delivery_ids ?? [])) finished.delete(id);
  if (last.tap.kind === 'accept') expectsStops = false;
  if (selecting.includes(last.tap.kind)) for (const id of leftBefore) leftOut.add(id);
  await showPage();
  await showWaiting();
}

// Sending, one batch after the other.

/** Why taps cannot be sent now; empty if they can. */
let trouble = '';
let sending = null;
let sending_since = 0;
let retry;
const first_retry_ms = 3000;
let retryMs = first_retry_ms;
let position = null;

let isAgain = false;
let heldSend;
/** A tap that completes a stop is sent after this time, so that a slip can be undone. */
const hold_ms = 5000;
/** Sending that takes longer is shown. */
const slow_ms = 2000;

/** Sends the taps that wait. Taps made meanwhile are sent right after them. */
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
    retryMs = first_retry_ms;
  } catch (fault) {
    // A service that is busy for a moment is asked again without a word.
    if (!fault.isBusy || retryMs > first_retry_ms) {
      trouble = fault.isAnswer ? fault.message : texts.no_connection;
      for (const [id, answer] of awaited) if (!settled.has(id)) answer('');
      // The page of a link that is no longer valid shows no stops.
      if (fault.isAnswer) await refreshPage().catch(() => {});
    }
    retry = setTimeout(send, retryMs);
    retryMs = Math.min(retryMs * 2, 60000);
  }
}

/** Who waits for the answer to a tap, by its id: they are called with why it was refused, or an empty text. */
const awaited = new Map();
/** The time of the last position that the service took, by the phone's clock; null before the first. */
let seen_at = null;

/** Why the service refuses a tap; an empty text if it takes it, or cannot be asked now. */
function answerTo(id) {
  return new Promise((resolve) => awaited.set(id, resolve)).finally(() => awaited.delete(id));
}

/** The taps that the service has taken and the page that was loaded last does not show. */
let taken = [];

async function sendTaps() {
  const refusals = [];
  try {
    await sendBatches(refusals);
  } finally {
    if (refusals.length > 0) say([...new Set(refusals)].join(' '));
  }
}

/** Sends the taps that wait. A refused batch is sent again tap by tap, so that one bad tap does not block the others. */
async function sendBatches(refusals) {
  let size = 20;
  for (let isFirst = true; ; isFirst = false) {
    const entries = batchOf(await ripe(), size);
    if (entries.length === 0 && !(isFirst && position)) break;
    const at = position;
    if (navigator.onLine) for (const { tap } of entries) tried.add(tap.id);
    await showWaiting();
    const results = await post(entries.map(({ tap }) => tap));
    if (position === at) {
      if (at && results !== null) seen_at = at.at;
      position = null;
    }
    if (results === null && (entries.length > 1 || at)) {
      size = 1;
      continue;
    }
    await forget(entries);
    for (const [index, { label, tap }] of entries.entries()) {
      const { outcome, message } = results?.[index] ?? { message: texts.refused };
      const answer = awaited.get(tap.id);
      // What was changed elsewhere needs no other answer of the driver.
      const isAsked = answer !== undefined && outcome !== 'ignored';
      answer?.(isAsked && outcome !== 'done' ? message : '');
      if (outcome === 'done') {
        taken.push(tap);
        continue;
      }
      for (const id of tap.delivery_ids ?? []) {
        finished.delete(id);
        if (!isAsked) refused.set(id, message);
      }
      if (tap.kind === 'accept') expectsStops = false;
      if (!isAsked) refusals.push(`${label}: ${message}`);
    }
  }
}

/** The taps up to the first one that can still be undone; a page that is left sends its own at once. */
async function ripe() {
  const entries = await waiting();
  const held = entries.findIndex(
    (entry) => heldFor(entry) > 0 && !(document.hidden && mine.has(entry.tap.id)),
  );
  clearTimeout(heldSend);
  if (held < 0) return entries;
  heldSend = setTimeout(send, heldFor(entries[held]));
  return entries.slice(0, held);
}

/** Taps with pictures are sent alone. */
function batchOf(entries, size) {
  const heavy = entries.findIndex(({ tap }) => tap.photo || tap.signature);
  return entries.slice(0, heavy === 0 ? 1 : heavy > 0 ? Math.min(heavy, size) : size);
}

/** Returns the result of each tap, or null if the service refuses the request. Throws if no tap can be sent now. */
async function post(taps) {
  const body = { sent_at: new Date().toISOString(), taps, ...(position ? { position } : {}) };
  const response = await fetch(`${page}/taps`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(20000),
  });
  if (response.ok) return (await response.json()).taps;
  const { object } = await response.json().catch(() => ({}));
  // A proxy may refuse a request that the service would accept.
  if (object === 'error' && [400, 413, 422].includes(response.status)) return null;
  throw faultOf(response);
}

const faultTexts = { 403: texts.shop_cannot, 404: texts.link_ended };

function faultOf({ status }) {
  const message = faultTexts[status] ?? fill(texts.bad_answer, { status });
  return Object.assign(new Error(message), { isAnswer: true, isBusy: status === 429 || status === 503 });
}

/** A message lies over the header: a tap takes it away, and does not reach what is below. */
one('#messages').addEventListener('click', ({ target }) => {
  if (target.matches('#said, #news')) target.textContent = '';
});

function say(message) {
  one('#said').textContent = message;
}
