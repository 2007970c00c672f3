/**
 * Lists that hold any number of rows and draw those in sight, as listboxes: the list keeps the focus while rows come
 * and go, and names the active one.
 */

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
  let isPrinted = false;
  const height = () => Math.round(row_rem * rem());
  const indexOf = (id) => items.findIndex((item) => item.id === id);
  const optionId = (id) => `${root.id}-${id}`;

  function render() {
    const row = height();
    root.hidden = items.length === 0;
    space.style.height = `${items.length * row}px`;
    const visible = isPrinted
      ? items.length
      : Math.min(max_drawn - 1, Math.ceil(root.clientHeight / row) + 4);
    const first = Math.max(0, Math.min(Math.floor(root.scrollTop / row) - 2, items.length - visible));
    const drawn =
      root.clientHeight === 0 && !isPrinted
        ? []
        : items.slice(first, first + visible).map((item, index) => [item, first + index]);
    const at = indexOf(active);
    if (at >= 0 && drawn.length > 0 && !drawn.some(([, index]) => index === at)) drawn.push([items[at], at]);
    drawn.sort((a, b) => a[1] - b[1]);
    const olds = new Map();
    for (const child of [...space.children]) {
      if (drawn.some(([item]) => item.id === child.dataset.id)) olds.set(child.dataset.id, child);
      else child.remove();
    }
    for (const [place, [item, index]] of drawn.entries()) {
      const made = element(
        'div',
        {
          ...{ role: 'option', id: optionId(item.id), 'data-id': item.id, class: `row ${item.tone ?? ''}` },
          ...{
            'aria-selected': String(filters.open === item.id),
            'aria-setsize': items.length,
            'aria-posinset': index + 1,
          },
        },
        ...draw(item),
      );
      if (item.id === active) made.classList.add('active');
      const old = olds.get(item.id);
      made.style.top = `${index * row}px`;
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
    const moves = {
      ArrowDown: 1,
      ArrowUp: -1,
      PageDown: page,
      PageUp: -page,
      Home: -items.length,
      End: items.length,
    };
    if (event.key in moves) activate(indexOf(active) + moves[event.key]);
    else if ((event.key === 'Enter' || event.key === ' ') && indexOf(active) >= 0)
      open(items[indexOf(active)]);
    else return;
    event.preventDefault();
  });
  new ResizeObserver(render).observe(root);
  // Paper does not scroll.
  const printing = (isPrinting) => () => {
    isPrinted = isPrinting;
    render();
  };
  addEventListener('beforeprint', printing(true));
  addEventListener('afterprint', printing(false));
  return {
    set(new_items) {
      items = new_items;
      render();
    },
    focus: (id) => {
      active = id ?? active;
      root.focus();
    },
  };
}

/** The signs that say without color how a delivery stands. */
const signs = {
  Failed: '✕',
  Canceled: '✕',
  Returned: '↩',
  'Coming back': '↩',
  Delivered: '✓',
  Disputed: '?',
  Late: '!',
  'PIN locked': '!',
};

function drawRow({ word, tone, title, side, detail, low }) {
  const sign = signs[word];
  return [
    inline(
      'line',
      inline(`word ${tone}`, sign ? element('i', { 'aria-hidden': 'true' }, sign) : null, word),
      ' ',
      element('b', {}, title),
      ' ',
      inline('side', side),
    ),
    ' ',
    inline('line soft', inline('fill', detail), ' ', low ? inline('side', low) : null),
  ];
}

const openItem = ({ id }) => openPanel(id);
const actList = createList(one('#act-list'), { row_rem: 3.5, max_drawn: 56, draw: drawRow, open: openItem });
const allList = createList(one('#all-list'), { row_rem: 3.5, max_drawn: 56, draw: drawRow, open: openItem });

const end_tones = {
  Failed: 'bad',
  Canceled: 'bad',
  Returned: 'bad',
  'Coming back': 'late',
  Delivered: 'good',
  Disputed: 'late',
};

/** The color of a status. Only a failure that needs a decision is red. */
function toneOf(delivery) {
  const tone = end_tones[groupOf(delivery.status)?.title] ?? '';
  return tone === 'bad' && !isUndecided(delivery) ? '' : tone;
}

