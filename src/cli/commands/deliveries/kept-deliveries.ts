/** The filters of a list of deliveries that the API does not have. */
import type { Client } from '../../../client/client.ts';
import type { AnyDelivery, Delivery, DetailedDelivery } from '../../../contract/deliveries.ts';
import { isPickedUp } from '../../../domain/delivery-states.ts';
import { canBeLate, findArrival, promiseIn } from '../../../domain/lateness.ts';
import { moneyFlag, moneyText, switchFlag } from '../../kit/args/flags.ts';
import { oneLine } from '../../kit/output/safe-text.ts';
import { invocation, phrase, type Text } from '../../kit/result/message.ts';
import { chargedTotal, countWaitMinutes } from '../../nouns/delivery.ts';

export const keptFlags = {
  withoutProof: switchFlag({
    summary: 'Only delivered ones without a photo, PIN or signature as proof',
  }),
  scheduled: switchFlag({
    summary: 'Only pre-orders: deliveries with an agreed time',
    aliases: ['preorders', 'pre-orders'],
  }),
  reassigned: switchFlag({ summary: 'Only deliveries that lost a driver and needed a new one' }),
  minCost: moneyFlag({ summary: 'Only deliveries that cost at least this, with tip, fees and refunds' }),
  maxCost: moneyFlag({ summary: 'Only deliveries that cost at most this' }),
  minTip: moneyFlag({ summary: 'Only deliveries with a tip of at least this' }),
};

type Condition = (delivery: AnyDelivery) => boolean;

/** Whether a delivery meets each of these flags that is set; undefined if none is. */
export function keptBy(flags: KeptFlags): Condition | undefined {
  const { reassigned, scheduled, withoutProof, minCost, maxCost, minTip, ending } = flags;
  const cost = (delivery: AnyDelivery) => chargedTotal(delivery) ?? 0;
  const asked: (Condition | false)[] = [
    reassigned && isReassigned,
    scheduled && ((delivery) => delivery.delivery_type === 'scheduled'),
    withoutProof && isUnproved,
    minCost !== undefined && ((delivery) => cost(delivery) >= minCost),
    maxCost !== undefined && ((delivery) => cost(delivery) <= maxCost),
    minTip !== undefined && (({ tip }) => (tip ?? 0) >= minTip),
    ending !== undefined && ((delivery) => hasPhoneEnding(delivery, ending)),
  ];
  const conditions = asked.filter((condition) => condition !== false);
  if (conditions.length === 0) return undefined;
  return (delivery) => conditions.every((holds) => holds(delivery));
}

/** Whether the number of the pickup or dropoff ends so. */
function hasPhoneEnding({ pickup_phone_number, dropoffs }: AnyDelivery, ending: string): boolean {
  const phones = [pickup_phone_number, ...dropoffs.map((each) => each.dropoff_phone_number)];
  return phones.some((phone) => phone.endsWith(ending));
}

interface KeptFlags {
  reassigned: boolean;
  scheduled: boolean;
  withoutProof: boolean;
  minCost: number | undefined;
  maxCost: number | undefined;
  minTip: number | undefined;
  /** The last digits of a phone number. */
  ending?: string | undefined;
}

/** The same flags as typed, for the command that continues the list. */
export function keptFilters({ reassigned, scheduled, withoutProof, minCost, maxCost, minTip }: KeptFlags) {
  return {
    reassigned: reassigned || undefined,
    scheduled: scheduled || undefined,
    withoutProof: withoutProof || undefined,
    minCost: minCost === undefined ? undefined : moneyText(minCost),
    maxCost: maxCost === undefined ? undefined : moneyText(maxCost),
    minTip: minTip === undefined ? undefined : moneyText(minTip),
  };
}

/** Whether it arrived without a photo, PIN or signature. */
function isUnproved({ status, proof_of_delivery, signature }: Delivery): boolean {
  return status === 'delivered' && proof_of_delivery.length === 0 && signature === null;
}

function isReassigned({ status_history }: Pick<Delivery, 'status_history'>): boolean {
  return status_history.some(({ status }) => status === 'driver_not_assigned');
}

/** The proofs to show of a delivery: `none` if it arrived without any. */
export function shownProofs(delivery: Delivery): readonly { type: string; url: string | null }[] {
  return isUnproved(delivery) ? [{ type: 'none', url: null }] : delivery.proof_of_delivery;
}

/** Other names for the columns of `--sort`. */
export const sortNames = {
  due: 'promised promised_at deadline',
  eta: 'arrival arriving dropoff_eta soonest',
  price: 'cost charged total total_cost amount dearest expensive',
  late: 'lateness delay delayed',
  pickup: 'pickup_eta pickup_due pickup_at',
  wait: 'waiting waited assigned',
  tip: 'tips',
};

/** Lists deliveries, and says how many orders they are of where several are tries of one. */
export function listOfTries(list: Client['deliveries']['listDetailed'], keep: ReturnType<typeof keptBy>) {
  const listed: DetailedDelivery[] = [];
  return {
    list: async (input: Parameters<typeof list>[0]) => {
      const answer = await list(input);
      listed.push(...answer.data.data);
      return answer;
    },
    notes: () => (keep === undefined ? [...triesNotes(listed), ...returnNotes(listed)] : []),
  };
}

/** A report has those on their way back among the failed ones. */
function returnNotes(listed: readonly DetailedDelivery[]): Text[] {
  const back = listed.filter(({ status }) => status === 'enroute_to_return').length;
  if (back === 0 || back === listed.length) return [];
  return [
    `${back} of these ${listed.length} ${back === 1 ? 'is' : 'are'} on the way back: failed, in a report.`,
  ];
}

function triesNotes(listed: readonly DetailedDelivery[]): Text[] {
  const orders = [...Map.groupBy(listed, ({ order_id, id }) => order_id || id).values()];
  const [most = []] = orders.toSorted((a, b) => b.length - a.length);
  const [last] = most;
  if (last === undefined || most.length < 2) return [];
  const of = `These ${listed.length} deliveries are tries of`;
  if (orders.length === 1)
    return [phrase`${of} 1 order. How they ended: ${invocation('deliveries explain', [last.id])}`];
  const tries = invocation('deliveries list', [], { search: last.order_id });
  const named = oneLine(last.external_order_ref) || 'One';
  return [phrase`${of} ${orders.length} orders. ${named} has ${most.length}: ${tries}`];
}

// Lists of deliveries in another order than that of the service.

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
