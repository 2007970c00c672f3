/**
 * How the actions in the panel are offered and done: one in front, chosen by what is wrong, the others in a menu, each
 * with a form of its own that opens in their place.
 */

/** The name of the action whose form is open. */
let chosen = '';

/**
 * An action that asks first. It acts once, and says what the service answered. `tone` is that of its button: `plain`,
 * or `danger` for what cannot be taken back.
 */
function form(name, label, fields, act, tone = '') {
  const title = label.replace('…', '');
  const button = element('button', { class: tone }, title);
  const back = element('button', { type: 'button', class: 'plain', 'data-choose': '' }, 'Back');
  const made = element(
    'form',
    { 'data-form': name, 'aria-label': title },
    element('h3', {}, title),
    ...fields,
    element('p', { class: 'buttons' }, button, back),
  );
  const action = element(
    'section',
    { class: 'action', 'data-key': name, 'data-label': label, 'data-tone': tone, hidden: true },
    made,
  );
  made.addEventListener('submit', (event) => {
    event.preventDefault();
    const data = new FormData(made);
    perform(button, () => act(data, seenIn(action)));
  });
  return action;
}

/** An action that asks nothing. */
function press(name, label, act) {
  const button = element('button', { type: 'button', 'data-key': name, 'data-label': label }, label);
  button.addEventListener('click', () => perform(button, () => act(seenIn(button))));
  return button;
}

const callAction = (label, phone) =>
  phone &&
  element('a', { class: 'button', 'data-key': 'call', 'data-label': label, href: `tel:+${phone}` }, label);

/** An action whose price is asked when it is opened. */
function pricedForm(name, label, path, textOf, fields, act, tone = '') {
  const price = element('p', { role: 'status' }, 'Asking for the price…');
  const made = form(name, label, [price, ...fields], act, tone);
  const button = one('button', made);
  button.disabled = true;
  made.addEventListener('toggle', async () => {
    if (!made.open) return;
    try {
      const { text, isPossible } = textOf(await call('GET', path));
      price.textContent = text;
      button.disabled = !isPossible;
    } catch (error) {
      price.textContent = error instanceof Refused ? error.message : 'No connection to the service.';
    }
  });
  return made;
}

// Two people may look at the same record. Each action sends what its reader saw when it was opened, so that the service
// refuses it if someone else was faster.

/** What is seen of a delivery. */
const seenOf = (delivery) => ({
  if_status: delivery.status,
  ...(isOpen(delivery) ? { from_driver_id: driverWith(delivery)?.id ?? nobody } : {}),
});

/** The actions with what is seen of the records that they change, by id. The first of `names` among them is in front. */
function withSeen(actions, seen, names = []) {
  for (const action of actions) action.dataset.seen = JSON.stringify(seen);
  const first = names.find((name) => actions.some(({ dataset }) => dataset.key === name));
  const primary = actions.find(({ dataset }) => dataset.key === first);
  if (primary) primary.dataset.primary = '';
  return actions;
}

const seenIn = (action) => JSON.parse(action.dataset.seen);

/** Reads again what someone else has changed: after that the actions that are filled in send what is seen now. */
async function lookAgain() {
  const actions = all('#actions [data-seen]');
  const ids = new Set(actions.flatMap((action) => Object.keys(seenIn(action))));
  const deliveries = [...ids].filter((id) => records.deliveries.has(id));
  await Promise.all([readRest().catch(() => {}), ...deliveries.map(readOne)]);
  for (const action of actions) action.dataset.stale = '';
}

/** Runs an action once; what arrives meanwhile is shown after it. */
async function perform(button, act) {
  if (button.disabled) return;
  button.disabled = true;
  busy += 1;
  showResults(did('Working…'));
  const { open } = filters;
  const title = one('#panel-title').textContent;
  say('');
  let outcome;
  try {
    outcome = await act();
  } catch (error) {
    const text =
      error instanceof Refused
        ? error.message
        : 'No connection: it is not known whether this was done. Look again before you repeat it.';
    outcome = { results: [{ text, isDone: false }], undo: null, hasChanged: error.code === changed_code };
  }
  if (outcome.hasChanged) await lookAgain();
  busy -= 1;
  button.disabled = false;
  // By now the panel may be closed, or show another record.
  if (filters.open !== open) for (const each of outcome.results) each.text = `${title}: ${each.text}`;
  if (filters.open === '') say(outcome.results.map(({ text }) => text).join(' '));
  if (outcome.results.every(({ isDone }) => isDone)) {
    chosen = '';
    one('#actions').replaceChildren();
    one('#results').focus();
  }
  showResults(outcome);
  refresh();
  show();
}

function showResults({ results, undo }) {
  one('#results').replaceChildren(
    element(
      'ul',
      {},
      ...results.map(({ text, isDone }) =>
        element('li', { class: isDone ? 'good' : 'bad' }, (isDone ? '' : '✕ ') + text),
      ),
    ),
  );
  if (!undo) return;
  const button = element('button', { type: 'button', class: 'plain' }, undo.label);
  button.addEventListener('click', () => perform(button, undo.run));
  one('#results').append(button);
}

