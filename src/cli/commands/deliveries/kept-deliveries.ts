/** The filters of a list of deliveries that the API does not have. */
import type { AnyDelivery, Delivery } from '../../../contract/deliveries.ts';
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

/** Those of these flags that are conditions on columns. */
export function keptConditions({ scheduled, minCost, maxCost, minTip }: ConditionFlags) {
  return [
    scheduled && 'delivery_type = scheduled',
    minCost !== undefined && `total_cost >= ${moneyText(minCost)}`,
    maxCost !== undefined && `total_cost <= ${moneyText(maxCost)}`,
    minTip !== undefined && `tip >= ${moneyText(minTip)}`,
  ];
}

interface ConditionFlags {
  scheduled: boolean;
  minCost: number | undefined;
  maxCost: number | undefined;
  minTip: number | undefined;
}

/** Whether a delivery meets each of the others that is set; undefined if none is. */
export function keptBy({ reassigned, withoutProof, ending }: KeptFlags): Condition | undefined {
  const asked: (Condition | false)[] = [
    reassigned && isReassigned,
    withoutProof && isUnproved,
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
  withoutProof: boolean;
  /** The last digits of a phone number. */
  ending?: string | undefined;
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

/** The names of these orders, and what else people call them. */
export const sortNames = {
  due: 'promised promised_at deadline',
  eta: 'arrival arriving dropoff_eta soonest',
  price: 'cost charged total total_cost amount dearest expensive',
  late: 'lateness delay delayed',
  pickup: 'pickup_eta pickup_due pickup_at',
  wait: 'waiting waited assigned',
  tip: 'tips',
};

/** Collects the listed deliveries, and says how many orders they are of where several are tries of one. */
export function listedTries() {
  const listed: AnyDelivery[] = [];
  return {
    onListed: (delivery: AnyDelivery) => {
      listed.push(delivery);
    },
    notes: () => [...triesNotes(listed), ...returnNotes(listed)],
  };
}

/** Says how many of the listed deliveries are late already, and how many only will be. */
export function listedLate(now: () => number) {
  const promises: number[] = [];
  return {
    onListed: (delivery: AnyDelivery) => {
      promises.push(Date.parse(promiseIn(delivery) ?? ''));
    },
    notes: (): Text[] => {
      const late = promises.filter((at) => at < now()).length;
      const coming = promises.length - late;
      if (coming === 0) return [];
      const already = late === 0 ? 'None is late yet:' : `${late} ${late === 1 ? 'is' : 'are'} late now,`;
      return [`${already} ${coming} will be.`];
    },
  };
}

/** A report has those on their way back among the failed ones. */
function returnNotes(listed: readonly AnyDelivery[]): Text[] {
  const back = listed.filter(({ status }) => status === 'enroute_to_return').length;
  if (back === 0 || back === listed.length) return [];
  return [
    `${back} of these ${listed.length} ${back === 1 ? 'is' : 'are'} on the way back: failed, in a report.`,
  ];
}

function triesNotes(listed: readonly AnyDelivery[]): Text[] {
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

/** The soonest first: of those under way, then of those that arrived. Others, such as canceled ones, are last. */
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

/** The orders of `--sort` that are not those of a column. */
export const deliveryOrders = {
  due: bySoonest(promiseIn),
  eta: bySoonest((delivery) => findArrival(delivery) ?? delivery.dropoffs[0]?.dropoff_eta),
  price: byMost(chargedTotal),
  late: byMost(({ details }) => details?.late_seconds),
  /** Those that are picked up are behind. */
  pickup: bySoonest(({ status, pickup_eta }) => (isPickedUp(status) ? null : pickup_eta)),
  wait: byMost(countWaitMinutes),
  tip: byMost(({ tip }) => tip),
};
