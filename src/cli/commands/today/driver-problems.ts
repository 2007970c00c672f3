import type { Client } from '../../../client/client.ts';
import { pages } from '../../../client/pages.ts';
import type { Driver } from '../../../contract/drivers.ts';
import { max_wrong_pins } from '../../../domain/order-rules.ts';
import { invocation } from '../../kit/result/message.ts';
import { handoverSteps } from '../drivers/handover-steps.ts';
import { type Found, firstRecords, type Problem } from './problem.ts';

/**
 * Lists deliveries of own drivers whose handover wrong PINs have locked, and parcels that a driver who is off duty
 * still has.
 */
export async function driverProblems(client: Client): Promise<Found> {
  const { records: drivers, isCut } = await firstRecords(pages(client.drivers.list, { limit: 100 }));
  const problems = drivers.flatMap((driver) =>
    driver.deliveries.flatMap((delivery) => [
      ...(!driver.on_duty && delivery.picked_up ? offDutyProblems(driver, delivery, drivers) : []),
      ...(delivery.pin_locked ? [lockProblem(driver, delivery)] : []),
    ]),
  );
  return { problems, isCut };
}

type OwnDelivery = Driver['deliveries'][number];

function offDutyProblems(driver: Driver, { id, external_order_ref }: OwnDelivery, all: Driver[]): Problem[] {
  const what = `is with ${driver.name}, who went off duty`;
  const record = { id, external_order_ref, what, since: null, zone: null };
  return handoverSteps(id, driver.id, all)
    .slice(0, 1)
    .map((next) => ({ kind: 'off_duty', ...record, next }));
}

function lockProblem({ name }: Driver, { id, external_order_ref }: OwnDelivery): Problem {
  const next = { ...invocation('deliveries unlock', [id]), when: 'let the driver try again' };
  const what = `is locked after ${max_wrong_pins} wrong PINs at ${name}`;
  return { kind: 'locked', id, external_order_ref, what, since: null, zone: null, next };
}
