/** The actions on the delivery, order or driver in the panel, with a form for each. */

/** A form that asks, acts once, and says what the service answered. */
function form(name, label, fields, act, isOpen = false) {
  const button = element('button', {}, label.replace('…', ''));
  const made = element('form', { 'data-form': name }, ...fields, button);
  const action = element('details', { open: isOpen, 'data-key': name }, element('summary', {}, label), made);
  made.addEventListener('submit', (event) => {
    event.preventDefault();
    const data = new FormData(made);
    perform(button, () => act(data, seenIn(action)));
  });
  return Object.assign(action, { startsOpen: isOpen });
}

// Two people may look at the same record. Each action sends what its reader saw when it was opened, so that the service
// refuses it if someone else was faster.

/** What is seen of a delivery. */
const seenOf = (delivery) => ({
  if_status: delivery.status,
  ...(isOpen(delivery) ? { from_driver_id: driverWith(delivery)?.id ?? nobody } : {}),
});

/** The actions with what is seen of the records that they change, by id. */
function withSeen(actions, seen) {
  for (const action of actions) action.dataset.seen = JSON.stringify(seen);
  return actions;
}

const seenIn = (action) => JSON.parse(action.dataset.seen);

/** Reads again what someone else has changed: after that the actions that are filled in send what is seen now. */
async function lookAgain() {
  const actions = all('#actions > [data-seen]');
  const ids = new Set(actions.flatMap((action) => Object.keys(seenIn(action))));
  const deliveries = [...ids].filter((id) => records.deliveries.has(id));
  await Promise.all([readRest().catch(() => {}), ...deliveries.map(readOne)]);
  for (const action of actions) action.dataset.stale = '';
}

