/** The list of what needs a person, worst first, and how it is counted. */

/** The kinds of problems, worst first, each with its word and its color: red is what only a person can solve. */
const kinds = {
  unfulfilled: ['No courier', 'bad'],
  off_duty: ['Off duty', 'bad'],
  locked: ['PIN locked', 'bad'],
  failed: ['Failed', 'bad'],
  canceled: ['Canceled', 'bad'],
  returned: ['Returned', 'bad'],
  unsent: ['Not sent', 'late'],
  no_driver: ['No driver', 'late'],
  late: ['Late', 'late'],
  stuck: ['Stuck', 'late'],
  waiting: ['Waiting', ''],
  unverified: ['No proof', 'late'],
  silent: ['Silent', 'late'],
};
const kind_names = Object.keys(kinds);
/** How long an order may wait for one of the own drivers, and a driver on duty without a position. */
const no_driver_minutes = 5;
const silent_minutes = 10;

function problemsNow() {
  const deliveries = [...records.deliveries.values()];
  const found = [
    ...records.waiting.map(waitingProblem),
    ...records.open_orders.flatMap(unsentProblem),
    ...records.drivers.flatMap(driverProblems),
    ...deliveries.flatMap(deliveryProblem),
  ];
  const rank = ({ kind }) => kind_names.indexOf(kind);
  const by = problem_sorts[filters.sort] ?? problem_sorts[''];
  return found.sort((a, b) => rank(a) - rank(b) || by(a, b) || b.minutes - a.minutes);
}

/** Orders without a time are sorted last. */
const dueOf = ({ due }) => due ?? '9';

/** The order of problems of one kind. */
const problem_sorts = {
  '': (a, b) => b.minutes - a.minutes,
  newest: (a, b) => a.minutes - b.minutes,
  promised: (a, b) => dueOf(a).localeCompare(dueOf(b)),
  store: (a, b) => a.store.localeCompare(b.store),
};

function waitingProblem({ order, waiting_since, next_attempt_at, reason }) {
  const minutes = minutesSince(waiting_since);
  const next =
    next_attempt_at === null
      ? 'being tried now'
      : `next try ${clock(next_attempt_at, zoneOf(order.pickup_address))}`;
  return {
    kind: 'waiting',
    id: order.id,
    minutes,
    store: storeOf(order),
    driver: '',
    due: order.dropoff_at ?? order.pickup_at,
    title: titleOf(order.external_order_ref, order.dropoff_name, order.id),
    detail: (reason ? `${reason}, ` : 'no courier yet, ') + next,
    side: lengthOf(minutes),
  };
}

/** An order that nobody has dispatched, or that auto dispatch gave up and that was not created again. */
function unsentProblem(order) {
  if (order.status === 'unfulfilled' && isCreatedAgain(order)) return [];
  const { id, external_order_ref, dropoff_name, created_at, pickup_at, dropoff_at } = order;
  const zone = zoneOf(order.pickup_address);
  const due = pickup_at
    ? `pickup at ${clock(pickup_at, zone)}, `
    : dropoff_at
      ? `due at ${clock(dropoff_at, zone)}, `
      : '';
  const minutes = minutesSince(created_at);
  return [
    {
      kind: order.status === 'unfulfilled' ? 'unfulfilled' : 'unsent',
      id,
      minutes,
      store: storeOf(order),
      driver: '',
      due: dropoff_at ?? pickup_at,
      title: titleOf(external_order_ref, dropoff_name, id),
      detail: due + dropoffText(order),
      side: lengthOf(minutes),
    },
  ];
}

function isCreatedAgain({ external_order_ref: ref, created_at, delivery_id }) {
  // The failure of its last delivery is listed itself.
  if (records.deliveries.has(delivery_id)) return true;
  const others = [...records.deliveries.values(), ...records.open_orders];
  return ref !== '' && others.some((each) => each.external_order_ref === ref && each.created_at > created_at);
}

function driverProblems(driver) {
  const { id, name, on_duty, deliveries, stops_left, location: at } = driver;
  const held = heldBy(driver);
  const base = { id, title: name, store: '', driver: id };
  if (!on_duty && deliveries.length > 0) {
    const detail =
      held > 0 ? `still has ${counted(held, 'parcel')}` : `has ${counted(stops_left, 'stop')} left`;
    return [{ ...base, kind: 'off_duty', minutes: held, detail, side: counted(stops_left, 'stop') }];
  }
  if (!isSilent(driver)) return [];
  const minutes = minutesSince(heardAt(driver));
  const detail =
    (at ? 'no position and no tap for ' : 'no position yet, and no tap for ') + lengthOf(minutes);
  return [{ ...base, kind: 'silent', minutes, detail, side: counted(stops_left, 'stop') }];
}

