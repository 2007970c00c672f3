/** The controls of the whole page: the filters, which are kept in the fragment of the URL, the search, and the keyboard. */

// The view is in the fragment of the URL: it survives a reload and can be shared, and is not sent to any server.

const filterNames = ['view', 'q', 'store', 'driver', 'state', 'sort', 'open', 'kind', 'place', 'map'];
const filters = Object.fromEntries(filterNames.map((name) => [name, '']));

function readHash() {
  const given = new URLSearchParams(location.hash.slice(1));
  for (const name of filterNames) filters[name] = given.get(name) ?? '';
  for (const name of ['q', 'store', 'driver', 'state', 'sort']) one(`#${name}`).value = filters[name];
  find(filters.q);
}

/** Changes filters, and shows what they leave. */
function setFilters(changes) {
  Object.assign(filters, changes);
  const kept = new URLSearchParams(
    filterNames.filter((name) => filters[name]).map((name) => [name, filters[name]]),
  );
  history.replaceState(null, '', location.pathname + (kept.size > 0 ? `#${kept}` : ''));
  show();
}

addEventListener('hashchange', () => {
  // Another key shows another shop.
  if (takeKey()) return location.reload();
  readHash();
  show();
});
for (const name of ['store', 'driver', 'state', 'sort']) {
  one(`#${name}`).addEventListener('change', ({ target }) =>
    setFilters({ [name]: target.value, ...(name === 'sort' ? {} : { view: filters.view || 'all' }) }),
  );
}
for (const button of all('button[data-view]')) {
  button.addEventListener('click', () =>
    setFilters({ view: button.dataset.view, open: isNarrow() ? '' : filters.open }),
  );
}
one('#clear').addEventListener('click', () => {
  for (const name of ['q', 'store', 'driver', 'state']) one(`#${name}`).value = '';
  find('');
  setFilters({ q: '', store: '', driver: '', state: '', place: '', kind: '' });
});
one('#place').addEventListener('click', () => {
  setFilters({ place: '' });
  one('#all-list').focus();
});
one('#filter-toggle').addEventListener('click', ({ target }) => {
  const isOpen = one('#filters').classList.toggle('shown');
  target.setAttribute('aria-expanded', isOpen);
});
const isNarrow = () => !matchMedia('(min-width:45rem)').matches;

/** Sets the options of a choice, keeping what is chosen. */
function setOptions(select, options) {
  const text = JSON.stringify(options);
  if (select.dataset.options === text) return;
  select.dataset.options = text;
  const first = select.firstElementChild;
  select.replaceChildren(first, ...options.map(([value, label]) => element('option', { value }, label)));
  select.value = filters[select.id];
}

// The search is the one of the service: it knows all deliveries and orders, not only those on the board.

let found = null;
let searching;

one('#q').addEventListener('input', () => {
  clearTimeout(searching);
  searching = setTimeout(search, 300);
});

/** Searches for what is typed, and shows what is found. */
async function search() {
  clearTimeout(searching);
  const text = one('#q').value.trim();
  const finding = find(text);
  setFilters({ q: text, view: text ? 'all' : filters.view });
  await finding;
}

/** Returns when the text has been searched for. */
function find(text) {
  if (!text) {
    found = null;
    return undefined;
  }
  if (found?.text === text && !found.problem) return found.reading;
  found = { text, deliveries: [], orders: [], isCut: false, isDone: false, problem: '' };
  found.reading = readFound(found);
  return found.reading;
}

async function readFound(own) {
  const query = `q=${encodeURIComponent(own.text)}`;
  try {
    const [deliveries, orders] = await Promise.all([
      listOf(`/v2/deliveries?${query}&`, 1),
      listOf(`/v2/orders?${query}&`, 1),
    ]);
    own.isCut = deliveries.isCut || orders.isCut;
    const undelivered = orders.filter(({ delivery_id }) => delivery_id === null);
    Object.assign(own, { deliveries, orders: undelivered, problem: '' });
  } catch (error) {
    own.problem =
      error instanceof Refused ? error.message : 'No connection to the service. Press Enter to search again.';
  }
  own.isDone = true;
  if (found === own) show();
}

// Keys.

document.addEventListener('keydown', takeKeyPress);

/** @param {any} event */
function takeKeyPress(event) {
  if (event.key === 'Escape') return leave(event);
  if (event.ctrlKey || event.metaKey || event.altKey || one('#board').hidden) return;
  if (event.target.closest?.('input,textarea,select,dialog')) return;
  if (event.key === '/') {
    event.preventDefault();
    one('#q').focus();
    one('#q').select();
  }
  if (event.key === '?') one('#keys').showModal();
}
one('#show-keys').addEventListener('click', () => one('#keys').showModal());
one('#q').addEventListener('keydown', async (event) => {
  if (event.key !== 'ArrowDown' && event.key !== 'Enter') return;
  event.preventDefault();
  const typed = event.target.value;
  await search();
  // The person may have typed more, or gone elsewhere.
  if (document.activeElement !== event.target || event.target.value !== typed) return;
  one(filters.view === 'all' ? '#all-list' : '#act-list').focus();
});

/** Esc leaves a field with a text, closes what is open, and then empties the search. */
function leave(event) {
  if (event.target.closest?.('dialog')) return;
  if (!one('#others')?.hidden && event.target.closest?.('.menu')) {
    showMenu(false);
    return one('[data-menu]').focus();
  }
  const form = event.target.closest?.('#actions form');
  if (form && event.target.value) return one('[data-choose]', form).focus();
  if (form && !all('textarea', form).some(({ value }) => value.trim())) return choose('');
  if (filters.open) return closePanel();
  if (event.target.id === 'q' && event.target.value) {
    event.target.value = '';
    find('');
    setFilters({ q: '' });
  }
}
