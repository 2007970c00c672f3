/**
 * The list of drivers, each with a line of time on which the stops are marked in order; the facts of a driver in the panel,
 * and the hand-over of deliveries to another driver.
 */

/** The shortest and the longest line of time, in minutes. */
const min_span = 60;
const max_span = 240;

/** The minutes that the lines of time show: up to the last stop of any driver. */
function spanOf(drivers) {
  const last = drivers
    .flatMap(({ stops }) => stops)
    .map(({ expected_at }) => (Date.parse(expected_at) - now()) / 60000);
  const needed = Math.max(min_span, ...last.filter((minutes) => minutes > 0));
  return Math.min(max_span, Math.ceil(needed / 30) * 30);
}

/** The deliveries of a stop that are on the board. */
const deliveriesOf = ({ delivery_ids }) =>
  delivery_ids.map((id) => records.deliveries.get(id)).filter(Boolean);
const lateOf = (stop) => (stop.kind === 'dropoff' ? Math.max(0, ...deliveriesOf(stop).map(lateMinutes)) : 0);
const latestOf = (driver) => Math.max(0, ...driver.stops.map(lateOf));
const heldBy = ({ deliveries }) => deliveries.filter(({ picked_up }) => picked_up).length;

function ageText({ location: at }) {
  if (!at) return 'never seen';
  const minutes = minutesSince(at.recorded_at);
  return minutes === 0 ? 'seen now' : `seen ${lengthOf(minutes)} ago`;
}

/** The time of the driver's last position, tap or change of duty. A new stop counts, too. */
function heardAt({ name, phone_number, updated_at }) {
  const carried = [...records.deliveries.values()].filter(
    (each) =>
      each.service === fleet && each.courier_name === name && each.courier_phone_number === phone_number,
  );
  const moves = carried
    .flatMap(({ status_history }) => status_history)
    .filter(({ status }) => tapped_statuses.includes(status));
  return [updated_at, ...moves.map(({ created_at }) => created_at)].sort().at(-1);
}

const isSilent = (driver) =>
  driver.on_duty && driver.stops_left > 0 && minutesSince(heardAt(driver)) >= silent_minutes;

function driverState(driver) {
  const late = latestOf(driver);
  if (!driver.on_duty) return 'Off duty';
  if (driver.stops_left === 0) return 'Free';
  if (isSilent(driver)) return 'Silent';
  return late > 0 ? `Late +${lengthOf(late)}` : 'On time';
}

function drawDriver({ driver, span }) {
  const { name, on_duty, stops, stops_left } = driver;
  const late = latestOf(driver);
  const held = heldBy(driver);
  const marks = stops.map((stop, index) => drawStop(stop, index, span));
  const tone = !on_duty && stops_left > 0 ? 'bad' : isSilent(driver) || late > 0 ? 'late' : '';
  const next = stops[0] ? `, next ${placeOf(stops[0])}` : '';
  return [
    inline(
      'line',
      element('b', {}, name),
      ' ',
      inline(`word ${tone}`, driverState(driver)),
      ' ',
      inline(
        'side soft',
        listText(counted(stops_left, 'stop'), held > 0 && `${held} on board`, ageText(driver)),
      ),
    ),
    ' ',
    element('span', { class: 'lane', 'aria-hidden': 'true' }, ...marks),
    inline('unseen', next),
  ];
}

/** A mark on the line of time; two of the same minute lie side by side. */
function drawStop(stop, index, span) {
  const minutes = stop.expected_at ? (Date.parse(stop.expected_at) - now()) / 60000 : span;
  const late = lateOf(stop) > 0;
  const count = stop.delivery_ids.length;
  const mark = element(
    'i',
    { class: stop.kind + (late ? ' late' : '') },
    late ? '!' : stop.kind === 'return' ? '↩' : count > 1 ? String(count) : '',
  );
  mark.style.left = `calc(${Math.max(0, Math.min(1, minutes / span))} * (100% - 1rem))`;
  mark.style.zIndex = 100 - index;
  return mark;
}

/** Whom or where a stop is. */
function placeOf(stop) {
  const { kind, address } = stop;
  const known = deliveriesOf(stop);
  const [street] = address.split(',');
  const name =
    kind === 'dropoff' ? recipientOf(known[0] ?? { dropoffs: [] }).dropoff_name : known[0]?.pickup_name;
  return (kind === 'pickup' ? 'pickup at ' : kind === 'return' ? 'return to ' : '') + (name || street);
}

const driverList = createList(one('#driver-list'), {
  row_rem: 3.25,
  max_drawn: 42,
  draw: drawDriver,
  open: openItem,
});

function showDrivers() {
  const { drivers } = records;
  const span = spanOf(drivers);
  const shown = drivers.filter(({ id }) => !filters.driver || id === filters.driver);
  driverList.set(shown.map((driver) => ({ id: driver.id, driver, span, tone: driver.on_duty ? '' : 'off' })));
  one('#driver-count').textContent =
    `${drivers.filter(({ on_duty }) => on_duty).length} of ${drivers.length} on duty`;
  one('#driver-none').hidden = drivers.length > 0 || records.read_at === null;
  const zone = shopZone();
  const ticks = [0, 1, 2, 3].map((part) =>
    element('span', {}, clock(now() + (part * span * 60000) / 4, zone)),
  );
  one('#axis').replaceChildren(...ticks);
  one('#axis').hidden = shown.length === 0;
}

