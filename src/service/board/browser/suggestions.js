/**
 * Suggests a driver for a delivery or an order. The service plans for each driver when the recipient would have it
 * (`for_id` of the list of drivers); the best one gets a button of its own, the others are a choice in a form.
 */

/** The times of arrival by driver for one record, and when the service was asked for them. */
let arrivals = { id: '', read_at: 0, of: new Map() };
const arrivals_ms = 30000;

/** Asks for the times of a record, at most every half minute, and shows them. */
async function readArrivals(id) {
  if (arrivals.id === id && Date.now() - arrivals.read_at < arrivals_ms) return;
  arrivals = { id, read_at: Date.now(), of: arrivals.id === id ? arrivals.of : new Map() };
  const asked = arrivals;
  try {
    const drivers = await listOf(`/v2/drivers?for_id=${encodeURIComponent(id)}&`, 5);
    asked.of = new Map(drivers.map((driver) => [driver.id, driver.would_arrive_at]));
    if (arrivals === asked) show();
  } catch {}
}

/** A driver as a receiver of a record: when it would be there, and how late that is. */
function receiverOf(driver, { id, promised_at }) {
  const at = arrivals.id === id ? (arrivals.of.get(driver.id) ?? null) : null;
  const late_ms = at && promised_at ? Date.parse(at) - Date.parse(promised_at) : 0;
  return { driver, at, late: late_ms > late_tolerance_ms ? Math.floor(late_ms / 60000) : 0 };
}

/** Whoever is on duty first; then who is late by the least, then who is there first, then who has the least to do. */
function receivers(target, isOffered) {
  const far = '9';
  return records.drivers
    .filter(isOffered)
    .map((driver) => receiverOf(driver, target))
    .sort(
      (a, b) =>
        b.driver.on_duty - a.driver.on_duty ||
        Number(isFull(a.driver)) - Number(isFull(b.driver)) ||
        a.late - b.late ||
        (a.at ?? far).localeCompare(b.at ?? far) ||
        a.driver.stops_left - b.driver.stops_left ||
        a.driver.name.localeCompare(b.driver.name),
    );
}

const isFull = ({ deliveries }) => deliveries.length >= max_open_orders;
const loadText = (driver) =>
  isFull(driver) ? 'full' : driver.stops_left === 0 ? 'free' : `${counted(driver.stops_left, 'stop')} left`;

function receiverText({ driver, at, late }, { zone, details, promised_at }) {
  return listText(
    driver.name,
    driver.on_duty ? loadText(driver) : 'off duty',
    driver.vehicle_type === 'car' ? null : words(driver.vehicle_type),
    at && `there ${expectedClock(at, zone, details)}`,
    late > 0 ? `${lengthOf(late)} late` : at && promised_at ? 'in time' : null,
  );
}

function driverChoice(label, target, isOffered) {
  const options = receivers(target, isOffered).map((each) =>
    element('option', { value: each.driver.id }, receiverText(each, target)),
  );
  const first = element('option', { value: '' }, 'Choose a driver');
  return element(
    'label',
    {},
    label,
    element('select', { name: 'driver', required: true }, first, ...options),
  );
}

/** The driver to suggest: the first one who is on duty, has room and would be there at a known time. */
const suggested = (target, isOffered) =>
  receivers(target, (driver) => isOffered(driver) && driver.on_duty && !isFull(driver)).find(({ at }) => at);

/** The action that gives a record to the suggested driver; null without one. */
function giveAction(target, isOffered, give) {
  const best = suggested(target, isOffered);
  if (best === undefined) return null;
  const { driver, at, late } = best;
  const about = target.details?.eta_precision ? 'about ' : '';
  // What rests on coarse places is said in steps of five minutes.
  const step = about ? 5 : 1;
  const minutes = Math.max(step, Math.round((Date.parse(at) - now()) / 60000 / step) * step);
  const label = listText(
    `Give to ${driver.name}`,
    loadText(driver),
    `there in ${about}${lengthOf(minutes)}`,
    late > 0 && `${lengthOf(late)} late`,
  );
  return press('give', label, (seen) => give(driver.id, seen));
}

/** A delivery as `receivers` needs it: its promised time, and how to write times of it. */
function targetOfDelivery({ id, details, pickup_address }) {
  readArrivals(id);
  return { id, details, promised_at: details.promised_at, zone: zoneOf(pickup_address) };
}

/** An order as `receivers` needs it. Its times are as coarse as its places are known. */
function targetOfOrder({ id, dropoff_at, pickup_precision, dropoff_precision, pickup_address }) {
  readArrivals(id);
  const isCoarse = [pickup_precision, dropoff_precision].some((each) => each === 'zip' || each === 'street');
  const details = { eta_precision: isCoarse ? 'zip' : null };
  return { id, details, promised_at: dropoff_at, zone: zoneOf(pickup_address) };
}
