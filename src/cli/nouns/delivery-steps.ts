/** The possible next steps of a delivery. */
import type { AnyDelivery, Delivery } from '../../contract/deliveries.ts';
import type { Cancellation } from '../../contract/delivery-changes.ts';
import type { Driver } from '../../contract/providers.ts';
import type { FailedTask } from '../../contract/service.ts';
import { closed_tag, fleet_provider } from '../../contract/vocabulary.ts';
import {
  hasEndedBadly,
  isEnded,
  isFailureOfCourier,
  isPickedUp,
  nextStatuses,
} from '../../domain/delivery-states.ts';
import { day_ms } from '../../domain/durations.ts';
import { findArrival } from '../../domain/lateness.ts';
import { dollars } from '../../domain/money.ts';
import { magicScenario, type Script, scenarios } from '../../domain/scenarios.ts';
import { moneyText } from '../kit/args/flags.ts';
import { phoneFormatter } from '../kit/output/safe-text.ts';
import { type TimeStyle, timePhrase } from '../kit/output/times.ts';
import { type Invocation, type InvocationFlags, invocation, type NextStep } from '../kit/result/message.ts';
import type { Context } from '../session/command.ts';
import { cancelText } from './cancellation.ts';
import { chargedTotal } from './delivery.ts';
import type { RetryFacts } from './earlier-tries.ts';

export interface NextTry {
  order_id: string;
  at: string | null;
}

/** A delivery can be disputed for this long after it was delivered. */
const disputable_ms = 30 * day_ms;

/** The facts besides the delivery that determine its next steps. */
export interface NextStepContext extends RetryFacts {
  /** Null if the service does not report the cost. */
  cancellation: Cancellation | null;
  /** The service's time in milliseconds since the epoch. */
  now: number;
  times: TimeStyle;
  /** The IANA zone of times; null for the reader's own. */
  zone: string | null;
  /** True if the couriers are simulated and can be controlled here. */
  isSandbox: boolean;
  /** True if the service keeps an audit log. */
  isAudited?: boolean;
  /** The current delivery of its order; differs from this one after a retry. */
  latest: string | null;
  /** True if its order was canceled after it had failed. */
  isOrderClosed?: boolean;
  /** True if its next report is overdue. */
  isStuck?: boolean;
  /** Background work of its dispatch that the service gave up. */
  failed_task?: FailedTask | null;
  /** Set while auto dispatch is still working on its order. */
  nextTry: NextTry | null;
  /** The most that may be charged for its order, as a flag. */
  maxCost?: string | undefined;
}

/** Lists the commands that apply to a delivery now. */
export function nextSteps(delivery: AnyDelivery, situation: NextStepContext): NextStep[] {
  const { id, status } = delivery;
  const { failed_task: failed = null } = situation;
  return [
    ...(failed === null ? [] : [retryTaskStep(failed)]),
    ...stepsIf(situation.isStuck === true, {
      ...invocation('deliveries note', [id, 'TEXT']),
      when: `${askText(delivery)}, and note the answer`,
    }),
    ...stepsIf(status === 'request', initiateStep(delivery, 'have a courier come for it')),
    ...stepsIf(status !== 'request' && !isEnded(status), step('watch', id, 'follow it')),
    ...stepsIf(delivery.details?.pin_locked === true, step('unlock', id, 'let the driver try PINs again')),
    ...stepsIf(canEdit(delivery), {
      ...invocation('deliveries edit', [id], { dropoffNotes: 'TEXT' }),
      when: isPickedUp(status)
        ? "change the recipient's notes, unit or phone: the driver's page shows it at once"
        : 'change notes, units, names or phones, before the pickup',
    }),
    ...stepsIf(canReschedule(delivery, situation), {
      ...invocation('deliveries reschedule', [id], { dropoffAt: 'WHEN' }),
      when: 'deliver it at another time, before the pickup',
    }),
    ...stepsIf(isWithOwnDriver(delivery), ...driverSteps(id)),
    ...cancelSteps(id, situation),
    ...disputeSteps(delivery, situation),
    ...stepsIf(
      hasEndedBadly(delivery.status) && !isClosed(delivery, situation),
      retryStep(delivery, situation),
    ),
    ...stepsIf(hasEndedBadly(delivery.status) && isLast(delivery, situation), ...tellSteps(delivery)),
    ...stepsIf(
      (status === 'returned' || status === 'disputed') && delivery.order_id !== '',
      copyStep(delivery, situation),
    ),
    ...stepsIf(status === 'customer_canceled' && situation.isAudited === true, {
      ...invocation('audit list', [], { record: id }),
      when: 'see whose API key canceled it',
    }),
    ...stepsIf(situation.isSandbox && canStep(delivery), ...sandboxSteps(delivery)),
  ];
}

