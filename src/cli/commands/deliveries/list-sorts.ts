/** The sorts of a list of deliveries that its columns do not have. */
import type { AnyDelivery } from '../../../contract/deliveries.ts';
import { isPickedUp } from '../../../domain/delivery-states.ts';
import { canBeLate, findArrival, promiseIn } from '../../../domain/lateness.ts';
import { chargedTotal, countWaitMinutes } from '../../nouns/delivery.ts';

/** The sorts of `--sort` that are not those of a column. */
export const deliverySorts = {
  due: bySoonest(promiseIn),
  eta: bySoonest((delivery) => findArrival(delivery) ?? delivery.dropoffs[0]?.dropoff_eta),
  price: byMost(chargedTotal),
  late: byMost(({ details }) => details?.late_seconds),
  /** Deliveries that are picked up come last. */
  pickup: bySoonest(({ status, pickup_eta }) => (isPickedUp(status) ? null : pickup_eta)),
  wait: byMost(countWaitMinutes),
  tip: byMost(({ tip }) => tip),
};

/** Other names that people type for these sorts. */
export const sortAliases = {
  due: 'promised promised_at deadline',
  eta: 'arrival arriving dropoff_eta soonest',
  price: 'cost charged total total_cost amount dearest expensive',
  late: 'lateness delay delayed',
  pickup: 'pickup_eta pickup_due pickup_at',
  wait: 'waiting waited assigned',
  tip: 'tips',
};

/** The soonest first: deliveries under way, then those that arrived, then others such as canceled ones. */
function bySoonest(timeOf: (delivery: AnyDelivery) => string | null | undefined) {
  const placeOf = (delivery: AnyDelivery): [group: number, at: number] => {
    const group = canBeLate(delivery.status) ? 0 : findArrival(delivery) === null ? 2 : 1;
    return [group, Date.parse(timeOf(delivery) ?? '') || Number.MAX_SAFE_INTEGER];
  };
  return (left: AnyDelivery, right: AnyDelivery) => {
    const [[group, at], [otherGroup, otherAt]] = [placeOf(left), placeOf(right)];
    return group - otherGroup || at - otherAt;
  };
}

/** The most first; without the amount last. */
function byMost(amountOf: (delivery: AnyDelivery) => number | null | undefined) {
  const amount = (delivery: AnyDelivery) => amountOf(delivery) ?? Number.NEGATIVE_INFINITY;
  return (left: AnyDelivery, right: AnyDelivery) => amount(right) - amount(left) || 0;
}