/** The facts of a driver in the panel, with the stops in order. */
function driverFacts(driver) {
  const { phone_number, on_duty, stops, vehicle_type } = driver;
  const late = latestOf(driver);
  return [
    paragraph(
      `summary state${late > 0 || isSilent(driver) ? ' late' : ''}`,
      listText(
        on_duty ? 'On duty' : 'Off duty',
        words(vehicle_type),
        `${counted(heldBy(driver), 'parcel')} picked up`,
        ageText(driver),
        late > 0 && `${lengthOf(late)} late`,
      ),
    ),
    phoneLink('Call the driver', phone_number),
    element('h3', {}, stops.length === 0 ? 'No stops' : 'Stops in order'),
    element('ol', { class: 'stops' }, ...stops.map(stopFact)),
  ];
}

function stopFact(stop) {
  const minutes = lateOf(stop);
  const [first] = deliveriesOf(stop);
  const label = placeOf(stop);
  const count = stop.delivery_ids.length;
  const time = stop.expected_at
    ? expectedClock(stop.expected_at, zoneOf(stop.address), first?.details)
    : 'at the end';
  return element(
    'li',
    {},
    inline(`side${minutes > 0 ? ' late' : ''}`, listText(time, minutes > 0 && `${lengthOf(minutes)} late`)),
    ' ',
    first && stop.kind === 'dropoff' ? recordLink(first.id, label) : element('b', {}, capital(label)),
    inline('soft', withoutCountry(stop.address) + (count > 1 ? `, ${count} orders` : '')),
  );
}

function driverActions(driver) {
  const { id, deliveries } = driver;
  if (deliveries.length === 0) return [];
  const known = deliveries.map((each) => ({ ...each, ...records.deliveries.get(each.id) }));
  const seen = known.map((each) => [each.id, { from_driver_id: id, if_status: each.status }]);
  const target = targetOfDelivery({ details: {}, ...known[0] });
  const actions = [
    callAction(`Call ${driver.name}`, driver.phone_number),
    form(
      'hand-over',
      'Hand over…',
      [
        element(
          'fieldset',
          {},
          element('legend', {}, 'Deliveries to hand over'),
          paragraph('soft', 'What is on one route moves together.'),
          ...deliveries.map((each) => {
            const known = records.deliveries.get(each.id);
            const title = titleOf(
              each.external_order_ref,
              known ? recipientOf(known).dropoff_name : '',
              each.id,
            );
            return element(
              'label',
              { class: 'tick' },
              element('input', { type: 'checkbox', name: 'ids', value: each.id, checked: true }),
              ` ${title}${each.picked_up ? ', picked up' : ''}`,
            );
          }),
        ),
        driverChoice('To', target, (other) => other.id !== id),
      ],
      async (data, seenThen) => {
        const ids = data.getAll('ids');
        if (ids.length === 0) throw new Refused('Tick at least one delivery.');
        return handOver(ids, data.get('driver'), seenThen);
      },
    ),
  ];
  return withSeen(
    actions,
    Object.fromEntries(seen),
    isSilent(driver) ? ['call'] : driver.on_duty ? [] : ['hand-over'],
  );
}

/** The drivers who get scheduled deliveries later, by delivery, as far as the service has said in an answer. */
const planned_drivers = new Map();

/** Gives each of the deliveries to a driver, and says of each what the service answered. */
async function handOver(ids, driver_id, seen) {
  const name = records.drivers.find(({ id }) => id === driver_id)?.name ?? driver_id;
  const results = [];
  const seen_after = {};
  let hasChanged = false;
  const moved = new Set();
  for (const id of ids) {
    let title = id;
    try {
      const { route_id, external_order_ref, dropoffs } =
        records.deliveries.get(id) ?? (await call('GET', `/v1/delivery/${id}`));
      title = titleOf(external_order_ref, dropoffs[0]?.dropoff_name, id);
      if (!moved.has(route_id)) {
        const { from_driver_id, if_status } = seen[id];
        const from_id = from_driver_id === nobody ? (planned_drivers.get(id) ?? nobody) : from_driver_id;
        const body = { delivery_id: id, from_driver_id: from_id, if_status };
        const { status } = await call('POST', `/v2/drivers/${driver_id}/assignments`, body);
        planned_drivers.set(id, driver_id);
        seen_after[id] = { from_driver_id: driver_id, if_status: status };
      }
      moved.add(route_id);
      results.push({ text: `${title}: given to ${name}`, isDone: true, id });
    } catch (error) {
      if (error.code === changed_code) {
        hasChanged = true;
        const holder_id = error.related_ids.find((each) => each !== id);
        if (holder_id) planned_drivers.set(id, holder_id);
        else planned_drivers.delete(id);
      }
      const reason =
        error instanceof Refused ? error.message : `no connection, it is not known whether ${name} has it`;
      results.push({ text: `${title}: ${reason}`, isDone: false });
    }
  }
  await readRest().catch(() => {});
  const given = results.filter(({ isDone }) => isDone).map(({ id }) => id);
  const from = records.drivers.find(({ id }) => id === seen[ids[0]]?.from_driver_id);
  const undo =
    from && given.length > 0
      ? { label: `Give back to ${from.name}`, run: () => handOver(given, from.id, seen_after) }
      : null;
  return { results, undo, hasChanged };
}