/**
 * The command that sends a returned order once more. Its idempotency key comes from the delivery, so that running it twice
 * sends one copy. It has no limit of its own if the first delivery has used that of the order.
 */
export function copyStep(delivery: AnyDelivery, limit: SpentLimit): NextStep {
  const { id, order_id } = delivery;
  const flags = {
    like: order_id,
    initiate: true,
    idempotencyKey: `again-${id}`,
    ...limitAgain(delivery, limit),
  };
  const when = `send the same again, as a new delivery, if somebody agrees to pay for it${spentText(delivery, limit)}`;
  return { ...invocation('deliveries create', [], flags), when };
}

/**
 * The command that tries the order of a delivery again, within what its first try left of the limit of the order, and not
 * with the courier that ended it. If no other courier is within the limit, it shows the prices.
 */
export function retryInvocation(delivery: AnyDelivery, limit: SpentLimit = {}): Invocation {
  const { id, order_id } = delivery;
  const isMagic = order_id !== '' && simulatedEndText(delivery) !== null;
  if (isMagic || limit.isDeclinedAgain === true) {
    const dropoffPhoneNumber = isMagic ? 'PHONE' : undefined;
    const flags = { like: order_id, dropoffPhoneNumber, initiate: true, idempotencyKey: `again-${id}` };
    return invocation('deliveries create', [], { ...flags, ...limitAgain(delivery, limit) });
  }
  if (isAboveLimit(delivery, limit)) return invocation('deliveries retry', [id], { price: true });
  const hasOther = isFailureOfCourier(delivery) && limit.lowest_other !== null;
  const not = hasOther ? delivery.service || undefined : undefined;
  return invocation('deliveries retry', [id], { not, ...limitAgain(delivery, limit) });
}

/** When it is tried again, as `retryInvocation` does it. */
export function retryReason(delivery: AnyDelivery, limit: SpentLimit = {}): string {
  const simulated = simulatedEndText(delivery);
  if (simulated !== null) return `${simulated}: send a new order like it, with another number`;
  if (limit.isDeclinedAgain === true)
    return 'its payment was declined before, too, as a simulation does: send a new order like it, without it';
  if (!isAboveLimit(delivery, limit)) {
    return `try the same order again, with fresh quotes${spentText(delivery, limit)}`;
  }
  const { lowest_other } = limit;
  const others = lowest_other ? `, the lowest price was ${dollars(lowest_other)}` : '';
  const within = `no courier without a failed try was within its limit of $${limitOf(delivery, limit)}${others}`;
  return `see what a retry costs: ${within}`;
}

/** Why its phone number, in the sandbox, would end each other try in the same way; null if it does not. */
export function simulatedEndText(delivery: AnyDelivery): string | null {
  if (hasDecliningPhone(delivery)) return 'its phone number simulates that each payment is declined';
  const isCanceled = delivery.status === 'provider_canceled' || delivery.status === 'burq_canceled';
  return isCanceled ? simulatedCancelText(delivery) : null;
}

