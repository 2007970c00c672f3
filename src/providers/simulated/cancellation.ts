import { isEnded, isPickedUp } from '../../domain/delivery-states.ts';
import { halfUp } from '../../domain/money.ts';
import { scriptOf } from '../../domain/scenarios.ts';
import type { CancelAnswer, CancelRequest, CancelTerms } from '../port.ts';
import type { CancelRule, Courier } from './couriers.ts';

const MINUTE = 60_000;

/** The cost of a cancellation now. Deadlines are exclusive. */
export function cancelTerms({ name, cancel }: Courier, request: CancelRequest): CancelTerms {
  const { status, cost_of_delivery } = request;
  if (isPickedUp(status)) return { kind: 'refused', reason: `${name} has picked it up` };
  if (isEnded(status)) return { kind: 'refused', reason: 'it has ended' };
  if (isFree(cancel.free, request)) return { kind: 'taken', fee: 0 };
  if (cancel.later === 'refused') {
    return { kind: 'refused', reason: `${name} does not accept a cancellation once a driver is assigned` };
  }
  if ('cents' in cancel.later) return { kind: 'taken', fee: cancel.later.cents };
  return { kind: 'taken', fee: halfUp(cost_of_delivery * cancel.later.percent, 100) };
}

/** Cancels; in one scenario the pickup has happened just before. */
export function cancelAnswer(courier: Courier, request: CancelRequest): CancelAnswer {
  const terms = cancelTerms(courier, request);
  const crosses = scriptOf(request.scenario).cancel === 'crosses_pickup';
  if (!crosses || isPickedUp(request.status) || isEnded(request.status)) return terms;
  return { kind: 'refused', reason: `${courier.name} has just picked it up`, crossed: 'pickup_complete' };
}

/** The price of a return, in cents. */
export function returnPrice({ return_percent }: Courier, cost_of_delivery: number): number {
  return halfUp(cost_of_delivery * return_percent, 100);
}

function isFree(free: CancelRule['free'], request: CancelRequest): boolean {
  const { now, status, accepted_at, pickup_eta } = request;
  if (free === null) return false;
  if (free === 'until_assigned') return !isAssigned(status);
  if ('minutes_from_acceptance' in free) return now < accepted_at + free.minutes_from_acceptance * MINUTE;
  return now < pickup_eta - free.minutes_before_pickup * MINUTE;
}

function isAssigned(status: CancelRequest['status']): boolean {
  return !['request', 'delivery_created', 'scheduled', 'driver_not_assigned'].includes(status);
}
