/**
 * The records on the board. All are read at the start and every half minute. In between, events bring deliveries as they
 * are now and have drivers and waiting orders read again.
 */

const records = {
  deliveries: new Map(),
  waiting: [],
  /** @type {any[] & { isCut?: boolean }} */
  stores: [],
  open_orders: [],
  drivers: [],
  isCut: false,
  read_at: null,
};
const statusesOf = (groups) => groups.flatMap(({ statuses }) => statuses);
const open_statuses = statusesOf(open_groups);
const groupOf = (status) =>
  [...open_groups, ...ended_groups].find(({ statuses }) => statuses.includes(status));
const isOpen = ({ status }) => open_statuses.includes(status);
/** Whether the recipient can expect it. */
const isComing = ({ status }) => isOpen({ status }) && status !== 'enroute_to_return';
/** The ends that someone has to decide about, each with its kind of problem. */
const end_kinds = {
  failed: 'failed',
  provider_canceled: 'canceled',
  burq_canceled: 'canceled',
  returned: 'returned',
};
const bad_ends = Object.keys(end_kinds);
const day_ms = 86400000;
const reread_ms = 30000;
/** How often failures of the last month are read again; in between those of the last three days, and the others stay. */
const wide_read_ms = 600000;
let wide_read_at = 0;

let reading = null;
let isStale = false;
let next;

/** Only one read runs at a time; a change during it starts another one right after. */
function refresh() {
  clearTimeout(next);
  isStale = reading !== null;
  reading ??= readAll().finally(() => {
    reading = null;
    next = setTimeout(refresh, isStale ? 1000 : reread_ms);
  });
}

async function readAll() {
  if (!key) return;
  const since = (days) => `&created_after=${new Date(now() - days * day_ms).toISOString()}&`;
  const other_ends = statusesOf(ended_groups).filter((status) => !bad_ends.includes(status));
  const day_ago = new Date(now() - day_ms).toISOString();
  const isWide = Date.now() - wide_read_at >= wide_read_ms;
  touched.clear();
  if (isWide) checked.clear();
  try {
    const [open, failures, ended, rest] = await Promise.all([
      listOf(`/v2/deliveries?status=${open_statuses.join(',')}&`, 10),
      listOf(`/v2/deliveries?status=${bad_ends.join(',')}${since(isWide ? 30 : 3)}`, 10),
      listOf(
        `/v2/deliveries?status=${other_ends.join(',')}${since(isWide ? 33 : 1)}ended_after=${day_ago}&`,
        10,
      ),
      readRest(),
    ]);
    const read = [open, failures, ended];
    const old = records.deliveries;
    // Keeps deliveries that changed during the read, and older ones that are undecided or ended within a day.
    const isLasting = (each) => isUndecided(each) || (!isOpen(each) && enteredAt(each) >= day_ago);
    const kept = [...old.values()].filter((each) => touched.has(each.id) || (!isWide && isLasting(each)));
    records.deliveries = new Map(
      [...kept, ...read.flat()].map((delivery) => [
        delivery.id,
        touched.has(delivery.id) ? old.get(delivery.id) : delivery,
      ]),
    );
    for (const delivery of records.deliveries.values()) noteAttempt(delivery);
    records.isCut = [...read, ...rest].some(({ isCut }) => isCut);
    if (isWide) wide_read_at = Date.now();
    readNow();
    if (found?.isDone) readFound(found);
    await checkFailures();
  } catch (error) {
    failed(error);
  }
}

/** Drivers, and orders without a delivery: they may be agreed for a time up to 30 days after their creation. */
async function readRest() {
  const open_orders = `/v2/orders?status=open,unfulfilled,routed&created_after=${new Date(now() - 33 * day_ms).toISOString()}&`;
  const [waiting, drivers, open, stores] = await Promise.all([
    listOf('/v2/waiting_orders?', 10),
    listOf('/v2/drivers?', 5),
    listOf(open_orders, 5),
    listOf('/v2/stores?', 5),
  ]);
  records.stores = stores;
  // A dispatched order is on the board as a delivery.
  records.waiting = waiting.filter(({ order }) => order.status !== 'dispatched');
  // Auto dispatch and people have an order in a draft route for a moment, too.
  const isLeft = ({ status, updated_at }) => status !== 'routed' || minutesSince(updated_at) >= 5;
  records.open_orders = open.filter(
    (each) => isLeft(each) && !waiting.some(({ order }) => order.id === each.id),
  );
  records.drivers = drivers.sort((a, b) => b.on_duty - a.on_duty || a.name.localeCompare(b.name));
  return [waiting, drivers, open];
}

