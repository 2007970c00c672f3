/** The panel of one delivery, order or driver: it opens and closes, and shows the facts. `forms.js` shows its actions. */

let opened_from = null;
let fetchedOne = null;

/** Whether what is typed may be lost. */
function mayLeave() {
  const isTyped = all('#actions textarea').some(({ value }) => value.trim() !== '');
  return !isTyped || confirm('What you have typed is not sent. Leave it?');
}

function openPanel(id, keepsResults = false) {
  if (id !== filters.open && !keepsResults && !mayLeave()) return;
  if (!one('#panel').contains(document.activeElement)) opened_from = document.activeElement;
  if (!keepsResults) one('#results').replaceChildren();
  setFilters({ open: id });
  one('#panel-title').focus();
}

function closePanel() {
  if (!mayLeave()) return;
  setFilters({ open: '' });
  if (opened_from?.isConnected) opened_from.focus();
}

one('#panel-close').addEventListener('click', closePanel);
one('#panel').addEventListener('click', ({ target }) => {
  if (target.dataset.open) openPanel(target.dataset.open);
});

/** The record that is open: a driver, a delivery, or an order without one. */
function openedRecord() {
  const id = filters.open;
  const driver = records.drivers.find((each) => each.id === id);
  if (driver) return { kind: 'driver', record: driver };
  const delivery = records.deliveries.get(id) ?? found?.deliveries.find((each) => each.id === id);
  if (delivery) return { kind: 'delivery', record: delivery };
  const waiting = records.waiting.find(({ order }) => order.id === id);
  const order =
    waiting?.order ??
    records.open_orders.find((each) => each.id === id) ??
    found?.orders.find((each) => each.id === id);
  if (order) return { kind: 'order', record: order, waiting };
  return fetchedOne?.id === id
    ? { kind: id.startsWith('ord_') ? 'order' : 'delivery', record: fetchedOne }
    : null;
}

/** Reads what is not on the board, such as the record of a link. */
async function fetchOne(id) {
  fetchedOne = { id, isMissing: true };
  const path = id.startsWith('ord_') ? '/v2/orders/' : id.startsWith('dlv_') ? '/v2/deliveries/' : null;
  if (path === null) return;
  try {
    fetchedOne = await call('GET', path + encodeURIComponent(id));
    show();
  } catch (error) {
    const isMissing = error instanceof Refused;
    // Without a connection it is asked for again.
    if (!isMissing) fetchedOne = null;
    one('#facts').replaceChildren(
      element('p', {}, isMissing ? error.message : 'No connection to the service. Trying again.'),
    );
  }
}

function showPanel() {
  const id = filters.open;
  document.body.classList.toggle('with-panel', id !== '');
  one('#panel').hidden = id === '';
  if (id === '') return;
  const opened = openedRecord();
  if (opened === null || opened.record.isMissing) {
    if (records.read_at !== null && fetchedOne?.id !== id) fetchOne(id);
    return;
  }
  const { kind, record, waiting } = opened;
  const [title, facts, actions] = {
    driver: () => [record.name, driverFacts(record), driverActions(record)],
    delivery: () => [
      titleOf(record.external_order_ref, recipientOf(record).dropoff_name, record.id),
      deliveryFacts(record),
      deliveryActions(record),
    ],
    order: () => [
      titleOf(record.external_order_ref, record.dropoff_name, record.id),
      orderFacts(record, waiting),
      orderActions(record, waiting),
    ],
  }[kind]();
  if (one('#panel-title').textContent !== title) one('#panel-title').textContent = title;
  // How it stands comes first, then what can be done, then the rest.
  const isSummary = (each) => each?.matches?.('.summary');
  setChildren(one('#summary'), facts.filter(isSummary));
  setChildren(
    one('#facts'),
    facts.filter((each) => each && !isSummary(each)),
  );
  showActions(id, actions);
}

const phoneLink = (label, phone) =>
  phone
    ? element(
        'p',
        {},
        element('a', { href: `tel:+${phone}` }, label),
        ` ${`+${phone}`.replace(/^\+1(...)(...)(....)$/, '($1) $2-$3')}`,
      )
    : null;

function fact(name, ...value) {
  return value.some(Boolean)
    ? element('div', { class: 'fact' }, element('dt', {}, name), element('dd', {}, ...value.filter(Boolean)))
    : null;
}

/** The items of an order. Each is isolated (`bdi`), as its name may be written from right to left. */
function itemsOf({ items, items_description }) {
  const named = items.flatMap(({ name, quantity }) => [', ', element('bdi', {}, `${quantity} × ${name}`)]);
  return named.length > 0 ? named.slice(1) : [items_description];
}

