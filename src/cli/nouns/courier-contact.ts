/** Whom to call about a delivery, and who may still have its parcel. */
import type { AnyDelivery, Delivery } from '../../contract/deliveries.ts';
import { hasEndedBadly, isEnded, isPickedUp } from '../../domain/delivery-states.ts';
import { createErrorReport } from '../errors/error-report.ts';
import { Failure } from '../kit/errors/failure.ts';
import { phoneFormatter } from '../kit/output/safe-text.ts';
import { invocation, type NextStep } from '../kit/result/message.ts';
import type { Context } from '../session/command.ts';

/** Whom to call about a delivery that can no longer be changed: `It is with Amara Osei: call +1 312 555 0199.` */
function callText({ status, courier_name, courier_phone_number: number }: Delivery): string | null {
  if (isEnded(status) || !number) return null;
  // Who is told to call gets the whole number, which lists mask.
  return `It is with ${courier_name || 'its courier'}: call ${phoneFormatter({ showPii: true })(number)}.`;
}

/** Adds whom to call to the refusal of a change, once a courier has the parcel. The error itself otherwise. */
export async function withWhomToCall(
  context: Context,
  deliveryid: string,
  error: unknown,
  steps: readonly NextStep[] = [],
): Promise<unknown> {
  const { code, message } = createErrorReport(error);
  if (code !== 'delivery_not_editable' && code !== 'delivery_not_cancelable') return error;
  const client = await context.client();
  const found = await client.deliveries.get({ params: { deliveryid } }).catch(() => null);
  const hint = found === null ? null : callText(found.data);
  if (hint === null && steps.length === 0) return error;
  const next = [...steps, { ...invocation('deliveries explain', [deliveryid]), when: 'see its status' }];
  return new Failure(6, code, message, { ...(hint === null ? {} : { hint }), next, cause: error });
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
export function askText(delivery: AnyDelivery): string {
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
