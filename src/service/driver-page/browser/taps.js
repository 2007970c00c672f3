/**
 * The part of the page's script that takes taps (`takeClick`): it completes each with the answers to the page's questions,
 * stores it, shows it at once and sends it (`recordTaps`).
 */

async function recordTaps(taps, label) {
  say('');
  one('#news').textContent = '';
  for (const id of taps.flatMap(({ delivery_ids }) => delivery_ids ?? [])) {
    refused.delete(id);
    ticked.delete(id);
  }
  const at = new Date().toISOString();
  for (const tap of taps) {
    const made = { id: newId(), at, ...tap };
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
  /** @type {any} */
  const { activeElement } = document;
  if (activeElement !== document.body && activeElement.offsetParent) return;
  all('main button')
    .find((each) => each.offsetParent)
    ?.focus({ preventScroll: true });
}

/** The deliveries of a stop that are ready, or at a dropoff picked up. */
function readyIds(stop) {
  return all('[data-id]:not(.waiting)', stop).map(({ dataset }) => dataset.id);
}

/** The ready deliveries of a stop that the driver does not leave out. */
function chosenIds(stop) {
  return readyIds(stop).filter((id) => !leftOut.has(id));
}

/** The taps from which orders can be left out; the way and the arrival are the same for all orders of a stop. */
const selecting = ['pick_up', 'fail'];
/** The orders that were left out of the last such tap, for its undo. */
let leftBefore = [];

let isAsking = false;
let tapped_at = 0;
/** A second tap on the same place would hit the button of the next step. */
const double_tap_ms = 700;

document.addEventListener('click', takeClick);

/**
 * Takes what the driver touches.
 * @param {any} event
 */
async function takeClick(event) {
  const { sign } = event.target.dataset ?? {};
  if (sign === 'clear') return clearSignature();
  if (sign === 'name') return drawName();
  const stop = event.target.closest('.stop');
  const fold = event.target.closest('[data-fold]')?.closest('.recipient, .stop');
  if (fold) return toggle(opened, fold.dataset.key, !fold.matches('.open'));
  if (event.target.closest('[data-undo]')) return undo();
  const button = event.target.closest('[data-tap]');
  if (!button || isAsking || timeSince(tapped_at) < double_tap_ms) return;
  tapped_at = Date.now();
  const { tap: kind } = button.dataset;
  const offers = button.closest('[data-offers]')?.dataset.offers.split(' ') ?? [];
  const parts = button.closest('[data-all]')
    ? tickedParts(stop)
    : [button.closest('[data-id]')].filter(Boolean);
  const [part] = parts;
  let tap = { id: newId(), kind };
  if (kind === 'duty') tap.on = button.dataset.on === '';
  if (stop)
    tap.delivery_ids = part ? [part.dataset.id] : selecting.includes(kind) ? chosenIds(stop) : readyIds(stop);
  const arrival = stop?.dataset.near ? [arrivalAt(stop)] : [];
  if (completing.includes(kind) || kind === 'accept') tap.goes_on = true;
  const label = button.ariaLabel ?? button.textContent;
  isAsking = true;
  try {
    if (kind === 'duty') tap = await askLeaving(tap);
    if (kind === 'fail') tap = await askReason(button, tap);
    if (tap?.kind === 'deliver') {
      const sendNow = async (made) => {
        const answer = answerTo(made.id);
        recordTaps([...arrival.splice(0), made], label);
        return answer;
      };
      tap = await askProof(parts, tap, { isLeft: kind === 'fail', sendNow });
    }
  } finally {
    isAsking = false;
  }
  if (kind === 'duty' && tap?.on) {
    alertDriver();
    subscribe();
  }
  if (kind === 'accept') expectsStops = true;
  if (!tap) return;
  if (selecting.includes(tap.kind)) {
    leftBefore = [...leftOut];
    for (const id of readyIds(stop)) leftOut.delete(id);
  }
  await recordTaps([...arrival, ...tapsFor(tap, offers, parts)], label);
}

/** A tap for each offer of a card, or for each ticked recipient of a building; otherwise only the tap itself. */
function tapsFor(tap, offers, parts) {
  if (offers.length > 0) return offers.map((offer_id) => ({ ...tap, id: newId(), offer_id }));
  if (parts.length < 2) return [tap];
  return parts.map(({ dataset }) => ({ ...tap, id: newId(), delivery_ids: [dataset.id] }));
}

document.addEventListener('change', leaveOut);

/** @param {any} event */
function leaveOut({ target }) {
  if (target.type !== 'checkbox') return;
  const { id } = target.closest('[data-id]').dataset;
  if ('tick' in target.dataset) toggle(ticked, id, target.checked);
  else toggle(leftOut, id, !target.checked);
}

function toggle(set, key, isIn) {
  if (isIn) set.add(key);
  else set.delete(key);
  showStops();
}
