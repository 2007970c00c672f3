/** The functions that all parts of the board use: they find and make elements, and write times, numbers and lists. */

/** @returns {any} The selector says what kind of element it is. */
const one = (selector, from = document) => from.querySelector(selector);
/** @returns {any[]} */
const all = (selector, from = document) => [...from.querySelectorAll(selector)];

/** The words and limits of the service, which the page brings along as data. */
const {
  open_groups,
  ended_groups,
  fleet,
  zones,
  tapped_statuses,
  reportable,
  handover_failures,
  max_wrong_pins,
  late_tolerance_ms,
  stuck_after_ms,
  silent_ms,
  picked_up,
  window_step_ms,
  window_ms,
  closed_tag,
  nobody,
  unverified_tag,
  max_open_orders,
} = JSON.parse(one('#vocabulary').textContent);

/** Makes an element. Texts among its children are set as text, never as HTML. */
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === true) made.setAttribute(key, '');
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

const inline = (className, ...children) => element('span', { class: className }, ...children);
const paragraph = (className, ...children) => element('p', { class: className }, ...children);
/** A button that opens a record in the panel. */
const recordLink = (id, label) =>
  element('button', { type: 'button', class: 'link', 'data-open': id }, label);

/** Replaces the children of an element. Unchanged ones stay, with their focus. */
function setChildren(holder, children) {
  const next = holder.cloneNode(false);
  next.append(...children);
  match(holder, next);
}

/** The time zone of an address; undefined if it is unknown. */
function zoneOf(address = '') {
  const [, state, zip = ''] = new RegExp(zones.ending).exec(address) ?? [];
  const known = zones.states[state];
  return known && (zones.zips[zip] ?? zones.zips[zip.slice(0, 4)] ?? zones.zips[zip.slice(0, 3)] ?? known);
}

const formats = new Map();

/** How times of a zone are written: with the name of the zone where it is not the time of the reader. */
function formatsOf(timeZone) {
  if (!formats.has(timeZone)) {
    const day = new Intl.DateTimeFormat('en-US', { timeZone, dateStyle: 'short', timeStyle: 'short' });
    const isElsewhere =
      day.format() !== new Intl.DateTimeFormat('en-US', { dateStyle: 'short', timeStyle: 'short' }).format();
    /** @type {Intl.DateTimeFormatOptions} */
    const clock = {
      hour: 'numeric',
      minute: '2-digit',
      timeZone,
      ...(isElsewhere ? { timeZoneName: 'short' } : {}),
    };
    formats.set(timeZone, {
      day: new Intl.DateTimeFormat('en-US', { timeZone }),
      time: new Intl.DateTimeFormat([], clock),
      dated: new Intl.DateTimeFormat([], { month: 'short', day: 'numeric', ...clock }),
    });
  }
  return formats.get(timeZone);
}

/** A time in a zone, otherwise in that of the reader, with the date unless it is that of today. */
function clock(time, zone, today = now()) {
  const { day, time: short, dated } = formatsOf(zone);
  const at = new Date(time);
  return (day.format(at) === day.format(today) ? short : dated).format(at);
}

/** An expected time: a window if the places that it rests on are known coarsely. */
function expectedClock(time, zone, { eta_precision = null } = {}) {
  if (!eta_precision) return clock(time, zone);
  const from = Math.floor(Date.parse(time) / window_step_ms - 1) * window_step_ms;
  const [start, end] = [clock(from, zone), clock(from + window_ms, zone, from)];
  const [half = ''] = /\s[AP]M.*$/.exec(end) ?? [];
  return `${start.endsWith(half) ? start.slice(0, start.length - half.length) : start} to ${end}`;
}

/** The parts that there are, with commas between them. */
const listText = (...parts) => parts.filter(Boolean).join(', ');
const words = (code) => code.replaceAll('_', ' ');
const capital = (text) => text.slice(0, 1).toUpperCase() + text.slice(1);
const withoutCountry = (address) => (address ?? '').replace(/, USA$/, '');
/** The unit stands before the town: a line that is cut still tells the recipients of a building apart. */
function dropoffText({ dropoff_address, dropoff_unit }) {
  const [street, ...town] = withoutCountry(dropoff_address).split(', ');
  return listText(street, dropoff_unit, ...town);
}
const dollars = (cents) => `$${(cents / 100).toFixed(2)}`;
const counted = (count, noun) => `${count} ${noun}${count === 1 ? '' : 's'}`;
const minutesSince = (time) => Math.max(0, Math.floor((now() - Date.parse(time)) / 60000));

/** Minutes, or hours and minutes. */
function lengthOf(minutes) {
  if (minutes < 60) return `${minutes} min`;
  return `${Math.floor(minutes / 60)} h${minutes % 60 === 0 ? '' : ` ${minutes % 60} min`}`;
}