/** The zone of the shops, that of the reader while none is known. Most shops of one account are in one. */
function shopZone() {
  const [delivery] = records.deliveries.values();
  const { pickup_address } = delivery ?? records.open_orders[0] ?? records.waiting[0]?.order ?? {};
  return zoneOf(pickup_address ?? records.drivers.flatMap(({ stops }) => stops)[0]?.address);
}

/** ` (paused until 9:00 PM)` behind the name of a store from which nothing is dispatched now. */
function pauseText({ paused_until, address }) {
  if (!paused_until || Date.parse(paused_until) <= now()) return '';
  const isEndless = paused_until >= '9999';
  return isEndless ? ' (paused)' : ` (paused until ${clock(paused_until, zoneOf(address))})`;
}

const readClock = () => clock(records.read_at, shopZone());

function readNow() {
  records.read_at = now();
  showNet(`Updated ${readClock()}`, '', false);
  show();
}

function failed(error) {
  if (!key) return;
  if (error instanceof Refused) return showNet(error.message, '', true);
  const as_of = records.read_at ? `, as of ${readClock()}` : '';
  showNet(`Offline${as_of}`, '. No connection to the service; trying again.', true);
}

/** Says how current the page is, in a line of constant size, so that nothing moves; what is cut is its tooltip. */
function showNet(text, more, isBad) {
  const net = one('#net');
  if (net.textContent !== text + more) net.textContent = text + more;
  net.title = text + more;
  net.classList.toggle('bad', isBad);
}

/** The deliveries that an event or an action has changed since the read began. */
const touched = new Set();
/** The latest delivery of each order that was ever seen here, with its time. */
const latest = new Map();
/** The orders of undecided failures whose latest delivery was asked for, since the last wide read. */
const checked = new Set();

function noteAttempt({ id, order_id, created_at }) {
  if (order_id && !(latest.get(order_id)?.created_at > created_at)) latest.set(order_id, { id, created_at });
}

function setDelivery(delivery) {
  touched.add(delivery.id);
  records.deliveries.set(delivery.id, delivery);
  noteAttempt(delivery);
}

/** Finds the failures whose order has a newer delivery that was never read here: they need no decision. */
async function checkFailures() {
  const unknown = [...records.deliveries.values()].filter(
    (each) => each.order_id && !checked.has(each.order_id) && isUndecided(each),
  );
  for (const { order_id } of unknown.slice(0, 50)) {
    const order = await call('GET', `/v2/orders/${order_id}`).catch(() => null);
    if (order === null) continue;
    checked.add(order_id);
    if (order.delivery_id && order.delivery_id !== latest.get(order_id)?.id)
      latest.set(order_id, { id: order.delivery_id, created_at: order.updated_at });
  }
  if (unknown.length > 0) show();
}

/** All deliveries of the same order, oldest first. */
const attemptsOf = ({ id, order_id }) =>
  [...records.deliveries.values()]
    .filter((each) => (order_id ? each.order_id === order_id : each.id === id))
    .sort((a, b) => a.created_at.localeCompare(b.created_at));

/** Whether a failed delivery still needs a decision: it was neither tried again nor closed with a note. */
function isUndecided(delivery) {
  if (!bad_ends.includes(delivery.status) || delivery.details.next_attempt_at) return false;
  if ((latest.get(delivery.order_id)?.id ?? delivery.id) !== delivery.id) return false;
  if (records.waiting.some(({ order }) => order.id === delivery.order_id)) return false;
  return !(delivery.details.notes ?? []).some(({ tags }) => tags.includes(closed_tag));
}

/** Whether it was handed over without a proof that was asked for, and nobody has noted anything since. */
const isUnverified = ({ status, details }) =>
  status === 'delivered' && details.notes?.[0]?.tags.includes(unverified_tag) === true;

