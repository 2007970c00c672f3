/** Changes the page after a tap, before the service has answered. */

const page = location.pathname;
/** @returns {any} The selector says what kind of element it is. */
const one = (selector, from = document) => from.querySelector(selector);
/** @returns {any[]} */
const all = (selector, from = document) => [...from.querySelectorAll(selector)];
const newId = () =>
  [...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(36)).join('-');

const completing = ['pick_up', 'deliver', 'return', 'fail'];

function apply(tap) {
  if (tap.kind === 'duty') return showDuty(tap.on);
  if (tap.offer_id) return one(`[data-offers~="${tap.offer_id}"]`)?.remove();
  for (const stop of all('.stop')) {
    const parts = all('[data-id]', stop).filter(({ dataset }) => tap.delivery_ids?.includes(dataset.id));
    if (parts.length === 0) continue;
    const button = one(`[data-tap="${tap.kind}"]`, stop);
    if (tap.kind === 'pick_up' && stop.dataset.kind === 'dropoff') {
      for (const part of [stop, ...parts]) part.classList.remove('waiting');
    }
    if (!button) continue;
    stop.classList.add('unsent');
    for (const part of parts) {
      if (tap.kind === 'fail' && stop.dataset.kind === 'dropoff' && !part.matches('.waiting'))
        showReturn(part);
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
  const key = `return ${shopAddress.toLowerCase()}`;
  let stop = all('.stop').find((each) => each.dataset.key === key);
  if (!stop) {
    stop = one('#back').content.firstElementChild.cloneNode(true);
    stop.classList.add('stop', 'unsent');
    Object.assign(stop.dataset, { key, kind: 'return', step: '2', arrived: '', house: '' });
    one('.fold b', stop).textContent = `Bring back: ${shop}`;
    one('h2', stop).append(shop);
    one('[data-address]', stop).textContent = shopAddress;
    one('[data-tap]', stop).ariaLabel = `Returned: ${shop}`;
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
    for (const box of all('[type=checkbox]', stop))
      box.checked = !leftOut.has(box.closest('[data-id]').dataset.id);
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
  button.textContent = `Picked up ${count === 1 ? '1 order' : `${count} orders`}`;
  button.ariaLabel = `${button.textContent}: ${one('.fold b', stop).textContent.replace('Pick up: ', '')}`;
  for (const each of [button, one('[data-tap=fail]', stop)]) each.disabled = count === 0;
}

function stopCount(count) {
  return count === 1 ? '1 stop' : `${count} stops`;
}

function showDuty(isOn) {
  const button = one('[data-tap=duty]');
  button.dataset.on = isOn ? '1' : '';
  button.textContent = isOn ? 'Go off duty' : 'Go on duty';
  button.classList.toggle('plain', isOn);
}
