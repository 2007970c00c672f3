/** Position and screen while the driver is on duty, and the start of the page. */

let watch = null;
let lock = null;

async function follow() {
  const isOn = one('header:not([hidden]) [data-tap=duty]')?.dataset.on === '1';
  if (isOn && watch === null && navigator.geolocation) {
    watch = navigator.geolocation.watchPosition(
      ({ coords, timestamp }) => {
        place = coords;
        checkArrival();
        position = {
          lat: coords.latitude,
          lng: coords.longitude,
          at: new Date(Math.min(timestamp, Date.now())).toISOString(),
        };
      },
      () => {},
      { enableHighAccuracy: true, maximumAge: 10000 },
    );
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
showPage().then(send);