/** An action whose price is asked when it is opened. */
function pricedForm(name, label, path, textOf, fields, act) {
  const price = element('p', { role: 'status' }, 'Asking for the price…');
  const made = form(name, label, [price, ...fields], act);
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

/** Runs an action once; what arrives meanwhile is shown after it. */
async function perform(button, act) {
  if (button.disabled) return;
  button.disabled = true;
  busy += 1;
  showResults({ results: [{ text: 'Working…', isDone: true }], undo: null });
  let outcome;
  try {
    outcome = await act();
  } catch (error) {
    outcome = {
      results: [
        {
          text:
            error instanceof Refused
              ? error.message
              : 'No connection: it is not known whether this was done. Look again before you repeat it.',
          isDone: false,
        },
      ],
      undo: null,
      hasChanged: error.code === changed_code,
    };
  }
  if (outcome.hasChanged) await lookAgain();
  busy -= 1;
  button.disabled = false;
  if (outcome.results.every(({ isDone }) => isDone)) {
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

function deliveryActions(delivery) {
  const { status, service } = delivery;
  const isOwn = service === fleet && isOpen(delivery);
  const current = driverWith(delivery);
  const hasOthers = records.drivers.some((each) => each.id !== current?.id);
  const needsDecision = isUndecided(delivery);
  const actions = [
    needsDecision &&
      element(
        'p',
        { class: 'bad', 'data-key': 'decide' },
        'This needs a decision: try it again, or close it with a note.',
      ),
    delivery.details.pin_locked && isOpen(delivery) && unlockButton(delivery),
    isOwn && hasOthers && assignForm(delivery, current),
    isOwn && current && reportForm(delivery),
    end_kinds[status] && retryForm(delivery),
    noteForm(delivery, 'note', 'Add a note', 'Note, for your people only', []),
    needsDecision &&
      noteForm(delivery, 'close', 'Close without another try', 'What was decided', [closed_tag]),
    isOpen(delivery) && cancelForm(delivery),
    status === 'delivered' && disputeForm(delivery),
  ];
  return withSeen(actions.filter(Boolean), { [delivery.id]: seenOf(delivery) });
}

function unlockButton({ id }) {
  const button = element('button', { type: 'button', 'data-key': 'unlock' }, 'Let the driver try again');
  button.addEventListener('click', () =>
    perform(button, async () => {
      take(await call('POST', `/v2/deliveries/${id}/unlock`, seenIn(button)[id]));
      return did('The driver can enter the PIN again.');
    }),
  );
  return button;
}

function assignForm({ id }, current) {
  const label = current ? 'Hand over to…' : 'Assign to…';
  const fields = [
    driverChoice('Driver', (driver) => driver !== current),
    element('p', { class: 'soft' }, 'The deliveries of its route move together.'),
  ];
  return form('assign', label, fields, (data, seen) => handOver([id], data.get('driver'), seen), !current);
}

function reportForm({ id, status }) {
  const fields = [
    choice(
      'What happened',
      'status',
      reportable[status].map((each) => [each, words(each)]),
    ),
    choice('Why, if it goes back', 'failure_reason', [
      ['', 'not going back'],
      ...handover_failures.map((each) => [each, words(each)]),
    ]),
    textField('How you know', 'note', { required: true, maxlength: 300 }),
  ];
  return form('report', 'Report a status', fields, async (data, seen) => {
    const reason = data.get('failure_reason');
    take(
      await call('POST', `/v2/deliveries/${id}/reports`, {
        status: data.get('status'),
        note: data.get('note'),
        ...seen[id],
        ...(reason ? { failure_reason: reason } : {}),
      }),
    );
    return did(`Reported as ${words(data.get('status'))}.`);
  });
}

function retryForm({ id }) {
  const path = `/v1/delivery/${id}/retry`;
  return pricedForm('retry', 'Try again…', path, retryTerms, [], async () => {
    const created = await call('POST', path, {});
    take(created);
    setTimeout(() => openPanel(created.id, true));
    return did('Tried again: this is the new delivery.');
  });
}

function retryTerms({ retryable, reason, cost, tip, service, paid }) {
  if (!retryable || cost === null)
    return {
      text: `It cannot be tried again: ${reason || 'no provider offers a quote now'}`,
      isPossible: false,
    };
  const already_paid = paid > 0 ? `; ${dollars(paid)} was paid for this one` : '';
  return {
    text: `By ${service === fleet ? 'your own drivers' : service} for ${dollars(cost + tip)}${already_paid}.`,
    isPossible: true,
  };
}

function noteForm(delivery, name, label, question, tags) {
  const fields = [textField(question, 'text', { required: true, maxlength: 1000 })];
  return form(name, label, fields, (data, seen) =>
    // A note of what happened is true in any state; a decision is about what was seen.
    addNote(delivery, data.get('text'), tags, tags.length > 0 ? seen[delivery.id] : {}),
  );
}

async function addNote(delivery, text, tags, seen) {
  const note = await call('POST', `/v1/delivery/${delivery.id}/notes`, {
    text,
    ...(tags.length > 0 ? { tags } : {}),
    ...seen,
  });
  const known = records.deliveries.get(delivery.id) ?? delivery;
  setDelivery({ ...known, details: { ...known.details, notes: [note, ...(known.details.notes ?? [])] } });
  return did(tags.length > 0 ? 'Closed with your note.' : 'Noted.');
}

function cancelForm({ id }) {
  const path = `/v1/delivery/${id}`;
  return pricedForm(
    'cancel',
    'Cancel the delivery…',
    `${path}/cancellation`,
    cancellationTerms,
    [textField('Reason', 'reason', { maxlength: 500 })],
    async (data, seen) => {
      const reason = data.get('reason');
      take(await call('POST', `${path}/cancel`, { ...seen[id], ...(reason ? { reason } : {}) }));
      return did('Canceled.');
    },
  );
}

function cancellationTerms({ cancelable, reason, fee, fee_unknown, refund }) {
  if (!cancelable) return { text: `It cannot be canceled: ${reason}`, isPossible: false };
  if (refund === 0 && fee === 0 && !fee_unknown) return { text: 'It costs nothing.', isPossible: true };
  const costs = fee_unknown
    ? '; the courier may charge a fee that it does not tell before.'
    : ` and pay a fee of ${dollars(fee)}.`;
  return { text: `You get ${dollars(refund)} back${costs}`, isPossible: true };
}

function disputeForm({ id }) {
  return form(
    'dispute',
    'Dispute',
    [textField('What is wrong', 'reason', { required: true, maxlength: 500 })],
    async (data) => {
      take(await call('POST', `/v1/delivery/${id}/dispute`, { reason: data.get('reason') }));
      return did('Disputed.');
    },
  );
}

function orderActions(order, waiting) {
  return withSeen(actionsOfOrder(order, waiting), { [order.id]: { if_status: order.status } });
}

function actionsOfOrder(order, waiting) {
  const { id, status } = order;
  if (status === 'unfulfilled')
    return [
      form(
        'again',
        'Create it again',
        [element('p', { class: 'soft' }, 'As a new order, which you then assign or dispatch.')],
        () => createAgain(order, null),
        true,
      ),
    ];
  if (status === 'routed' && !waiting)
    return [
      form(
        'release',
        'Delete its draft route',
        [element('p', { class: 'soft' }, 'Its orders are open again, to assign or dispatch.')],
        async () => {
          await call('DELETE', `/v2/routes/${order.route_id}`);
          refresh();
          return did('The draft route is deleted.');
        },
        true,
      ),
    ];
  if (!waiting && status !== 'open') return [];
  const again = form(
    'again',
    'Take it out of auto dispatch…',
    [
      element(
        'p',
        { class: 'soft' },
        'It is canceled and created again as a new order, which you then assign or dispatch.',
      ),
    ],
    (_, seen) => createAgain(order, seen[id]),
  );
  const assign = waiting
    ? [again]
    : records.drivers.length === 0
      ? []
      : [
          form(
            'assign',
            'Assign to…',
            [driverChoice('Driver', () => true)],
            (data) => dispatchTo(id, data.get('driver')),
            true,
          ),
        ];
  return [
    ...assign,
    form(
      'cancel',
      'Cancel the order…',
      [element('p', {}, 'Nothing was charged for it.')],
      async (_, seen) => {
        await call('POST', `/v2/orders/${id}/cancel`, seen[id]);
        records.waiting = records.waiting.filter(({ order }) => order.id !== id);
        records.open_orders = records.open_orders.filter((order) => order.id !== id);
        return did('The order is canceled.');
      },
    ),
  ];
}

/** The fields that a new order copies from one that no courier took. */
const order_fields = [
  ...['address', 'name', 'phone_number', 'unit', 'notes'].flatMap((each) => [
    `pickup_${each}`,
    `dropoff_${each}`,
  ]),
  ...[
    'dropoff_email',
    'items',
    'items_description',
    'external_order_ref',
    'order_value',
    'tip',
    'request_signature',
    'request_contactless',
    'vehicle',
  ],
  ...['undeliverable_action', 'pickup_store_id', 'pickup_at', 'dropoff_at'],
];

/** Creates an order again; `replaced` is what was seen of one that is still tried, and is canceled. */
async function createAgain(order, replaced) {
  const isGiven = (value) => value !== undefined && value !== null && value !== '' && value?.length !== 0;
  const copy = Object.fromEntries(
    order_fields.filter((name) => isGiven(order[name])).map((name) => [name, order[name]]),
  );
  for (const end of ['pickup', 'dropoff']) {
    if (Date.parse(copy[`${end}_at`]) <= now()) delete copy[`${end}_at`];
    copy[`${end}_phone_number`] = `+${order[`${end}_phone_number`]}`;
    if (order[`${end}_precision`] !== 'exact') continue;
    for (const each of ['_latitude', '_longitude']) copy[end + each] = order[end + each];
  }
  // A store stands for the place of the pickup.
  if (copy.pickup_store_id)
    for (const name of Object.keys(copy))
      if (name.startsWith('pickup_') && !['pickup_store_id', 'pickup_at'].includes(name)) delete copy[name];
  // Only one of two people creates it again.
  const isUnique = !replaced && Boolean(copy.external_order_ref);
  const created = await call('POST', '/v2/orders/create', {
    orders: [copy],
    ...(isUnique ? { unique_ref: true } : {}),
  });
  if (replaced) {
    try {
      await call('POST', `/v2/orders/${order.id}/cancel`, replaced);
    } catch (error) {
      await call('POST', `/v2/orders/${created.id}/cancel`, {});
      throw error;
    }
    records.waiting = records.waiting.filter((each) => each.order.id !== order.id);
  }
  records.open_orders.push(created);
  setTimeout(() => openPanel(created.id, true));
  return did('Created again: this is the new order.');
}

/** Dispatches an order to a driver: a route of its own, the quote of the driver, and the dispatch. */
async function dispatchTo(order_id, driver_id) {
  const name = records.drivers.find(({ id }) => id === driver_id)?.name ?? driver_id;
  const route = await call('POST', '/v2/routes', { order_ids: [order_id] });
  try {
    await call('POST', `/v2/routes/${route.id}/quotes`, { driver_id });
    const quote = await ownQuote(route.id);
    const { deliveries } = await call('POST', `/v2/routes/${route.id}/dispatch`, {
      quote_id: quote.id,
      driver_id,
    });
    records.open_orders = records.open_orders.filter((order) => order.id !== order_id);
    setTimeout(() => openPanel(deliveries[0].id, true));
  } catch (error) {
    await call('DELETE', `/v2/routes/${route.id}`).catch(() => {});
    throw error;
  }
  return did(`Given to ${name}.`);
}

/** Waits for the quote of the own drivers. */
async function ownQuote(route_id) {
  for (let tries = 0; tries < 40; tries += 1) {
    const { status, data, reasons } = await call('GET', `/v2/routes/${route_id}/quotes`);
    const quote = data?.find(({ provider }) => provider === fleet);
    if (quote) return quote;
    if (status === 'COMPLETE')
      throw new Refused(`Your drivers cannot take it: ${reasons?.[0]?.reason ?? 'no quote'}.`);
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  throw new Refused('The quotes were not ready in time. Try again.');
}
