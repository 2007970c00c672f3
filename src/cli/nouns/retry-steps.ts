/** The commands that send an order again, within what earlier tries left of its limit. */
import type { AnyDelivery } from '../../contract/deliveries.ts';
import { isFailureOfCourier } from '../../domain/delivery-states.ts';
import { dollars } from '../../domain/money.ts';
import { moneyText } from '../kit/args/flags.ts';
import { type Invocation, type InvocationFlags, invocation, type NextStep } from '../kit/result/message.ts';
import { chargedTotal } from './delivery.ts';
import type { RetryFacts } from './earlier-tries.ts';
import type { OrderLimits } from './order-limits.ts';
import { simulatedEndText } from './simulated-end.ts';

/**
 * The command that sends a returned order once more. Its idempotency key comes from the delivery, so that running it twice
 * sends one copy. It has no limit of its own if the first delivery has used that of the order.
 */
export function copyStep(delivery: AnyDelivery, limit: SpentLimit): NextStep {
  const { id, order_id } = delivery;
  const simulated = simulatedEndText(delivery);
  const flags = {
    like: order_id,
    dropoffPhoneNumber: simulated === null ? undefined : 'PHONE',
    initiate: true,
    idempotencyKey: `again-${id}`,
    ...limitAgain(delivery, limit),
  };
  const why = simulated === null ? '' : ` with another number, as ${simulated},`;
  const when = `send the same again,${why} as a new delivery, if somebody agrees to pay for it${spentText(delivery, limit)}`;
  return { ...invocation('deliveries create', [], flags), when };
}

/**
 * The command that tries the order of a delivery again, within what its first try left of the limit of the order, and not
 * with the courier that ended it. If no other courier is within the limit, it shows the prices.
 */
export function retryInvocation(delivery: AnyDelivery, known?: SpentLimit): Invocation {
  const limit = known ?? {};
  const { id, order_id } = delivery;
  const isMagic = order_id !== '' && simulatedEndText(delivery) !== null;
  if (isMagic || limit.isDeclinedAgain === true) {
    const { command, args } = copyStep(delivery, limit);
    return { command, args };
  }
  if (exceededLimit(delivery, limit) !== null || isUnknown(delivery, known))
    return invocation('deliveries retry', [id], { price: true });
  const hasOther = isFailureOfCourier(delivery) && limit.lowest_other !== null;
  const not = hasOther ? delivery.service || undefined : undefined;
  return invocation('deliveries retry', [id], { not, ...limitAgain(delivery, limit) });
}

/** When it is tried again, as `retryInvocation` does it. */
export function retryReason(delivery: AnyDelivery, known?: SpentLimit): string {
  const limit = known ?? {};
  const simulated = simulatedEndText(delivery);
  if (simulated !== null) return `${simulated}: send a new order like it, with another number`;
  if (limit.isDeclinedAgain === true)
    return 'its payment was declined before, too, as a simulation does: send a new order like it, without it';
  if (isUnknown(delivery, known)) return 'see what a retry costs, and with which courier';
  const max = exceededLimit(delivery, limit);
  if (max === null) return `try the same order again, with fresh quotes${spentText(delivery, limit)}`;
  const { lowest_other } = limit;
  const others = lowest_other ? `, the lowest price was ${dollars(lowest_other)}` : '';
  const within = `no courier without a failed try was within its limit of $${moneyText(max)}${others}`;
  return `see what a retry costs: ${within}`;
}

/** Whether nothing was read of the prices of other couriers, so that none is known to be within the limit. */
function isUnknown(delivery: AnyDelivery, known: SpentLimit | undefined): boolean {
  return known === undefined && isFailureOfCourier(delivery);
}

/** The limit in cents, if every courier that has not ended a try badly costs more; else null. */
function exceededLimit(delivery: AnyDelivery, limit: SpentLimit): number | null {
  const { lowest_other } = limit;
  const max = limitOf(delivery, limit);
  if (lowest_other === undefined || max === undefined || spentOn(delivery, limit) > 0) return null;
  return lowest_other === null || lowest_other > max ? max : null;
}

/** The limit of an order with its tip, and what is charged for all of its deliveries, in cents, as far as they are known. */
export interface SpentLimit extends RetryFacts {
  max_cost?: number | undefined;
  spent?: number | undefined;
}

/** The limit of an order is for all that is charged for it: once something is charged, the next limit has to be agreed. */
function limitAgain(delivery: AnyDelivery, limit: SpentLimit): InvocationFlags {
  return { maxCost: spentOn(delivery, limit) > 0 ? 'DOLLARS' : maxCostText(limitOf(delivery, limit)) };
}

/** The limit of the request of a delivery, with its tip; else the limit of its order. In cents. */
function limitOf({ details, tip }: AnyDelivery, { max_cost }: SpentLimit): number | undefined {
  const request_limit = details?.max_cost ?? null;
  return request_limit === null ? max_cost : request_limit + (tip || 0);
}

/** `: $10.06 of its limit of $12.00 is spent`; empty if nothing is charged. */
export function spentText(delivery: AnyDelivery, ofOrder: SpentLimit): string {
  return spentOfLimit(spentOn(delivery, ofOrder), limitOf(delivery, ofOrder));
}

/** `: $10.06 of its limit of $12.00 is spent`, of any spending and limit in cents; empty if nothing is spent. */
export function spentOfLimit(spent: number, limit: number | undefined): string {
  if (!(spent > 0)) return '';
  return `: ${dollars(spent)}${limit === undefined ? '' : ` of its limit of $${moneyText(limit)}`} is spent`;
}

function spentOn(delivery: AnyDelivery, { spent = 0 }: SpentLimit): number {
  return Math.max(chargedTotal(delivery) ?? 0, spent);
}

/** The price of sending the order of a delivery again that was canceled on purpose: a new order would be a second one. */
export function resendSteps({ id, order_id }: AnyDelivery): NextStep[] {
  const price = {
    ...invocation('deliveries retry', [id], { price: true }),
    when: 'see what sending it again costs, if it is wanted after all',
  };
  return order_id === '' ? [] : [price];
}

/** The value of `--max-cost`; undefined, without the flag, if there is no limit. */
export function maxCostText(max_cost: number | undefined): string | undefined {
  return max_cost === undefined ? undefined : moneyText(max_cost);
}

/** The command that dispatches orders, once more or for the first time, within their limits. */
export function shipWithin(
  order_ids: readonly string[],
  { maxCost, providers }: Pick<OrderLimits, 'providers'> & { maxCost: string | undefined },
): Invocation {
  const [provider] = providers ?? [];
  return invocation(
    'ship',
    [...order_ids],
    provider === undefined ? { cheapest: true, maxCost } : { provider, maxCost },
  );
}