/** The outcome of an action that was done. */
const did = (text) => ({ results: [{ text, isDone: true }], undo: null });

const textField = (label, name, attributes = {}) =>
  element('label', {}, label, element('textarea', { name, rows: 2, ...attributes }));
const choice = (label, name, options) =>
  element(
    'label',
    {},
    label,
    element('select', { name }, ...options.map(([value, text]) => element('option', { value }, text))),
  );

/** The row of buttons: the action in front, and the menu of the others. */
function actionBar(actions) {
  const usable = actions.filter(({ dataset }) => dataset.label);
  const primary = usable.find(({ dataset }) => dataset.primary === '');
  const opener = (action, attributes) =>
    element(
      'button',
      { type: 'button', 'data-choose': action.dataset.key, ...attributes },
      action.dataset.label,
    );
  // Where nothing is wrong nothing is urged.
  const first = primary ?? usable.find(isForm);
  const front = first && (isForm(first) ? opener(first, { class: primary ? '' : 'plain' }) : first);
  const others = usable.filter((each) => each !== first);
  const isDanger = ({ dataset }) => dataset.tone === 'danger';
  const items = [...others.filter((each) => !isDanger(each)), ...others.filter(isDanger)].map((each) =>
    element('li', {}, isForm(each) ? opener(each, { class: each.dataset.tone || 'plain' }) : each),
  );
  for (const each of others) if (!isForm(each)) each.classList.add('plain');
  const menu = element(
    'div',
    { class: 'menu' },
    element(
      'button',
      {
        type: 'button',
        class: 'plain',
        'data-menu': '',
        'aria-expanded': 'false',
        'aria-controls': 'others',
      },
      'More',
    ),
    element('ul', { id: 'others', hidden: true }, ...items),
  );
  return element('div', { class: 'bar', 'data-key': 'bar' }, front, items.length > 0 ? menu : null);
}

const isForm = (action) => action.dataset.tone !== undefined;

/** Actions that are being filled in stay as they are, so that nothing is lost. */
function showActions(id, actions) {
  const holder = one('#actions');
  if (holder.dataset.id !== id) {
    holder.replaceChildren();
    chosen = '';
  }
  holder.dataset.id = id;
  const olds = [...holder.children];
  const texts = actions.filter(({ dataset }) => !dataset.label);
  const made_now = [...texts, actionBar(actions), ...actions.filter(isForm)];
  const next = made_now.map((made) => {
    made.markup = made.outerHTML;
    const old = olds.find((each) => each.dataset.key === made.dataset.key);
    if (old?.dataset.stale === '') {
      old.dataset.seen = made.dataset.seen;
      delete old.dataset.stale;
    }
    return old && (isInUse(old) || old.markup === made.markup) ? old : made;
  });
  for (const old of olds) {
    if (next.includes(old)) continue;
    // The service says why what is no longer possible is refused.
    if (isInUse(old) && !made_now.some(({ dataset }) => dataset.key === old.dataset.key)) next.push(old);
    else old.remove();
  }
  for (const [index, each] of next.entries())
    if (holder.children[index] !== each) holder.insertBefore(each, holder.children[index] ?? null);
  showChosen();
}

function isInUse(action) {
  const isFilled = all('textarea, select', action).some(
    (field) => field.value !== '' && (field.matches('textarea') || field.selectedIndex > 0),
  );
  // A button must not become another one under the pointer.
  const isPointedAt = action.dataset.key === 'bar' && action.matches(':hover');
  return action.contains(document.activeElement) || isFilled || isPointedAt || action.dataset.key === chosen;
}

/** Shows the form that is open in place of the buttons, or the buttons. */
function showChosen() {
  const actions = all('#actions > .action');
  const open = actions.find(({ dataset }) => dataset.key === chosen);
  for (const action of actions) action.hidden = action !== open;
  for (const bar of all('#actions > .bar')) bar.hidden = open !== undefined;
}

/** Opens the form of an action; without a name goes back to the buttons. What is typed stays. */
function choose(name) {
  const before = chosen;
  chosen = name;
  showMenu(false);
  showChosen();
  for (const action of all('#actions > .action')) {
    if (action.open === (action.dataset.key === name)) continue;
    action.open = action.dataset.key === name;
    action.dispatchEvent(new Event('toggle'));
  }
  if (name) one('#actions > .action:not([hidden]) :is(select, textarea, input, button)')?.focus();
  else
    (one(`#actions [data-choose="${before}"]:not([hidden])`)?.checkVisibility()
      ? one(`#actions [data-choose="${before}"]`)
      : one('#actions [data-menu]')
    )?.focus();
}

function showMenu(isShown) {
  const list = one('#others');
  if (!list) return;
  list.hidden = !isShown;
  one('[data-menu]').setAttribute('aria-expanded', String(isShown));
}

one('#actions').addEventListener('click', ({ target }) => {
  if (target.dataset.choose !== undefined) return choose(target.dataset.choose);
  if (target.dataset.menu !== undefined) return showMenu(one('#others').hidden);
  showMenu(false);
});
addEventListener('click', closeMenuFrom);

/** @param {any} event */
function closeMenuFrom({ target }) {
  if (!target.closest?.('.menu')) showMenu(false);
}
