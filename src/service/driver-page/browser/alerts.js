/**
 * The part of the page's script that announces offers and new stops, also while the page is closed, and that notices
 * the arrival.
 */

// New offers and stops.

let audio = null;

/** Browsers allow sound after a tap on the page, and may take it back: it is asked for again at every tap. */
async function wakeSound() {
  try {
    audio ??= new AudioContext();
    await audio.resume();
  } catch {}
  showHints();
}

/** Whether the page may not be heard: browsers want a tap first. */
function isMute() {
  return audio === null ? navigator.userActivation?.hasBeenActive === false : audio.state !== 'running';
}

/** A sound and a vibration. */
function alertDriver() {
  if (navigator.userActivation?.hasBeenActive === false) return;
  navigator.vibrate?.([300, 150, 300]);
  try {
    audio ??= new AudioContext();
    audio.resume();
    for (const [at, pitch] of [
      [0, 880],
      [0.25, 1175],
      [0.5, 880],
    ]) {
      const tone = audio.createOscillator();
      const volume = audio.createGain();
      tone.frequency.value = pitch;
      volume.gain.value = 0.4;
      tone.connect(volume).connect(audio.destination);
      tone.start(audio.currentTime + at);
      tone.stop(audio.currentTime + at + 0.2);
    }
  } catch {}
}

const title = document.title;
let known = null;
/** Whether the driver has just accepted an offer: its stops are not announced. */
let expectsStops = false;

let forgetNews;

function tell(text) {
  one('#news').textContent = text;
  clearTimeout(forgetNews);
  forgetNews = setTimeout(() => (one('#news').textContent = ''), 60000);
}

/** The deliveries that the driver has finished here: that they leave the page is no news. */
const finished = new Set();
/** The stops of the deliveries on the page. */
let shownStops = new Map();

/** Tells of offers and stops that the page did not show before, and of stops that the shop has taken away. */
function tellNews() {
  const offers = all('[data-offers]').flatMap(({ dataset }) => dataset.offers.split(' '));
  const parts = all('.stop [data-id]');
  const now = new Set([...offers, ...parts.map(({ dataset }) => dataset.id)]);
  const isNew = (id) => known !== null && !known.has(id);
  const stop = expectsStops ? undefined : parts.find(({ dataset }) => isNew(dataset.id))?.closest('.stop');
  if (parts.some(({ dataset }) => isNew(dataset.id))) expectsStops = false;
  const gone = one('ol') ? [...shownStops.keys()].filter((id) => !now.has(id) && !finished.has(id)) : [];
  for (const id of gone) known.delete(id);
  const lines = gone.map((id) => `${texts.no_longer_yours} ${shownStops.get(id)}`);
  if (stop) lines.push(`${texts.new_stop} ${stopText(stop)}`);
  if (lines.length > 0) tell([...new Set(lines)].join('. '));
  if (stop || gone.length > 0 || offers.some(isNew)) alertDriver();
  if (one('ol'))
    shownStops = new Map(parts.map((part) => [part.dataset.id, stopText(part.closest('.stop'))]));
  known ??= new Set();
  for (const id of now) known.add(id);
  document.title = offers.length > 0 ? one('.offer h2').textContent : title;
}

/** The time that is left to answer, by the clock of the service. */
function countDown() {
  for (const text of all('[data-until]')) {
    const left = Math.ceil((Date.parse(text.dataset.until) - Date.now() - clockOffset) / 1000);
    const clock = `${Math.floor(left / 60)}:${String(left % 60).padStart(2, '0')}`;
    text.textContent = left > 0 ? fill(texts.left, { time: clock }) : texts.offer_gone;
    one('progress', text.parentElement).value = Math.max(0, left);
    for (const button of all('button', text.parentElement)) button.disabled = left <= 0;
    if (left > 0 && left % 15 === 0) alertDriver();
  }
}

setInterval(countDown, 1000);

// Messages while the page is closed (Web Push), where the browser has them: needs https.

