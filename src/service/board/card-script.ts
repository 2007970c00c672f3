/** The cards of deliveries and drivers. Texts are set as text, never as HTML. */
export const cardScript = `
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === true) made.setAttribute(key, '');
    else if (value !== false && value !== null) made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

const clock = (time) => new Date(time).toLocaleTimeString([], { hour: 'numeric', minute: '2-digit' });
const words = (status) => status.replaceAll('_', ' ');

/** Updates a list to these records: unchanged cards stay, and so does one that is being used. */
function fill(list, records, cardOf) {
  const olds = new Map(all('li', list).map((card) => [card.dataset.id, card]));
  records.forEach((record, index) => {
    const card = cardOf(record);
    const old = olds.get(record.id);
    olds.delete(record.id);
    const isKept = old && (old.isEqualNode(card) || old.contains(document.activeElement));
    const shown = isKept ? old : card;
    if (old && !isKept) old.replaceWith(card);
    if (list.children[index] !== shown) list.insertBefore(shown, list.children[index] ?? null);
  });
  for (const gone of olds.values()) gone.remove();
}

function waitingCard({ id, order, waiting_since, next_attempt_at, reason }) {
  const minutes = Math.max(0, Math.floor((Date.now() + serviceAhead - Date.parse(waiting_since)) / 60000));
  const next = next_attempt_at === null ? 'Being tried now' : 'Tried again at ' + clock(next_attempt_at);
  return element(
    'li',
    { 'data-id': id, class: reason ? 'is-late' : null },
    element('b', {}, [order.external_order_ref, order.dropoff_name].filter(Boolean).join(' · ') || id),
    element('span', {}, order.dropoff_address),
    element('span', { class: reason ? 'late' : null }, 'Waiting for ' + minutes + ' min' + (reason ? ': ' + reason : '')),
    element('span', { class: 'soft' }, next),
  );
}

function deliveryCard(delivery, drivers) {
  const { id, status, service, external_order_ref, dropoffs, courier_name, tracking_url } = delivery;
  const [{ dropoff_name = '', dropoff_address = '', dropoff_eta = null } = {}] = dropoffs;
  const isOpen = groups.some((statuses) => statuses.includes(status));
  const canAssign = service === fleet && isOpen;
  const { promised_at = null, is_late: isLate = false, pin_locked: isLocked = false } = delivery.details ?? {};
  const late = Date.parse(dropoff_eta) > Date.now() + serviceAhead ? ', now ' + clock(dropoff_eta) : ', late';
  const eta = isOpen && dropoff_eta ? (isLate ? 'Promised ' + clock(promised_at) + late : 'Expected ' + clock(dropoff_eta)) : null;
  return element(
    'li',
    { 'data-id': id, 'data-delivery': canAssign ? id : null, draggable: canAssign ? 'true' : null, class: isLate || isLocked ? 'is-late' : null },
    element('b', {}, [external_order_ref, dropoff_name].filter(Boolean).join(' · ') || id),
    element('span', {}, dropoff_address),
    eta && element('span', { class: isLate ? 'late' : null }, eta),
    element('span', { class: 'soft' }, words(status) + (courier_name ? ', ' + courier_name : '') + (service ? ' (' + service + ')' : '')),
    isLocked ? element('span', { class: 'late' }, 'Locked after ' + max_wrong_pins + ' wrong PINs') : null,
    isLocked ? element('button', { type: 'button', 'data-unlocks': id }, 'Let the driver try again') : null,
    canAssign ? driverChoice(delivery, drivers) : null,
    /^https?:/.test(tracking_url) ? element('a', { href: tracking_url, target: '_blank', rel: 'noreferrer', class: 'soft' }, 'Tracking page') : null,
  );
}

function driverChoice({ id, courier_name, courier_phone_number, dropoffs }, drivers) {
  const label = 'Driver for ' + (dropoffs[0]?.dropoff_name || id);
  const current = drivers.find(({ phone_number, name }) => phone_number === courier_phone_number && name === courier_name);
  return element(
    'select',
    { 'data-assigns': id, 'aria-label': label },
    element('option', { value: '' }, current ? 'With ' + current.name : 'Choose a driver'),
    ...drivers
      .filter((driver) => driver !== current)
      .map(({ id: driver_id, name, on_duty }) => element('option', { value: driver_id }, name + (on_duty ? '' : ' (off duty)'))),
  );
}

function driverCard({ id, name, on_duty, stops_left, location: at }) {
  const stops = stops_left === 1 ? '1 stop left' : stops_left + ' stops left';
  const seen = at ? 'seen ' + clock(at.recorded_at) : 'position unknown';
  return element(
    'li',
    { 'data-id': id, 'data-driver': id, class: on_duty ? null : 'off' },
    element('b', {}, name),
    element('span', { class: 'soft' }, (on_duty ? 'On duty' : 'Off duty') + ', ' + stops + ', ' + seen),
  );
}
`;