/** `its phone number simulates no_driver: each try is canceled`; null if it simulates no cancellation. */
export function simulatedCancelText({ dropoffs }: AnyDelivery): string | null {
  const name = magicScenario(dropoffs?.[0]?.dropoff_phone_number ?? '');
  const { interruption = 'reassigned' }: Script = name === null ? {} : scenarios[name].script;
  return interruption === 'reassigned' ? null : `its phone number simulates ${name}: each try is canceled`;
}

/** Whether its payment was declined as its phone number simulates that. */
function hasDecliningPhone({ failure_reason, dropoffs, order_id }: AnyDelivery): boolean {
  const phone = dropoffs?.[0]?.dropoff_phone_number ?? '';
  return failure_reason === 'payment_declined' && order_id !== '' && magicScenario(phone) === failure_reason;
}

/** Whether every courier that has not ended a try badly costs more than the limit. */
function isAboveLimit(delivery: AnyDelivery, limit: SpentLimit): boolean {
  const { lowest_other } = limit;
  const max = limitOf(delivery, limit);
  if (lowest_other === undefined || max === undefined || spentOn(delivery, limit) > 0) return false;
  return lowest_other === null || lowest_other > Math.round(Number(max) * 100);
}

/** The limit of an order with its tip, and what is charged for all of its deliveries, in cents, as far as they are known. */
export interface SpentLimit extends RetryFacts {
  maxCost?: string | undefined;
  spent?: number | undefined;
}

/** The limit of an order is for all that is charged for it: once something is, the next one has to be agreed. */
function limitAgain(delivery: AnyDelivery, limit: SpentLimit): InvocationFlags {
  return { maxCost: spentOn(delivery, limit) > 0 ? 'DOLLARS' : limitOf(delivery, limit) };
}

/** The limit of its own request, with its tip; else that of its order. */
function limitOf({ details, tip }: AnyDelivery, { maxCost }: SpentLimit): string | undefined {
  const own = details?.max_cost ?? null;
  return own === null ? maxCost : moneyText(own + (tip || 0));
}

/** `: $10.06 of its limit of $12.00 is spent`; empty if nothing is charged. */
function spentText(delivery: AnyDelivery, ofOrder: SpentLimit): string {
  return spentOfLimit(spentOn(delivery, ofOrder), limitOf(delivery, ofOrder));
}

/** `: $10.06 of its limit of $12.00 is spent`, of any spending in cents and limit in dollars; empty if nothing is spent. */
export function spentOfLimit(spent: number, limit: string | undefined): string {
  if (!(spent > 0)) return '';
  return `: ${dollars(spent)}${limit === undefined ? '' : ` of its limit of $${limit}`} is spent`;
}

function spentOn(delivery: AnyDelivery, { spent = 0 }: SpentLimit): number {
  return Math.max(chargedTotal(delivery) ?? 0, spent);
}

function retryTaskStep({ id }: FailedTask): NextStep {
  return { ...invocation('admin failed', ['retry', id]), when: 'look again what became of its dispatch' };
}

/** Dispatches a stored delivery. Its price is no limit that anybody has agreed to. */
export function initiateStep({ id, payment_amount, tip }: InitiateFacts, when: string): NextStep {
  const price = payment_amount + (tip || 0);
  const agreed = price > 0 ? `, if ${dollars(price)} is agreed` : '';
  return { ...invocation('deliveries initiate', [id], { maxCost: 'DOLLARS' }), when: `${when}${agreed}` };
}

type InitiateFacts = Pick<Delivery, 'id' | 'payment_amount' | 'tip'>;

function stepsIf(holds: boolean, ...steps: NextStep[]): NextStep[] {
  return holds ? steps : [];
}

function step(verb: string, id: string, reason: string): NextStep {
  return { ...invocation(`deliveries ${verb}`, [id]), when: reason };
}

/** True if a driver of the own fleet has the parcel. */
function isWithOwnDriver({ service, status }: Delivery): boolean {
  return service === fleet_provider && isPickedUp(status) && !isEnded(status);
}

