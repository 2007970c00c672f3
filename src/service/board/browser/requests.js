/** Keeps the API key of the reader, and sends requests with it (`call`, `listOf`). */

// The key: from the link, then kept for this tab.

const stored = 'waybill-board-key';

/** Takes the key of a link into this tab, and out of the address. */
function takeKey() {
  const given = new URLSearchParams(location.hash.slice(1)).get('key');
  if (!given) return false;
  sessionStorage.setItem(stored, given);
  history.replaceState(null, '', location.pathname);
  return true;
}

takeKey();
let key = sessionStorage.getItem(stored);

function forgetKey(message) {
  sessionStorage.removeItem(stored);
  key = null;
  stream?.abort();
  one('#board').hidden = true;
  one('#tools').hidden = true;
  one('#leave').hidden = true;
  one('#enter').hidden = false;
  one('#net').textContent = '';
  say(message);
}

/** The key no longer works: what is shown and typed stays until there is another one. */
function loseKey() {
  const message = 'This API key is not valid. Enter another one.';
  if (records.read_at === null) return forgetKey(message);
  sessionStorage.removeItem(stored);
  key = null;
  stream?.abort();
  one('#renew').hidden = false;
  showNet(`Signed out, as of ${readClock()}`, '', true);
}

one('#leave').addEventListener('click', () => {
  forgetKey('');
  location.replace(location.pathname);
});
for (const form of all('#enter, #renew'))
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const field = one('input', form);
    key = field.value.trim();
    field.value = '';
    sessionStorage.setItem(stored, key);
    wide_read_at = 0;
    begin();
  });
one('#renew-close').addEventListener('click', () => location.replace(location.pathname));

function say(message) {
  one('#said').textContent = message;
}

// The page lies beside the operations, also behind a proxy with a path of its own.

class Refused extends Error {
  /** The code of the service, and the ids of the records that it names. */
  code = '';
  /** @type {string[]} */
  related_ids = [];
}

/** The code of a change that was refused as someone else has changed the same before. */
const changed_code = 'record_changed';

/** How far service time is ahead of this machine's: test mode has a clock of its own. */
let serviceAhead = 0;
const now = () => Date.now() + serviceAhead;

async function call(method, path, body) {
  const used = key;
  const response = await fetch(`.${path}`, {
    method,
    headers: { 'x-api-key': used, ...(body ? { 'content-type': 'application/json' } : {}) },
    ...(body ? { body: JSON.stringify(body) } : {}),
    signal: AbortSignal.timeout(20000),
  });
  const at = Date.parse(response.headers.get('x-service-time'));
  if (!Number.isNaN(at)) serviceAhead = at - Date.now();
  if (response.ok) return response.json();
  const { message, details, code, related_ids } = await response.json().catch(() => ({}));
  // Another key may have been entered since the request.
  if (response.status === 401 && key === used) loseKey();
  if (response.status >= 500) throw new Error(String(response.status));
  const faults = (details ?? []).map((each) => `${each.path} ${each.message}.`);
  const refusal = new Refused([message ?? 'The service refused this.', ...faults].join(' '));
  throw Object.assign(refusal, { code: code ?? '', related_ids: related_ids ?? [] });
}

/**
 * Reads a list of up to this many pages of a hundred.
 * @returns {Promise<any[] & { isCut?: boolean }>}
 */
async function listOf(path, pages) {
  /** @type {any[] & { isCut?: boolean }} */
  const read = [];
  let cursor = '';
  for (let page = 0; page < pages; page += 1) {
    const { data, has_more, next_cursor } = await call('GET', `${path}limit=100${cursor}`);
    read.push(...data);
    if (!has_more || !next_cursor) return read;
    cursor = `&cursor=${encodeURIComponent(next_cursor)}`;
  }
  read.isCut = true;
  return read;
}
