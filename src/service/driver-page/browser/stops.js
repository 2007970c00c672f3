/** The part of the page's script that changes the stops at once after a tap (`apply`), before the service has answered. */

const page = location.pathname;
/** @returns {any} The selector says what kind of element it is. */
const one = (selector, from = document) => from.querySelector(selector);
/** @returns {any[]} */
const all = (selector, from = document) => [...from.querySelectorAll(selector)];
/** The page's texts in the language of the phone. */
const texts = JSON.parse(one('#texts').textContent);
/** Fills `{name}` and its like into a text. A value may end with a period, as `3:21 p.m.` does. */
const fill = (text, values) =>
  text.replace(/\{(\w+)\}/g, (_, name) => values[name]).replace(/\.\.(?= |$)/g, '.');
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
    const [street, ...town] = shopAddress.split(', ');
    stop = one('#back').content.firstElementChild.cloneNode(true);
    stop.classList.add('stop', 'unsent');
    Object.assign(stop.dataset, { key, kind: 'return', title: shop, step: '2', arrived: '', house: '' });
    one('.fold b', stop).textContent = fill(texts.bring_back, { place: street });
    one('.fold small', stop).prepend(`${shop}, `);
    one('h2', stop).append(street);
    one('.who b', stop).textContent = shop;
    one('[data-town]', stop).textContent = town.join(', ');
    one('[data-tap]', stop).ariaLabel = fill(texts.returned, { place: shop });
    one('ol').append(stop);
  }
  const order = document.createElement('li');
  order.dataset.id = id;
  order.textContent = name;
  one('.orders', stop).append(order);
}

/** A driver who starts to a later stop makes it first. */
function showStep(stop, step, tap) {
  if (step === 2) stop.dataset.arrived = shopTime(tap.at).toISOString();
  if (step === 1 && stop.previousElementSibling) stop.parentElement.prepend(stop);
  stop.dataset.step = Math.max(Number(stop.dataset.step), step);
}

function showStops() {
  history.replaceState([...leftOut], '');
  const left = all('.stop').length;
  const heading = one('h1');
  if (heading && one('ol')) heading.textContent = stopCount(left);
  const empty = one('[data-empty]');
  if (empty) empty.hidden = left > 0 || one('[data-offers]') !== null;
  for (const part of all('.stop, .recipient')) {
    const isOpen = opened.has(part.dataset.key);
    part.classList.toggle('open', isOpen);
    one('.fold', part)?.setAttribute('aria-expanded', isOpen);
  }
  for (const stop of all('.stop')) {
    for (const box of all('.orders [type=checkbox]', stop))
      box.checked = !leftOut.has(box.closest('[data-id]').dataset.id);
    showCount(stop);
    showTicked(stop);
  }
  for (const part of all('[data-refused]')) {
    part.textContent = refused.get(part.closest('[data-id]').dataset.id) ?? '';
    part.hidden = part.textContent === '';
  }
}

/** The stops and recipients that the driver has opened. */
const opened = new Set();
/** Kept through a reload: what is left out must not be picked up unseen. */
const leftOut = new Set(history.state);
/** The recipients of a building that the driver has ticked, to hand all of them over at once. */
const ticked = new Set();
/** Why the service has refused a handover, by delivery, until the driver taps again. */
const refused = new Map();

function showCount(stop) {
  if (!one('.orders [type=checkbox]', stop)) return;
  const count = chosenIds(stop).length;
  const button = one('[data-tap=pick_up]', stop);
  button.textContent = count === 1 ? texts.picked_up_one : fill(texts.picked_up, { count });
  button.ariaLabel = `${button.textContent}: ${stop.dataset.title}`;
  for (const each of [button, one('[data-tap=fail]', stop)]) each.disabled = count === 0;
}

function showTicked(stop) {
  const group = one('[data-all]', stop);
  if (!group) return;
  for (const box of all('[data-tick]', stop)) box.checked = ticked.has(box.closest('[data-id]').dataset.id);
  const count = tickedParts(stop).length;
  group.hidden = count < 2 || stop.dataset.step !== '2';
  one('button', group).textContent = fill(texts.delivered_ticked, { count });
}

function tickedParts(stop) {
  return all('.recipient', stop).filter((part) => one('[data-tick]', part)?.checked);
}

/** A stop in one line. */
function stopText(stop) {
  return `${one('.fold b', stop).textContent}, ${stop.dataset.title}`;
}

function stopCount(count) {
  return count === 1 ? texts.one_stop : fill(texts.stops, { count });
}

function showDuty(isOn) {
  const button = one('[data-tap=duty]');
  button.dataset.on = isOn ? '1' : '';
  button.textContent = isOn ? texts.duty_off : texts.duty_on;
  button.classList.toggle('plain', isOn);
}