function driverSteps(id: string): NextStep[] {
  const assign = invocation('deliveries assign', [id], { driver: 'DRIVER' });
  return [
    { ...assign, when: 'have another driver take it over' },
    step('report', id, 'report a status for its driver'),
  ];
}

function cancelSteps(id: string, { cancellation }: NextStepContext): NextStep[] {
  if (cancellation?.cancelable !== true) return [];
  // The fee may be higher by then.
  const maxFee = cancellation.fee_unknown ? undefined : moneyText(cancellation.fee);
  return [{ ...invocation('deliveries cancel', [id], { maxFee }), when: cancelText(cancellation) }];
}

/**
 * Who may still have the parcel, and what to do before a retry, for a delivery that ended after its pickup; null without a
 * pickup: `it was picked up, and Amara Osei of poolride may still have it: ask there first, at +1 312 555 0199`.
 */
export function unreturnedText(delivery: AnyDelivery): string | null {
  const { status_history } = delivery;
  const had = (status_history ?? []).some(({ status }) => isPickedUp(status));
  if (!hasEndedBadly(delivery.status) || !had) return null;
  const { who, at } = courierOf(delivery);
  return `it was picked up, and ${who} may still have it: ask there first${at}`;
}

/** `call Amara Osei of poolride, at +1 312 555 0199`; `ask poolride` without a number. */
function askText(delivery: AnyDelivery): string {
  const { who, at } = courierOf(delivery);
  return `${at === '' ? 'ask' : 'call'} ${who}${at}`;
}

/** Who has a delivery, and the whole number, which lists mask: somebody is told to call it. */
function courierOf({ courier_name, courier_phone_number: number, service }: AnyDelivery) {
  const who = courier_name ? `${courier_name} of ${service}` : service;
  return { who, at: number ? `, at ${phoneFormatter({ showPii: true })(number)}` : '' };
}

/** `unreturnedText` of a delivery by its ID; null also if it cannot be read: a retry reports that. */
export async function readUnreturnedText(context: Context, deliveryid: string): Promise<string | null> {
  const client = await context.client();
  const found = await client.deliveries.getDetailed({ params: { deliveryid } }).catch(() => null);
  const held = found === null ? null : unreturnedText(found.data);
  return held && `About the parcel of ${deliveryid}: ${held}. A retry has another one picked up.`;
}

/** True if its order is not tried again. */
function isClosed({ details }: AnyDelivery, { isOrderClosed = false }: NextStepContext): boolean {
  return isOrderClosed || details?.closes_order === true;
}

/** Only the latest attempt can be retried, and only if auto dispatch does not retry it itself. */
function retryStep(delivery: AnyDelivery, situation: NextStepContext): NextStep {
  const { id } = delivery;
  const { latest, nextTry, now, times, zone } = situation;
  if (latest !== null && latest !== id) return step('explain', latest, 'it was tried again as this delivery');
  if (nextTry === null) {
    const again = retryInvocation(delivery, situation);
    const held = unreturnedText(delivery);
    // Another courier would be sent to a pickup whose parcel is gone.
    if (held !== null)
      return { ...invocation('deliveries note', [id, 'TEXT'], { tag: closed_tag }), when: held };
    const purpose =
      delivery.status === 'customer_canceled'
        ? `only if it is wanted after all, as it was canceled on purpose${spentText(delivery, situation)}`
        : retryReason(delivery, situation);
    return { ...again, when: purpose };
  }
  const at = nextTry.at === null ? '' : ` ${timePhrase(nextTry.at, { now, times, zone })}`;
  return {
    ...invocation('orders attempts', [nextTry.order_id]),
    when: `auto dispatch tries it again by itself${at}`,
  };
}

/** True if a simulated courier can still report something. */
export function canStep({ status }: Pick<Delivery, 'status'>): boolean {
  return status !== 'request' && !isEnded(status);
}

function canEdit(delivery: Delivery): boolean {
  const { status } = delivery;
  return (
    (!isEnded(status) && !isPickedUp(status)) || (isWithOwnDriver(delivery) && status !== 'enroute_to_return')
  );
}