/** How a delivery stands: its status, and what is wrong with it. */
function summaryOf(delivery) {
  const { status, details, pickup_address } = delivery;
  const late = lateMinutes(delivery);
  const state = [signs[groupOf(status)?.title], capital(words(status))].filter(Boolean).join(' ');
  const reason = delivery.failure_message || delivery.cancellation_reason || delivery.dispute_reason;
  const isLocked = details.pin_locked && isOpen(delivery);
  const retry = details.next_attempt_at && clock(details.next_attempt_at, zoneOf(pickup_address));
  return [
    paragraph(
      `summary state ${late > 0 ? 'late' : toneOf(delivery)}`,
      reason ? `${state}: ${reason}` : state,
    ),
    late > 0 && paragraph('summary late', `${lengthOf(late)} late: ${lateText(delivery)}`),
    isLocked && paragraph('summary state bad', `The handover is locked after ${max_wrong_pins} wrong PINs.`),
    retry && paragraph('summary late', `Tried again at ${retry} by auto dispatch.`),
  ].filter(Boolean);
}

function deliveryFacts(delivery) {
  const { id, service, details, courier_phone_number, courier_name, tracking_url, pickup_phone_number } =
    delivery;
  const to = recipientOf(delivery);
  // Events leave them out.
  const { charges } = details;
  const driver = driverWith(delivery);
  const carrier = listText(courier_name, service === fleet ? 'own drivers' : service);
  const zone = zoneOf(delivery.pickup_address);
  const expected =
    isComing(delivery) && to.dropoff_eta && `expected ${expectedClock(to.dropoff_eta, zone, details)}`;
  const link = URL.parse(tracking_url)?.protocol.startsWith('http') ? tracking_url : null;
  return [
    ...summaryOf(delivery),
    element(
      'dl',
      {},
      fact('To', dropoffText(to)),
      fact('Notes', to.dropoff_notes),
      fact('Promised', details.promised_at && listText(promisedClock(delivery), expected)),
      fact('From', listText(delivery.pickup_name, withoutCountry(delivery.pickup_address))),
      fact('Items', ...itemsOf(delivery)),
      fact(
        driver || service === fleet ? 'Driver' : 'Courier',
        driver ? recordLink(driver.id, driver.name) : carrier,
      ),
      fact('PIN', delivery.handover_pin),
      fact(
        'Paid',
        charges &&
          dollars(charges.total_cost - charges.refund) +
            (charges.refund ? `, refunded ${dollars(-charges.refund)}` : ''),
      ),
      fact('ID', id),
    ),
    element(
      'div',
      { class: 'calls' },
      phoneLink('Call the recipient', to.dropoff_phone_number),
      phoneLink('Call the driver', isOpen(delivery) ? courier_phone_number : null),
      phoneLink('Call the shop', pickup_phone_number),
      link && textLink(delivery, to, link),
      link &&
        element('p', {}, element('a', { href: link, target: '_blank', rel: 'noreferrer' }, 'Tracking page')),
    ),
    ...attemptFacts(delivery, zone),
    element('h3', {}, 'History'),
    element(
      'ol',
      { class: 'history' },
      ...historyOf(delivery).map(({ text, created_at }) =>
        element('li', {}, element('time', { datetime: created_at }, clock(created_at, zone)), ` ${text}`),
      ),
    ),
    ...proofFacts(delivery),
    ...noteFacts(details.notes ?? [], zone),
  ];
}

/** The other deliveries of the order of a delivery. */
function attemptFacts(delivery, zone) {
  const others = attemptsOf(delivery).filter(({ id }) => id !== delivery.id);
  if (others.length === 0) return [];
  const lines = others.map(({ id, status, created_at, courier_name }) =>
    element(
      'li',
      {},
      recordLink(id, `${words(status)}, ${clock(created_at, zone)}`),
      courier_name ? ` with ${courier_name}` : '',
    ),
  );
  return [element('h3', {}, 'Other attempts of this order'), element('ul', {}, ...lines)];
}

