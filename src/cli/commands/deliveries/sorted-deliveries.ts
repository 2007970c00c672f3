/** Lists of deliveries in another order than that of the service. */
import type { Client } from '../../../client/client.ts';
import { records } from '../../../client/pages.ts';
import type { DetailedDelivery } from '../../../contract/deliveries.ts';
import { arrivalOf, canBeLate, promiseIn } from '../../../domain/lateness.ts';
import { type ListResult, listResult } from '../../kit/result/result.ts';
import { chargedTotal, type deliveryListColumns } from '../../nouns/delivery.ts';
import type { LaterTries } from './kept-deliveries.ts';

/** The most deliveries that are sorted. */
const max_sorted = 1000;

/** A list that is read whole to be sorted, as the service lists the newest first. */
export async function sortedList(
  client: Client,
  query: DeliveriesQuery,
  { sort, all, limit, columns, later, keep = () => true }: Sorting,
): Promise<ListResult> {
  const found = await firstDeliveries(client, query);
  const sorted = found
    .filter(keep)
    .toSorted({ due: byDue, eta: byEta, price: byPrice, late: byLateness }[sort]);
  const shown = all ? sorted : sorted.slice(0, limit);
  await later.read(shown);
  return listResult({
    data: shown,
    columns,
    empty: 'No deliveries found.',
    notes: () => [
      ...(found.length < max_sorted ? [] : [`Only the latest ${max_sorted} were sorted.`]),
      ...(all || sorted.length <= limit
        ? []
        : [`There is more: ${limit} of ${sorted.length} are shown. Pass --all.`]),
    ],
  });
}

interface Sorting {
  sort: 'due' | 'eta' | 'price' | 'late';
  all: boolean;
  limit: number;
  keep?: ((delivery: DetailedDelivery) => boolean) | undefined;
  columns: ReturnType<typeof deliveryListColumns>;
  later: LaterTries;
}

type DeliveriesQuery = NonNullable<NonNullable<Parameters<Client['deliveries']['listDetailed']>[0]>['query']>;

async function firstDeliveries(client: Client, query: DeliveriesQuery): Promise<DetailedDelivery[]> {
  const found: DetailedDelivery[] = [];
  for await (const delivery of records(client.deliveries.listDetailed, { ...query, limit: 100 })) {
    found.push(delivery);
    if (found.length === max_sorted) break;
  }
  return found;
}

/** The soonest first: of those under way, then of those that arrived. Others, such as canceled ones, are last. */
function bySoonest(timeOf: (delivery: DetailedDelivery) => string | null | undefined) {
  const placeOf = (delivery: DetailedDelivery): [group: number, at: number] => {
    const group = canBeLate(delivery.status) ? 0 : arrivalOf(delivery) === null ? 2 : 1;
    return [group, Date.parse(timeOf(delivery) ?? '') || Number.MAX_SAFE_INTEGER];
  };
  return (left: DetailedDelivery, right: DetailedDelivery) => {
    const [[group, at], [otherGroup, otherAt]] = [placeOf(left), placeOf(right)];
    return group - otherGroup || at - otherAt;
  };
}

const byDue = bySoonest(promiseIn);
const byEta = bySoonest((delivery) => arrivalOf(delivery) ?? delivery.dropoffs[0]?.dropoff_eta);

function byPrice(left: DetailedDelivery, right: DetailedDelivery): number {
  return (chargedTotal(right) ?? 0) - (chargedTotal(left) ?? 0);
}

const byLateness = (left: DetailedDelivery, right: DetailedDelivery) =>
  (right.details.late_seconds ?? Number.NEGATIVE_INFINITY) -
  (left.details.late_seconds ?? Number.NEGATIVE_INFINITY);
