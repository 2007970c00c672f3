/**
 * The page's script: it formats times by the reader's locale, in the zone of the dropoff or, if that is unknown, of the
 * reader, and reloads the page periodically, replacing only changed parts, so that a screen reader announces only the
 * changes.
 */

/** @returns {any} The selector says what kind of element it is. */
const one = (selector, from = document) => from.querySelector(selector);
const main = () => one('main');
/** @type {Intl.DateTimeFormatOptions} */
const clock = { hour: 'numeric', minute: '2-digit' };
/** @type {Intl.DateTimeFormatOptions} */
const day = { weekday: 'short', month: 'short', day: 'numeric' };

const locale = `${document.documentElement.lang}-US`;

const unbroken = (text) => text.replace(/\s/g, '\u00a0');

function localize(page) {
  const now = new Date(one('main', page).dataset.now);
  const zone = one('[data-zone]', page);
  const timeZone = zone.dataset.zone || undefined;
  const dayOf = (at) => at.toLocaleDateString('en-US', { timeZone });
  for (const time of page.querySelectorAll('time')) {
    const at = new Date(time.dateTime);
    const date =
      dayOf(at) === dayOf(now) ? '' : `${unbroken(at.toLocaleDateString(locale, { ...day, timeZone }))}, `;
    time.textContent = date + unbroken(at.toLocaleTimeString([], { ...clock, timeZone }));
  }
  const parts = new Intl.DateTimeFormat(locale, { timeZone, timeZoneName: 'long' }).formatToParts(now);
  zone.textContent = parts.find(({ type }) => type === 'timeZoneName').value;
}

const policy = (page) => one('[http-equiv=Content-Security-Policy]', page).content;

async function save(form) {
  const [field, said, button] = ['textarea', '[role=status]', 'button'].map((each) => one(each, form));
  const { saved, failed } = form.dataset;
  button.disabled = true;
  said.textContent = '';
  try {
    const answer = await fetch(location.pathname, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ dropoff_notes: field.value }),
      signal: AbortSignal.timeout(10000),
    });
    said.textContent = answer.ok ? saved : (form.getAttribute(`data-${answer.status}`) ?? failed);
    if (answer.ok) field.defaultValue = field.value;
    if (answer.status === 409) await keepRefused(said.textContent, field.value);
  } catch {
    said.textContent = failed;
  }
  button.disabled = false;
}

/** What came too late stays readable when the form goes, with the number to call: the courier's, or else the shop's. */
async function keepRefused(...texts) {
  await refreshPage();
  const refused = one('.refused');
  const lines = texts.map((each) => {
    const made = document.createElement('p');
    made.textContent = each;
    return made;
  });
  const call = one('.courier .call') ?? one('.call');
  refused.replaceChildren(...lines, ...(call ? [call.cloneNode(true)] : []));
  refused.hidden = false;
}

document.addEventListener('submit', (event) => {
  event.preventDefault();
  save(event.target);
});

document.addEventListener('input', forgetSaid);

/**
 * Clears the status of a form once its text is changed.
 * @param {any} event
 */
function forgetSaid({ target }) {
  one('[role=status]', target.form).textContent = '';
}

let timer;

function wait() {
  clearTimeout(timer);
  const seconds = Number(main().dataset.refresh) || (one('[data-stale]').hidden ? 0 : 60);
  if (seconds > 0 && !document.hidden) timer = setTimeout(refreshPage, seconds * 1000);
}

async function refreshPage() {
  try {
    const answer = await fetch(location.href, {
      cache: 'no-store',
      headers: { accept: 'text/html' },
      signal: AbortSignal.timeout(10000),
    });
    const next = new DOMParser().parseFromString(await answer.text(), 'text/html');
    if (!answer.ok || !one('main[data-refresh]', next)) throw new Error(String(answer.status));
    // The policy of a document cannot change, and a new picture needs another one.
    if (policy(next) !== policy(document)) return location.reload();
    localize(next);
    document.title = next.title;
    match(document.body, next.body);
    document.dispatchEvent(new Event('shown'));
  } catch {
    one('[data-stale]').hidden = false;
  }
  wait();
}

document.addEventListener('visibilitychange', () => {
  clearTimeout(timer);
  if (!document.hidden) refreshPage();
});
localize(document);
wait();
