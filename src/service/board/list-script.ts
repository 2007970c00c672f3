/**
 * Lists that hold any number of rows and draw those in sight, as listboxes: the list keeps the focus while rows come
 * and go, and names the active one.
 */
export const listScript = `
const rem = () => parseFloat(getComputedStyle(document.documentElement).fontSize);

/** Changes an option without replacing its node: a click must begin and end on the same node. */
function update(old, made) {
  old.className = made.className;
  old.style.top = made.style.top;
  for (const { name, value } of made.attributes) {
    if (name !== 'style' && old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
  if (old.innerHTML !== made.innerHTML) old.replaceChildren(...made.childNodes);
}

/** Draws at most 'max_drawn' rows: the list and the drivers together stay below a hundred. */
function createList(root, { row_rem, max_drawn, draw, open }) {
  const space = root.firstElementChild;
  let items = [];
  let active = null;
  const height = () => Math.round(row_rem * rem());
  const indexOf = (id) => items.findIndex((item) => item.id === id);
  const optionId = (id) => root.id + '-' + id;

  function render() {
    const row = height();
    root.hidden = items.length === 0;
    space.style.height = items.length * row + 'px';
    const visible = Math.min(max_drawn - 1, Math.ceil(root.clientHeight / row) + 4);
    const first = Math.max(0, Math.min(Math.floor(root.scrollTop / row) - 2, items.length - visible));
    const drawn = root.clientHeight === 0 ? [] : items.slice(first, first + visible).map((item, index) => [item, first + index]);
    const at = indexOf(active);
    if (at >= 0 && drawn.length > 0 && !drawn.some(([, index]) => index === at)) drawn.push([items[at], at]);
    drawn.sort((a, b) => a[1] - b[1]);
    const olds = new Map();
    for (const child of [...space.children]) {
      if (drawn.some(([item]) => item.id === child.dataset.id)) olds.set(child.dataset.id, child);
      else child.remove();
    }
    for (const [place, [item, index]] of drawn.entries()) {
      const made = element('div', {
        ...{ role: 'option', id: optionId(item.id), 'data-id': item.id, class: 'row ' + (item.tone ?? '') },
        ...{ 'aria-selected': String(filters.open === item.id), 'aria-setsize': items.length, 'aria-posinset': index + 1 },
      }, ...draw(item));
      if (item.id === active) made.classList.add('active');
      const old = olds.get(item.id);
      made.style.top = index * row + 'px';
      if (old) update(old, made);
      // Screen readers follow the order of the nodes.
      const node = old ?? made;
      if (space.children[place] !== node) space.insertBefore(node, space.children[place] ?? null);
    }
    const option = document.getElementById(optionId(active));
    if (option) root.setAttribute('aria-activedescendant', option.id);
    else root.removeAttribute('aria-activedescendant');
  }

  function activate(index) {
    const item = items[Math.max(0, Math.min(index, items.length - 1))];
    if (!item) return;
    active = item.id;
    const row = height();
    const top = indexOf(active) * row;
    if (top < root.scrollTop) root.scrollTop = top;
    if (top + row > root.scrollTop + root.clientHeight) root.scrollTop = top + row - root.clientHeight;
    render();
  }

  root.addEventListener('scroll', render);
  root.addEventListener('focus', () => activate(Math.max(0, indexOf(active))));
  root.addEventListener('click', ({ target }) => {
    const id = target.closest('[data-id]')?.dataset.id;
    if (!id) return;
    activate(indexOf(id));
    open(items[indexOf(id)]);
  });
  root.addEventListener('keydown', (event) => {
    const page = Math.max(1, Math.floor(root.clientHeight / height()) - 1);
    const moves = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -items.length, End: items.length };
    if (event.key in moves) activate(indexOf(active) + moves[event.key]);
    else if ((event.key === 'Enter' || event.key === ' ') && indexOf(active) >= 0) open(items[indexOf(active)]);
    else return;
    event.preventDefault();
  });
  new ResizeObserver(render).observe(root);
  return {
    set(given) {
      items = given;
      render();
    },
    focus: (id) => {
      active = id ?? active;
      root.focus();
    },
  };
}

/** The signs that say without color how a delivery stands. */
const signs = { Failed: '✕', Canceled: '✕', Returned: '↩', 'Coming back': '↩', Delivered: '✓', Disputed: '?', Late: '!', 'PIN locked': '!' };

function drawRow({ word, tone, title, side, detail, low }) {
  const sign = signs[word];
  return [
    element('span', { class: 'line' }, element('span', { class: 'word ' + tone }, sign ? element('i', { 'aria-hidden': 'true' }, sign) : null, word), ' ', element('b', {}, title), ' ', element('span', { class: 'side' }, side)),
    ' ',
    element('span', { class: 'line soft' }, element('span', { class: 'fill' }, detail), ' ', low ? element('span', { class: 'side' }, low) : null),
  ];
}

const openItem = ({ id }) => openPanel(id);
const actList = createList(one('#act-list'), { row_rem: 3.5, max_drawn: 56, draw: drawRow, open: openItem });
const allList = createList(one('#all-list'), { row_rem: 3.5, max_drawn: 56, draw: drawRow, open: openItem });

const end_tones = { Failed: 'bad', Canceled: 'bad', Returned: 'bad', 'Coming back': 'late', Delivered: 'good', Disputed: 'late' };

/** The color of a status. Only a failure that needs a decision is red. */
function toneOf(delivery) {
  const tone = end_tones[groupOf(delivery.status)?.title] ?? '';
  return tone === 'bad' && !isUndecided(delivery) ? '' : tone;
}

function deliveryItem(delivery) {
  const { id, status, external_order_ref, service, courier_name, created_at, details } = delivery;
  const { dropoff_name, dropoff_address, dropoff_eta } = recipientOf(delivery);
  const late = lateMinutes(delivery);
  const group = groupOf(status)?.title ?? words(status);
  const isLocked = isOpen(delivery) && details.pin_locked;
  const driver = driverWith(delivery);
  const zone = zoneOf(delivery.pickup_address);
  return {
    ...{ id, created_at, late, status, store: storeOf(delivery), driver: driver?.id ?? '', promised_at: details.promised_at ?? dropoff_eta ?? '' },
    isEnded: !isOpen(delivery),
    title: titleOf(external_order_ref, dropoff_name, id),
    word: isLocked ? 'PIN locked' : late > 0 ? 'Late' : group,
    tone: isLocked ? 'bad' : late > 0 ? 'late' : toneOf(delivery),
    side: isOpen(delivery) ? (late > 0 ? '+' + lengthOf(late) : dropoff_eta ? clock(dropoff_eta, zone) : '') : clock(enteredAt(delivery), zone),
    detail: (details.matched ? 'matches ' + details.matched + ': ' : '') + (late > 0 ? group + ', ' : '') + withoutCountry(dropoff_address),
    low: driver?.name ?? courier_name ?? (service === fleet ? 'own drivers' : service),
  };
}

function orderItem({ id, external_order_ref, dropoff_name, dropoff_address, created_at, matched, status, ...order }) {
  return {
    ...{ id, created_at, late: 0, store: storeOf(order), driver: '', promised_at: '', isEnded: status !== 'open' && status !== 'routed' },
    ...{ title: titleOf(external_order_ref, dropoff_name, id), word: 'Order', tone: '', side: status, low: '' },
    detail: (matched ? 'matches ' + matched + ': ' : '') + withoutCountry(dropoff_address),
  };
}

const sorts = {
  '': (a, b) => a.isEnded - b.isEnded || b.late - a.late || (a.isEnded ? b.created_at.localeCompare(a.created_at) : a.promised_at.localeCompare(b.promised_at)),
  newest: (a, b) => b.created_at.localeCompare(a.created_at),
  promised: (a, b) => a.isEnded - b.isEnded || a.promised_at.localeCompare(b.promised_at),
  store: (a, b) => a.isEnded - b.isEnded || a.store.localeCompare(b.store) || a.promised_at.localeCompare(b.promised_at),
};

function showDeliveries() {
  const items = found
    ? [...found.deliveries.map((each) => ({ ...each, ...records.deliveries.get(each.id), details: { ...records.deliveries.get(each.id)?.details, ...each.details } })).map(deliveryItem), ...found.orders.map(orderItem)]
    : [...records.deliveries.values()].map(deliveryItem);
  const ids = found ? [] : filters.place.split(' ').filter(Boolean);
  const shown = items.filter(matchesFilters).filter(({ id }) => ids.length === 0 || ids.includes(id)).sort(sorts[filters.sort] ?? sorts['']);
  allList.set(shown);
  one('#place').hidden = ids.length === 0;
  one('#place').textContent = 'At one place: ' + ids.length + '. Show all';
  one('#all-count').textContent = shown.length;
  const reading = records.read_at === null || (found && !found.isDone);
  one('#all-none').hidden = shown.length > 0;
  one('#all-none').textContent = reading ? 'Reading…' : found?.problem || (found ? 'Nothing matches “' + found.text + '”. Fewer words find more.' : 'No deliveries here.');
  one('#cut').hidden = found ? !found.isCut : !records.isCut;
  one('#cut').textContent = found ? 'These are the first hundred. More words find fewer.' : 'There are more deliveries than fit here. The search finds all of them.';
}

/** The stores by ID, or by name where orders have none. */
function storeOptions() {
  const stores = new Map([...records.deliveries.values()].map((each) => [storeOf(each), each.pickup_name]));
  for (const { order } of records.waiting) stores.set(storeOf(order), order.pickup_name);
  return [...stores].filter(([id]) => id).sort((a, b) => a[1].localeCompare(b[1]));
}

const driverOptions = () => records.drivers.map(({ id, name, on_duty }) => [id, name + (on_duty ? '' : ' (off duty)')]);
`;

