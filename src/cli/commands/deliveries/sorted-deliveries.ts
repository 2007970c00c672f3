/** Lists of deliveries in another order than that of the service. */
import type { Client } from '../../../client/client.ts';
import type { DetailedDelivery } from '../../../contract/deliveries.ts';
import { canBeLate, findArrival, promiseIn } from '../../../domain/lateness.ts';
import { chargedTotal } from '../../nouns/delivery.ts';

/** The most deliveries that are sorted. */
const max_sorted = 1000;

/** The list of the service, which has the newest first, with its latest deliveries sorted as one page. */
export function sortedList(
  list: Client['deliveries']['listDetailed'],
  sort: 'due' | 'eta' | 'price' | 'late',
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
      found.sort({ due: byDue, eta: byEta, price: byPrice, late: byLateness }[sort]);
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

const byDue = bySoonest(promiseIn);
const byEta = bySoonest((delivery) => findArrival(delivery) ?? delivery.dropoffs[0]?.dropoff_eta);

function byPrice(left: DetailedDelivery, right: DetailedDelivery): number {
  return (chargedTotal(right) ?? 0) - (chargedTotal(left) ?? 0);
}

const byLateness = (left: DetailedDelivery, right: DetailedDelivery) =>
  (right.details.late_seconds ?? Number.NEGATIVE_INFINITY) -
  (left.details.late_seconds ?? Number.NEGATIVE_INFINITY);