function deliveryProblem(delivery) {
  const kind = kindOf(delivery);
  if (kind === null) return [];
  const { id, external_order_ref, failure_message, cancellation_reason } = delivery;
  const to = recipientOf(delivery);
  const driver = driverWith(delivery);
  const late = lateMinutes(delivery);
  const minutes = kind === 'late' ? late : minutesSince(enteredAt(delivery));
  const reasons = {
    locked: `after ${max_wrong_pins} wrong PINs`,
    no_driver: `no driver for ${lengthOf(minutes)}`,
    late: lateText(delivery),
    stuck: `${words(delivery.status)}, no report since ${clock(delivery.updated_at, zoneOf(delivery.pickup_address))}`,
    unverified: delivery.details.notes?.[0]?.text,
  };
  const detail = reasons[kind] ?? (failure_message || cancellation_reason || words(delivery.status));
  return [
    {
      kind,
      id,
      minutes,
      store: storeOf(delivery),
      driver: driver?.id ?? '',
      status: delivery.status,
      due: delivery.details.promised_at,
      title: titleOf(external_order_ref, to.dropoff_name, id),
      detail: listText(detail, dropoffText(to)),
      side:
        kind === 'late'
          ? `+${lengthOf(late)}`
          : bad_ends.includes(delivery.status)
            ? clock(enteredAt(delivery), zoneOf(delivery.pickup_address))
            : lengthOf(minutes),
    },
  ];
}

function kindOf(delivery) {
  if (isUndecided(delivery)) return end_kinds[delivery.status];
  if (isUnverified(delivery)) return 'unverified';
  if (!isOpen(delivery)) return null;
  if (delivery.details.pin_locked) return 'locked';
  const waits = delivery.status === 'delivery_created' || delivery.status === 'driver_not_assigned';
  const isOwn = delivery.service === fleet;
  if (isOwn && waits && minutesSince(enteredAt(delivery)) >= no_driver_minutes) return 'no_driver';
  if (lateMinutes(delivery) > 0) return 'late';
  return overdueBy(delivery, now()) >= stuck_after_ms ? 'stuck' : null;
}

function lateText(delivery) {
  const eta = recipientOf(delivery).dropoff_eta;
  const zone = zoneOf(delivery.pickup_address);
  const at = expectedClock(eta, zone, delivery.details);
  const expected = Date.parse(eta) > now() ? `now ${at}` : `was expected ${at}`;
  return `promised ${promisedClock(delivery)}, ${expected}`;
}

function showProblems() {
  const problems = problemsNow().filter(matchesFilters);
  const counts = kind_names.map((kind) => ({
    kind,
    count: problems.filter((each) => each.kind === kind).length,
  }));
  const chosen = counts.some(({ kind, count }) => kind === filters.kind && count > 0) ? filters.kind : '';
  one('#act-count').textContent = problems.length;
  const chips = counts
    .filter(({ count }) => count > 0)
    .map(({ kind, count }) => {
      const [word, tone] = kinds[kind];
      return element(
        'button',
        {
          type: 'button',
          class: `chip ${tone}`,
          'data-key': kind,
          'data-kind': kind,
          'aria-pressed': String(chosen === kind),
        },
        `${word} ${count}`,
      );
    });
  setChildren(one('#kinds'), chips);
  const shown = problems.filter(({ kind }) => chosen === '' || kind === chosen);
  actList.set(
    shown.map((each) => ({ ...each, word: kinds[each.kind][0], tone: kinds[each.kind][1], isProblem: true })),
  );
  one('#act-none').hidden = problems.length > 0;
  one('#act-none').textContent = records.read_at === null ? 'Reading…' : 'Nothing needs you now.';
}

one('#kinds').addEventListener('click', ({ target }) => {
  const { kind } = target.dataset;
  if (kind) setFilters({ kind: filters.kind === kind ? '' : kind });
});

/**
 * The filters of store, driver and state.
 * @param {{ store: string, driver: string, status?: string }} item
 */
function matchesFilters({ store, driver, status }) {
  if (filters.store && store !== filters.store) return false;
  if (filters.driver && driver !== filters.driver) return false;
  return !filters.state || groupOf(status)?.title === filters.state;
}