/** The history in words, with the name of the courier who has the delivery now; earlier ones are not known by name. */
function historyOf({ status_history, courier_name, service, failure_message, cancellation_reason }) {
  const last_loss = status_history.findLastIndex(({ status }) => status === 'driver_not_assigned');
  const carrier = service === fleet ? 'your drivers' : service;
  return status_history.map(({ status, created_at }, index) => {
    const who = (index > last_loss && courier_name) || (service === fleet ? 'A driver' : 'A courier');
    const because = (reason) => (reason ? `: ${reason}` : '');
    const text = {
      delivery_created: `Given to ${carrier}`,
      scheduled: `Agreed with ${carrier} for later`,
      driver_assigned: `${who} got it`,
      enroute_pickup: `${who} set off to the shop`,
      arrived_at_pickup: `${who} was at the shop`,
      pickup_complete: `${who} picked it up`,
      enroute_dropoff: `${who} set off to the recipient`,
      arrived_at_dropoff: `${who} was at the address`,
      dropoff_complete: `${who} handed it over`,
      driver_not_assigned: `${who} no longer has it`,
      delivered: 'Delivered',
      failed: `It failed${because(failure_message)}`,
      enroute_to_return: `${who} brings it back`,
      returned: 'Back at the shop',
      disputed: 'You disputed it',
      provider_canceled: `Canceled by ${carrier}${because(cancellation_reason)}`,
      customer_canceled:
        cancellation_reason === 'Rescheduled'
          ? 'You moved it to another time'
          : `You canceled it${because(cancellation_reason)}`,
      burq_canceled: `Canceled by the service${because(cancellation_reason)}`,
    }[status];
    return { text: text ?? capital(words(status)), created_at };
  });
}

/** A message with the link, for the phone or the computer that sends it. */
function textLink({ pickup_name }, to, link) {
  if (!to.dropoff_phone_number) return null;
  const body = encodeURIComponent(`Your order${pickup_name ? ` from ${pickup_name}` : ''}: ${link}`);
  const href = `sms:+${to.dropoff_phone_number}?&body=${body}`;
  return element('p', {}, element('a', { href }, 'Text the link'));
}

function proofFacts({ proof_of_delivery, signature, details, pickup_address }) {
  const proofs = proof_of_delivery.map(({ type, url, created_at }) => {
    const parsed = URL.parse(url, location.href);
    const label = `${words(type)}, ${clock(created_at, zoneOf(pickup_address))}`;
    if (!parsed?.protocol.startsWith('http') || type === 'pin') return element('li', {}, label);
    const link = element('a', { href: parsed.href, target: '_blank', rel: 'noreferrer' }, label);
    const picture =
      parsed.origin === location.origin
        ? element('img', { src: parsed.href, alt: `${words(type)} of the delivery`, loading: 'lazy' })
        : null;
    return element('li', {}, link, picture);
  });
  if (signature?.name) proofs.push(element('li', {}, `signed by ${signature.name}`));
  if (details.pin_unverified) proofs.push(element('li', {}, 'the PIN could not be checked'));
  if (details.no_photo_reason) proofs.push(element('li', {}, `no photo: ${details.no_photo_reason}`));
  return proofs.length === 0 ? [] : [element('h3', {}, 'Proof'), element('ul', {}, ...proofs)];
}

function noteFacts(notes, zone) {
  if (notes.length === 0) return [];
  return [
    element('h3', {}, 'Notes'),
    element(
      'ul',
      {},
      ...notes.map(({ text, tags, created_at }) =>
        element(
          'li',
          {},
          element('time', { datetime: created_at }, clock(created_at, zone)),
          ` ${text}${tags.length > 0 ? ` [${tags.map(words).join(', ')}]` : ''}`,
        ),
      ),
    ),
  ];
}

/** How auto dispatch tries an order. */
function waitingFacts({ waiting_since, reason, attempts, next_attempt_at, retry_until }, zone) {
  const waits = `Waiting for a courier for ${lengthOf(minutesSince(waiting_since))}`;
  const next = next_attempt_at ? `the next one at ${clock(next_attempt_at, zone)}` : 'one is under way';
  return [
    paragraph('summary state', reason ? `${waits}: ${reason}` : waits),
    paragraph('summary', `${counted(attempts, 'attempt')}, ${next}, until ${clock(retry_until, zone)}`),
  ];
}

function orderFacts(order, waiting) {
  const zone = zoneOf(order.pickup_address);
  return [
    ...(waiting ? waitingFacts(waiting, zone) : [paragraph('summary state', `Order ${words(order.status)}`)]),
    element(
      'dl',
      {},
      fact('To', dropoffText(order)),
      fact('Notes', order.dropoff_notes),
      fact('From', listText(order.pickup_name, withoutCountry(order.pickup_address))),
      fact('Items', ...itemsOf(order)),
      fact('ID', order.id),
    ),
    element(
      'div',
      { class: 'calls' },
      phoneLink('Call the recipient', order.dropoff_phone_number),
      phoneLink('Call the shop', order.pickup_phone_number),
    ),
  ];
}