function deliveryItem(delivery) {
  const { id, status, external_order_ref, service, courier_name, created_at, details } = delivery;
  const to = recipientOf(delivery);
  const { dropoff_name, dropoff_eta } = to;
  const late = lateMinutes(delivery);
  const group = groupOf(status)?.title ?? words(status);
  const isLocked = isOpen(delivery) && details.pin_locked;
  const driver = driverWith(delivery);
  const zone = zoneOf(delivery.pickup_address);
  return {
    id,
    created_at,
    late,
    status,
    store: storeOf(delivery),
    driver: driver?.id ?? '',
    promised_at: details.promised_at ?? dropoff_eta ?? '',
    isEnded: !isOpen(delivery),
    title: titleOf(external_order_ref, dropoff_name, id),
    word: isLocked ? 'PIN locked' : late > 0 ? 'Late' : group,
    tone: isLocked ? 'bad' : late > 0 ? 'late' : toneOf(delivery),
    side: isComing(delivery)
      ? late > 0
        ? `+${lengthOf(late)}`
        : dropoff_eta
          ? expectedClock(dropoff_eta, zone, details)
          : ''
      : clock(enteredAt(delivery), zone),
    detail:
      (details.matched ? `matches ${details.matched}: ` : '') +
      (late > 0 ? `${group}, ` : '') +
      dropoffText(to),
    low: driver?.name ?? courier_name ?? (service === fleet ? 'own drivers' : service),
  };
}

function orderItem(order) {
  const { id, external_order_ref, dropoff_name, created_at, matched, status } = order;
  return {
    id,
    created_at,
    late: 0,
    store: storeOf(order),
    driver: '',
    promised_at: '',
    isEnded: status !== 'open' && status !== 'routed',
    title: titleOf(external_order_ref, dropoff_name, id),
    word: 'Order',
    tone: '',
    side: status,
    low: '',
    detail: (matched ? `matches ${matched}: ` : '') + dropoffText(order),
  };
}

const sorts = {
  '': (a, b) =>
    a.isEnded - b.isEnded ||
    b.late - a.late ||
    (a.isEnded ? b.created_at.localeCompare(a.created_at) : a.promised_at.localeCompare(b.promised_at)),
  newest: (a, b) => b.created_at.localeCompare(a.created_at),
  promised: (a, b) => a.isEnded - b.isEnded || a.promised_at.localeCompare(b.promised_at),
  store: (a, b) =>
    a.isEnded - b.isEnded || a.store.localeCompare(b.store) || a.promised_at.localeCompare(b.promised_at),
};

function showDeliveries() {
  const items = found
    ? [
        ...found.deliveries
          .map((each) => ({
            ...each,
            ...records.deliveries.get(each.id),
            details: { ...records.deliveries.get(each.id)?.details, ...each.details },
          }))
          .map(deliveryItem),
        ...found.orders.map(orderItem),
      ]
    : [...records.deliveries.values()].map(deliveryItem);
  const ids = found ? [] : filters.place.split(' ').filter(Boolean);
  const shown = items
    .filter(matchesFilters)
    .filter(({ id }) => ids.length === 0 || ids.includes(id))
    .sort(sorts[filters.sort] ?? sorts['']);
  allList.set(shown);
  one('#place').hidden = ids.length === 0;
  one('#place').textContent = `At one place: ${ids.length}. Show all`;
  one('#all-count').textContent = shown.length;
  const reading = records.read_at === null || (found && !found.isDone);
  one('#all-none').hidden = shown.length > 0;
  one('#all-none').textContent = reading
    ? 'Reading…'
    : found?.problem ||
      (found ? `Nothing matches “${found.text}”. Fewer words find more.` : 'No deliveries here.');
  one('#cut').hidden = found ? !found.isCut : !records.isCut;
  one('#cut').textContent = found
    ? 'These are the first hundred. More words find fewer.'
    : 'There are more deliveries than fit here. The search finds all of them.';
}

/** The stores by ID, or by name where orders have none. */
function storeOptions() {
  const stores = new Map([...records.deliveries.values()].map((each) => [storeOf(each), each.pickup_name]));
  for (const { order } of records.waiting) stores.set(storeOf(order), order.pickup_name);
  const pauses = new Map(records.stores.map((store) => [store.id, pauseText(store)]));
  return [...stores]
    .filter(([id]) => id)
    .map(([id, name]) => [id, name + (pauses.get(id) ?? '')])
    .sort((a, b) => a[1].localeCompare(b[1]));
}

const driverOptions = () =>
  records.drivers.map(({ id, name, on_duty }) => [id, name + (on_duty ? '' : ' (off duty)')]);
