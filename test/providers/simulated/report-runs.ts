import fc from 'fast-check';
import type { DeliveryStatus } from '../../../src/contract/vocabulary.ts';
import { canMove, effectOf, type Reported } from '../../../src/domain/delivery-states.ts';
import { isScenario, scenarioNames } from '../../../src/domain/scenarios.ts';
import { planStops } from '../../../src/domain/stops.ts';
import type { DueReport } from '../../../src/providers/port.ts';
import { acceptedRoute, now, place, tomorrow } from './requests.ts';

const zips = ['60611', '60606', '60614', '60657'];
const anyPlace = fc
  .tuple(fc.constantFrom('1 Shop St', '2 Home St'), fc.constantFrom(...zips))
  .map(([street, zip]) => place(street, zip));

const preferences = fc.record({
  scenario: fc.constantFrom(...scenarioNames.filter(isScenario)),
  request_signature: fc.boolean(),
  request_contactless: fc.boolean(),
});

/** Random orders at few addresses, so that stops coincide; scheduled or not. */
export const anyRoute = fc
  .record({
    ends: fc.array(fc.record({ pickup: anyPlace, dropoff: anyPlace }), { minLength: 1, maxLength: 4 }),
    wishes: fc.array(preferences, { minLength: 4, maxLength: 4 }),
    optimize: fc.boolean(),
    pickup_at: fc.constantFrom(null, now + 60_000, tomorrow),
    fraction: fc.double({ min: 0, max: 0.999999, noNaN: true }),
  })
  .map(({ ends, wishes, optimize, pickup_at, fraction }) => {
    const orders = ends.map((end, index) => ({ id: `ord_${index}`, ...end }));
    const stops = planStops(orders, { optimize });
    const chance = (purpose: string) => (fraction + purpose.length / 37) % 1;
    return acceptedRoute(orders, wishes, { stops, pickup_at, chance });
  });

/** The final status of the reports, each a legal transition. Throws otherwise. */
export function finalStatus(reports: readonly DueReport[], from: DeliveryStatus): DeliveryStatus {
  const inOrder = [...reports].sort((left, right) => left.report.occurred_at - right.report.occurred_at);
  return inOrder.reduce<DeliveryStatus>((status, { report }) => {
    if (report.status === null || report.status === status) return status;
    if (!canMove(status, report.status)) throw new Error(`${status} to ${report.status}`);
    return report.status;
  }, from);
}

/** The final status for a receiver that applies the reports as they arrive. */
export function appliedStatus(reports: readonly DueReport[], from: DeliveryStatus): DeliveryStatus {
  const start: Reported = { status: from, reported_at: 0 };
  return reports.reduce<Reported>((known, { report }) => {
    const { status, occurred_at } = report;
    const moves = status !== null && effectOf(report, known) === 'moved';
    return moves ? { status, reported_at: occurred_at } : known;
  }, start).status;
}

/** The possible final statuses of reports. */
export const ends = ['delivered', 'returned', 'failed', 'provider_canceled', 'burq_canceled'];