const driverWith = (delivery) => {
  const holder = records.drivers.find(({ deliveries }) => deliveries.some(({ id }) => id === delivery.id));
  if (holder || isOpen(delivery)) return holder;
  return records.drivers.find(
    ({ name, phone_number }) =>
      name === delivery.courier_name && phone_number === delivery.courier_phone_number,
  );
};
const storeOf = ({ store_id, pickup_store_id, pickup_name }) => store_id ?? pickup_store_id ?? pickup_name;
const recipientOf = ({ dropoffs }) => dropoffs[0] ?? {};
const titleOf = (reference, name, id) =>
  [reference && (reference.startsWith('#') ? reference : `#${reference}`), name].filter(Boolean).join(' ') ||
  id;

/** The agreed time, or what was expected at the dispatch. */
function promisedClock(delivery) {
  const { details, pickup_address } = delivery;
  const isAgreed = Boolean(recipientOf(delivery).dropoff_at);
  return expectedClock(details.promised_at, zoneOf(pickup_address), isAgreed ? {} : details);
}

function lateMinutes(delivery) {
  const { promised_at = null, eta_precision } = delivery.details ?? {};
  if (promised_at === null || !isComing(delivery)) return 0;
  // An estimate by the centre of a ZIP code does not make late.
  const eta = eta_precision === 'zip' ? 0 : Date.parse(recipientOf(delivery).dropoff_eta) || 0;
  const late = Math.max(eta, now()) - Date.parse(promised_at);
  return late > late_tolerance_ms ? Math.floor(late / 60000) : 0;
}

/** The rule of `overdueBy` in the service. */
function overdueBy({ status, updated_at, pickup_eta, dropoffs }, at) {
  const eta = Date.parse(picked_up.includes(status) ? dropoffs[0]?.dropoff_eta : pickup_eta);
  const reported = Date.parse(updated_at);
  if (status !== 'enroute_to_return' && eta > reported) return at - eta;
  return status === 'scheduled' ? -Infinity : at - reported - silent_ms;
}

/** When it entered its status. */
const enteredAt = ({ status, status_history, updated_at }) =>
  status_history.findLast((entry) => entry.status === status)?.created_at ?? updated_at;

// Not an EventSource, which cannot send the header with the key.

let stream = null;
let rereading;
let redrawing;

/** Follows the events of the account until the key is forgotten, also after the connection was lost. */
async function follow() {
  stream?.abort();
  const current = new AbortController();
  stream = current;
  const types =
    'delivery.created,delivery.updated,delivery.location_updated,order.unfulfilled,order.failed,order.canceled';
  while (key && !current.signal.aborted) {
    try {
      const headers = { 'x-api-key': key };
      const response = await fetch(`./v2/events/stream?types=${types}`, { headers, signal: current.signal });
      if (!response.ok) throw new Error(String(response.status));
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
      let text = '';
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        const blocks = (text + part.value).split('\n\n');
        text = blocks.pop();
        for (const block of blocks) takeEvent(block);
      }
    } catch {}
    await new Promise((resolve) => setTimeout(resolve, 3000));
  }
}

/** Keeps a delivery as the service sent it; events leave out some details, such as notes. */
function take(delivery) {
  const old = records.deliveries.get(delivery.id);
  setDelivery({ ...delivery, details: { notes: [], ...old?.details, ...delivery.details } });
}

/** Reads the details that the first event of a delivery leaves out. */
async function readOne(id) {
  const delivery = await call('GET', `/v2/deliveries/${id}`).catch(() => null);
  if (delivery) setDelivery(delivery);
}

function takeEvent(block) {
  const line = block.split('\n').find((each) => each.startsWith('data:'));
  if (!line) return;
  const { type, data, details } = JSON.parse(line.slice(5));
  if (type === 'delivery.location_updated') {
    const { delivery_id, courier_location_lat, courier_location_lng } = data;
    const old = records.deliveries.get(delivery_id);
    if (old) setDelivery({ ...old, courier_location_lat, courier_location_lng });
    // Only the positions of own drivers are part of what is read again.
    if (old?.service !== fleet) {
      redrawing ??= setTimeout(() => {
        redrawing = undefined;
        show();
      }, 1500);
      return;
    }
  } else if (data.truncated) {
    refresh();
    return;
  } else if (type.startsWith('delivery.') && data.status !== 'request') {
    if (!records.deliveries.has(data.id)) readOne(data.id);
    take({ ...data, details });
  }
  // Events come in bursts; drivers and waiting orders are read once for all.
  rereading ??= setTimeout(async () => {
    rereading = undefined;
    if (!key) return;
    await readRest().then(show, failed);
  }, 1500);
}
