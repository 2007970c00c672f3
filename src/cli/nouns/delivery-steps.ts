/** The possible next steps of a delivery. */
import type { AnyDelivery, Delivery } from '../../contract/deliveries.ts';
import type { Cancellation } from '../../contract/delivery-changes.ts';
import type { Driver } from '../../contract/providers.ts';
import type { FailedTask } from '../../contract/service.ts';
import { closed_tag, fleet_provider } from '../../contract/vocabulary.ts';
import {
  disputable_ms,
  hasEndedBadly,
  isEnded,
  isPickedUp,
  nextStatuses,
} from '../../domain/delivery-states.ts';
import { findArrival } from '../../domain/lateness.ts';
import { dollars } from '../../domain/money.ts';
import { moneyText } from '../kit/args/flags.ts';
import { type TimeStyle, timePhrase } from '../kit/output/times.ts';
import { invocation, type NextStep } from '../kit/result/message.ts';
import { cancelText } from './cancellation.ts';
import { askText, unreturnedText } from './courier-contact.ts';
import { copyStep, retryInvocation, retryReason, type SpentLimit, spentText } from './retry-steps.ts';

export interface NextTry {
  order_id: string;
  at: string | null;
}

/** The facts besides the delivery that determine its next steps. */
export interface NextStepContext extends SpentLimit {
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
