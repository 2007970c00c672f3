/** The actions on the delivery, order or driver in the panel, with a form for each. */

function deliveryActions(delivery) {
  const { id, status, service } = delivery;
  const isOwn = service === fleet && isOpen(delivery);
  const current = driverWith(delivery);
  const isOther = (driver) => driver.id !== current?.id;
  const hasOthers = isOwn && records.drivers.some(isOther);
  const needsDecision = isUndecided(delivery);
  const target = hasOthers ? targetOfDelivery(delivery) : null;
  const actions = [
    needsDecision &&
      element(
        'p',
        { class: 'bad', 'data-key': 'decide' },
        'This needs a decision: try it again, or close it with a note.',
      ),
    delivery.details.pin_locked && isOpen(delivery) && unlockAction(delivery),
    target &&
      needsGiving(delivery, target) &&
      giveAction(target, isOther, (driver_id, seen) => handOver([id], driver_id, seen)),
    isOpen(delivery) && callAction(...callOf(delivery, current)),
    target && assignForm(target, current, isOther),
    isOwn && current && reportForm(delivery),
    end_kinds[status] && retryForm(delivery),
    noteForm(delivery, 'note', 'Add a note', 'Note, for your people only', []),
    needsDecision &&
      noteForm(delivery, 'close', 'Close without another try', 'What was decided', [closed_tag]),
    isOpen(delivery) && cancelForm(delivery),
    status === 'delivered' && disputeForm(delivery),
  ];
  const first = firstActions[kindOf(delivery)] ?? [];
  return withSeen(actions.filter(Boolean), { [id]: seenOf(delivery) }, first);
}

/** What solves each kind of problem, the best first. */
const firstActions = {
  locked: ['unlock'],
  no_driver: ['give', 'assign'],
  late: ['give', 'call'],
  stuck: ['call'],
  unverified: ['note'],
  failed: ['retry', 'close'],
  canceled: ['retry', 'close'],
  returned: ['retry', 'close'],
};

/** Whether another driver is the answer: nobody has it, or it is late, still at the shop, and theirs would be sooner. */
function needsGiving(delivery, target) {
  const current = driverWith(delivery);
  if (!current) return true;
  if (lateMinutes(delivery) === 0 || picked_up.includes(delivery.status)) return false;
  const best = suggested(target, (driver) => driver.id !== current.id);
  const eta = Math.max(Date.parse(recipientOf(delivery).dropoff_eta) || 0, now());
  return best !== undefined && eta - Date.parse(best.at) >= late_tolerance_ms;
}

/** The label and number of the call that tells where a delivery is: to its courier, or else to the shop. */
function callOf({ courier_phone_number, courier_name, pickup_phone_number }, driver) {
  const name = courier_name ?? driver?.name ?? 'the courier';
  return courier_phone_number
    ? [`Call ${name}`, courier_phone_number]
    : ['Call the shop', pickup_phone_number];
}

const unlockAction = ({ id }) =>
  press('unlock', 'Let the driver try again', async (seen) => {
    take(await call('POST', `/v2/deliveries/${id}/unlock`, seen[id]));
    return did('The driver can enter the PIN again.');
  });