/** The list of what needs a person, worst first, and how it is counted. */
export const problemScript = `
/** The kinds of problems, worst first, each with its word and its color. */
const kinds = {
  waiting: ['Waiting', 'bad'],
  unfulfilled: ['No courier', 'bad'],
  off_duty: ['Off duty', 'bad'],
  locked: ['PIN locked', 'bad'],
  failed: ['Failed', 'bad'],
  canceled: ['Canceled', 'bad'],
  returned: ['Returned', 'bad'],
  unsent: ['Not sent', 'late'],
  no_driver: ['No driver', 'late'],
  late: ['Late', 'late'],
  silent: ['Silent', 'late'],
};
const kind_names = Object.keys(kinds);
/** How long a delivery may be without a driver, and a driver on duty without a position. */
const no_driver_minutes = 5;
const silent_minutes = 10;

function problemsNow() {
  const deliveries = [...records.deliveries.values()];
  const found = [
    ...records.waiting.map(waitingProblem),
    ...records.open_orders.flatMap(unsentProblem),
    ...records.drivers.flatMap(driverProblems),
    ...deliveries.flatMap(deliveryProblem),
  ];
  const rank = ({ kind }) => kind_names.indexOf(kind);
  const by = problem_sorts[filters.sort] ?? problem_sorts[''];
  return found.sort((a, b) => rank(a) - rank(b) || by(a, b) || b.minutes - a.minutes);
}

/** Orders without a time are sorted last. */
const dueOf = ({ due }) => due ?? '9';

/** The order of problems of one kind. */
const problem_sorts = {
  '': (a, b) => b.minutes - a.minutes,
  newest: (a, b) => a.minutes - b.minutes,
  promised: (a, b) => dueOf(a).localeCompare(dueOf(b)),
  store: (a, b) => a.store.localeCompare(b.store),
};

function waitingProblem({ order, waiting_since, next_attempt_at, reason }) {
  const minutes = minutesSince(waiting_since);
  const next = next_attempt_at === null ? 'being tried now' : 'next try ' + clock(next_attempt_at, zoneOf(order.pickup_address));
  return {
    ...{ kind: 'waiting', id: order.id, minutes, store: storeOf(order), driver: '', due: order.dropoff_at ?? order.pickup_at },
    title: titleOf(order.external_order_ref, order.dropoff_name, order.id),
    detail: (reason ? reason + ', ' : 'no courier yet, ') + next,
    side: lengthOf(minutes),
  };
}

/** An order that nobody has dispatched, or that auto dispatch gave up and that was not created again. */
function unsentProblem(order) {
  if (order.status === 'unfulfilled' && isCreatedAgain(order)) return [];
  const { id, external_order_ref, dropoff_name, dropoff_address, created_at, pickup_at, dropoff_at } = order;
  const zone = zoneOf(order.pickup_address);
  const due = pickup_at ? 'pickup at ' + clock(pickup_at, zone) + ', ' : dropoff_at ? 'due at ' + clock(dropoff_at, zone) + ', ' : '';
  const minutes = minutesSince(created_at);
  return [{
    ...{ kind: order.status === 'unfulfilled' ? 'unfulfilled' : 'unsent', id, minutes, store: storeOf(order), driver: '', due: dropoff_at ?? pickup_at },
    ...{ title: titleOf(external_order_ref, dropoff_name, id), detail: due + withoutCountry(dropoff_address), side: lengthOf(minutes) },
  }];
}

function isCreatedAgain({ external_order_ref: ref, created_at, delivery_id }) {
  // The failure of its last delivery is listed itself.
  if (records.deliveries.has(delivery_id)) return true;
  const others = [...records.deliveries.values(), ...records.open_orders];
  return ref !== '' && others.some((each) => each.external_order_ref === ref && each.created_at > created_at);
}

function driverProblems(driver) {
  const { id, name, on_duty, deliveries, stops_left, location: at } = driver;
  const held = heldBy(driver);
  const base = { id, title: name, store: '', driver: id };
  if (!on_duty && deliveries.length > 0) {
    const detail = held > 0 ? 'still has ' + counted(held, 'parcel') : 'has ' + counted(stops_left, 'stop') + ' left';
    return [{ ...base, kind: 'off_duty', minutes: held, detail, side: counted(stops_left, 'stop') }];
  }
  if (!isSilent(driver)) return [];
  const minutes = minutesSince(heardAt(driver));
  const detail = (at ? 'no position and no tap for ' : 'no position yet, and no tap for ') + lengthOf(minutes);
  return [{ ...base, kind: 'silent', minutes, detail, side: counted(stops_left, 'stop') }];
}

function deliveryProblem(delivery) {
  const kind = kindOf(delivery);
  if (kind === null) return [];
  const { id, external_order_ref, failure_message, cancellation_reason } = delivery;
  const { dropoff_name, dropoff_address } = recipientOf(delivery);
  const driver = driverWith(delivery);
  const late = lateMinutes(delivery);
  const minutes = kind === 'late' ? late : minutesSince(enteredAt(delivery));
  const reasons = { locked: 'after ' + max_wrong_pins + ' wrong PINs', no_driver: 'no driver for ' + lengthOf(minutes), late: lateText(delivery) };
  const detail = reasons[kind] ?? (failure_message || cancellation_reason || words(delivery.status));
  return [{
    ...{ kind, id, minutes, store: storeOf(delivery), driver: driver?.id ?? '', status: delivery.status, due: delivery.details.promised_at },
    title: titleOf(external_order_ref, dropoff_name, id),
    detail: [detail, withoutCountry(dropoff_address)].filter(Boolean).join(', '),
    side: kind === 'late' ? '+' + lengthOf(late) : bad_ends.includes(delivery.status) ? clock(enteredAt(delivery), zoneOf(delivery.pickup_address)) : lengthOf(minutes),
  }];
}

function kindOf(delivery) {
  if (isUndecided(delivery)) return end_kinds[delivery.status];
  if (!isOpen(delivery)) return null;
  if (delivery.details.pin_locked) return 'locked';
  const waits = delivery.status === 'delivery_created' || delivery.status === 'driver_not_assigned';
  if (waits && minutesSince(enteredAt(delivery)) >= no_driver_minutes) return 'no_driver';
  return lateMinutes(delivery) > 0 ? 'late' : null;
}

function lateText(delivery) {
  const { promised_at } = delivery.details;
  const eta = recipientOf(delivery).dropoff_eta;
  const at = (time) => clock(time, zoneOf(delivery.pickup_address));
  const expected = Date.parse(eta) > now() ? 'now ' + at(eta) : 'was expected ' + at(eta);
  return 'promised ' + at(promised_at) + ', ' + expected;
}

function showProblems() {
  const problems = problemsNow().filter(matchesFilters);
  const counts = kind_names.map((kind) => [kind, problems.filter((each) => each.kind === kind).length]);
  const chosen = counts.some(([kind, count]) => kind === filters.kind && count > 0) ? filters.kind : '';
  one('#act-count').textContent = problems.length;
  const chips = counts.filter(([, count]) => count > 0).map(([kind, count]) => {
    const [word, tone] = kinds[kind];
    return element('button', { type: 'button', class: 'chip ' + tone, 'data-key': kind, 'data-kind': kind, 'aria-pressed': String(chosen === kind) }, word + ' ' + count);
  });
  setChildren(one('#kinds'), chips);
  const shown = problems.filter(({ kind }) => chosen === '' || kind === chosen);
  actList.set(shown.map((each) => ({ ...each, word: kinds[each.kind][0], tone: kinds[each.kind][1], isProblem: true })));
  one('#act-none').hidden = problems.length > 0;
  one('#act-none').textContent = records.read_at === null ? 'Reading…' : 'Nothing needs you now.';
}

one('#kinds').addEventListener('click', ({ target }) => {
  const { kind } = target.dataset;
  if (kind) setFilters({ kind: filters.kind === kind ? '' : kind });
});

/** The filters of store, driver and state. */
function matchesFilters({ store, driver, status }) {
  if (filters.store && store !== filters.store) return false;
  if (filters.driver && driver !== filters.driver) return false;
  return !filters.state || groupOf(status)?.title === filters.state;
}
`;
