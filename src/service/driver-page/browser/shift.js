/** The last part of the page's script: it follows the position and keeps the screen on while on duty, and starts the page. */

let watch = null;
let lock = null;
/** Why the shop does not see where the driver is; empty if it does. */
let placeFault = '';
/** When the phone last gave its position, or was asked for it. */
let placed_at = 0;
/** When the phone last gave its position. */
let found_at = 0;
/** A phone that says nothing for so long may have stopped in the background. */
const silent_ms = 60000;

/** How long ago a time was. A time in the future counts as past: the clock of the phone was set back. */
const timeSince = (at) => Math.abs(Date.now() - at);

function isOnDuty() {
  return one('header:not([hidden]) [data-tap=duty]')?.dataset.on === '1';
}

/** @param {GeolocationPosition} given */
function takePlace({ coords, timestamp }) {
  placeFault = '';
  placed_at = found_at = Date.now();
  notePlace(coords);
  checkArrival();
  showHints();
  position = {
    lat: coords.latitude,
    lng: coords.longitude,
    at: new Date(Math.min(timestamp, Date.now())).toISOString(),
  };
}

/**
 * A phone that loses its place for a moment finds it again by itself.
 * @param {GeolocationPositionError} fault
 */
function losePlace({ code }) {
  if (code === 1) stopWatching();
  if (code === 1) placeFault = texts.no_place;
  else if (timeSince(found_at) > silent_ms) placeFault = texts.lost_place;
  showHints();
}

function stopWatching() {
  if (watch !== null) navigator.geolocation.clearWatch(watch);
  watch = null;
}

async function follow() {
  const isOn = isOnDuty();
  const isSilent = timeSince(placed_at) > silent_ms;
  // Also a driver who has not answered the question whether the page may know it.
  if (isOn && isSilent && watch !== null && found_at < placed_at)
    placeFault ||= found_at === 0 ? texts.no_place : texts.lost_place;
  if (!isOn || isSilent) stopWatching();
  if (isOn && watch === null && navigator.geolocation && timeSince(placed_at) > retry_ms) {
    placed_at = Date.now();
    const options = { enableHighAccuracy: true, maximumAge: 10000 };
    watch = navigator.geolocation.watchPosition(takePlace, losePlace, options);
  }
  showHints();
  try {
    if (isOn && !document.hidden) lock ??= await navigator.wakeLock?.request('screen');
    else await lock?.release();
    lock?.addEventListener('release', () => (lock = null), { once: true });
  } catch {}
}

/** A phone that refused is asked again after this time. */
const retry_ms = 5000;

/**
 * Phones stop sound and position of a page in the background: each tap resumes them. Not before the tap has reached its
 * button: a hint that goes moves what is below.
 */
document.addEventListener('click', resumePage);

async function resumePage() {
  if (!isOnDuty()) return;
  await wakeSound();
  follow();
}

/** Also in the background while on duty, so that an offer is heard. */
setInterval(() => {
  if (!document.hidden || isOnDuty()) send();
}, 10000);
addEventListener('online', send);
document.addEventListener('visibilitychange', () => {
  follow();
  send();
});
document.body.style.setProperty('--unsent', JSON.stringify(` (${texts.not_sent})`));
navigator.serviceWorker?.register('../drive-worker.js', { scope: './' }).catch(() => {});
showPhone();
showPage().then(send);