function assignForm(target, current, isOther) {
  const label = current ? 'Hand over to…' : 'Assign to…';
  const fields = [
    driverChoice('Driver', target, isOther),
    paragraph('soft', 'The deliveries of its route move together.'),
  ];
  return form('assign', label, fields, (data, seen) => handOver([target.id], data.get('driver'), seen));
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
  let max_cost;
  const termsOf = (terms) => {
    max_cost = terms.cost ?? undefined;
    return retryTerms(terms);
  };
  return pricedForm('retry', 'Try again…', path, termsOf, [], async (_, seen) => {
    // For no more than what the form says.
    const created = await call('POST', path, { ...seen[id], max_cost });
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
    'danger',
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
    async (data, seen) => {
      take(await call('POST', `/v1/delivery/${id}/dispute`, { reason: data.get('reason'), ...seen[id] }));
      return did('Disputed.');
    },
  );
}

function orderActions(order, waiting) {
  const seen = { [order.id]: { if_status: order.status } };
  return withSeen(actionsOfOrder(order, waiting), seen, ['give', 'assign', 'again', 'release']);
}

function actionsOfOrder(order, waiting) {
  const { id, status } = order;
  const hint = (text) => [paragraph('soft', text)];
  if (status === 'unfulfilled') {
    const fields = hint('As a new order, which you then assign or dispatch.');
    return [form('again', 'Create it again', fields, () => createAgain(order, null))];
  }
  if (status === 'routed' && !waiting) {
    const fields = hint('Its draft route is deleted. Its orders are open again, to assign or dispatch.');
    return [form('release', 'Open it again', fields, () => openAgain(order))];
  }
  if (!waiting && status !== 'open') return [];
  const isAnyone = () => true;
  const target = records.drivers.length > 0 ? targetOfOrder(order) : null;
  const give = (driver_id, seen) => giveOrder(order, waiting ? seen[id] : null, driver_id);
  const cancelFields = [element('p', {}, 'Nothing was charged for it.')];
  const actions = [
    target && giveAction(target, isAnyone, give),
    target &&
      form('assign', 'Assign to…', [driverChoice('Driver', target, isAnyone)], (data, seen) =>
        give(data.get('driver'), seen),
      ),
    waiting &&
      form(
        'again',
        'Take it out of auto dispatch…',
        hint('It is canceled and created again as a new order, which you then assign or dispatch.'),
        (_, seen) => createAgain(order, seen[id]),
        'plain',
      ),
    form('cancel', 'Cancel the order…', cancelFields, (_, seen) => cancelOrder(id, seen[id]), 'danger'),
  ];
  return actions.filter(Boolean);
}

async function openAgain({ route_id }) {
  await call('DELETE', `/v2/routes/${route_id}`);
  refresh();
  return did('The draft route is deleted.');
}

async function cancelOrder(id, seen) {
  await call('POST', `/v2/orders/${id}/cancel`, seen);
  records.waiting = records.waiting.filter(({ order }) => order.id !== id);
  records.open_orders = records.open_orders.filter((order) => order.id !== id);
  return did('The order is canceled.');
}

/** Gives an order to a driver; one that auto dispatch still tries is canceled and created again for it. */
async function giveOrder(order, replaced, driver_id) {
  const { id } = replaced ? await recreate(order, replaced) : order;
  return dispatchTo(id, driver_id);
}

/** The fields that a new order copies from one that no courier took. */
const order_fields = [
  ...['address', 'name', 'phone_number', 'unit', 'notes'].flatMap((each) => [
    `pickup_${each}`,
    `dropoff_${each}`,
  ]),
  'dropoff_email',
  'items',
  'items_description',
  'external_order_ref',
  'order_value',
  'tip',
  'request_signature',
  'request_contactless',
  'vehicle',
  'undeliverable_action',
  'pickup_store_id',
  'pickup_at',
  'dropoff_at',
];

async function createAgain(order, replaced) {
  const { id } = await recreate(order, replaced);
  setTimeout(() => openPanel(id, true));
  return did('Created again: this is the new order.');
}

/** Creates an order again; `replaced` is what was seen of one that is still tried, and is canceled. */
async function recreate(order, replaced) {
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
  // A store stands for the place of the pickup, unless it was deleted.
  const { stores } = records;
  if (!stores.isCut && !stores.some(({ id }) => id === copy.pickup_store_id)) delete copy.pickup_store_id;
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
      // Without an answer it may be canceled: the new one stays then, and while nobody knows.
      const isRefused = error instanceof Refused;
      const { status } = isRefused ? order : await call('GET', `/v2/orders/${order.id}`);
      if (status !== 'canceled') {
        await call('POST', `/v2/orders/${created.id}/cancel`, {});
        throw error;
      }
    }
    records.waiting = records.waiting.filter((each) => each.order.id !== order.id);
  }
  records.open_orders.push(created);
  return created;
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
      unique_ref: true,
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
