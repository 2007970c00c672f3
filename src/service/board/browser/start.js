/** Shows all parts of the board (`show`), and starts it (`begin`) once the reader has a key. The last part of the script. */

let busy = 0;
let isHeld = false;

/** Shows what is known; while an action is under way what arrives is held back. */
function show() {
  if (one('#board').hidden) return;
  if (busy > 0) {
    isHeld = true;
    return;
  }
  isHeld = false;
  // The views of a phone; a wide screen shows drivers and map beside either list.
  const view = filters.view || 'act';
  const listed = isNarrow() || view === 'act' || view === 'all' ? view : 'act';
  document.body.dataset.view = listed;
  for (const button of all('button[data-view]'))
    button.setAttribute('aria-pressed', button.dataset.view === listed);
  setOptions(one('#store'), storeOptions());
  setOptions(one('#driver'), driverOptions());
  one('#clear').hidden = !['q', 'store', 'driver', 'state', 'place', 'kind'].some((name) => filters[name]);
  showProblems();
  showDeliveries();
  showDrivers();
  showPanel();
  showMap();
}

let account_id = null;

async function begin() {
  say('');
  one('#enter').hidden = true;
  one('#renew').hidden = true;
  one('#board').hidden = false;
  one('#tools').hidden = false;
  one('#leave').hidden = false;
  readHash();
  // Before anything is known, so that a folded map moves nothing later.
  showMap();
  refresh();
  follow();
  try {
    const { id, name, test_mode } = await call('GET', '/v2/account');
    // The key of another account shows another shop.
    if (account_id !== null && account_id !== id) return location.reload();
    account_id = id;
    one('#merchant').textContent = name;
    document.title = `Deliveries of ${name}`;
    one('#test').hidden = !test_mode;
  } catch {}
}

document.addEventListener('visibilitychange', () => {
  if (!document.hidden) refresh();
});
setInterval(() => {
  if (key && !document.hidden) show();
}, 20000);
addEventListener('resize', () => show());
if (key) begin();
else one('#enter').hidden = false;
