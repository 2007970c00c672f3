/** The sorts of a list of deliveries that its columns do not have. */
import type { AnyDelivery } from '../../../contract/deliveries.ts';
import { isPickedUp } from '../../../domain/delivery-states.ts';
import { canBeLate, findArrival, promiseIn } from '../../../domain/lateness.ts';

/** The sorts of `--sort` that are not those of a column. */
export const deliverySorts = {
  due: bySoonest(promiseIn),
  eta: bySoonest((delivery) => findArrival(delivery) ?? delivery.dropoffs[0]?.dropoff_eta),
  /** The most first; what cannot be late last, all alike: the difference of two infinities is NaN. */
  late: (left: AnyDelivery, right: AnyDelivery) => lateBy(right) - lateBy(left) || 0,
  /** Deliveries that are picked up come last. */
  pickup: bySoonest(({ status, pickup_eta }) => (isPickedUp(status) ? null : pickup_eta)),
};

/** Other names that people type for these sorts. */
export const sortAliases = {
  due: 'promised promised_at deadline',
  eta: 'arrival arriving dropoff_eta soonest',
  late: 'lateness delay delayed',
  pickup: 'pickup_eta pickup_due pickup_at',
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

function lateBy({ details }: AnyDelivery): number {
  return details?.late_seconds ?? Number.NEGATIVE_INFINITY;
}
