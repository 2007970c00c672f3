/** Lists of deliveries in another order than that of the service. */
import type { Client } from '../../../client/client.ts';
import type { DetailedDelivery } from '../../../contract/deliveries.ts';
import { isPickedUp } from '../../../domain/delivery-states.ts';
import { canBeLate, findArrival, promiseIn } from '../../../domain/lateness.ts';
import { chargedTotal, countWaitMinutes } from '../../nouns/delivery.ts';

/** The most deliveries that are sorted. */
const max_sorted = 1000;

/** The list of the service, which has the newest first, with its latest deliveries sorted as one page. */
export function sortedList(
  list: Client['deliveries']['listDetailed'],
  sort: keyof typeof orders,
): { list: typeof list; notes: () => string[] } {
  let isMore = false;
  return {
    async list(input = {}) {
      if (input.query?.cursor !== undefined) return list(input);
      const query = { ...input.query, limit: 100 };
      let answer = await list({ ...input, query });
      const found = [...answer.data.data];
      let searched = answer.searched;
      while (answer.data.next_cursor !== null && found.length < max_sorted) {
        answer = await list({ ...input, query: { ...query, cursor: answer.data.next_cursor } });
        found.push(...answer.data.data);
        if (answer.searched !== undefined) searched = (searched ?? 0) + answer.searched;
      }
      isMore = answer.data.has_more;
      found.sort(orders[sort]);
      return {
        ...answer,
        ...(searched !== undefined && { searched }),
        data: { ...answer.data, data: found },
      };
    },
    notes: () => (isMore ? [`Only the latest ${max_sorted} were sorted.`] : []),
  };
}

/** The soonest first: of those under way, then of those that arrived. Others, such as canceled ones, are last. */
function bySoonest(timeOf: (delivery: DetailedDelivery) => string | null | undefined) {
  const placeOf = (delivery: DetailedDelivery): [group: number, at: number] => {
    const group = canBeLate(delivery.status) ? 0 : findArrival(delivery) === null ? 2 : 1;
    return [group, Date.parse(timeOf(delivery) ?? '') || Number.MAX_SAFE_INTEGER];
  };
  return (left: DetailedDelivery, right: DetailedDelivery) => {
    const [[group, at], [otherGroup, otherAt]] = [placeOf(left), placeOf(right)];
    return group - otherGroup || at - otherAt;
  };
}

/** The most first; without the amount last. */
function byMost(amountOf: (delivery: DetailedDelivery) => number | null | undefined) {
  const amount = (delivery: DetailedDelivery) => amountOf(delivery) ?? Number.NEGATIVE_INFINITY;
  return (left: DetailedDelivery, right: DetailedDelivery) => amount(right) - amount(left) || 0;
}

const orders = {
  due: bySoonest(promiseIn),
  eta: bySoonest((delivery) => findArrival(delivery) ?? delivery.dropoffs[0]?.dropoff_eta),
  price: byMost(chargedTotal),
  late: byMost(({ details }) => details.late_seconds),
  /** Those that are picked up are behind. */
  pickup: bySoonest(({ status, pickup_eta }) => (isPickedUp(status) ? null : pickup_eta)),
  wait: byMost(countWaitMinutes),
  tip: byMost(({ tip }) => tip),
};
