import type { Delivery } from '../../../contract/deliveries.ts';
import type { Cancellation } from '../../../contract/delivery-changes.ts';
import { isCanceled, isEnded, isPickedUp, nextStatuses } from '../../../domain/delivery-states.ts';
import { dollars } from '../../../domain/money.ts';
import { type TimeStyle, timeSaid } from '../../kit/output/times.ts';
import type { NextStep } from '../../kit/result/invocation.ts';
import { invocation } from '../../kit/result/invocation.ts';
import type { NextTry } from './choice.ts';
import { arrivalOf } from './lateness.ts';

/** A delivery can be disputed so long after it was delivered (interface, deliveries). */
const disputable_ms = 30 * 86_400_000;

/** What decides beside the delivery. */
export interface Situation {
  /** Null where the service does not say what it costs. */
  cancellation: Cancellation | null;
  /** By the service's clock, milliseconds since the epoch. */
  now: number;
  /** How the person wants times said. */
  times: TimeStyle;
  /** Whether the couriers are simulated here, so that they can be told what to do. */
  isSandbox: boolean;
  /** The delivery that its order has now; another one where it was tried again. */
  latest: string | null;
  /** Where auto dispatch still works at its order. */
  nextTry: NextTry | null;
}

/** What can be done with a delivery right now, each as a command. */
export function nextSteps(delivery: Delivery, situation: Situation): NextStep[] {
  const { id, status } = delivery;
  return [
    ...when(status === 'request', step('initiate', id, 'have a courier come for it')),
    ...when(status !== 'request' && !isEnded(status), step('watch', id, 'follow it')),
    ...when(isEditable(delivery), {
      ...invocation('deliveries edit', [id], { dropoffNotes: 'NOTES' }),
      when: 'change notes, units, names or phones, before the pickup',
    }),
    ...cancelSteps(id, situation),
    ...disputeSteps(delivery, situation),
    ...when(isRetried(delivery), retryStep(id, situation)),
    ...when(status === 'returned' || status === 'disputed', {
      ...invocation('deliveries create', [], { like: delivery.order_id, initiate: true }),
      when: 'send the same again, as a new delivery',
    }),
    ...when(situation.isSandbox && isStepped(delivery), ...sandboxSteps(delivery)),
  ];
}

function when(holds: boolean, ...steps: NextStep[]): NextStep[] {
  return holds ? steps : [];
}

function step(verb: string, id: string, reason: string): NextStep {
  return { ...invocation(`deliveries ${verb}`, [id]), when: reason };
}

function cancelSteps(id: string, { cancellation }: Situation): NextStep[] {
  return cancellation?.cancelable ? [step('cancel', id, cancelText(cancellation))] : [];
}

/** Whether it ended in a way that lets its order be tried again. */
export function isRetried({ status }: Pick<Delivery, 'status'>): boolean {
  return status === 'failed' || isCanceled(status);
}

/** Only the latest try can be tried again, and not while auto dispatch does that itself. */
function retryStep(id: string, { latest, nextTry, now, times }: Situation): NextStep {
  if (latest !== null && latest !== id) return step('explain', latest, 'it was tried again as this delivery');
  if (nextTry === null) return step('retry', id, 'try the same order again, with fresh quotes');
  const at = nextTry.at === null ? '' : ` ${timeSaid(nextTry.at, { now, times })}`;
  return {
    ...invocation('orders tries', [nextTry.order_id]),
    when: `auto dispatch tries it again by itself${at}`,
  };
}

/** Whether a simulated courier has something to report of it. */
export function isStepped({ status }: Pick<Delivery, 'status'>): boolean {
  return status !== 'request' && !isEnded(status);
}

function isEditable({ status }: Delivery): boolean {
  return !isEnded(status) && !isPickedUp(status);
}

/** What a cancellation costs, and gives back: `cancel it for $2.99; $6.47 is given back`. */
function cancelText({ fee, refund }: Cancellation): string {
  const price = fee === 0 ? 'cancel it for nothing' : `cancel it for ${dollars(fee)}`;
  return refund === 0 ? price : `${price}; ${dollars(refund)} will be refunded`;
}

function disputeSteps(delivery: Delivery, { now, times }: Situation): NextStep[] {
  const until = Date.parse(arrivalOf(delivery) ?? '') + disputable_ms;
  if (delivery.status !== 'delivered' || Number.isNaN(until) || until <= now) return [];
  const command = invocation('deliveries dispute', [delivery.id], { reason: 'REASON' });
  const end = timeSaid(new Date(until).toISOString(), { now, times }, 'until');
  return [{ ...command, when: `say that it did not arrive as it should, ${end}` }];
}

/** The status that comes next on an ordinary way. */
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