/** Only what has an order, and is not sent or can still be canceled, can have another time. */
function canReschedule({ status, order_id }: Delivery, { cancellation }: NextStepContext): boolean {
  const isBefore = !isEnded(status) && !isPickedUp(status) && status !== 'enroute_to_return';
  return order_id !== '' && isBefore && (status === 'request' || cancellation?.cancelable === true);
}

/** Returns when a delivered delivery can no longer be disputed, in milliseconds; null if its arrival is unknown. */
export function disputableUntil(delivery: Delivery): number | null {
  const until = Date.parse(findArrival(delivery) ?? '') + disputable_ms;
  return Number.isNaN(until) ? null : until;
}

function disputeSteps(delivery: AnyDelivery, { now, times, zone }: NextStepContext): NextStep[] {
  const { id, status } = delivery;
  if (status === 'disputed' && !delivery.details?.dispute?.outcome) {
    const command = invocation('disputes resolve', [id]);
    return [{ ...command, when: 'set how its dispute ended: refunded, rejected or redelivered' }];
  }
  const until = disputableUntil(delivery);
  if (status !== 'delivered' || until === null || until <= now) return [];
  const command = invocation('deliveries dispute', [delivery.id], { reason: 'TEXT' });
  const end = timePhrase(new Date(until).toISOString(), { now, times, zone }, 'until');
  return [{ ...command, when: `say that it did not arrive as it should, ${end}` }];
}

/** Whether nothing more comes of its order by itself. */
function isLast({ id }: AnyDelivery, { latest, nextTry }: NextStepContext): boolean {
  return (latest === null || latest === id) && nextTry === null;
}

/** The price of sending the order of a delivery again that was canceled on purpose: a new order would be a second one. */
export function resendSteps({ id, order_id }: AnyDelivery): NextStep[] {
  const price = {
    ...invocation('deliveries retry', [id], { price: true }),
    when: 'see what sending it again costs, if it is wanted after all',
  };
  return stepsIf(order_id !== '', price);
}

/** How the recipient is told what became of it; none without a tracking link, as after an erasure. */
export function tellSteps({ id, tracking_url }: AnyDelivery): NextStep[] {
  const text = invocation('track', [id], { text: true });
  return stepsIf(Boolean(tracking_url), { ...text, when: 'tell the recipient, with this text' });
}

/** The next status in an ordinary delivery. */
function sandboxSteps({ id, status }: Delivery): NextStep[] {
  const [next] = nextStatuses(status);
  if (next === undefined) return [];
  return [
    {
      ...invocation('sandbox step', [id, next]),
      when: 'have the simulated courier report that now',
    },
  ];
}

/**
 * The commands that give a driver's delivery to another one, on duty if there is one and with the fewest stops, and
 * that report what became of it, which asks for the status and the note. A delivery that the driver has not got yet
 * has nothing to report: its page says what can be done.
 */
export function handoverSteps(
  delivery_id: string,
  driver_id: string,
  drivers: readonly Driver[],
): NextStep[] {
  const [other] = drivers
    .filter(({ id }) => id !== driver_id)
    .sort(
      (left, right) => Number(right.on_duty) - Number(left.on_duty) || left.stops_left - right.stops_left,
    );
  const owner = drivers.find(({ id }) => id === driver_id);
  const isTheirs = owner?.deliveries.some(({ id }) => id === delivery_id) === true;
  const end = isTheirs
    ? {
        ...invocation('deliveries report', [delivery_id, 'STATUS'], { note: 'TEXT' }),
        when: 'Report what became of it',
      }
    : { ...invocation('deliveries explain', [delivery_id]), when: 'See what can be done, and what it costs' };
  if (other === undefined) return [end];
  const assign = invocation('deliveries assign', [delivery_id], { driver: other.id });
  return [{ ...assign, when: `Give it to ${other.name}` }, end];
}
