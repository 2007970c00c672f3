import type { Delivery } from '../../../contract/deliveries.ts';
import type { Stop } from '../../../contract/routes.ts';
import { fleet_provider } from '../../../contract/vocabulary.ts';
import { BadOutcome } from '../../kit/errors/failure.ts';
import type { Context } from '../../session/context.ts';
import { type DriverPhone, driverPhone } from './driver-phone.ts';
import { driver, driverStep, driveStep, dutyStep, type TourTap } from './fleet-steps.ts';
import {
  dispatchOrder,
  interruption_text,
  resultStep,
  statusWatch,
  stepNumbers,
  type TourStatus,
} from './tour.ts';
import type { TourStep } from './tour-steps.ts';

/** Functions that the tour calls between its steps. */
export interface FleetShow {
  /** Pauses before the next tap, so that people can read what happened. */
  pause(next: TourTap | 'duty'): Promise<void>;
  /** Receives the link of the driver's page once it is printed. */
  opened(link: string): Promise<void>;
}

/** A tap, and how much service time passes before it. */
interface PlannedTap {
  kind: TourTap;
  after_s: number;
  /** The stop that the driver has to reach before the tap: the clock advances to its expected time. */
  reaches?: Stop['kind'];
}

const plannedTaps: readonly PlannedTap[] = [
  { kind: 'accept', after_s: 20 },
  { kind: 'start_pickup', after_s: 60 },
  { kind: 'arrive_pickup', after_s: 60, reaches: 'pickup' },
  { kind: 'pick_up', after_s: 180 },
  { kind: 'start_dropoff', after_s: 60 },
  { kind: 'arrive_dropoff', after_s: 60, reaches: 'dropoff' },
  { kind: 'deliver', after_s: 120 },
];

/** The position at which the driver goes on duty: in Millennium Park, a few minutes from the pickup. */
const start = { lat: 41.8827, lng: -87.6233 };

/**
 * Takes one order through the whole flow with a driver of the own fleet, who taps through the driver's page. Yields
 * each step once it is done, and each status on the way. Someone may use the page meanwhile: a tap that is no longer
 * possible has no effect.
 */
export async function* fleetTour(context: Context, show: FleetShow): AsyncGenerator<TourStep | TourStatus> {
  context.setInterruptionText(interruption_text);
  const numbered = stepNumbers();
  const client = await context.client();
  const added = await client.drivers.create({
    body: driver,
    idempotencyKey: context.idempotencyKey('driver'),
  });
  const { id, link } = added.data;
  if (link === null) throw new BadOutcome('The driver has no link.');
  yield numbered(driverStep(added.data));
  await show.opened(link);
  const phone = driverPhone(context, link);
  await show.pause('duty');
  await phone.tap({ kind: 'duty', on: true }, start);
  const { data: onDuty } = await client.drivers.get({ params: { driver_id: id } });
  yield numbered(dutyStep(onDuty));
  const delivery = yield* dispatchOrder(context, { provider: fleet_provider }, numbered);
  yield numbered(driveStep(delivery));
  const delivered = yield* drive(context, delivery, phone, show);
  yield numbered(await resultStep(context, delivered));
}

/** Taps from the offer to the door. Yields each status once it is reported, and returns the delivered one. */
async function* drive(
  context: Context,
  { id, route_id }: Delivery,
  phone: DriverPhone,
  show: FleetShow,
): AsyncGenerator<TourStatus, Delivery> {
  const client = await context.client();
  const route = await client.routes.get({ params: { route_id: route_id ?? '' } });
  const watch = statusWatch(context, id);
  let delivery = yield* watch();
  for (const { kind, after_s, reaches } of plannedTaps) {
    if (delivery.status === 'delivered') break;
    await show.pause(kind);
    const expected = reaches === undefined ? 0 : secondsUntil(delivery, reaches, context.serviceNow());
    const by = Math.max(after_s, expected);
    await client.clock.advance({ body: { by } });
    const stop = route.data.stops.find((each) => each.kind === reaches);
    const offer_id = kind === 'accept' ? await phone.offer() : null;
    const target = offer_id === null ? { delivery_ids: [id] } : { offer_id };
    await phone.tap({ kind, ...target }, stop);
    delivery = yield* tappedStatuses(watch(), kind);
  }
  if (delivery.status !== 'delivered') throw new BadOutcome(`The delivery is ${delivery.status}.`);
  return delivery;
}

/** Adds the tap to each status that it caused. */
async function* tappedStatuses(
  statuses: AsyncGenerator<TourStatus, Delivery>,
  tap: TourTap,
): AsyncGenerator<TourStatus, Delivery> {
  for (;;) {
    const { done, value } = await statuses.next();
    if (done) return value;
    yield { ...value, tap };
  }
}

/** The service time until the driver is expected at a stop, in whole seconds. */
function secondsUntil({ pickup_eta, dropoffs }: Delivery, kind: Stop['kind'], now: number): number {
  const eta = kind === 'pickup' ? pickup_eta : (dropoffs[0]?.dropoff_eta ?? '');
  return Math.ceil((Date.parse(eta) - now) / 1000) || 0;
}