async function postPush(body) {
  const response = await fetch(`${page}/push`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(String(response.status));
  return response.json();
}

/** Asks for the permission, which browsers allow only right after a tap, and tells the service of this phone. */
async function subscribe() {
  try {
    if (!('PushManager' in window) || (await Notification.requestPermission()) !== 'granted') return;
    const registration = await navigator.serviceWorker.ready;
    const { public_key } = await postPush({});
    const options = { userVisibleOnly: true, applicationServerKey: public_key };
    // A subscription that was made with another key is of no use.
    const given = await registration.pushManager.subscribe(options).catch(async () => {
      await (await registration.pushManager.getSubscription())?.unsubscribe();
      return registration.pushManager.subscribe(options);
    });
    const { endpoint, keys } = given.toJSON();
    await postPush({ subscription: { endpoint, keys: { p256dh: keys.p256dh, auth: keys.auth } } });
  } catch {
  } finally {
    showPhone();
  }
}

// The service forgets the phones of a link that is replaced.
if ('Notification' in window && Notification.permission === 'granted') subscribe();

// Hints for this phone: installation, and blocked messages.

let installation = null;

function showPhone() {
  const isApple = 'standalone' in navigator;
  const isInstalled =
    Reflect.get(navigator, 'standalone') || matchMedia('(display-mode: standalone)').matches;
  const isBlocked = 'Notification' in window && Notification.permission === 'denied';
  const hints = { blocked: isBlocked, apple: isApple && !isInstalled, install: installation !== null };
  for (const hint of all('#phone [data-hint]')) hint.hidden = !hints[hint.dataset.hint];
}

/** What is wrong while the driver is on duty: no sound, or no position. */
function showHints() {
  const isOn = isOnDuty();
  one('[data-hint=mute]').hidden = !(isOn && isMute());
  const hint = one('[data-hint=place]');
  hint.textContent = placeFault;
  hint.hidden = !(isOn && placeFault !== '');
}

addEventListener('beforeinstallprompt', (event) => {
  event.preventDefault();
  installation = event;
  showPhone();
});

for (const sound of all('[data-sound]')) sound.addEventListener('click', alertDriver);
one('#phone').addEventListener('click', ({ target }) => {
  if (!target.matches('[data-install]')) return;
  installation.prompt();
  installation = null;
  showPhone();
});

// Arrival by the position of the phone.

/** 300 feet. */
const near_meters = 91;
/** A phone that knows its place less well than this is not trusted. */
const max_accuracy_meters = 60;
let place = null;
/** 250 yards: who is farther away was only passing by. */
const far_meters = 229;
/** When the phone was first near the house of a stop to which the driver is under way, and how many positions were. */
const nearby = new Map();

function metersTo([lat, lng]) {
  const degree = Math.PI / 180;
  const x = (lng - place.longitude) * degree * Math.cos(lat * degree);
  return Math.hypot(x, (lat - place.latitude) * degree) * 6371000;
}

function arrivalAt(stop) {
  const { key, kind, near } = stop.dataset;
  nearby.delete(key);
  delete stop.dataset.near;
  return { id: newId(), kind: `arrive_${kind}`, delivery_ids: readyIds(stop), at: near };
}

/** Takes a position of the phone: two near the house are an arrival, and one that is far from it takes that back. */
function notePlace(coords) {
  place = coords;
  const stop = one('.stop');
  if (!stop?.dataset.house || coords.accuracy > max_accuracy_meters) return;
  const { key, step } = stop.dataset;
  const meters = metersTo(stop.dataset.house.split(' '));
  const before = nearby.get(key);
  if (meters < near_meters && (step === '1' || before))
    nearby.set(key, { at: before?.at ?? new Date().toISOString(), count: (before?.count ?? 0) + 1 });
  if (meters > far_meters && nearby.delete(key) && stop.dataset.near) {
    delete stop.dataset.near;
    Object.assign(stop.dataset, { step: '1', arrived: '' });
    tell('');
  }
}

/** Near the house the stop offers what comes after the arrival, which is then reported with it. */
function checkArrival() {
  const stop = one('.stop');
  if (stop?.dataset.step !== '1' || !stop.dataset.house) return;
  const { key } = stop.dataset;
  // The driver left the other stops without reporting an arrival.
  for (const other of nearby.keys()) if (other !== key) nearby.delete(other);
  const { at, count = 0 } = nearby.get(key) ?? {};
  if (count < 2) return;
  if (count === 2) tell(texts.there);
  stop.dataset.near = at;
  showStep(stop, 2, { at });
}
